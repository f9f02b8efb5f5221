"""The contract for other languages: JSON Schema of every message, and the tables that no schema can hold.

`overseer schema` prints it; TypeScript's types are generated from it; tests/protocol/schema.json guards it.
"""

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from protocol import checks, codes, version
from protocol.from_client import ASKS, BODIES, Command, Drift, Hello, Ping
from protocol.from_server import DIFF, MAPS, Diff
from protocol.lines import KINDS


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12). `$defs` has one entry a message, and FromClient and FromServer for each direction.

    Beside it: `lines` (kinds of log lines in the order of their index, with their fields), `close_codes`, `refusals`
    of the protocol itself, `subprotocols`, `limits`, and how the sum in CHECK is made (`check`).
    """
    asks: list[type[BaseModel]] = list(ASKS.values())
    models: list[type[BaseModel]] = [Hello, Command, *asks, Ping, Drift, *BODIES.values(), *MAPS.values(), Diff]
    _, whole = models_json_schema([(model, "validation") for model in models], by_alias=True)
    defs: dict[str, Any] = whole["$defs"]
    for kind, body in BODIES.items():
        _require(defs[body.__name__], "kind", kind)
    labelled: list[type[BaseModel]] = [Hello, Command, *asks, Ping, Drift, *MAPS.values()]
    for model in labelled:
        _require(defs[model.__name__], "t", model.model_fields["t"].default)
    for what, ask in ASKS.items():
        _require(defs[ask.__name__], "what", what)
    defs["Body"] = {
        "oneOf": [_ref(body) for body in BODIES.values()],
        "discriminator": {"propertyName": "kind"},
        "description": "What a command asks. Its keys stand beside the envelope's, in one map.",
    }
    defs["Command"] = _flat_command(defs["Command"])
    defs["Diff"] = _diff(defs["Diff"])
    defs["FromClient"] = {"oneOf": [_ref(Hello), _ref(Command), *map(_ref, asks), _ref(Ping), _ref(Drift)]}
    defs["FromServer"] = {"oneOf": [*map(_ref, MAPS.values()), _ref(Diff)]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Overseer protocol, version {version.VERSION}.{version.MINOR}",
        "subprotocols": list(version.SUBPROTOCOLS),
        "limits": version.limits(),
        "check": {"every": checks.EVERY, "crc": " ".join((checks.crc.__doc__ or "").split()), "example": _example()},
        "close_codes": {close.name.lower(): int(close) for close in codes.Close},
        "refusals": [{"code": code, "retry": codes.retry(code)} for code in codes.REFUSALS],
        "lines": [{"kind": kind, "fields": list(fields)} for kind, fields in KINDS.items()],
        "anyOf": [{"$ref": "#/$defs/FromClient"}, {"$ref": "#/$defs/FromServer"}],
        "$defs": dict(sorted(defs.items())),
    }


def _example() -> dict[str, Any]:
    view = {"u/a/hp": 12, "t/name": "Zug “7”", "t/stack": [], "s/p": {"role": "player", "name": "Mia"}, "t/turn": None}
    return {"view": view, "crc": checks.crc(view)}


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": f"#/$defs/{model.__name__}"}


def _require(definition: dict[str, Any], name: str, value: str) -> None:
    """A label that says which message it is: always there, whatever a Python default may say."""
    definition["properties"][name] = {"const": value, "type": "string"}
    definition["required"] = [name, *(one for one in definition.get("required", ()) if one != name)]


def _flat_command(envelope: dict[str, Any]) -> dict[str, Any]:
    properties = {name: value for name, value in envelope["properties"].items() if name != "body"}
    required = [name for name in envelope["required"] if name != "body"]
    own = {"type": "object", "properties": properties, "required": required}
    return {"description": envelope["description"], "allOf": [own, {"$ref": "#/$defs/Body"}]}


def _diff(fields: dict[str, Any]) -> dict[str, Any]:
    named = fields["properties"]
    items = [{"const": DIFF, "type": "integer"}, named["n"], named["ops"], named["log"]]
    return {"description": fields["description"], "type": "array", "prefixItems": items, "minItems": 4}
