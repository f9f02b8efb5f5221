"""What may be secret, kind by kind: how a difference is made that some seats may not know of, again and again in an evening.

A kind also says which commands would bring the difference to light as the rules have it (`spoils`): they are left out of the
script. What a blow does, for one, everybody sees; so hidden numbers are such that no blow turns on them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core import commands as cmd
from core.commands import By, Command
from core.decide import decide
from core.ids import ALL, ST, Ids, SeatId, TaskId, UnitId
from core.refusals import Refused
from core.state import (
    Ability,
    Act,
    Applied,
    Duration,
    OrderKind,
    Pool,
    Prepared,
    Track,
    Trigger,
    Unit,
    Visibility,
)
from core.windows import top
from core.world import World
from server.asked import own
from tests.secrecy.pair import Pair, even_hold, even_passes
from tests.secrecy.side import Client

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


def asked_would_be_done(pair: Pair, side: Any, who: str, command: Command) -> bool:
    by = By(ST, "st") if who == "st" else By(SeatId(who), "player")
    world = World(side.clock(), side.room.dice, Ids(b"x", "y"), side.room.here, side.room.version + 1)
    return not isinstance(decide(side.table, command, by, world), Refused)


# --------------------------------------------------------------------------------------------------------- hidden units
NO_MARKS = {"hidden_shown": "not_at_all"}


@secret("a hidden unit", house=NO_MARKS)
def hidden_unit(pair: Pair) -> Any:
    return pair.at_a("st", cmd.AddUnit(stranger(pair)))


@secret("a hidden unit comes and goes", house=NO_MARKS)
def comes_and_goes(pair: Pair) -> Any:
    made = pair.at_a("st", cmd.AddUnit(stranger(pair)))
    if len(made) < 2:
        return False
    unit = UnitId(made[0])
    pair.at_a("st", cmd.TakeOff(unit))
    pair.at_a("st", cmd.BringOn((unit,), hidden=True, join=False))
    pair.at_a("st", cmd.Adjust(unit, "hp", -3, reason=pair.word()))
    pair.at_a("st", cmd.SetValue(unit, "position", pair.word(), None))
    return pair.at_a("st", cmd.RemoveUnit(unit))


@secret("a hidden encounter", house=NO_MARKS)
def hidden_encounter(pair: Pair) -> Any:
    kinds = (Prepared(stranger(pair, initiative=None), count=2, one_initiative=True),)
    return pair.at_a("st", cmd.SetUp(kinds, hidden=True, join=False))


def names_differ(pair: Pair, command: Command) -> bool:
    """Who is shown is shown by the name he has; one that is hidden makes room for those that are seen (core/cast.py)."""
    shown = isinstance(command, (cmd.Reveal, cmd.GiveUnit, cmd.AddSeat, cmd.BringOn))
    left, right = (side.table.play.units for side in pair.sides)
    return shown and names(command, *(id for id in left if id in right and left[id].name != right[id].name))


@secret("hidden namesakes of a unit that is seen", house=NO_MARKS, spoils=names_differ)
def namesakes(pair: Pair) -> Any:
    """Those that come later are numbered as if nobody had been there."""
    pair.at_a("st", cmd.SetUp((Prepared(stranger(pair, name="Rat"), count=2),), hidden=True, join=False))
    rat = Unit(UnitId(""), "Rat", tracks={"hp": Track(3, 3)}, initiative=1)
    return pair.both("st", cmd.SetUp((Prepared(rat, count=2),), hidden=False, join=False))


@secret("a unit off stage")
def off_stage(pair: Pair) -> Any:
    return pair.at_a("st", cmd.AddUnit(stranger(pair, on_stage=False, hidden=False)))


@secret("what a hidden unit does unnoticed", house=NO_MARKS)
def unnoticed(pair: Pair) -> Any:
    made = pair.at_a("st", cmd.AddUnit(stranger(pair)))
    if len(made) < 2 or not there(pair, "a"):
        return False
    act = Act("use", "anytime", ability="grip", targets=(pair.units["a"],), text=pair.word())
    return pair.at_a("st", cmd.Insert(UnitId(made[0]), act))


def reveals_the_hidden(pair: Pair, command: Command) -> bool:
    e = pair.units["e"]
    own_seats = isinstance(command, (cmd.GiveUnit, cmd.AddSeat, cmd.Reveal, cmd.BringOn))
    return (own_seats or isinstance(command, (cmd.SetValue, cmd.Adjust))) and names(command, e)


@secret("the values of a hidden unit", spoils=reveals_the_hidden)
def hidden_values(pair: Pair) -> Any:
    e = pair.units["e"]
    r = pair.random
    return pair.at_a("st", r.choice((
        cmd.SetValue(e, "name", pair.word(), _value(pair, e, "name")),
        cmd.SetValue(e, "position", pair.word(), _value(pair, e, "position")),
        cmd.AddCondition(e, pair.word(), minutes=2),
        cmd.SetValue(e, "skills.Lore", r.randrange(100, 1000), _value(pair, e, "skills").get("Lore")),
    )))  # fmt: skip


def _value(pair: Pair, unit: UnitId, field: str) -> Any:
    found = pair.a.table.play.units.get(unit)
    return getattr(found, field) if found else {}


def changes_the_order(pair: Pair, command: Command) -> bool:
    """All but a few: whatever the ST does to the order he would have to do otherwise where nobody is hidden in it."""
    return not isinstance(command, (
        cmd.Declare, cmd.React, cmd.Pass, cmd.Defend, cmd.MoreTime, cmd.EndAction, cmd.Say, cmd.Narrate, cmd.Roll,
        cmd.Ready, cmd.Fire, cmd.SetStandingOrder, cmd.Whisper, cmd.StartTask, cmd.RollTask, cmd.ObjectToRule,
        cmd.AddCondition, cmd.SetNotes, cmd.AskTakeBack, cmd.Withdraw, cmd.SplitGain, cmd.Adjust,
    ))  # fmt: skip


def in_the_order_before(pair: Pair) -> Any:
    made = pair.one(pair.a, "st", cmd.AddUnit(stranger(pair)))
    if len(made) < 2:
        return False
    pair.hidden_actor = UnitId(made[0])
    return True


@secret("a hidden unit in the order, and its action", before=in_the_order_before, spoils=changes_the_order, even=even_hold,
        times=12, house=NO_MARKS, apart=("orders of another seat", "what another has readied", "a promised defence",
        "an action of a noticed but hidden unit", "what the scene turns on", "a rewind"))  # fmt: skip
def in_the_order(pair: Pair) -> Any:
    """While it acts the table looks held. Its end looks as if the ST let the table go on."""
    fight, actor = pair.a.table.play.fight, pair.hidden_actor
    if pair.random.random() < 0.1 and there(pair, "d"):  # who cannot act may stand before it in the order
        pair.both("st", cmd.AddCondition(pair.units["d"], "stunned", rounds=2))
    if fight is None or not fight.veiled or fight.active != actor or actor is None:
        return False
    if pair.random.random() < 0.6 and there(pair, "a"):
        act = Act("use", "anytime", ability="grip", targets=(pair.units["a"],), text=pair.word())
        pair.at_a("st", cmd.Declare(actor, act))
        pair.at_a("st", cmd.Roll(actor, Pool(fixed=3), reason=pair.word()))
        return True
    budget = pair.a.table.play.budgets[actor]
    return pair.each("st", cmd.EndAction(actor, budget.round), cmd.Release())


# ---------------------------------------------------------------------------------------- numbers of others, by policy
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
    units = _units(pair, "b", "d")
    return copies(command, *units) or (isinstance(command, (cmd.GiveUnit, cmd.AddSeat)) and names(command, *units))


def _units(pair: Pair, *wanted: str) -> list[UnitId]:
    return [pair.units[name] for name in wanted]


@secret("the sheet of another's unit", spoils=touches_lore)
def sheet(pair: Pair) -> Any:
    unit = unit_of(pair, "b", "d")
    lore = _value(pair, unit, "skills").get("Lore")
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


@secret("who made what is seen", house=NO_MARKS, spoils=reveals_the_hidden)
def maker(pair: Pair) -> Any:
    """A condition that all see comes from one hidden unit or from another."""
    made = pair.at_a("st", cmd.AddUnit(stranger(pair)))
    if len(made) < 2 or not there(pair, "e") or not there(pair, "a"):
        return False
    a, e = pair.units["a"], pair.units["e"]
    if not pair.b.table.play.units[e].hidden:
        return False
    put = cmd.AddCondition(a, "slow", by=UnitId(made[0]), lasts=Duration(2, "minute"))
    if pair.random.random() < 0.5:
        return pair.each("st", put, replace(put, by=e))
    act = Act("use", "anytime", ability="for a hour", targets=(a,))
    if not asked_would_be_done(pair, pair.b, "st", cmd.Insert(e, act)):
        return False
    return pair.each("st", cmd.Insert(UnitId(made[0]), replace(act, ability="slowly")), cmd.Insert(e, act))


@secret("notes of the ST")
def notes(pair: Pair) -> Any:
    return pair.at_a("st", cmd.SetNotes(pair.word(), pair.random.choice((None, *_units(pair, "a", "d")))))


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
    a, b, e = _units(pair, "a", "b", "e")
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


# --------------------------------------------------------------------------------------------------- another seat's own
def gives_b(pair: Pair, command: Command) -> bool:
    """Who gets a unit gets all that is known of it."""
    return isinstance(command, (cmd.GiveUnit, cmd.AddSeat)) and names(command, *_units(pair, "b"))


@secret("whispers")
def whispers(pair: Pair) -> Any:
    who, to = pair.random.choice((("p2", None), ("st", SeatId("p2"))))
    return pair.at_a(who, cmd.Whisper(pair.word(), to))


def moves_windows(pair: Pair, command: Command) -> bool:
    windows = ("reaction_floor_ms", "reaction_window_ms", "window_mode", "readied_debt", "absent")
    return isinstance(command, cmd.SetHouse) and command.key in windows


@secret("orders of another seat", spoils=moves_windows, even=even_passes)
def orders(pair: Pair) -> Any:
    """Not after a floor: as a pass would, it may close a window there."""
    found, r = top(pair.a.table), pair.random
    if found is not None and (clock := found[1].clock) and clock.running and pair.a.clock() >= clock.floor:
        return False
    order: OrderKind = r.choice(("pass", "pass", "ask", "unless_target"))
    return pair.at_a("p2", cmd.SetStandingOrder(r.choice(("*", "*", "move", pair.word())), order))


def guards_matter(pair: Pair, command: Command) -> bool:
    if isinstance(command, (cmd.SetValue, cmd.Adjust)):
        return str(command.path).startswith("extras")
    if isinstance(command, (cmd.GiveUnit, cmd.AddSeat, cmd.AddUnit, cmd.SetUp, cmd.SetDefaultGuard)):
        return True
    return isinstance(command, cmd.SetHouse) and command.key in ("enforce", "defense_from")


@secret("another's usual defence", spoils=guards_matter)
def default_guard(pair: Pair) -> Any:
    return pair.at_a("p2", cmd.SetDefaultGuard(pair.random.randrange(1, 9)))


def fires_it(pair: Pair, command: Command) -> bool:
    fires = isinstance(command, (cmd.Fire, cmd.SetReadiedAuto))
    return fires or moves_windows(pair, command) or gives_b(pair, command)


@secret("what another has readied", spoils=fires_it, even=even_passes, times=3)
def readied(pair: Pair) -> Any:
    b, d = _units(pair, "b", "d")
    for command in (cmd.BeginAction(b), cmd.Grant(b, ("standard",))):
        if asked_would_be_done(pair, pair.b, "st", command) and asked_would_be_done(pair, pair.a, "st", command):
            pair.both("st", command)
    r = pair.random
    left = cmd.Ready(
        b, Act("use", "standard", text=pair.word()), r.choice((Trigger("attack"), Trigger(), Trigger("move")))
    )
    right = cmd.Ready(b, Act("move", "standard", position=pair.word()), None, pair.word())
    if all(asked_would_be_done(pair, side, "p2", one) for side, one in ((pair.a, left), (pair.b, right))):
        return pair.each("p2", left, right)
    return False


def something_to_answer(pair: Pair) -> None:
    """The ST's own attacks somebody of another seat's."""
    if there(pair, "b") and there(pair, "d"):
        strike = Act("attack", "standard", ability="sword", targets=(pair.units["b"],))
        pair.both("st", cmd.Insert(pair.units["d"], strike))


@secret("a promised defence", spoils=lambda pair, c: gives_b(pair, c) or guards_matter(pair, c), times=4)
def promised(pair: Pair) -> Any:
    """Of nothing, where nothing was promised: what is more than that, or takes its place, shows with the roll."""
    b = pair.units["b"]
    for pending in pair.a.table.play.pendings.values():
        if b in pending.act.targets and not pending.guards.get(b):
            return pair.at_a("p2", cmd.Defend(pending.window, b, 0))
    something_to_answer(pair)
    return False


@secret("whose time was drawn", times=4, spoils=lambda pair, command: isinstance(command, (cmd.MoreTime, cmd.SetHouse)))
def whose_time(pair: Pair) -> Any:
    if not pair.b.table.play.stack and there(pair, "a") and there(pair, "b"):
        strike = Act("attack", "standard", ability="sword", targets=(pair.units["b"],))
        pair.both("st", cmd.Insert(pair.units["a"], strike))  # so that Bob and the ST are asked
    stack = pair.b.table.play.stack
    if not stack or pair.time_drawn:
        return False
    window = pair.b.table.play.pendings[stack[-1]].window
    draw = cmd.MoreTime(window)
    if all(asked_would_be_done(pair, side, who, draw) for side, who in ((pair.a, "p2"), (pair.b, "st"))):
        pair.time_drawn = True
        return pair.each("p2", draw, draw, who_b="st")
    return False


@secret("for whose sake windows are longer", spoils=lambda pair, command: isinstance(command, cmd.GiveTime))
def whose_sake(pair: Pair) -> Any:
    percent = pair.random.choice((150, 200, 100))
    seats = (SeatId("p2"), SeatId("p1"))
    left, right = (cmd.GiveTime(seat, percent) for seat in seats)
    return pair.each("st", left, right)


def for_anns_sake(pair: Pair) -> bool:
    pair.both("st", cmd.GiveTime(SeatId("p1"), 200))
    return False


@secret("that another needs less time", before=for_anns_sake, spoils=lambda pair, command: isinstance(command, cmd.GiveTime),
        apart=("for whose sake windows are longer",))  # fmt: skip
def less_time(pair: Pair) -> Any:
    """Windows are as long as whoever needs most has them."""
    return pair.at_a("st", cmd.GiveTime(SeatId("p2"), pair.random.choice((110, 125, 150, 200))))


SLOW_S = 0.5
"""To the server and back: what is read within half of it after a deadline is in time."""


@secret("that a slow line was given time", times=4)
def slow_line(pair: Pair) -> Any:
    """Bob's pass is read a little after the deadline at both, and at one his line is known to be slow."""
    lines = [side.client("p2", "slow", trip_s=trip) for side, trip in ((pair.a, SLOW_S), (pair.b, 0.0))]
    something_to_answer(pair)
    if (found := top(pair.b.table)) is None:
        return False
    _, window = found
    clock = window.clock
    if "p2" not in window.asked or clock is None or not clock.running:
        return False
    pair.wait(clock.deadline - pair.b.clock() + 50)
    late = cmd.Pass(window.id, window.gen)
    done = [pair._say(side, line, late, None) for side, line in zip(pair.sides, lines, strict=True)]
    pair.compare("a pass that comes a little late")
    pair.wait(500)
    return done == [True, False]


