"""Short ways to say in a test what is created, decided and committed."""

from collections.abc import Mapping
from dataclasses import replace

from server.store.redis import RedisStore
from server.store.values import Commit, Decision, Refusal

TABLE = "t1"
PLAIN = Commit(TABLE, "", "c1", {}, [], b"entry", {})


async def a_table(store: RedisStore, table: str = TABLE, cells: Mapping[str, bytes] | None = None) -> str:
    """Makes a table with the audiences st, all and ann; its head."""
    epochs = {"st": "E-st", "all": "E-all", "ann": "E-ann"}
    made = await store.create(
        table, name="Cellar", cells=cells or {}, epochs=epochs, keys={"dice": b"\x00seed"}, entry=b"created"
    )
    assert made
    loaded = await store.load(table)
    assert loaded
    return loaded.head


def decided(seq: int = 1, *, digest: bytes = b"|d\x00", reply: bytes = b"ok|\r\n\x00", client: str = "web") -> Decision:
    return Decision("ann", client, seq, digest, reply)


def commit(head: str, command: str = "c1", **changes: object) -> Commit:
    return replace(PLAIN, head=head, command=command, **changes)  # type: ignore[arg-type]


def refusal(head: str, decision: Decision | None = None) -> Refusal:
    return Refusal(TABLE, head, decision or decided())
