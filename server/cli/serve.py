"""`overseer serve`: the server, until it is told to stop."""

import argparse
import asyncio
import gc

from server import config, log, open_files, web_page
from server.app import App, until_told_to_stop
from server.cli.called import on_the_same_store
from server.config import Settings

HELP = """Starts the server and keeps it running until Ctrl-C or SIGTERM. With no redis_url the tables lie in a database
of its own in the data directory; nothing else needs to be installed. To let others in, listen on the network
(--host 0.0.0.0) and say under which address they reach you (--public-url); a reverse proxy should add https."""


def add_to(words: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = words.add_parser("serve", help="start the server", description=HELP)
    config.add_flags(parser, "settings")
    parser.set_defaults(act=serve)


async def serve(settings: Settings, _: argparse.Namespace) -> int:
    log.set_up(settings.log_level)
    too_few = open_files.make_room(settings)
    told = asyncio.create_task(until_told_to_stop())  # from now on, so that a signal during the start is not lost
    try:
        async with App(settings) as app:
            # What is loaded stays loaded: 68,000 objects that each full collection, which a large frame can bring about,
            # would look through again for 30 ms while everybody waits.
            gc.collect()
            gc.freeze()
            print(f"Overseer is ready at {app.address}", flush=True)
            if too_few:
                print(too_few, flush=True)
            if not app.has_pages:
                print(web_page.NOT_BUILT, flush=True)
            if not await app.rooms.store.tables():
                make = on_the_same_store(settings, "table", "new", "Thursday night")
                print(f"No table yet. In a second terminal: {make}", flush=True)
            await told
            print("Stopping: what is being decided is finished first.", flush=True)
    finally:
        told.cancel()
    return 0