@secret("requests and objections of another")
def requests(pair: Pair) -> Any:
    ask: Command = pair.random.choice((
        cmd.AskTakeBack(pair.word()), cmd.AskLeave(cmd.ChangeScene("story"), {}, pair.word()),
        cmd.ObjectToRule("stack_depth", pair.word()),
    ))  # fmt: skip
    made = pair.at_a("p2", ask)
    if len(made) > 1 and pair.random.random() < 0.5:
        pair.at_a("st", cmd.AnswerRequest(made[0], False, pair.word()))  # type: ignore[arg-type]
    return made


# ---------------------------------------------------------------------------------------------- who is there, who looks
@secret("how many devices a seat has")
def devices(pair: Pair) -> Any:
    who = pair.random.choice(("p2", "x1", "x2", "w1"))
    pair.apart()
    client = pair.a.client(who, f"device{pair.random.randrange(3)}")
    pair.apart()
    pair.compare(f"another device of {who}")
    if pair.random.random() < 0.4:
        leaves(pair, client)
    return True


@secret("what the ST looks at")
def looks(pair: Pair) -> Any:
    pair.apart()
    client = pair.a.client("x1", "other")
    r = pair.random
    client.ask(r.choice((
        {"what": "log", "limit": 5}, {"what": "calc", "text": "1 + 2"}, {"what": "rewind_preview", "to": 1},
        {"what": "explain", "effect": "nothing"}, {"what": "options", "unit": str(unit_of(pair, "a", "d"))},
        {"what": "library"}, {"what": "read_units", "text": "name: Ghoul"},
        {"what": "export"}, {"what": "export", "form": "log", "whose": "p2"},
    )))  # fmt: skip
    pair.a.loop.go()
    pair.apart()
    pair.compare("the ST looks at something")
    return True


