"""A word of the command line that works on the store: with every setting as an option, and what it does."""

import argparse
from collections.abc import Awaitable, Callable

from server import config
from server.config import Settings

Act = Callable[[Settings, argparse.Namespace], Awaitable[int]]
Words = "argparse._SubParsersAction[argparse.ArgumentParser]"


def word(
    words: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, act: Act, text: str
) -> argparse.ArgumentParser:
    parser = words.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    config.add_flags(parser)
    parser.set_defaults(act=act)
    return parser
