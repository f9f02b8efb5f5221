"""A player's phone as a process of its own, so that a test can put it to sleep (SIGSTOP) and wake it (SIGCONT).

python -m tests.helpers.phone INVITATION     one line of JSON a change: what it shows
"""

import asyncio
import json
import sys

import msgpack

from protocol.client import connect


async def main(invitation: str) -> None:
    snapshots = 0

    def count(frame: str | bytes) -> None:
        nonlocal snapshots
        message = msgpack.unpackb(frame) if isinstance(frame, bytes) else {}
        snapshots += isinstance(message, dict) and message["t"] == "snapshot"

    async with connect(invitation) as table:
        table.frames = count
        updates = table.updates()
        while True:
            shown = {
                "active": table.active.name if table.active else None,
                "position": table.units["Mira"].position,
                "online": table.connection_state == "online",
                "snapshots": snapshots,
            }
            print(json.dumps(shown), flush=True)
            await anext(updates)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
