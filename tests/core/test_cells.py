"""A table as cells: nothing that stands in it is lost by them. Every table of the walks goes through them too."""

from dataclasses import fields, replace

from core.cells import cells, changed, table_from
from core.ids import ST, SeatId, UnitId
from core.state import Seeds, Table
from tests.walk.walk import Walk


def test_nothing_changed_is_no_cell():
    table = Walk(0).table
    assert changed(table, replace(table)) == ({}, [])


def test_every_field_of_a_table_is_in_its_cells():
    """A field that somebody adds and forgets in cells.py would be lost by a restart."""
    stored = {f.name for f in fields(Table)} - {"play", "house"}
    other = Table(
        name="x", created=1, seen=2, practice=True, rolls={"open": 3}, last_acts={ST: 4}, numbers=5, notes="y",
        paces={ST: 8}, owners={UnitId("u"): SeatId("p")}, seeds=Seeds(6, 7, "o", "s", {ST: "m"}),
    )  # fmt: skip
    assert table_from(cells(other)) == other
    differ = {name for name in stored if getattr(other, name) != getattr(Table(), name)}
    assert stored - differ == {"seats", "orders", "requests", "asks", "objections"}, "these have cells of their own"
