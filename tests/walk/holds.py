"""What holds after every step, whatever was sent (interrupts.md 11: S1-S11, T1-T3, L1-L3), and what is looked at at times.

EVERY_STEP is cheap. NOW_AND_THEN costs more: each is done with its own chance, often enough in a walk of a hundred steps.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from core import commands as cmd
from core import events as ev
from core.ability import able, alive
from core.cells import cells, changed, table_from
from core.clock import due_command, next_instant
from core.decide import Decided, decide
from core.diff import patch
from core.evolve import evolve, fold
from core.extras import target_of
from core.ids import ALL, ST, Ids, SeatId
from core.refusals import Refused
from core.state import Play, Seat, Table
from core.view import audiences, view
from core.world import World
from server import cells as stored
from server import history
from server.store.values import Entry
from tests.walk.tables import SECRET
from tests.walk.walk import CLOCK, THE_ST, Step, Walk


# ------------------------------------------------------------------------------------------------- the stack, the windows
def only_the_top_has_a_clock_and_it_runs_unless_held(s: Step) -> None:
    play = s.after.play
    for id in play.stack:
        clock = play.windows[play.pendings[id].window].clock
        assert (clock is not None) == (id == play.stack[-1]), "S1"
        assert clock is None or clock.running != play.held, "S1"
        assert clock is None or 0 <= clock.floor <= clock.deadline, "S1"


def everything_declared_is_on_the_stack_and_has_a_window(s: Step) -> None:
    play = s.after.play
    assert set(play.stack) == play.pendings.keys(), "S2"
    assert len(set(play.stack)) == len(play.stack), "S2"
    assert {p.window: p.id for p in play.pendings.values()} == {w.id: w.pending for w in play.windows.values()}, "S2"


def each_ends_in_one_way_and_only_on_top_is_anything_carried_out(s: Step) -> None:
    table = s.before
    for event in s.events:
        if isinstance(event, ev.ActionCarriedOut):
            assert table.play.stack[-1] == event.pending, "S3"
        if isinstance(event, ev.ActionCarriedOut | ev.ActionFailed | ev.ActionWithdrawn | ev.AnswersOver):
            assert event.pending in table.play.pendings, "S2"
            over = table.play.pendings[event.pending].state == "done"
            assert over == isinstance(event, ev.AnswersOver), "S2: what is done cannot end another way"
        if isinstance(event, ev.ActionDeclared):
            assert len(table.play.stack) < table.house.stack_depth, "S9"
            top = table.play.pendings[table.play.stack[-1]] if table.play.stack else None
            assert top is None or top.state != "rolled", "S3"
        if isinstance(event, ev.ReadiedUsed):
            assert table.play.readied[event.readied].state == "armed", "S8"
        if isinstance(event, ev.GuardSpent):
            budget = table.play.budgets[event.unit]
            assert 0 < event.n <= budget.guard, "S7"
            assert 0 <= event.legendary <= min(event.n, budget.legendary), "XS-09"
        if isinstance(event, ev.SeatPassed):
            window = table.play.windows[event.window]
            assert event.seat in window.asked, "S6"
            assert event.seat not in window.passed, "S6"
            assert isinstance(s.command, cmd.Pass), "S6"
            assert s.command.gen == window.gen, "S6"
            assert window.pending == table.play.stack[-1], "S6"
        if isinstance(event, ev.WindowClosed) and not isinstance(s.command, cmd.CloseWindow | cmd.Resolve):
            window = table.play.windows[event.window]
            assert window.clock is not None, "T2"
            assert window.clock.running, "L3"
            assert not window.asked or s.now >= window.clock.floor, "T1"
            assert event.reason == "settled" or s.now >= window.clock.deadline, "T2"
        table = evolve(table, event)


def nothing_lies_on_a_rolled_one(s: Step) -> None:
    play = s.after.play
    assert all(play.pendings[id].state != "rolled" for id in play.stack[:-1]), "S3"


def nothing_waits_for_a_unit_that_cannot_act(s: Step) -> None:
    for pending in s.after.play.pendings.values():
        unit = s.after.play.units.get(pending.actor)
        assert pending.state != "waiting" or able(unit) or (pending.pardoned and unit is not None), "S4"


def only_asked_seats_have_passed(s: Step) -> None:
    assert all(set(w.passed) <= set(w.asked) for w in s.after.play.windows.values()), "S6"


def a_window_that_was_due_is_not_due_again(s: Step) -> None:
    if isinstance(s.command, cmd.CloseDue):
        again = s.again(s.after)
        assert isinstance(again, Refused), "T3"
        assert again.code == "not_due", "T3"


def while_held_an_st_sits_and_nothing_is_done_but_by_him(s: Step) -> None:
    held = s.after.play.held
    assert not held or sits_an_st(s), "L3"
    fight = s.before.play.fight
    veiled = fight is not None and fight.veiled
    if s.before.play.held and held and not veiled and s.by.role != "st":
        assert not any(isinstance(e, ev.ActionCarriedOut | ev.ActedAtOnce) for e in s.events), "L3"


# ----------------------------------------------------------------------------------------------------- fights and budgets
def one_unit_at_most_is_active_and_everybody_has_one_place(s: Step) -> None:
    play, fight = s.after.play, s.after.play.fight
    if fight is None:
        assert not play.budgets
        return
    assert len(set(fight.order)) == len(fight.order), "one place a unit"
    assert set(play.budgets) == set(fight.order)
    assert set(fight.done) <= set(fight.order)
    assert set(fight.ahead) <= set(fight.order)
    assert set(fight.ghosts) <= set(fight.order)
    assert fight.active is None or (fight.active in fight.order and fight.active not in fight.ghosts)
    assert all(u in play.units and play.units[u].on_stage for u in fight.order if u not in fight.ghosts)
    assert not fight.veiled or (play.held and fight.active is not None)
    assert all(readied.unit in play.units for readied in play.readied.values())


def where_somebody_can_act_somebody_does_or_is_waited_for(s: Step) -> None:
    """The fight goes on by itself: an active unit that can act, the stack, or the ST's hold (TIME-03)."""
    play, fight = s.after.play, s.after.play.fight
    if fight is None or not fight.begun or play.stack or play.held:
        return
    if fight.active is None:
        assert not any(able(play.units.get(u)) for u in fight.order if u not in fight.ghosts), "nobody acts"
    else:
        assert able(play.units[fight.active])