def the_other_st(pair: Pair) -> bool:
    pair.st["A"] = "x2"
    return True


@secret("which ST speaks", before=the_other_st, times=1)
def which_st(pair: Pair) -> Any:
    pair.st["A"] = pair.random.choice(("x1", "x2"))
    return pair.at_a("st", cmd.Whisper(pair.word(), SeatId("p2")))


@secret("seats of STs and spectators")
def unseen_seats(pair: Pair) -> Any:
    seat, role = pair.random.choice((("w7", "spectator"), ("x7", "st")))
    table = pair.a.table
    command: Command = (
        cmd.RemoveSeat(SeatId(seat))
        if SeatId(seat) in table.seats
        else cmd.AddSeat(pair.word(), role, seat=SeatId(seat))  # type: ignore[arg-type]
    )
    return _server_at_a(pair, command)


@secret("that the ST looks through a player's eyes")
def through_eyes(pair: Pair) -> Any:
    """Of somebody who is not here, too."""
    players = [seat for seat, it in pair.a.table.seats.items() if it.role == "player"]
    whose = pair.random.choice((*players, ALL))
    pair.apart()
    client = pair.a.client("x1", f"as {whose}", see_as=whose)
    client.ask({"what": "log", "limit": 5})
    pair.apart()
    pair.compare(f"the ST looks through the eyes of {whose}")
    if pair.random.random() < 0.4:
        leaves(pair, client)
    return True


