"""What a kind of secret is, and what several kinds need."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core import commands as cmd
from core.commands import By, Command
from core.decide import Decided, decide
from core.ids import ST, Ids, SeatId, UnitId
from core.refusals import Refused
from core.state import Ability, Applied, Duration, Track, Unit
from core.world import World
from tests.secrecy.pair import Pair
from tests.secrecy.side import Side

Secretly = Callable[[Pair], Any]


@dataclass(frozen=True)
class Kind:
    """`act`: makes a difference, where it can; whether it did. `before`: what the table needs for it, before the fight.

    `spoils`: commands that would show it. `even`: what is done after every step, so that it does not show. `house`: house
    rules that it needs. `times`: about so often in an evening. `apart`: kinds that do not go with it.
    """

    name: str
    act: Secretly
    before: Secretly
    spoils: Callable[[Pair, Command], bool] | None
    even: Secretly | None
    house: Mapping[str, Any]
    times: int
    apart: tuple[str, ...]


KINDS: dict[str, Kind] = {}


def secret(
    name: str,
    *,
    before: Secretly = lambda pair: False,
    spoils: Callable[[Pair, Command], bool] | None = None,
    even: Secretly | None = None,
    house: Mapping[str, Any] | None = None,
    times: int = 2,
    apart: tuple[str, ...] = (),
) -> Callable[[Secretly], Secretly]:
    def keep(act: Secretly) -> Secretly:
        KINDS[name] = Kind(name, act, before, spoils, even, house or {}, times, apart)
        return act

    return keep


def unit_of(pair: Pair, *names: str) -> UnitId:
    return pair.units[pair.random.choice(names)]


def there(pair: Pair, name: str) -> bool:
    return all(pair.units[name] in side.table.play.units for side in pair.sides)


def stranger(pair: Pair, **more: Any) -> Unit:
    """Somebody whose every word and number is hidden."""
    hp, word = pair.number(), pair.word()
    grip = Ability("grip", "use", ("anytime",), needs_target=True, applies=(Applied(word, secret=True, minutes=1),))
    hour = Applied("slow", lasts=Duration(1, "hour"))
    slowly = Ability(pair.word(), "cast", ("standard", "anytime"), needs_target=True, applies=(hour,))
    facts: dict[str, Any] = {
        "side": pair.word(), "hidden": True, "on_stage": True, "initiative": pair.random.randrange(20),
        "tracks": {"hp": Track(hp, hp)}, "skills": {pair.word(): 7}, "notes": pair.word(), "position": pair.word(),
        "abilities": {"grip": grip, "slowly": slowly}, "conditions": {pair.word(): False},
    }  # fmt: skip
    return Unit(**{"id": UnitId(""), "name": pair.word(), **facts, **more})


def names(command: Command, *units: str) -> bool:
    """Whether a command is about one of these."""
    ids = [getattr(command, "unit", None), *(getattr(command, "units", None) or ())]
    return any(unit in ids for unit in units)


def would_be(side: Side, who: str, command: Command) -> Decided | Refused:
    """What would come of it at a table."""
    by = By(ST, "st") if who == "st" else By(SeatId(who), "player")
    world = World(side.clock(), side.room.dice, Ids(b"x", "y"), side.room.here, side.room.version + 1)
    return decide(side.table, command, by, world)


def asked_would_be_done(pair: Pair, side: Side, who: str, command: Command) -> bool:
    return isinstance(would_be(side, who, command), Decided)


NO_MARKS = {"hidden_shown": "not_at_all"}


def units_named(pair: Pair, *wanted: str) -> list[UnitId]:
    return [pair.units[name] for name in wanted]


def value_of(pair: Pair, unit: UnitId, field: str) -> Any:
    found = pair.a.table.play.units.get(unit)
    return getattr(found, field) if found else {}


def reveals_the_hidden(pair: Pair, command: Command) -> bool:
    e = pair.units["e"]
    own_seats = isinstance(command, (cmd.GiveUnit, cmd.AddSeat, cmd.Reveal, cmd.BringOn))
    return (own_seats or isinstance(command, (cmd.SetValue, cmd.Adjust))) and names(command, e)


def gives_b(pair: Pair, command: Command) -> bool:
    """Who gets a unit gets all that is known of it."""
    return isinstance(command, (cmd.GiveUnit, cmd.AddSeat)) and names(command, *units_named(pair, "b"))
