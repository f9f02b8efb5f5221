"""Log lines: short on the wire, by name for whoever reads them."""

import pytest

from protocol.lines import INDEX, KINDS, NAMES, Named, pack, pack_fields, unpack


def test_kinds_keep_their_index():
    """An index, once given, keeps its meaning: new kinds go to the end."""
    first = "value_set said whispered narrated rolled declared carried_out failed withdrawn damaged".split()
    assert list(NAMES[:10]) == first
    assert (INDEX["fight_started"], INDEX["passed"], INDEX["table_made"], INDEX["dice_mixed"]) == (21, 39, 57, 60)


def test_a_line_is_cut_after_its_last_field():
    assert pack("moved", 60, "p1", [["u", "Aki"], "door", None]) == [INDEX["moved"], 60, "p1", ["u", "Aki"], "door"]
    assert pack("moved", 60, "p1", [["u", "Aki"], None, 4]) == [INDEX["moved"], 60, "p1", ["u", "Aki"], None, 4]
    assert pack("released", 60, "st") == [INDEX["released"], 60, "st"]


@pytest.mark.parametrize("kind", NAMES)
def test_every_kind_comes_back_by_name(kind: str):
    packed = pack(kind, 5, ("s1", "p1"), [f"value of {name}" for name in KINDS[kind]])
    line = unpack(packed)
    assert (line.kind, line.at_s, line.by, tuple(line.fields)) == (kind, 5, ("s1", "p1"), KINDS[kind])
    assert unpack(pack(kind, 5, "")).kind == kind


def test_units_are_named_and_may_be_masked():
    line = unpack(pack("declared", 5, "p1", [["u", "Aki"], "attack", "standard", "Claw", [["v", "Ghoul"], None]]))
    assert line["unit"] == Named("u", "Aki")
    assert str(line["unit"]) == "Aki"
    assert line["targets"] == (Named("v", "Ghoul"), None)
    assert (line["parent"], line.get("noticed", False)) == (None, False)
    assert unpack(pack("declared", 5, "", [None, "attack"]))["unit"] is None
    assert pack_fields(line)[3:] == [("u", "Aki"), "attack", "standard", "Claw", (("v", "Ghoul"), None)]


def test_a_newer_servers_line_is_kept_as_it_came():
    line = unpack([900, 5, "st", "something"])
    assert (line.kind, line.fields) == ("unknown", {"0": "something"})
    assert unpack([INDEX["released"], 5, "st", "a new field"]).fields == {}


@pytest.mark.parametrize("packed", [[], [1, 2], ["said", 1, "p"], [-1, 1, "p"], [1, None, "p"], [True, 1, "p"]])
def test_what_is_no_line_is_a_value_error(packed: list[object]):
    with pytest.raises(ValueError, match="a log line is"):
        unpack(packed)


def test_the_writer_hears_of_a_mistake():
    with pytest.raises(KeyError):
        pack("sang", 1, "p")
    with pytest.raises(ValueError, match=r"narrated has 1 fields \(text\), not 2"):
        pack("narrated", 1, "p", ["a", "b"])
