"""What is not known of what all see: numbers and sheets, conditions, notes and the story; dice that some may not see."""

from dataclasses import replace
from typing import Any

from core import commands as cmd
from core.commands import Command
from core.ids import ST, TaskId, UnitId
from core.state import Duration, Pool, Visibility
from tests.secrecy.kinds.kind import (
    KINDS,
    NO_MARKS,
    gives_b,
    names,
    secret,
    there,
    unit_of,
    units_named,
    value_of,
)
from tests.secrecy.pair import Pair


# ------------------------------------------------------------------------------------ numbers of others, by policy
def copies(command: Command, *units: UnitId) -> bool:
    """Its copies have what it has, and what is done to them says what they are to have had."""
    return isinstance(command, cmd.BringOn) and command.copies > 1 and names(command, *units)


def touches_hp(pair: Pair, command: Command) -> bool:
    d = pair.units["d"]
    if copies(command, d):
        return True
    if isinstance(command, cmd.SetHouse):
        return command.key == "hp_shown"
    return isinstance(command, (cmd.SetValue, cmd.Adjust, cmd.GiveUnit, cmd.AddSeat)) and names(command, d)


def _hp(policy: str) -> None:
    @secret(f"hp of others, shown {policy}", spoils=touches_hp, house={"hp_shown": policy},
            apart=tuple(f"hp of others, shown {p}" for p in ("own_side", "words", "none") if p != policy))  # fmt: skip
    def hp(pair: Pair) -> Any:
        return pair.at_a("st", cmd.Adjust(pair.units["d"], "hp", -pair.random.randrange(1, 9)))


for _policy in ("own_side", "words", "none"):
    _hp(_policy)


def touches_lore(pair: Pair, command: Command) -> bool:
    units = units_named(pair, "b", "d")
    return copies(command, *units) or (isinstance(command, (cmd.GiveUnit, cmd.AddSeat)) and names(command, *units))


@secret("the sheet of another's unit", spoils=touches_lore)
def sheet(pair: Pair) -> Any:
    unit = unit_of(pair, "b", "d")
    lore = value_of(pair, unit, "skills").get("Lore")
    return pair.at_a("st", cmd.SetValue(unit, "skills.Lore", pair.random.randrange(100, 1000), lore, pair.word()))


# ------------------------------------------------------------------------------------------------- conditions and notes
@secret("a secret condition")
def condition(pair: Pair) -> Any:
    r = pair.random
    unit, by = unit_of(pair, "a", "b", "d"), pair.units["d"]
    lasts = r.choice((None, Duration(1, "round"), Duration(1, "minute"), Duration(1, "scene"), Duration(2, "hour")))
    word = pair.word()
    done = pair.at_a("st", cmd.AddCondition(unit, word, True, by=by if there(pair, "d") else None, reason=pair.word(),
                                            lasts=lasts))  # fmt: skip
    if r.random() < 0.3:
        pair.at_a("st", cmd.RemoveCondition(unit, word))
    return done


@secret("notes of the ST")
def notes(pair: Pair) -> Any:
    return pair.at_a("st", cmd.SetNotes(pair.word(), pair.random.choice((None, *units_named(pair, "a", "d")))))


@secret("what the scene turns on")
def key_point(pair: Pair) -> Any:
    left, right = (cmd.ChangeScene("story", pair.word()) for _ in range(2))
    return pair.each("st", left, right)


@secret("a world that is not this one")
def other_world(pair: Pair) -> Any:
    return pair.at_a("st", cmd.SetWorld(pair.word(), sunrise_s=None))


# ---------------------------------------------------------------------------------------------------------------- dice
@secret("hidden rolls")
def hidden_rolls(pair: Pair) -> Any:
    unit, other = unit_of(pair, "a", "d"), unit_of(pair, "b", "d")
    pool = Pool(fixed=3, extra=pair.random.randrange(3))
    return pair.at_a("st", cmd.Roll(unit, pool, "st", reason=pair.word(), opposes=other))


@secret("rolls for another's eyes alone", spoils=lambda pair, command: gives_b(pair, command))
def own_rolls(pair: Pair) -> Any:
    return pair.at_a("p2", cmd.Roll(pair.units["b"], Pool(fixed=4), "roller", reason=pair.word()))


@secret("blind rolls, and rolls asked of another", spoils=lambda pair, command: gives_b(pair, command))
def blind(pair: Pair) -> Any:
    """Of a blind one he rolls and does not see it himself."""
    b = pair.units["b"]
    eyes: Visibility = pair.random.choice(("st", "roller"))
    made = pair.at_a("st", cmd.AskRoll((b,), Pool(fixed=2), eyes, 2, pair.word()))
    if len(made) < 2:
        return False
    if pair.random.random() < 0.6:
        return pair.at_a("p2", cmd.Roll(b, ask=made[0]))  # type: ignore[arg-type]
    return pair.at_a("st", cmd.WithdrawAsk(made[0], pair.word()))  # type: ignore[arg-type]


@secret("secret tasks", house=NO_MARKS)
def tasks(pair: Pair) -> Any:
    a, b, e = units_named(pair, "a", "b", "e")
    whose: tuple[tuple[UnitId, Visibility, str], ...] = ((a, "st", "st"), (b, "roller", "p2"), (e, "open", "st"))
    unit, eyes, who = pair.random.choice(whose)
    if unit not in pair.a.table.play.units or (eyes == "open" and not pair.a.table.play.units[unit].hidden):
        return False
    made = pair.at_a(who, cmd.StartTask(unit, pair.word(), Pool(fixed=3), 9, 6, 60, True, eyes))
    if len(made) < 2:
        return False
    task, budget = TaskId(made[0]), pair.a.table.play.budgets.get(unit)
    if (
        budget is None or not budget.left
    ):  # else the other game takes an action for it, and it cannot do as much as at B
        pair.at_a(who, cmd.RollTask(task))
    pair.at_a("st", cmd.EditTask(task, mistakes=4, successes=1, reason=pair.word()))
    return pair.at_a("st", cmd.SetAside(task, reason=pair.word()) if pair.random.random() < 0.5 else cmd.DropTask(task))


def shows_a_hidden_task(pair: Pair, command: Command) -> bool:
    shows = isinstance(command, (cmd.Reveal, cmd.GiveUnit, cmd.AddSeat, cmd.BringOn))
    return (shows and names(command, pair.units["e"])) or gives_b(pair, command)


KINDS["secret tasks"] = replace(KINDS["secret tasks"], spoils=shows_a_hidden_task)


@secret("that the ST has taken back what was secret")
def taken_back(pair: Pair) -> Any:
    """Where a window is open, or a clock runs, or a hold was meant, it is told what becomes of these."""
    play, house = pair.a.table.play, pair.a.table.house
    if play.stack or play.held or play.hold_next or house.action_clock_ms:
        return False
    to = pair.a.room.audiences[ST].n
    if not pair.at_a("st", cmd.AddCondition(unit_of(pair, "a", "b", "d"), pair.word(), True)):
        return False
    return pair.at_a("st", {"kind": "rewind", "to": to, "head": pair.a.room.audiences[ST].n, "reason": pair.word()})
