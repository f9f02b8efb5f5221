"""What one can say to a table, by name: thin methods over `command`, for people who write bots. No logic but defaults.

Wherever an id is wanted, a unit's view will do (`table.units["Aki"]`), or a name from a log line.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from protocol.seeing import Seeing
from protocol.views import View

if TYPE_CHECKING:
    from protocol.client import Ack


class Words(Seeing):
    """The verbs of a seat."""

    @property
    @abstractmethod
    def n(self) -> int: ...

    @abstractmethod
    async def command(
        self,
        kind: str,
        /,
        *,
        as_seat: str | None = None,
        timeout: float = 30,  # noqa: ASYNC109
        **fields: Any,
    ) -> "Ack": ...

    # ------------------------------------------------------------------------------------------ in one's own action
    async def declare(
        self,
        unit: Any,
        kind: str,
        *,
        slot: str = "standard",
        noticed: bool = False,
        as_seat: str | None = None,
        **act: Any,
    ) -> "Ack":
        """A unit does something: `declare(aki, "attack", targets=[ghoul], ability="Katana")`."""
        return await self.command(
            "declare", unit=unit, act={"kind": kind, "slot": slot, **act}, noticed=noticed, as_seat=as_seat
        )

    async def ready(
        self,
        unit: Any,
        kind: str,
        *,
        slot: str = "standard",
        trigger: Mapping[str, Any] | None = None,
        words: str = "",
        auto: bool = False,
        as_seat: str | None = None,
        **act: Any,
    ) -> "Ack":
        """A unit holds an act back, for a structured trigger or for one in words."""
        held = {"kind": kind, "slot": slot, **act}
        return await self.command(
            "ready", unit=unit, act=held, trigger=trigger, words=words, auto=auto, as_seat=as_seat
        )

    async def announce(self, unit: Any, n: int, *, as_seat: str | None = None) -> "Ack":
        """Say before the first action of a turn how many it will be; each has fewer dice (Storyteller rules)."""
        return await self.command("announce", unit=unit, n=n, as_seat=as_seat)

    async def sustain(self, unit: Any, *, as_seat: str | None = None) -> "Ack":
        """Keep a unit's concentration up, before it does anything else in its action."""
        return await self.command("sustain", unit=unit, as_seat=as_seat)

    async def end_action(self, unit: Any = None, *, round: int | None = None, as_seat: str | None = None) -> "Ack":
        """The action is over: of the unit whose action it is, unless another is named."""
        acting = View(self.state, "u", _id(unit if unit is not None else self.state.get("t/active") or ""))
        this = round if round is not None else acting.get("round", 0)
        return await self.command("end_action", unit=acting.id, round=this, as_seat=as_seat)

    # ---------------------------------------------------------------------------------------------------- in a window
    async def react(
        self,
        unit: Any,
        kind: str,
        *,
        window: Any = None,
        slot: str = "immediate",
        noticed: bool = False,
        as_seat: str | None = None,
        **act: Any,
    ) -> "Ack":
        """An immediate action, in answer to a window, or between two actions; by the Storyteller rules a reflexive one."""
        answer = {"kind": kind, "slot": slot, **act}
        return await self.command("react", unit=unit, act=answer, window=window, noticed=noticed, as_seat=as_seat)

    async def fire(
        self,
        readied: Any,
        *,
        window: Any = None,
        targets: Iterable[Any] = (),
        leaves: bool | None = None,
        as_seat: str | None = None,
    ) -> "Ack":
        """Use a readied action."""
        return await self.command(
            "fire", readied=readied, window=window, targets=list(targets), leaves=leaves, as_seat=as_seat
        )

    async def pass_(self, window: Any, *, gen: int | None = None, as_seat: str | None = None) -> "Ack":
        """No answer to a window's question, the present one unless another is named."""
        asked = View(self.state, "w", _id(window))
        this = gen if gen is not None else asked.get("gen", 0)
        return await self.command("pass", window=asked.id, gen=this, as_seat=as_seat)

    async def defend(self, window: Any, unit: Any, n: int, *, attack: int = 1, as_seat: str | None = None) -> "Ack":
        """Promise `n` defence extra successes of a unit that is attacked, against the `attack`th on it."""
        return await self.command("defend", window=window, unit=unit, n=n, attack=attack, as_seat=as_seat)

    async def split_gain(self, window: Any, gain: Iterable[int], *, as_seat: str | None = None) -> "Ack":
        """Extra successes gained midway: how many for each of one's attacks still to come."""
        return await self.command("split_gain", window=window, gain=list(gain), as_seat=as_seat)

    # ---------------------------------------------------------------------------------------------- talk and free rolls
    async def say(self, text: str, *, unit: Any = None, as_seat: str | None = None) -> "Ack":
        """Speak, or let a unit speak, to all."""
        return await self.command("say", text=text, unit=unit, as_seat=as_seat)

    async def whisper(self, text: str, *, to: str | None = None) -> "Ack":
        """To the Storyteller alone; from him, to one seat."""
        return await self.command("whisper", text=text, to=to)

    async def narrate(self, text: str) -> "Ack":
        """The Storyteller tells what happens."""
        return await self.command("narrate", text=text)

    async def roll(self, unit: Any, *, as_seat: str | None = None, **fields: Any) -> "Ack":
        """A roll outside any action: `roll(aki, pool={"attributes": ["DEX"], "skills": ["Stealth"]}, dc=2)`."""
        return await self.command("roll", unit=unit, as_seat=as_seat, **fields)

    # ------------------------------------------------------------------------------------------------- the Storyteller
    async def hold(self, *, next: bool = False) -> "Ack":
        """Stop every clock, at once or once the action under way has ended."""
        return await self.command("hold", next=next)

    async def release(self) -> "Ack":
        """Go on."""
        return await self.command("release")

    async def set_value(self, unit: Any, path: str, value: Any, *, reason: str = "", **was: Any) -> "Ack":
        """Set a value of a unit. `was=`: what it must be now; what the state shows, unless given."""
        before = was["was"] if "was" in was else _shown(View(self.state, "u", _id(unit)), path)
        return await self.command("set_value", unit=unit, path=path, value=value, was=before, reason=reason)

    async def rewind(self, to: int, *, reason: str = "") -> "Ack":
        """Set the table back to position `to` (an `n`). Refused as "changed" if this client has not seen all since."""
        return await self.command("rewind", to=to, head=self.n, reason=reason)

    async def answer_request(self, request: Any, yes: bool, *, text: str = "", head: int | None = None) -> "Ack":
        """Say yes or no to a player's request. A yes to a take-back names the `head` of its preview, and is refused if
        more has happened since: `ask("rewind_preview", request=...)` says what it would undo."""
        return await self.command("answer_request", request=request, yes=yes, text=text, head=head)

    async def start_fight(self, units: Iterable[Any] = (), *, begin: bool = True) -> "Ack":
        """A fight begins: with these units, or with all on stage."""
        return await self.command("start_fight", units=list(units), begin=begin)

    async def adjust(self, unit: Any, path: str, by: int, *, reason: str = "") -> "Ack":
        """Change a number of a unit by an amount."""
        return await self.command("adjust", unit=unit, path=path, by=by, reason=reason)


def _shown(unit: View, path: str) -> Any:
    """What the state shows for a path that a command may name."""
    first, *rest = path.split(".")
    if first == "tracks" and rest:
        return unit.get(f"{rest[0]}_max" if rest[1:] == ["max"] else rest[0])
    return (unit.get(first) or {}).get(rest[0]) if rest else unit.get(first)


def _id(one: Any) -> str:
    return one.id if isinstance(one, View) else str(one)