def nothing_is_negative(s: Step) -> None:
    for budget in s.after.play.budgets.values():
        assert all(n >= 0 for n in budget.left.values()), ("S5", budget)
        assert budget.immediates >= 0, "S5"
        assert budget.guard >= budget.legendary >= 0, "S5"
        assert budget.base_less >= 0, "S5"
        assert budget.free_used >= 0, "S5"
    assert all(left >= 0 for left in s.after.play.banks.values()), "S5"
    assert all(task.successes >= 0 <= task.mistakes for task in s.after.play.tasks.values()), "TASK-03"


def defence_is_promised_within_what_is_left(s: Step) -> None:
    if s.after.house.enforce == "warn" or any(p.beyond for p in s.after.play.pendings.values()):
        return
    for budget in s.after.play.budgets.values():
        promises = [(aim, n) for p in s.after.play.pendings.values() for aim, n in p.guards.items()]
        promised = sum(n for aim, n in promises if target_of(aim) == budget.unit)
        assert promised <= budget.guard, "S7"


# --------------------------------------------------------------------------------------------------- what lasts, and dice
def what_lasts_has_its_end_still_to_come(s: Step) -> None:
    play = s.after.play
    for effect in play.effects.values():
        budget = play.budgets.get(effect.unit) if effect.unit is not None else None
        assert effect.on in play.units, effect
        assert effect.at is None or effect.at > play.clock_s, effect
        assert effect.nth is None or (budget is not None and effect.nth > budget.round), effect
        assert not effect.waits or play.fight is None or not play.fight.counts, effect
        assert effect.condition in play.units[effect.on].conditions, effect
    assert not play.prebuff or play.fight is None
    for task in play.tasks.values():
        assert task.unit in play.units, task
        assert task.state != "open" or task.deadline is None or task.deadline > play.clock_s, task
        assert task.state != "open" or task.successes < task.dc, task