def leaves(pair: Pair, client: Client) -> None:
    client.hang_up()
    pair.a.loop.go()
    del pair.a.clients[f"{client.seat}/{client.name}"]
    pair.compare(f"a device of {client.seat} is gone")


@secret("that a seat is lent, and to whom")
def lent(pair: Pair) -> Any:
    """The guest sits down, and wishes for something."""
    done = pair.at_a("p2", cmd.LendSeat(pair.word(), 3600))
    if not done:
        return False
    guest = f"guest{pair.a.client('p2', 'other').seq}"
    pair.apart()
    pair.a.client("p2", guest, token=pair._answer(pair.a.client("p2", "other"))["token"])
    pair.apart()
    pair.compare("somebody sits on a lent seat")
    pair.one(pair.a, "p2", cmd.Whisper(pair.word()), device=guest)
    if pair.random.random() < 0.5:
        pair.at_a("p2", cmd.TakeBackSeat())
    return done


@secret("whose invitation is renewed or revoked", apart=("which ST speaks",))
def invitations(pair: Pair) -> Any:
    seat = SeatId("x2")
    return pair.at_a("st", pair.random.choice((cmd.RenewInvitation(seat), cmd.RevokeInvitation(seat))))


@secret("that something was lost")
def lost(pair: Pair) -> Any:
    return _server_at_a(pair, cmd.ReportLoss(SeatId("p2"), 3, 5, ()))


