"""`overseer schema`: the protocol as JSON Schema, for whoever writes a client in another language."""

import argparse
import json
from collections.abc import Sequence

from protocol.schema import schema

HELP = """Prints the contract of the protocol as JSON: a JSON Schema of every message, and the tables that no schema can
hold (log lines, close codes, refusals, limits). Types for another language can be generated from it."""


def main(arguments: Sequence[str]) -> int:
    argparse.ArgumentParser(prog="overseer schema", description=HELP).parse_args(arguments)
    print(json.dumps(schema(), indent=2, ensure_ascii=False, sort_keys=True))
    return 0
