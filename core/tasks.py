"""Extended actions: rolls that add up to a DC, with interval, deadline, setting aside and mistakes (TASK-02 to TASK-06).

One roll that settles a thing is an instant action and stands in rolls.py (TASK-01).
"""

from dataclasses import replace

from core import bounds
from core import events as ev
from core.bounds import refuse_beyond
from core.commands import DropTask, EditTask, RollTask, SetAside, StartTask
from core.draft import Draft, owner, sees_task
from core.ids import ST, SeatId, TaskId, UnitId
from core.interrupts import object_if_unable
from core.rolls import check_again, make_roll
from core.state import House, Pool, Task, Unit

AT_RISK = 2
"""So many more 1s would make the task fail: its player is told (TASK-05)."""


# --------------------------------------------------------------------------------------------------------------- start
def start_task(d: Draft, c: StartTask) -> None:
    """The DC is chosen now. What is over and has the same name is started once more, from scratch."""
    unit = d.own_unit(c.unit)
    if not c.name.strip() or c.dc < 1 or (c.within_s is not None and c.within_s < 1):
        raise d.refuse("bad_value", name=c.name, dc=c.dc, within_s=c.within_s)
    if not d.is_st and (c.successes or c.visibility == "st"):
        raise d.refuse("forbidden", successes=c.successes, visibility=c.visibility)
    check_again(d, c.pool, unit, c.visibility, private=True)
    before = [t for t in d.play.tasks.values() if (t.unit, t.name) == (unit.id, c.name)]
    for task in before:
        if not sees_task(d.table, d.by.seat, task):
            continue
        if task.state == "open":
            raise d.refuse("in_use", name=c.name)
        d.emit(ev.TaskRemoved(task.id))
    whose = [task for task in d.play.tasks.values() if belongs_to(d, task) == belongs_to(d, c)]
    refuse_beyond(d, "tasks", sum(task.state == "open" for task in whose), bounds.TASKS)
    over = [task for task in whose if task.state != "open"]
    for task in over[: max(0, len(over) - bounds.TASKS + 1)]:
        d.emit(ev.TaskRemoved(task.id))
    now = d.play.clock_s
    task = Task(
        TaskId(d.make()),
        unit.id,
        c.name,
        c.pool,
        c.dc,
        since=now,
        interval_s=c.interval_s,
        deadline=None if c.within_s is None else now + c.within_s,
        in_one_go=c.in_one_go,
        visibility=c.visibility,
        successes=c.successes,
        opposes=c.opposes,
        opposed_pool=c.opposed_pool,
        teamwork=c.teamwork,
        botch_ends=c.botch_ends,
    )
    d.emit(ev.TaskStarted(d.rules.check_task(d, task)))
    d.rules.judge_task(d, d.play.tasks[task.id])


def belongs_to(d: Draft, task: Task | StartTask) -> SeatId:
    """Whose it counts as: what he cannot see is not counted with what he can, or he would know how many there are."""
    return ST if task.visibility == "st" else owner(d.table, task.unit)


def check_task(d: Draft, task: Task) -> Task:
    """An extended action is somebody's own: nobody strives against it, nobody rolls for it beside him."""
    for name in ("opposes", "opposed_pool", "theirs", "teamwork", "botch_ends"):
        if getattr(task, name):
            raise d.refuse("not_in_this_game", field=name)
    return task


# ------------------------------------------------------------------------------------------------------------ one roll
def roll_task(d: Draft, c: RollTask) -> None:
    """Whoever may roll for it now does; then it is looked at how it stands."""
    task = open_task(d, c.task)
    with d.in_course_of(task.id):
        unit, pool = d.rules.who_rolls(d, task, c)
        object_if_unable(d, unit)
        d.rules.check_task_roll(d, unit, task)
        leave_alone(d, unit.id, task.id)
        d.rules.work(d, task, unit, pool, c.modifier)
    d.rules.judge_task(d, d.play.tasks[task.id])


def who_rolls(d: Draft, task: Task, c: RollTask) -> tuple[Unit, Pool]:
    """Its own unit, the task's pool."""
    if set(c.units) - {task.unit} or c.pool is not None:
        raise d.refuse("not_in_this_game", field="pool" if c.pool else "units")
    return d.own_unit(task.unit), task.pool


def work(d: Draft, task: Task, unit: Unit, pool: Pool, modifier: int) -> None:
    """The successes of the roll, extra ones included, are added to the total; 1s are mistakes where these count."""
    thrown = make_roll(d, unit, pool, task.name, visibility=task.visibility, more=(("modifier", modifier),))
    ones = thrown.faces.count(1) if counts_mistakes(d.house) else 0
    d.emit(ev.TaskRolled(task.id, thrown.successes, ones, d.play.clock_s))


def check_interval(d: Draft, task: Task) -> None:
    """The first roll comes at once, or after one interval (house rule); each other one an interval after the last."""
    if task.rolls == 0 and d.house.extended_first_roll == "at_once":
        return
    due = next_roll(task, d.house)
    if due is None:
        d.objection("no_interval", task.unit)
    elif d.play.clock_s < due:
        d.objection("interval", task.unit, left_s=due - d.play.clock_s)