def an_effect_ends_once(s: Step) -> None:
    """Whatever is there no more has ended with one event; and nothing else has."""
    if any(isinstance(e, ev.Rewound) for e in s.events):
        return
    begun = [e.effect.id for e in s.events if isinstance(e, ev.EffectStarted)]
    ended = [e.effect for e in s.events if isinstance(e, ev.EffectEnded)]
    assert len(set(begun)) == len(begun)
    assert len(set(ended)) == len(ended), "ended twice"
    assert {*s.before.play.effects, *begun} - s.after.play.effects.keys() == set(ended)


def what_is_sustained_lasts_as_long_as_its_unit_concentrates(s: Step) -> None:
    play = s.after.play
    for effect in play.effects.values():
        assert not effect.sustained or effect.by in play.concentrations, "CON-01"
    for unit, held in play.concentrations.items():
        assert alive(play.units.get(unit)), "CON-02"
        budget = play.budgets.get(unit)
        undecided = budget is not None and held.round < budget.round
        assert not undecided or (play.fight is not None and play.fight.active == unit), "CON-02"


def every_scene_has_a_seed_of_its_own_and_nothing_is_rolled_from_one_that_was_opened(s: Step) -> None:
    before, after = s.before.seeds, s.after.seeds
    back = [e.to for e in s.events if isinstance(e, ev.Rewound)]
    over = s.before.play.scene != s.after.play.scene or any(to < before.since for to in back)
    assert after.number == before.number + over, "DICE-07"
    opened = [e.number for e in s.events if isinstance(e, ev.SeedRevealed)]
    assert opened == ([before.number] if over and before.number else []), "DICE-07"
    seed = before.number
    for event in s.events:
        if isinstance(event, ev.SeedCommitted):
            seed = event.seeds.number
        if isinstance(event, ev.Rolled):
            assert event.seed == seed, "DICE-07"


def who_watches_sees_no_gap_in_the_count_of_the_open_rolls(s: Step) -> None:
    """Every open roll, and no other, is told to the spectators."""
    rolls = [e.counter for e in s.events if isinstance(e, ev.Rolled) and e.stream == "open"]
    counted = s.after.rolls.get("open", 0) - s.before.rolls.get("open", 0)
    told = patch(s.change, ALL) if rolls or counted else None
    lines = told.lines if told else []
    assert [line[3 + 11] for line in lines if line[0] == "rolled"] == rolls, "DICE-07"
    assert len(rolls) == counted, "DICE-07"


# ------------------------------------------------------------------------------------------------------ going back, refunds
def after_a_rewind_all_is_as_it_was_but_no_old_window_is_alive(s: Step) -> None:
    for event in s.events:
        if isinstance(event, ev.Rewound):
            past = s.command.play if isinstance(s.command, cmd.Rewind | cmd.AnswerRequest) else None
            assert past is not None
            assert evolve(s.before, event).play == event.play
            assert but_for_windows(event.play) == but_for_windows(past), "TBL-02"
            assert not s.after.play.windows.keys() & (s.before.play.windows.keys() | past.windows.keys()), "S10"
            assert s.after.play.held or not s.after.play.stack or not sits_an_st(s), "held"


def but_for_windows(play: Play) -> Play:
    """What a rewind brings back: windows are opened anew, and clocks and holds stand as the present has them."""
    pendings = {id: replace(p, window="") for id, p in play.pendings.items()}  # type: ignore[arg-type]
    fight = replace(play.fight, deadline=None, left=None, restarted=False) if play.fight is not None else None
    return replace(play, windows={}, pendings=pendings, fight=fight, held=False, hold_next=False)


def sits_an_st(s: Step) -> bool:
    return any(seat.role == "st" and s.now < seat.ends for seat in s.after.seats.values())


