"""The fight: who acts when. Turn follows the identity of units, never a place in a list (TIME-03, TIME-04).

A turn (回合) is one pass of the whole order and 6 seconds; a round (轮) is one unit's, from its action to its next.
"""

from dataclasses import replace

from core import events as ev
from core.ability import UNABLE, able, in_fight
from core.commands import (
    BeginAction,
    EndAction,
    EndDueAction,
    EndFight,
    Grant,
    JoinFight,
    LeaveFight,
    PassTime,
    Release,
    Reorder,
    Spend,
    StartFight,
)
from core.concentration import at_start_of_action, lapse, lose
from core.dice.proof import NO_AGAIN
from core.draft import Draft, owner
from core.effects import end_due_by_action, end_due_by_clock, rounds_to_clock, still_counts
from core.ids import UnitId
from core.override import move_clock, st_sits
from core.rolls import shown_to, stream_of
from core.scenes import fight_begins, fight_ends
from core.seeds import next_origin
from core.state import Budget, Effect, Fight, Unit
from core.windows import longer

TURN_S = 6
MOST_IDLE_TURNS = 20
"""So many turns may go by with nobody able to act; where it takes longer the ST says how it goes on."""


# --------------------------------------------------------------------------------------------------------- start and end
def start_fight(d: Draft, c: StartFight) -> None:
    """Every fight that the ST takes for real makes a scene of its own; who has no initiative rolls one d10 and his bonus."""
    if d.play.fight is not None:
        raise d.refuse("already_fighting")
    if d.play.stack:
        raise d.refuse("window_open")
    units = d.known_units(c.units) or [u for u in d.play.units.values() if u.on_stage]
    for unit in units:
        if not unit.on_stage:
            raise d.refuse("off_stage", unit=unit.id)
        roll_initiative(d, unit)
    fresh = [d.play.units[unit.id] for unit in units]
    order = tuple(unit.id for unit in sorted(fresh, key=place))
    budgets = {unit.id: d.rules.first_budget(unit, d.house) for unit in fresh}
    d.emit(ev.FightStarted(Fight(order, begun=c.begin, counts=False), budgets))
    fight_begins(d, c)
    if c.begin:
        next_action(d)


def roll_initiative(d: Draft, unit: Unit) -> None:
    if unit.initiative is not None:
        return
    seat, visibility = owner(d.table, unit.id), shown_to(d, unit, "open")
    origin = next_origin(d, stream_of(visibility, seat))
    face = next(d.world.dice.faces(origin))
    d.emit(
        ev.Rolled(
            unit=unit.id,
            seat=seat,
            why="initiative",
            visibility=visibility,
            stream=origin.stream,
            counter=origin.counter,
            parts=(("initiative", unit.initiative_bonus),),
            size=1,
            chance=False,
            again=NO_AGAIN,
            faces=(face,),
            rolled=0,
            extra=0,
            successes=face + unit.initiative_bonus,
            seed=origin.seed,
            mixed=origin.mixed,
        )
    )
    d.emit(ev.InitiativeSet(unit.id, face + unit.initiative_bonus, face))


def place(unit: Unit) -> tuple[int, int, int]:
    """Higher initiative first; a tie goes to the higher DEX, then to who was at the table first."""
    return (-(unit.initiative or 0), -unit.attributes.get("DEX", 0), unit.number)


def end_fight(d: Draft, c: EndFight) -> None:
    """The stack is cleared first by the ST; debts end, round effects go on by the world's clock (TIME-04, TIME-09)."""
    fight = d.fight
    if d.play.stack:
        raise d.refuse("window_open")
    if d.play.held or d.play.hold_next:
        d.emit(ev.TableReleased())
    rounds_to_clock(d)
    d.emit(ev.FightEnded(fight.turn))
    fight_ends(d, fight, c)


def pass_time(d: Draft, c: PassTime) -> None:
    if d.play.fight is not None:
        raise d.refuse("already_fighting")
    if c.seconds < 1:
        raise d.refuse("bad_value", seconds=c.seconds)
    d.emit(ev.TimePassed(d.play.clock_s + c.seconds))
    end_due_by_clock(d)


# -------------------------------------------------------------------------------------------------------- one's own action
def begin(d: Draft, unit_id: UnitId, *, ahead: bool = False) -> bool:
    """A unit's action begins: what has run out ends, the budget is given less what is owed. False: it cannot act.

    Whether it sustains its concentration comes first, where that is not its owner's to decide (CON-02).
    """
    before = d.play.budgets.get(unit_id) or Budget(unit_id)
    at_start_of_action(d, unit_id, before)
    end_due_by_action(d, unit_id, before.round + 1)
    for readied in [r for r in d.play.readied.values() if r.unit == unit_id]:
        d.emit(ev.ReadiedExpired(readied.id, unit_id))
    unit = d.play.units.get(unit_id)
    acts = unit is not None and unit_id not in d.fight.ghosts and able(unit)
    budget = d.rules.next_budget(unit, before, d.house) if unit else Budget(unit_id, round=before.round + 1)
    veiled = acts and is_hidden(d, unit_id) and st_sits(d)
    clock = longer(d.table, d.house.action_clock_ms) if acts and not veiled else 0
    deadline = d.now + clock if clock else None
    d.emit(ev.ActionBegan(unit_id, budget, deadline, skipped=not acts, veiled=veiled, ahead=ahead))
    return acts