def next_roll(task: Task, house: House) -> int | None:
    """From when on (s) the next roll can be made; None where the ST has not set the interval yet."""
    if task.rolls == 0 and house.extended_first_roll == "at_once":
        return task.since
    return None if task.interval_s is None else task.since + task.interval_s


KNOWN_TO = {"st": 0, "roller": 1, "open": 2}
"""The more know of a roll, the more."""


def leave_alone(d: Draft, unit: UnitId, now_at: TaskId) -> None:
    """Who does another task in between has set aside what must be done in one go: it fails (TASK-03).

    Not where fewer know of what he does in between: the failing of the one would tell of the other (TBL-04).
    """
    known = KNOWN_TO[d.play.tasks[now_at].visibility]
    for task in list(d.play.tasks.values()):
        others = task.unit == unit and task.id != now_at and KNOWN_TO[task.visibility] <= known
        if others and task.state == "open" and task.in_one_go and task.rolls:
            d.emit(ev.TaskFailed(task.id, "set_aside"))


# ------------------------------------------------------------------------------------------------------- how it stands
def judge(d: Draft, task: Task) -> None:
    """Done, failed by mistakes, or at risk. A roll that brings both to the DC has done it (TASK-05)."""
    if task.successes >= task.dc:
        d.emit(ev.TaskDone(task.id))
    elif counts_mistakes(d.house) and task.mistakes >= task.dc:
        d.emit(ev.TaskFailed(task.id, "mistakes"))
    elif at_risk(task, d.house):
        d.emit(ev.TaskAtRisk(task.id))


def counts_mistakes(house: House) -> bool:
    return house.extended_mistakes == "on"


def at_risk(task: Task, house: House) -> bool:
    """There is a mistake, and two more 1s would do (TASK-05)."""
    return counts_mistakes(house) and task.state == "open" and task.mistakes >= max(1, task.dc - AT_RISK)


def miss_deadline(d: Draft) -> bool:
    """A consequence, whatever moved the clock: short of the DC at its deadline, a task fails (TASK-04)."""
    for task in d.play.tasks.values():
        if task.state == "open" and task.deadline is not None and task.deadline <= d.play.clock_s:
            d.emit(ev.TaskFailed(task.id, "deadline"))
            return True
    return False


# -------------------------------------------------------------------------------------------------------- the ST's hand
def set_aside(d: Draft, c: SetAside) -> None:
    """For a while; the next roll takes it up again. What must be done in one go has failed (TASK-03)."""
    task = open_task(d, c.task)
    if task.in_one_go:
        d.emit(ev.TaskFailed(task.id, "set_aside", c.reason))
        return
    lost = min(c.lost, task.successes)
    if task.aside and not lost:
        raise d.refuse("no_change")
    d.emit(ev.TaskSetAside(task.id, lost, c.reason))


EDITED = (
    "dc", "pool", "interval_s", "in_one_go", "successes", "mistakes", "opposed_pool", "theirs", "teamwork", "botch_ends",
)  # fmt: skip


def edit_task(d: Draft, c: EditTask) -> None:
    """Any value is the ST's to set; a player may only set himself a higher DC: it can't be lowered (TASK-02)."""
    task = open_task(d, c.task)
    unit = d.own_unit(task.unit)
    given = {name: value for name in EDITED if (value := getattr(c, name)) is not None}
    if c.within_s is not None:
        given["deadline"] = d.play.clock_s + c.within_s if c.within_s else None
    if not d.is_st and set(given) - {"dc"}:
        raise d.refuse("forbidden", accepted=["dc"])
    if c.dc is not None and c.dc < 1:
        raise d.refuse("bad_value", dc=c.dc)
    if c.dc is not None and c.dc < task.dc and not d.is_st:
        d.objection("dc_fixed", task.unit, task=task.id, dc=task.dc)
    if c.pool is not None:
        check_again(d, c.pool, unit, task.visibility, private=True)
    edited = d.rules.check_task(d, replace(task, **given))
    if edited == task:
        raise d.refuse("no_change")
    d.emit(ev.TaskEdited(edited, c.reason))
    d.rules.judge_task(d, d.play.tasks[task.id])


def drop_task(d: Draft, c: DropTask) -> None:
    task = known_task(d, c.task)
    d.own_unit(task.unit)
    if task.state == "open":
        d.emit(ev.TaskFailed(task.id, "st" if d.is_st else "given_up", c.reason))
    else:
        d.emit(ev.TaskRemoved(task.id))


# ----------------------------------------------------------------------------------------------------------- whose task
def known_task(d: Draft, id: TaskId) -> Task:
    task = d.play.tasks.get(id)
    if task is None or not sees_task(d.table, d.by.seat, task):
        raise d.refuse("unknown", id=id)
    return task


def open_task(d: Draft, id: TaskId) -> Task:
    task = known_task(d, id)
    if task.why == "deadline":
        raise d.refuse("too_late")
    if task.state != "open":
        raise d.refuse("task_closed", name=task.name)
    return task