def what_is_paid_back_is_there_again(s: Step) -> None:
    """S11: the readied action too, unless its time is over."""
    if any(isinstance(e, ev.Rewound | ev.ActionBegan) for e in s.events):
        return
    table = s.before
    for e in s.events:
        then = evolve(table, e)
        if isinstance(e, ev.CostRefunded):
            was, now = table.play.budgets[e.unit], then.play.budgets[e.unit]
            for paid in e.paid:
                if paid.kind == "slot":
                    back = sum(p.n for p in e.paid if p.kind == "slot" and p.what == paid.what)
                    assert now.left[paid.what] == was.left.get(paid.what, 0) + back, "S11"
                if paid.kind == "immediate":
                    assert now.immediates == was.immediates + paid.n, "S11"
                if paid.kind == "readied" and paid.what in s.after.play.readied:
                    assert s.after.play.readied[paid.what].state == "armed", "S11"  # type: ignore[index]
        table = then


def its_events_make_the_table(s: Step) -> None:
    assert fold(s.before, s.events, s.now) == s.after


EVERY_STEP: tuple[Callable[[Step], None], ...] = (
    its_events_make_the_table,
    only_the_top_has_a_clock_and_it_runs_unless_held,
    everything_declared_is_on_the_stack_and_has_a_window,
    each_ends_in_one_way_and_only_on_top_is_anything_carried_out,
    nothing_lies_on_a_rolled_one,
    nothing_waits_for_a_unit_that_cannot_act,
    only_asked_seats_have_passed,
    a_window_that_was_due_is_not_due_again,
    while_held_an_st_sits_and_nothing_is_done_but_by_him,
    one_unit_at_most_is_active_and_everybody_has_one_place,
    where_somebody_can_act_somebody_does_or_is_waited_for,
    nothing_is_negative,
    defence_is_promised_within_what_is_left,
    what_lasts_has_its_end_still_to_come,
    an_effect_ends_once,
    what_is_sustained_lasts_as_long_as_its_unit_concentrates,
    every_scene_has_a_seed_of_its_own_and_nothing_is_rolled_from_one_that_was_opened,
    who_watches_sees_no_gap_in_the_count_of_the_open_rolls,
    after_a_rewind_all_is_as_it_was_but_no_old_window_is_alive,
    what_is_paid_back_is_there_again,
)


# ------------------------------------------------------------------------------------------------------------ now and then
def an_earlier(w: Walk, most: int = 10_000) -> int:
    """A version before the present one, no more than so many back."""
    return w.random.randrange(max(0, w.version - most), w.version)


def the_log_from_any_earlier_version_gives_this_one(w: Walk) -> None:
    first = an_earlier(w)
    table = w.steps[first].before
    for s in w.steps[first:]:
        table = fold(table, s.events, s.now)
    assert table == w.table


def the_way_back_leads_to_any_earlier_version(w: Walk) -> None:
    """From the former values that the log keeps, as a server goes back."""
    first = an_earlier(w, 60)
    entries = []
    for k, s in enumerate(w.steps[first:], first + 1):
        put, gone = changed(s.before, s.after)
        former = history.former_of(s.before, [*put, *gone])
        record = history.Record(s.by, s.now, "", (), former, {})
        entries.append(Entry(k, "", history.write(record)))
    assert stored.table_of(history.undone(w.table, entries)) == w.steps[first].before


def another_node_makes_the_same_of_the_log(w: Walk) -> None:
    s = w.steps[-1]
    read = history.read(history.write(history.Record(s.by, s.now, "", s.events, {}, {})))
    assert (read.by, fold(s.before, read.events, read.at)) == (s.by, s.after)


def a_table_comes_back_whole_from_its_cells(w: Walk) -> None:
    assert table_from(cells(w.table)) == w.table


def what_changed_turns_the_old_cells_into_the_new_and_names_nothing_else(w: Walk) -> None:
    s = w.steps[-1]
    old, new = cells(s.before), cells(s.after)
    put, gone = changed(s.before, s.after)
    assert {name: cell for name, cell in {**old, **put}.items() if name not in gone} == new
    assert all(name not in old or old[name] != cell for name, cell in put.items())
    assert set(gone) == old.keys() - new.keys()


