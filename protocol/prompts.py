"""The questions put to this seat: a window it is asked in, or a readied action of its own whose trigger has happened.

Computed from the state alone, so that nothing is asked twice after a reconnect and nothing closed is asked at all.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from protocol.updates import Pulse
from protocol.views import View

if TYPE_CHECKING:
    from protocol.client import Ack, Table


class Prompt:
    """One question: window and gen. `act`: what is about to happen; `readied`: own readied actions that match it."""

    def __init__(self, table: "Table", window: View, readied: tuple[str, ...], asked: bool) -> None:
        self._table = table
        self.window = window.id
        self.gen: int = window.gen
        self.kind: str = window.get("kind", "before")
        self.pending: str = window.pending
        self.act = View(table.state, "k", self.pending)
        self.readied = readied
        self.asked = asked
        """False: only a readied action makes this a question; there is nothing to pass."""
        self.order_passes: bool = bool((window.get("me") or {}).get("order_passes"))
        """A standing order passes for this seat; it may still react."""

    @property
    def key(self) -> tuple[str, int, tuple[str, ...]]:
        return self.window, self.gen, self.readied

    @property
    def open(self) -> bool:
        """Whether this very question still stands: not closed, not covered, not asked anew, not answered by a pass."""
        window = View(self._table.state, "w", self.window)
        if window.get("gen") != self.gen or window.get("covered"):
            return False
        return not (self.asked and passed(self._table, window))

    def left(self) -> float | None:
        """Seconds to answer in, less the house's allowance for the way (lag_ms). 0: over. None: no clock runs.

        None too while the Storyteller holds the table: then `open` tells whether the question stands.
        """
        window = View(self._table.state, "w", self.window)
        if window.get("gen") != self.gen:
            return 0.0
        deadline = window.get("deadline")
        if deadline is None:
            return None
        lag_ms = self._table.state.get("h/lag_ms", 0)
        ms = int(deadline) - int(lag_ms) - self._table.clock()
        return max(0.0, ms / 1000)

    async def pass_(self) -> "Ack":
        """No answer."""
        return await self._table.command("pass", window=self.window, gen=self.gen)

    async def react(self, unit: Any, kind: str, **act: Any) -> "Ack":
        """An immediate or reflexive action, as `table.react`."""
        return await self._table.react(unit, kind, window=self.window, **act)

    async def fire(self, readied: Any = None, **fields: Any) -> "Ack":
        """Use a readied action: the first that matches, if none is named."""
        chosen = readied if readied is not None else self.readied[0]
        return await self._table.fire(chosen, window=self.window, **fields)

    async def defend(self, unit: Any, n: int, *, attack: int = 1) -> "Ack":
        """Promise defence extra successes, against the `attack`th on the unit where there are several."""
        return await self._table.defend(self.window, unit, n, attack=attack)

    async def split_gain(self, *gain: int) -> "Ack":
        """Where `kind` is "gain": how many of the extra successes gained go to each attack still to come."""
        return await self._table.split_gain(self.window, gain)

    async def more_time(self) -> "Ack":
        """Draw on the time bank."""
        return await self._table.command("more_time", window=self.window)

    def __repr__(self) -> str:
        return f"<Prompt {self.window}/{self.gen} {self.act.get('kind', '')} readied={list(self.readied)}>"


def asked(table: "Table", window: View) -> bool:
    """Whether this seat is asked in the window (for the STs: "st" is among the asked)."""
    return bool((window.get("me") or {}).get("asked")) or _among(table, window.get("asked"))


def passed(table: "Table", window: View) -> bool:
    return bool((window.get("me") or {}).get("passed")) or _among(table, window.get("passed"))


def _among(table: "Table", seats: Any) -> bool:
    return isinstance(seats, (list, tuple)) and ("st" if table.role == "st" else table.seat) in seats


def standing(table: "Table", all: bool = False) -> list[Prompt]:
    """The questions open to this seat now. `all`: also those that its standing order passes."""
    found = []
    for pending in table.stack:
        window = View(table.state, "w", pending.get("window", ""))
        if window.get("gen") is None or window.get("covered"):
            continue
        readied = tuple(one for one in pending.get("due", ()) if _mine(table, one))
        is_asked = asked(table, window)
        prompt = Prompt(table, window, readied, is_asked)
        if readied or (is_asked and not passed(table, window) and (all or not prompt.order_passes)):
            found.append(prompt)
    return found


def _mine(table: "Table", readied: str) -> bool:
    """Whether a readied action is still armed and this seat's to use. STs see all; theirs are the ownerless units'."""
    held = table.state.get(f"r/{readied}")
    if not isinstance(held, dict) or held.get("state", "armed") != "armed":
        return False
    owner = table.state.get(f"u/{held.get('unit')}/owner")
    return owner in (None, "", "st") if table.role == "st" else owner == table.seat


class Prompts:
    """`async for prompt in table.prompts()`: those that stand now, then each new one.

    Ends when the table is closed; raises Closed if the server ended it.
    """

    def __init__(self, table: "Table", pulse: Pulse, ended: Callable[[], bool], all: bool) -> None:
        self._table = table
        self._pulse = pulse
        self._ended = ended
        self._all = all
        self._seen: set[tuple[str, int, tuple[str, ...]]] = set()

    def __aiter__(self) -> "Prompts":
        return self

    async def __anext__(self) -> Prompt:
        while True:
            prompts = standing(self._table, self._all)
            for prompt in prompts:
                if prompt.key not in self._seen:
                    open_still = {key for key in self._seen if f"w/{key[0]}" in self._table.state}
                    self._seen = open_still | {prompt.key}
                    return prompt
            if self._ended():
                raise StopAsyncIteration
            await self._pulse.wait()
