"""TypeScript's half of the contract, made from this one: types of every message, its tables, and the texts of people.

`python -m protocol.typescript` writes protocol/js/src/generated; tests/protocol/test_typescript.py says when it is due.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from protocol import codes, lines, texts, version
from protocol.from_client import BODIES
from protocol.from_server import DIFF
from protocol.schema import schema
from protocol.texts import template

HERE = Path(__file__).parent / "js/src/generated"
HEAD = "// Made by `python -m protocol.typescript` from the server's own contract. Not to be changed by hand.\n\n"

_PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}


def files() -> dict[str, str]:
    """Every file by its name, whole."""
    made = {"messages.ts": "\n".join(_messages()), "contract.ts": "\n".join(_contract())}
    for name, tables in texts.LANGUAGES.items():
        first, rest = _texts(tables)
        made |= {f"{name}.ts": first, f"{name}.rest.ts": rest}
    return {name: HEAD + text.rstrip() + "\n" for name, text in made.items()}


# ------------------------------------------------------------------------------------------------------------- messages
def _messages() -> Iterator[str]:
    """An interface for every entry of the schema's `$defs`, and the commands and questions by their names."""
    definitions: Mapping[str, Any] = schema()["$defs"]
    for name, definition in definitions.items():
        if text := definition.get("description"):
            yield "/** " + text.replace("\n", "\n * ").replace("*/", "*\\/") + " */"
        yield f"export type {name} = {_type(definition)}\n"
    bodies = [one["$ref"].rpartition("/")[2] for one in definitions["Body"]["oneOf"]]
    asks = [one for one in definitions if one.startswith("Ask") and "what" in definitions[one].get("properties", {})]
    yield from _by_label("Commands", "Every command's fields, by its kind.", bodies, "kind", definitions)
    yield from _by_label("Questions", "Every question's fields, by what it asks.", asks, "what", definitions)


def _by_label(name: str, about: str, of: list[str], label: str, definitions: Mapping[str, Any]) -> Iterator[str]:
    yield f"/** {about} */\nexport interface {name} {{"
    for one in of:
        yield f"  {definitions[one]['properties'][label]['const']}: Omit<{one}, 't' | 'id' | '{label}'>"
    yield "}\n"


def _type(of: Mapping[str, Any], depth: int = 0) -> str:
    if "$ref" in of:
        return str(of["$ref"]).rpartition("/")[2]
    if "const" in of:
        return json.dumps(of["const"])
    if "enum" in of:
        return " | ".join(json.dumps(one) for one in of["enum"])
    for choice in ("anyOf", "oneOf"):
        if choice in of:
            return " | ".join(dict.fromkeys(_type(one, depth) for one in of[choice]))
    if "allOf" in of:
        return " & ".join(f"({_type(one, depth)})" for one in of["allOf"])
    if of.get("type") == "array":
        if "prefixItems" in of:
            return f"[{', '.join(_type(one, depth) for one in of['prefixItems'])}]"
        return f"readonly ({_type(of.get('items', {}), depth)})[]"
    if of.get("type") == "object":
        return _object(of, depth)
    return _PLAIN.get(of.get("type", ""), "unknown")


def _object(of: Mapping[str, Any], depth: int) -> str:
    if "properties" not in of:
        values = of.get("additionalProperties")
        return f"{{ readonly [name: string]: {_type(values, depth) if isinstance(values, dict) else 'unknown'} }}"
    inner = "  " * (depth + 1)
    needed = of.get("required", ())
    rows = [
        f"{inner}readonly {name}{'' if name in needed else '?'}: {_type(value, depth + 1)}"
        for name, value in of["properties"].items()
    ]
    if of.get("additionalProperties") is True:
        rows.append(f"{inner}readonly [more: string]: unknown")
    return "\n".join(["{", *rows, "  " * depth + "}"])


# --------------------------------------------------------------------------------------------------- tables and texts
def _contract() -> Iterator[str]:
    values = {
        "VERSION": version.VERSION,
        "MINOR": version.MINOR,
        "SUBPROTOCOL": version.MSGPACK,
        "PATH": version.PATH,
        "DIFF": DIFF,
        "HEARTBEAT_S": version.HEARTBEAT_S,
        "IN_FLIGHT": version.IN_FLIGHT,
        "UNDECIDED": sorted(codes.UNDECIDED),
        "LASTING": sorted(lines.LASTING),
        "NOT_A_VALUE": sorted(lines.NOT_A_VALUE),
        "SALTED": sorted(kind for kind, body in BODIES.items() if "salt" in body.model_fields),
        "FEW": template.FEW,
    }
    for name, value in values.items():
        yield f"export const {name} = {json.dumps(value)}"
    yield "\n/** Why the server ended a connection; the band says what a client does next (codes.ts). */"
    yield f"export const CLOSE = {json.dumps({one.name: int(one) for one in codes.Close}, indent=2)} as const"
    yield '\n/** Log lines in the order of their index: kind and fields. "!" marks a unit, "*" a list of units. */'
    yield "export const LINES: readonly string[] = ["
    yield from (f"  {json.dumps(' '.join((kind, *marked)))}," for kind, marked in lines.MARKED.items())
    yield "]"


_TOLD_LATER = ("lines", "refusals", "explanations")
"""Long, and of what happens only once one sits: a page does not wait for them."""
_WORDS_LATER = tuple(
    "house sums whys anew keeping invitations tasks outcomes orders requests triggers parts wanted scenes".split()
)
_WORDS_SHORTENED = ("refusals",)
"""Worked out from the whole sentences again (texts.ts), but for those that are none."""


def _texts(tables: template.Language) -> tuple[str, str]:
    """What stands in protocol/texts of one language, as two values: what a page needs at first, and the rest."""
    whole = {one.name: getattr(tables, one.name) for one in fields(tables)}
    whole["always_named"] = sorted(tables.always_named)
    later = (*_WORDS_LATER, *_WORDS_SHORTENED)
    words = {name: group for name, group in tables.words.items() if name not in later}
    first = {name: {} if name in _TOLD_LATER else value for name, value in whole.items()}
    first |= {"words": words, "lines": {"declared": tables.lines["declared"]}}
    rest = {name: whole[name] for name in _TOLD_LATER} | {"words": {name: tables.words[name] for name in _WORDS_LATER}}
    rest["words"]["refusals"] = {
        code: text
        for code, text in tables.words["refusals"].items()
        if tables.refusals.get(code, "").split("[")[0] != text
    }
    return _value("LANGUAGE", "Language", first), _value("REST", "Rest", rest)


def _value(name: str, of_type: str, value: Mapping[str, Any]) -> str:
    body = json.dumps(value, ensure_ascii=False, indent=1)
    return f"import type {{ {of_type} }} from '../texts.ts'\n\nexport const {name}: {of_type} = {body}"


def main() -> None:
    HERE.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