def everybodys_patch_leads_from_what_was_seen_to_what_is_seen_and_tells_no_secret(w: Walk) -> None:
    """For one audience at a time, over the last few changes. What is marked as secret is in no player's frame."""
    audience = w.random.choice(audiences(w.table))
    first = an_earlier(w, 3)
    if audience not in audiences(w.steps[first].before):
        return
    seen = view(w.steps[first].before, audience)
    for s in w.steps[first:]:
        sent = patch(s.change, audience)
        if sent is None:
            continue
        for path, *value in sent.ops:
            if value:
                seen[path] = value[0]
            else:
                del seen[path]
        if audience != ST:
            told = repr((sent.ops, sent.lines)).replace(f"{SECRET}{audience}", "")
            assert SECRET not in told, (audience, s.command, told)
    now = view(w.table, audience)
    assert seen == now, audience
    assert list(seen) == list(now) or sorted(seen) == list(now)
    assert audience == ST or SECRET not in repr(now), audience


def decided_twice_it_is_the_same(w: Walk) -> None:
    s = w.steps[-1]
    again = s.again(s.before)
    assert isinstance(again, Decided)
    assert (again.events, again.made, replace(again.table, seen=s.now)) == (s.events, s.made, s.after)


def the_clock_alone_empties_the_stack(w: Walk) -> None:
    """L1, from here: nobody says anything any more."""
    table, now = w.table, w.now
    for k in range(60):
        if table.play.held or not table.play.stack:
            return
        instant = next_instant(table, now, w.here)
        assert instant is not None, "L1: a window without an end"
        now = max(now, instant)
        command = due_command(table, now, w.here)
        assert command is not None, "L1"
        outcome = decide(table, command, CLOCK, World(now, w.dice, Ids(b"L1", f"{k}"), w.here, 1))
        assert isinstance(outcome, Decided), f"L1: {outcome}"
        table = replace(outcome.table, seen=now)
    raise AssertionError("L1: it does not end")


def after_a_rewind_the_same_commands_and_dice_bring_the_same_play(w: Walk) -> None:
    """Back to a moment at which nothing waited, with the administration of then: all goes as it went, only later."""
    first = an_earlier(w, 12)
    past = w.steps[first].before
    fight = past.play.fight
    timed = fight is not None and (fight.deadline is not None or fight.left is not None)
    if past.play.stack or past.play.held or past.play.hold_next or timed:
        return
    world = World(w.now, w.dice, Ids(b"walk", "back"), w.here, w.version + 1)
    back = decide(w.table, cmd.Rewind(first, w.version, play=past.play), THE_ST, world)
    if isinstance(back, Refused):
        assert back.code == "clock_due"
        return
    (rewound,) = [e for e in back.events if isinstance(e, ev.Rewound)]
    later = max(w.now, w.table.seen) - past.seen
    table = replace(
        past, play=evolve(w.table, rewound).play, seen=past.seen + later, seats=postponed(past.seats, later)
    )
    for s in w.steps[first:]:
        outcome = s.again(table, later)
        assert isinstance(outcome, Decided), outcome
        table = replace(outcome.table, seen=s.now + later)
    assert uncounted(table) == uncounted(moved(w.table, later))


def postponed(seats: Mapping[SeatId, Seat], ms: int) -> dict[SeatId, Seat]:
    """Their invitations run out so much later."""
    return {id: seat if seat.until is None else replace(seat, until=seat.until + ms) for id, seat in seats.items()}


def uncounted(table: Table) -> Table:
    """Since when it is counted who keeps the others waiting is no part of what is played; nor is when invitations run out:
    those that are made again do so later, those of before do not.
    """

    def timeless(seat: Seat) -> Seat:
        return replace(seat, until=None, loan=replace(seat.loan, until=0) if seat.loan else None)

    seats = {id: timeless(seat) for id, seat in table.seats.items()}
    return replace(table, seats=seats, play=replace(table.play, opened={}))


def moved(table: Table, later: int) -> Table:
    """The table with its clocks so many ms later."""

    def clock(window: Any) -> Any:
        if window.clock is None or not window.clock.running:
            return window
        instants = {"floor": window.clock.floor + later, "deadline": window.clock.deadline + later}
        return replace(window, clock=replace(window.clock, **instants))

    fight = table.play.fight
    if fight is not None and fight.deadline is not None:
        fight = replace(fight, deadline=fight.deadline + later)
    windows = {id: clock(window) for id, window in table.play.windows.items()}
    return replace(table, seen=table.seen + later, play=replace(table.play, windows=windows, fight=fight))