def is_hidden(d: Draft, unit: UnitId) -> bool:
    found = d.play.units.get(unit)
    return found is not None and found.hidden


def next_action(d: Draft) -> None:
    """Whoever is next acts, unless the table is held for the Storyteller or for a hidden unit's action.

    A release between two hidden units is told to nobody (story.py).
    """
    unveil(d)
    if d.play.hold_next:
        d.emit(ev.TableHeld())
    if d.play.held:
        return
    hidden = hidden_next(d)
    if hidden is not None:
        begin(d, hidden, ahead=hidden in d.fight.done)
    else:
        go_on(d)


def hidden_next(d: Draft) -> UnitId | None:
    """The hidden unit that acts next, if one does: at once, before any that cannot act is passed and before the turn is said
    to be over. Else players could tell its action from a mere hold by the Storyteller, which comes at once (TBL-04).
    """
    if not st_sits(d) or not any(is_hidden(d, u) for u in d.fight.order):
        return None
    later = Draft(d.table, d.by, d.world)
    go_on(later)
    found = later.fight.active
    if found is None or not is_hidden(later, found) or found in d.fight.ahead:
        return None
    return found if begin(Draft(d.table, d.by, d.world), found) else None


def go_on(d: Draft) -> None:
    """The next place of the order acts; places that cannot have had their action. With nobody able, nobody acts."""
    for _ in range(3 * len(d.fight.order) + 1):
        following = next((u for u in d.fight.order if u not in d.fight.done), None)
        if following is None:
            if not d.fight.order:
                return
            end_turn(d)
            continue
        if following in d.fight.ghosts and not still_counts(d, following):
            d.emit(ev.UnitLeft(following))
            continue
        if begin(d, following):
            return
        d.emit(ev.ActionEnded(following, skipped=True))
        if not goes_on(d):
            return


def unveil(d: Draft) -> None:
    """The table was held for a hidden unit's action; it goes on."""
    if d.fight.veiled:
        d.emit(ev.TableReleased())
        move_clock(d, running=True)


def goes_on(d: Draft) -> bool:
    """Somebody of the fight can act, or will be able to before long: who cannot act has had his action (TIME-03)."""
    here = [u for u in d.fight.order if u not in d.fight.ghosts]
    return any(able(d.play.units.get(u)) for u in here) or any(comes_round(d, u) for u in here)


def comes_round(d: Draft, id: UnitId) -> bool:
    """Whether all that keeps a unit from acting runs out by itself within MOST_IDLE_TURNS."""
    unit = d.play.units.get(id)
    if unit is None or not unit.on_stage:
        return False
    return all(
        any(e.on == id and e.condition == word and ends_soon(d, e) for e in d.play.effects.values())
        for word in UNABLE & unit.conditions.keys()
    )


def ends_soon(d: Draft, effect: Effect) -> bool:
    if effect.at is not None:
        return effect.at - d.play.clock_s <= MOST_IDLE_TURNS * TURN_S
    budget = d.play.budgets.get(effect.unit) if effect.unit in d.fight.order else None
    return effect.nth is not None and budget is not None and effect.nth - budget.round <= MOST_IDLE_TURNS


def keep_going(d: Draft) -> bool:
    """Somebody acts as long as anybody can: the active one cannot any more, or is gone, or the table goes on again."""
    fight = d.play.fight
    if fight is None or d.play.stack or (d.play.held and not fight.veiled):
        return False
    if fight.active is not None:
        if in_fight(d.table, fight.active) and able(d.play.units.get(fight.active)):
            return False
        finish(d, fight.active)
        return True
    if not fight.begun or not goes_on(d):
        return False
    next_action(d)
    return True


def end_turn(d: Draft) -> None:
    """Every place has passed: 6 seconds have gone by, and no others (TIME-03)."""
    d.emit(ev.TurnEnded(d.fight.turn, d.play.clock_s + TURN_S))
    end_due_by_clock(d)


def end_action(d: Draft, c: EndAction | EndDueAction) -> None:
    unit = d.own_unit(c.unit)
    if d.fight.active != unit.id:
        raise d.refuse("not_your_action", unit=unit.id)
    if d.play.budgets[unit.id].round != c.round:
        raise d.refuse("changed", round=d.play.budgets[unit.id].round)
    if d.play.stack and not d.fight.veiled:
        raise d.refuse("window_open")
    if d.play.held and not d.fight.veiled and not d.is_st:
        raise d.refuse("held")
    finish(d, unit.id)


def finish(d: Draft, unit: UnitId, *, timed_out: bool = False) -> None:
    """What players have put on the stack while a hidden unit acted goes on first."""
    lapse(d, unit)
    d.emit(ev.ActionEnded(unit, timed_out=timed_out))
    if d.play.stack:
        unveil(d)
    else:
        next_action(d)


