"""Units that some may not know of: that they are there, what they are, where they stand, what they do."""

from dataclasses import replace
from typing import Any

from core import commands as cmd
from core.ability import able
from core.commands import Command
from core.draft import sees
from core.ids import ALL, UnitId
from core.state import Act, Duration, Pool, Prepared, Track, Unit
from tests.secrecy.kinds.kind import (
    NO_MARKS,
    asked_would_be_done,
    names,
    reveals_the_hidden,
    secret,
    stranger,
    there,
    units_named,
    value_of,
)
from tests.secrecy.pair import Pair, even_hold


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


@secret("the values of a hidden unit", spoils=reveals_the_hidden)
def hidden_values(pair: Pair) -> Any:
    e = pair.units["e"]
    r = pair.random
    return pair.at_a("st", r.choice((
        cmd.SetValue(e, "name", pair.word(), value_of(pair, e, "name")),
        cmd.SetValue(e, "position", pair.word(), value_of(pair, e, "position")),
        cmd.AddCondition(e, pair.word(), minutes=2),
        cmd.SetValue(e, "skills.Lore", r.randrange(100, 1000), value_of(pair, e, "skills").get("Lore")),
    )))  # fmt: skip


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
    name = pair.random.choice("abd")
    if pair.random.random() < 0.25 and there(pair, name) and others_can_act(pair, pair.units[name]):
        pair.both("st", cmd.AddCondition(pair.units[name], "stunned", rounds=2))  # it may stand before the hidden one
    if fight is None or not fight.veiled or fight.active != actor or actor is None:
        return False
    if pair.random.random() < 0.6 and there(pair, "a"):
        act = Act("use", "anytime", ability="grip", targets=(pair.units["a"],), text=pair.word())
        pair.at_a("st", cmd.Declare(actor, act))
        pair.at_a("st", cmd.Roll(actor, Pool(fixed=3), reason=pair.word()))
        return True
    if not others_can_act(pair, actor):  # it would act again, and turns would go by in which nobody is seen to act
        return False
    return pair.each("st", cmd.EndAction(actor, pair.a.table.play.budgets[actor].round), cmd.Release())


def others_can_act(pair: Pair, unit: UnitId) -> bool:
    """Whether anybody can but this one, of those that are seen in the fight."""
    fight, units = pair.b.table.play.fight, pair.b.table.play.units
    return fight is not None and any(able(units.get(one)) for one in fight.order if one != unit)


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


def names_the_hidden(pair: Pair, command: Command) -> bool:
    """Whatever becomes of it becomes of its act, which may be another's at the other table."""
    return names(command, pair.units["e"])


@secret("an action of a noticed but hidden unit", spoils=names_the_hidden, house=NO_MARKS, times=2)
def noticed(pair: Pair) -> Any:
    """The same, by two units of which nothing is the same. Their pools and their words are nobody's to know."""
    made = pair.at_a("st", cmd.AddUnit(stranger(pair)))
    e, a = units_named(pair, "e", "a")
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


@secret("that an action is aimed at a hidden unit too", times=4)
def aimed_at_the_hidden(pair: Pair) -> Any:
    """And no more; and that it has got away."""
    play, e = pair.a.table.play, pair.units["e"]
    top = play.pendings[play.stack[-1]] if play.stack else None
    if (
        top is None
        or top.state != "waiting"
        or top.act.ability != "sword"
        or len(top.act.targets) != 1
        or top.act.split
    ):
        if there(pair, "a") and there(pair, "d"):
            pair.both(
                "st",
                cmd.Insert(pair.units["d"], Act("attack", "standard", ability="sword", targets=(pair.units["a"],))),
            )
        return False
    if not there(pair, "e") or any(sees(pair.a.table, who, play.units[e]) for who in ("p1", ALL)):
        return False
    edit, aims, fled = cmd.EditPending(top.id), top.act.targets, top.fled
    return all([
        pair.at_a("st", replace(edit, targets=(*aims, e))), pair.at_a("st", replace(edit, targets=aims)),
        pair.at_a("st", replace(edit, fled=(*fled, e))), pair.at_a("st", replace(edit, fled=fled)),
    ])  # fmt: skip