NOW_AND_THEN: Mapping[Callable[[Walk], None], float] = {
    everybodys_patch_leads_from_what_was_seen_to_what_is_seen_and_tells_no_secret: 0.4,
    the_clock_alone_empties_the_stack: 0.4,
    decided_twice_it_is_the_same: 0.2,
    a_table_comes_back_whole_from_its_cells: 0.1,
    what_changed_turns_the_old_cells_into_the_new_and_names_nothing_else: 0.1,
    after_a_rewind_the_same_commands_and_dice_bring_the_same_play: 0.1,
    the_log_from_any_earlier_version_gives_this_one: 0.1,
    another_node_makes_the_same_of_the_log: 0.1,
    the_way_back_leads_to_any_earlier_version: 0.04,
}
"""By how often: the share of steps after which it is looked at."""


# ------------------------------------------------------------------------------------------------------- all of it together
class Watch:
    """Looks at a walk after each step. `owed`: see below; `witness`: a table of before, as it was when it was looked at."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.ledgers: dict[int, Ledger] = {walk.ready: Ledger()}
        self.ledger = Ledger()
        self.witness = walk.table
        self.looked_like = repr(walk.table)

    def look(self, done: list[Step]) -> None:
        for k, s in enumerate(done, self.walk.version - len(done) + 1):
            for check in EVERY_STEP:
                check(s)
            self.ledger = self.ledgers[k] = self.ledger.after(s, self.ledgers)
            self.ledger.check(s)
        if not self.walk.steps:
            return
        for look, chance in NOW_AND_THEN.items():
            if self.walk.random.random() < chance:
                look(self.walk)
        if self.walk.random.random() < 0.03:
            self.nothing_has_been_changed_in_place()

    def nothing_has_been_changed_in_place(self) -> None:
        """By no command, accepted or refused: a table is a value."""
        assert repr(self.witness) == self.looked_like
        self.witness, self.looked_like = self.walk.table, repr(self.walk.table)


class Ledger:
    """What each unit owes by what it has used and not got back in its round: kept apart from the table's own books."""

    def __init__(self, owed: dict[str, Counter[str]] | None = None) -> None:
        self.owed = owed or {}

    def after(self, s: Step, ledgers: dict[int, "Ledger"]) -> "Ledger":
        kinds = ev.Rewound | ev.CostSpent | ev.CostRefunded | ev.DebtOwed | ev.ActionBegan | ev.UnitJoined | ev.UnitLeft
        if not any(isinstance(e, kinds | ev.FightStarted | ev.FightEnded) for e in s.events):
            return self
        owed = {unit: Counter(debts) for unit, debts in self.owed.items()}
        for e in s.events:
            if isinstance(e, ev.Rewound):
                past = ledgers[e.to].owed if e.to in ledgers else {}
                owed = {unit: Counter(debts) for unit, debts in past.items()}
            elif isinstance(e, ev.CostSpent | ev.CostRefunded):
                count = Counter(paid.owed for paid in e.paid if paid.owed)
                mine = owed.setdefault(e.unit, Counter())
                mine.update(count) if isinstance(e, ev.CostSpent) else mine.subtract(count)
            elif isinstance(e, ev.DebtOwed):
                owed.setdefault(e.unit, Counter())[e.debt] += 1
            elif isinstance(e, ev.ActionBegan):
                owed[e.unit] = Counter()
            elif isinstance(e, ev.UnitJoined | ev.UnitLeft) and not getattr(e, "ghost", False):
                owed.pop(e.unit, None)
            elif isinstance(e, ev.FightStarted | ev.FightEnded):
                owed = {}
        return Ledger(owed)

    def check(self, s: Step) -> None:
        for budget in s.after.play.budgets.values():
            assert Counter(budget.debts) == +self.owed.get(budget.unit, Counter()), ("S5, S8", budget.unit)
