"""A word of the command line that works on the store: with every setting as an option, and what it does."""

import argparse
from collections.abc import Awaitable, Callable
from typing import Any

from server import config
from server.config import Settings

Act = Callable[[Settings, argparse.Namespace], Awaitable[int]]
Words = "argparse._SubParsersAction[argparse.ArgumentParser]"


class Mixed(argparse.ArgumentParser):
    """Options may stand anywhere: argparse by itself takes no FILE after them, where the FILE can be left out."""

    _within = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._within or self._subparsers is not None or "--" in args:  # argparse would lose what stands behind it
            return super().parse_known_args(args, namespace)
        self._within = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._within = False


def word(
    words: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, act: Act, text: str
) -> argparse.ArgumentParser:
    parser = words.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    config.add_flags(parser, config.TABLES_ARE, config.WHERE)
    parser.set_defaults(act=act)
    return parser