def release(d: Draft, c: Release) -> None:
    """The table goes on; if it was held for a hidden unit's action, that has ended."""
    if not d.play.held and not d.play.hold_next:
        raise d.refuse("no_change")
    fight = d.play.fight
    if fight is not None and fight.veiled and fight.active is not None:
        finish(d, fight.active)
        return
    d.emit(ev.TableReleased())
    move_clock(d, running=True)


def begin_action(d: Draft, c: BeginAction) -> None:
    """The ST lets a unit act now; whoever was acting has had his action."""
    unit = d.known_unit(c.unit)
    if not in_fight(d.table, unit.id):
        raise d.refuse("not_in_fight", unit=unit.id)
    if d.play.stack:
        raise d.refuse("window_open")
    if d.fight.active == unit.id:
        raise d.refuse("no_change")
    if d.fight.active is not None:
        lapse(d, d.fight.active)
        d.emit(ev.ActionEnded(d.fight.active))
    unveil(d)
    if not begin(d, unit.id):
        raise d.refuse("cannot_act", unit=unit.id)


# ------------------------------------------------------------------------------------------------------- joining, leaving
def join_fight(d: Draft, c: JoinFight) -> None:
    unit = d.known_unit(c.unit)
    if not unit.on_stage:
        raise d.refuse("off_stage", unit=unit.id)
    if in_fight(d.table, unit.id):
        raise d.refuse("no_change")
    join(d, unit, c.index)


def join(d: Draft, unit: Unit, index: int | None = None) -> None:
    """Its place goes by initiative, or where the ST says; at a place already passed it counts from the next turn.

    Who comes back to a place that still counts for it has its rounds go on (TIME-04).
    """
    roll_initiative(d, unit)
    unit = d.play.units[unit.id]
    fight = d.fight
    others = [u for u in fight.order if u != unit.id]
    if index is None:
        units = d.play.units
        later = (i for i, u in enumerate(others) if u in units and place(units[u]) > place(unit))
        index = next(later, len(others))
    index = max(0, min(index, len(others)))
    passed = unit.id in fight.done or any(u in fight.done or u == fight.active for u in others[index:])
    known = d.budget(unit.id)
    budget = replace(d.rules.first_budget(unit, d.house), round=known.round if known else 0)
    d.emit(ev.UnitJoined(unit.id, index, passed, budget))


def leave_fight(d: Draft, c: LeaveFight) -> None:
    """It is no answer to what is under way: while anything waits only the ST takes a unit out."""
    unit = d.own_unit(c.unit)
    if not in_fight(d.table, unit.id):
        raise d.refuse("not_in_fight", unit=unit.id)
    if d.play.stack and not d.is_st:
        raise d.refuse("window_open")
    leave(d, unit.id)


def leave(d: Draft, unit: UnitId) -> None:
    """Out of the fight; its place stays as long as effects it started count by it (TIME-04)."""
    lose(d, unit, "gone")
    for readied in [r for r in d.play.readied.values() if r.unit == unit]:
        d.emit(ev.ReadiedExpired(readied.id, unit))
    if d.play.fight is not None and unit in d.fight.order and unit not in d.fight.ghosts:
        lift_veil(d, unit)
        d.emit(ev.UnitLeft(unit, ghost=still_counts(d, unit)))


def lift_veil(d: Draft, unit: UnitId) -> None:
    """The hidden unit for whose action the table was held acts no more, or is hidden no more."""
    if d.fight.active == unit:
        unveil(d)


def reorder(d: Draft, c: Reorder) -> None:
    """`was` and the new order are as the ST sees them; places that only count stay where they are, at the end."""
    shown = tuple(u for u in d.fight.order if u not in d.fight.ghosts)
    if c.was != shown:
        raise d.refuse("changed", order=list(shown))
    if sorted(c.order) != sorted(shown):
        raise d.refuse("bad_value", order=list(c.order))
    d.emit(ev.OrderSet((*c.order, *d.fight.ghosts)))


# ------------------------------------------------------------------------------------------------------- the ST's grants
def grant(d: Draft, c: Grant) -> None:
    """Single actions outside the order give that alone (ACT-02)."""
    unit = d.known_unit(c.unit)
    _check_slots(d, unit, c.slots)
    d.emit(ev.ActionsGranted(unit.id, c.slots))


def spend(d: Draft, c: Spend) -> None:
    unit = d.known_unit(c.unit)
    _check_slots(d, unit, c.slots)
    budget = d.play.budgets[unit.id]
    for slot in set(c.slots):
        has = budget.immediates if slot == "immediate" else budget.left.get(slot, 0)
        if c.slots.count(slot) > has:
            raise d.refuse("no_action_left", unit=unit.id, slot=slot)
    d.emit(ev.ActionsTaken(unit.id, c.slots))


def _check_slots(d: Draft, unit: Unit, slots: tuple[str, ...]) -> None:
    if d.budget(unit.id) is None:
        raise d.refuse("not_in_fight", unit=unit.id)
    known = d.rules.counted_slots
    if not slots or any(slot not in known for slot in slots):
        raise d.refuse("bad_value", slots=list(slots), accepted=list(known))
