"""The published contract does not change by accident."""

import json
from pathlib import Path

from protocol.from_client import BODIES
from protocol.schema import schema

GOLDEN = Path(__file__).with_name("schema.json")


def test_the_schema_is_the_one_that_was_published():
    """After a change on purpose: .venv/bin/python -m tests.protocol.test_schema, and say so in the change log."""
    assert json.loads(GOLDEN.read_text()) == json.loads(json.dumps(schema()))


def test_every_reference_leads_somewhere():
    whole = schema()
    text = json.dumps(whole)
    for part in text.split('"#/$defs/')[1:]:
        assert part.split('"')[0] in whole["$defs"]


def test_a_command_is_one_flat_map():
    whole = schema()
    envelope, body = whole["$defs"]["Command"]["allOf"]
    assert set(envelope["properties"]) == {"t", "seq", "seen", "as"}
    assert envelope["required"] == ["t", "seq", "seen"]
    assert body == {"$ref": "#/$defs/Body"}
    assert len(whole["$defs"]["Body"]["oneOf"]) == len(BODIES)


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(schema(), indent=1, ensure_ascii=False) + "\n")