def _server_at_a(pair: Pair, command: Command) -> bool:
    pair.apart()
    side = pair.a
    asked = own(command, side.loop.draw("operator"), side.clock())
    done: bool = side.loop.run(side.room.submit(asked))["t"] == "ack"
    pair.apart()
    pair.compare(f"the server at A alone: {command}")
    return done


def st_acts_for_bob(pair: Pair) -> bool:
    pair.acts_for = True
    return True


@secret("that the ST acts for a player", before=st_acts_for_bob, times=2)
def acts_for(pair: Pair) -> Any:
    say = cmd.Say("hm")
    return pair.each("x1", say, say, as_a="p2", who_b="p2")


# ------------------------------------------------------------------------------- a hidden unit that is noticed
def names_the_hidden(pair: Pair, command: Command) -> bool:
    """Whatever becomes of it becomes of its act, which may be another's at the other table."""
    return names(command, pair.units["e"])


@secret("an action of a noticed but hidden unit", spoils=names_the_hidden, house=NO_MARKS, times=2)
def noticed(pair: Pair) -> Any:
    """The same, by two units of which nothing is the same. Their pools and their words are nobody's to know."""
    made = pair.at_a("st", cmd.AddUnit(stranger(pair)))
    e, a = _units(pair, "e", "a")
    if len(made) < 2 or not all(there(pair, name) for name in ("e", "a")) or not pair.b.table.play.units[e].hidden:
        return False
    left = Act("use", "standard", targets=(a,), text=pair.word())
    right = replace(left, text=pair.word())
    doable = cmd.Insert(e, right, noticed=True)
    if not asked_would_be_done(pair, pair.b, "st", doable) or not pair.b.table.play.units[e].on_stage:
        return False
    if not pair.each("st", cmd.Insert(UnitId(made[0]), left, noticed=True), doable):
        return False
    for pending in [pair.b.table.play.pendings[id] for id in pair.b.table.play.stack[-1:]]:
        answer = pair.random.choice((cmd.Withdraw(pending.id), cmd.SplitGain(pending.window, (1,))))
        pair.both("p1", answer)  # whose it is, is not told by its being another's
    return True
