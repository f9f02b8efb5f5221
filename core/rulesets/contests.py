"""Target numbers, resisted rolls, and extended actions with an opponent, helpers and botches (STY-04 to STY-07)."""

from dataclasses import replace

from core import events as ev
from core.ability import seems_unable
from core.commands import RollTask
from core.concentration import lapse
from core.dice.pool import Throw
from core.dice.target import held
from core.draft import Draft, sees
from core.economy import spend
from core.ids import ALL, UnitId
from core.multiple import fewer_of
from core.rolls import check_again, check_size, lessened, make_roll, pool_parts, shown_against
from core.state import Act, House, Pool, Task, Unit, Visibility


# ------------------------------------------------------------------------------------------------------- target numbers
def target_number(house: House, pool: Pool, opponent: Unit | None) -> int:
    """The opponent's Attribute or Attribute + Skill where the pool names them, else what was told, else the house's."""
    if pool.against and opponent is not None:
        return held(sum(trait(opponent, name) for name in pool.against))
    return held(house.target_number if pool.target_number is None else pool.target_number)


def trait(unit: Unit, name: str) -> int:
    """What the unit lacks counts 0."""
    return unit.attributes.get(name, unit.skills.get(name, 0))


# --------------------------------------------------------------------------------------------------------- taking it up
def check_task(d: Draft, task: Task) -> Task:
    """The ST tells what is to be reached, before the first roll; nothing keeps anybody from rolling each turn (STY-06)."""
    if not d.is_st:
        d.objection("st_tells", task.unit, task=task.id)
    if task.opposes == task.unit:
        raise d.refuse("bad_value", opposes=task.opposes)
    pool, opposed_pool = fixed(d, task.pool, task.opposes), None
    if task.opposes is not None:
        opponent = d.known_unit(task.opposes)
        opposed_pool = fixed(d, task.opposed_pool or task.pool, task.unit)
        check_again(d, opposed_pool, opponent, task.visibility, private=True)
        check_size(d, opponent, opposed_pool)
    return replace(task, pool=pool, opposed_pool=opposed_pool, interval_s=task.interval_s or 0)


def fixed(d: Draft, pool: Pool, opponent: UnitId | None) -> Pool:
    """With the target number it will have; one that is an opponent's traits is looked up at each roll."""
    if pool.against and opponent is not None:
        return replace(pool, target_number=None)
    return replace(pool, target_number=target_number(d.house, pool, None), against=())


# ------------------------------------------------------------------------------------------------------------- one roll
def who_rolls(d: Draft, task: Task, c: RollTask) -> tuple[Unit, Pool]:
    """Its own unit with the task's pool; a helper, where the ST allows it, with his own. Never several as one (STY-07)."""
    if len(c.units) > 1:
        raise d.refuse("pools_apart", units=list(c.units))
    unit = d.own_unit(c.units[0] if c.units else task.unit)
    if unit.id == task.unit:
        if c.pool is not None:
            raise d.refuse("pools_apart", units=[unit.id])
        return unit, task.pool
    if unit.id == task.opposes:
        raise d.refuse("bad_value", units=[unit.id])
    if not task.teamwork:
        d.objection("no_teamwork", unit.id)
    pool = replace(c.pool or task.pool, target_number=task.pool.target_number, against=task.pool.against)
    check_again(d, pool, unit, task.visibility)
    check_size(d, unit, pool)
    return unit, pool


def work(d: Draft, task: Task, unit: Unit, pool: Pool, modifier: int) -> None:
    """Successes, or the net ones of whoever has them, go on the tally of his side (STY-05); a botch costs it all.

    What only the STs see takes nobody's turn: an action that is gone would tell of it (TBL-04).
    """
    more = (("modifier", modifier),)
    fewer = 0 if task.visibility == "st" else take_turn(d, unit, sum(n for _, n in pool_parts(unit, pool, more)))
    theirs = resist(d, task, unit)
    thrown = make_roll(
        d,
        unit,
        pool,
        task.name,
        visibility=shown_to_others(d, task) if unit.id != task.unit else task.visibility,
        more=(*more, ("multiple_actions", -fewer)),
        opposes=task.opposes,
        eliminated=theirs.successes if theirs else 0,
    )
    net = max(0, theirs.successes - lessened(thrown, 0)) if theirs else 0
    by = None if unit.id == task.unit else unit.id
    d.emit(ev.TaskRolled(task.id, thrown.successes, 0, d.play.clock_s, by, net))
    if thrown.botch:
        botched(d, task, unit)
    if theirs is not None and theirs.botch and d.play.tasks[task.id].state == "open":
        opponent_botched(d, task)


def take_turn(d: Draft, unit: Unit, dice: int) -> int:
    """In a fight a roll is the simple action of one's own turn; by how many dice it is poorer for being one of several."""
    if d.budget(unit.id) is None:
        if d.play.fight is not None:
            d.objection("not_in_fight", unit.id)  # while turns are counted, nobody rolls as he likes
        return 0
    if d.play.stack:
        raise d.refuse("window_open")
    act = Act("use", "simple")
    lapse(d, unit.id)
    paid = d.rules.price(d, unit, act, None)
    fewer = fewer_of(d, unit, act.slot, dice)
    spend(d, unit, paid)
    return fewer


def resist(d: Draft, task: Task, unit: Unit) -> Throw | None:
    """The opponent's roll: it needs no action of his, for he counters one. Who seems unable to act resists no more."""
    if task.opposes is None or task.opposed_pool is None:
        return None
    opponent = d.play.units[task.opposes]
    if seems_unable(opponent):
        return None
    visibility = shown_against(d, unit, shown_to_others(d, task))
    return make_roll(d, opponent, task.opposed_pool, task.name, visibility=visibility, opposes=unit.id)


def shown_to_others(d: Draft, task: Task) -> Visibility:
    """Who sees what others roll for it, or against it: where not everybody sees the task, nobody but the ST."""
    return "open" if task.visibility == "open" and sees(d.table, ALL, d.play.units[task.unit]) else "st"


def botched(d: Draft, task: Task, unit: Unit) -> None:
    """From scratch; where the ST has ruled so, or several have worked together, it has failed (STY-06, STY-07)."""
    if task.botch_ends or d.play.tasks[task.id].helped:
        d.emit(ev.TaskFailed(task.id, "botch"))
    else:
        d.emit(ev.TaskBotched(task.id, unit.id))


def opponent_botched(d: Draft, task: Task) -> None:
    """His tally starts over; where a botch is the end of it, he has lost."""
    assert task.opposes is not None
    d.emit(ev.TaskDone(task.id) if task.botch_ends else ev.TaskBotched(task.id, task.opposes))


# ------------------------------------------------------------------------------------------------------- how it stands
def judge(d: Draft, task: Task) -> None:
    """First to the number wins."""
    if task.state != "open":
        return
    if task.successes >= task.dc:
        d.emit(ev.TaskDone(task.id))
    elif task.opposes is not None and task.theirs >= task.dc:
        d.emit(ev.TaskFailed(task.id, "lost"))
