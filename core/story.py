"""What each audience is told of an event: log lines by kind, with what it may not know left out.

One small function an event; an event without one is told by the changed values alone. Units are told as [id, name].
The kinds and their fields are those of protocol/lines.py; a test keeps it so.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core import events as ev
from core.change import Change
from core.dice.pool import meets
from core.draft import owner, sees, sees_task
from core.faces import Faces, in_words
from core.ids import ST
from core.state import Pending, Table, Task, Unit
from core.tasks import counts_mistakes
from core.view import View, lasts_shown, ops, seen, shown_reason

NAMED = 20
"""Acts that a loss tells by name; all of them stand in the log's entry."""

Told = Iterator[tuple[str, tuple[Any, ...]]]


@dataclass(frozen=True)
class Teller:
    """One audience at one change: its own view before and after, and the paths that changed in it.

    Views are made when they are first asked for: most of what a log tells needs none. They leave out what looks as it did.
    """

    audience: str
    change: Change

    @property
    def before(self) -> Table:
        return self.change.before

    @property
    def after(self) -> Table:
        return self.change.after

    @cached_property
    def views(self) -> tuple[View, View]:
        untouched = self.change.untouched(self.audience)
        before, after = (seen(faces, self.audience, untouched) for faces in self.change.faces)
        return before, after

    @cached_property
    def ops(self) -> list[list[Any]]:
        return ops(*self.views)

    @cached_property
    def changed(self) -> frozenset[str]:
        return frozenset(op[0] for op in self.ops)

    @property
    def st(self) -> bool:
        return self.audience == ST

    def unit(self, id: str | None) -> Unit | None:
        if id is None:
            return None
        return self.after.play.units.get(id) or self.before.play.units.get(id)  # type: ignore[call-overload, no-any-return]

    def sees(self, id: str | None) -> bool:
        """Whether the audience may know of the unit: as things are, or as they were where it is gone."""
        for table in (self.after, self.before):
            unit = table.play.units.get(id)  # type: ignore[call-overload]
            if unit is not None:
                return sees(table, self.audience, unit)
        return False

    def keeps_a_place(self, id: str) -> bool:
        """It is not in the fight any more, and the order goes on counting it (TIME-04)."""
        return any(
            table.play.fight is not None and id in table.play.fight.ghosts for table in (self.before, self.after)
        )

    def owns(self, id: str) -> bool:
        """The owner and the ST: who may read the sheet."""
        return self.st or owner(self.after, id) == self.audience  # type: ignore[arg-type]

    def name(self, id: str | None) -> list[str] | None:
        """[id, name], or None for a unit this audience does not see."""
        unit = self.unit(id)
        return [unit.id, unit.name] if unit is not None and self.sees(id) else None

    def may_name(self, by: str | None) -> bool:
        """Whether the words of what comes from a unit, an ability's name say, are for this audience."""
        return by is None or self.sees(by)

    def names(self, ids: Iterable[str]) -> list[list[str]]:
        return [name for name in map(self.name, ids) if name is not None]

    def task(self, id: str | None) -> Task | None:
        """An extended action, if the audience may know of it."""
        for table in (self.after, self.before):
            task = table.play.tasks.get(id)  # type: ignore[call-overload]
            if task is not None:
                return task if sees_task(table, self.audience, task) else None
        return None

    def opponent(self, task: Task) -> list[str] | None:
        """Who strives against a task: nobody where he is not seen."""
        return self.name(task.opposes) if task.opposes is not None else None

    def shown(self, id: str, track: str) -> str:
        """How it is shown a track of a unit: in "numbers", or was until now; in "words"; else ""."""
        before, after = (_shown(faces, self.audience, id, track) for faces in self.change.faces)
        return before if before == "numbers" else after


def _shown(faces: Faces, audience: str, id: str, track: str) -> str:
    one = faces.shown.get(id)  # type: ignore[call-overload]
    if one is None or track not in one.unit.tracks or not sees(faces.table, audience, one.unit):
        return ""
    how = faces.tracks(one.unit.id, audience)
    return how if how == "numbers" or (how == "words" and track == "hp") else ""


def tell(teller: Teller, event: ev.Event) -> Told:
    """The lines of one event for one audience, as (kind, fields)."""
    told = TELLERS.get(type(event))
    return told(teller, event) if told else iter(())


TELLERS: dict[type[ev.Event], Callable[[Teller, Any], Told]] = {}


def on(*kinds: type[ev.Event]) -> Callable[[Callable[[Teller, Any], Told]], Callable[[Teller, Any], Told]]:
    def note(function: Callable[[Teller, Any], Told]) -> Callable[[Teller, Any], Told]:
        for kind in kinds:
            TELLERS[kind] = function
        return function

    return note


# ------------------------------------------------------------------------------------------------- seats and the house
@on(ev.TableMade)
def table_made(t: Teller, e: ev.TableMade) -> Told:
    yield "table_made", (e.name,)


@on(ev.TableBrought)
def table_brought(t: Teller, e: ev.TableBrought) -> Told:
    yield "table_brought", (e.name,)


@on(ev.SeatAdded)
def seat_added(t: Teller, e: ev.SeatAdded) -> Told:
    if t.st or e.seat.role == "player":
        yield "seat_added", (e.seat.id, e.seat.name, e.seat.role)


@on(ev.SeatRemoved)
def seat_removed(t: Teller, e: ev.SeatRemoved) -> Told:
    gone = t.before.seats.get(e.seat)
    if t.st or (gone is not None and gone.role == "player"):
        yield "seat_removed", (e.name,)


@on(ev.InvitationRenewed)
def invitation_renewed(t: Teller, e: ev.InvitationRenewed) -> Told:
    if t.st:
        yield "invitation_renewed", (e.seat, lasts_s(t, e.until))


@on(ev.InvitationRevoked)
def invitation_revoked(t: Teller, e: ev.InvitationRevoked) -> Told:
    if t.st:
        yield "invitation_revoked", (e.seat,)


@on(ev.RoleSet)
def role_set(t: Teller, e: ev.RoleSet) -> Told:
    """Who plays, and who plays no more, is everybody's to know; who else sits there the STs'."""
    if t.st or "player" in (e.role, e.was):
        yield "role_set", (e.seat, t.after.seats[e.seat].name, e.role, e.was)


@on(ev.SeatLent)
def seat_lent(t: Teller, e: ev.SeatLent) -> Told:
    if t.st or t.audience == e.seat:
        yield "seat_lent", (e.seat, e.loan.to, lasts_s(t, e.loan.until))


@on(ev.LoanEnded)
def loan_ended(t: Teller, e: ev.LoanEnded) -> Told:
    if t.st or t.audience == e.seat:
        yield "loan_ended", (e.seat, e.to)


@on(ev.KeepingNoted)
def keeping_noted(t: Teller, e: ev.KeepingNoted) -> Told:
    if t.st:
        yield "keeping_noted", (e.what, e.text or None)


def lasts_s(t: Teller, until: int | None) -> int | None:
    return None if until is None else max(1, round((until - t.after.seen) / 1000))


@on(ev.OwnerSet)
def owner_set(t: Teller, e: ev.OwnerSet) -> Told:
    if t.sees(e.unit):
        yield "owner_set", (t.name(e.unit), e.seat)


@on(ev.HouseRuleSet)
def house_set(t: Teller, e: ev.HouseRuleSet) -> Told:
    yield "house_set", (e.key, e.value, e.was)


@on(ev.RuleObjected)
def rule_objected(t: Teller, e: ev.RuleObjected) -> Told:
    if t.st or t.audience == e.objection.seat:
        yield "rule_objected", (e.objection.key, e.objection.value, e.objection.text)


@on(ev.HistoryLost)
def history_lost(t: Teller, e: ev.HistoryLost) -> Told:
    """Acts are named by their seat and number; those of the clock and of the server only count."""
    if not t.st:
        return
    if e.seat is not None:
        yield "seen_lost", (e.seat, e.first, e.last)
        return
    acts = [tuple(command.split("/")) for command in e.commands]
    seats = {str(seat.id): seat.name for seat in t.after.seats.values()}
    named = [f"{seats[act[0]]} {act[-1]}" for act in acts if len(act) == 3 and act[0] in seats]
    yield "history_lost", (len(acts) or None, e.first or None, e.last or None, named[:NAMED] or None)


@on(ev.TimeGiven)
def time_given(t: Teller, e: ev.TimeGiven) -> Told:
    if t.st:
        yield "time_given", (e.name or e.seat, e.percent)


@on(ev.NotesSet)
def notes_set(t: Teller, e: ev.NotesSet) -> Told:
    if t.st:
        yield "notes_set", ()


# ---------------------------------------------------------------------------------------------------------------- talk
@on(ev.Said)
def said(t: Teller, e: ev.Said) -> Told:
    yield "said", (t.name(e.unit), e.text)


@on(ev.Whispered)
def whispered(t: Teller, e: ev.Whispered) -> Told:
    if t.st or t.audience in (e.seat, e.to):
        yield "whispered", (e.to, e.text)


@on(ev.Narrated)
def narrated(t: Teller, e: ev.Narrated) -> Told:
    yield "narrated", (e.text,)


@on(ev.RequestMade)
def request_made(t: Teller, e: ev.RequestMade) -> Told:
    r = e.request
    if t.st or t.audience == r.seat:
        yield "request_made", (r.id, r.kind, r.seat, r.text, shown_reason(r, t.audience))


@on(ev.RequestAnswered)
def request_answered(t: Teller, e: ev.RequestAnswered) -> Told:
    if t.st or t.audience == e.seat:
        yield "request_answered", (e.request, e.seat, e.yes, e.text)


@on(ev.Flagged)
def flagged(t: Teller, e: ev.Flagged) -> Told:
    """All see that a rule was bent, but not one that only a secret explains, nor one in what is its owner's own."""
    knows = t.owns if e.private else t.sees
    seen = (e.unit is None or knows(e.unit)) and (e.task is None or t.task(e.task) is not None)
    if t.st or (not e.secret and seen):
        yield "flagged", (e.code, e.leave, t.name(e.unit))


@on(ev.Faulted)
def fault(t: Teller, e: ev.Faulted) -> Told:
    if t.st:
        yield "fault", (e.pending, e.error)


# --------------------------------------------------------------------------------------------------------------- rolls
@on(ev.RollAsked)
def roll_asked(t: Teller, e: ev.RollAsked) -> Told:
    units = [u for u in e.ask.units if t.owns(u)]
    if units:
        yield "roll_asked", (t.names(units), e.ask.reason, e.ask.dc, e.ask.visibility, e.ask.id)


@on(ev.AskWithdrawn)
def ask_withdrawn(t: Teller, e: ev.AskWithdrawn) -> Told:
    """To those whose roll was still awaited."""
    units = [u for u in t.before.asks[e.ask].units if t.owns(u)]
    if units:
        yield "ask_withdrawn", (t.names(units), e.reason, e.ask)


@on(ev.Rolled)
def rolled(t: Teller, e: ev.Rolled) -> Told:
    """An open roll's faces and successes: all who see the roller. How its pool came about: owner and ST.

    Of one against a unit that is not seen only what it came to: the margin, and its own successes beside what is left of
    them, would be as good as that one's roll.
    """
    mine = t.st or t.audience == e.seat
    if not (t.st or (e.visibility == "open" and t.sees(e.unit)) or (e.visibility == "roller" and mine)):
        return
    parts = None
    if mine:
        parts = [[name, n] for name, n in e.parts if name != "defense" or e.target is None or t.owns(e.target)]
    result, margin = outcome(e.successes, e.dc)
    opponent_known = all(t.sees(id) for id in (e.opposes, e.target) if id is not None)
    yield (
        "rolled",
        (
            t.name(e.unit),
            e.why,
            list(e.faces),
            e.rolled if opponent_known else None,
            e.extra if mine else None,
            e.successes,
            e.chance,
            e.dramatic,
            e.dc if e.opposes is None or t.sees(e.opposes) else None,
            e.size,
            e.again,
            e.counter,
            t.name(e.target),
            e.visibility,
            parts,
            e.seed or None,
            None if e.stream == "open" else e.stream,
            [list(one) for one in e.mixed] or None,
            result,
            margin if opponent_known else None,
            e.target_number if opponent_known else None,
            e.ones or None,
            e.botch or None,
            (e.eliminated or None) if opponent_known else None,
        ),
    )


@on(ev.SeedCommitted)
def seed_committed(t: Teller, e: ev.SeedCommitted) -> Told:
    """Of the secret rolls' seed too: whatever it is, it tells nothing, and it holds the ST to what he may show later."""
    yield "seed_committed", (e.seeds.number, e.seeds.open, e.seeds.secret)


@on(ev.SeedRevealed)
def seed_revealed(t: Teller, e: ev.SeedRevealed) -> Told:
    """From the secret one all secret rolls could be told, whoever made them: it is the ST's alone."""
    yield "seed_revealed", (e.number, e.open, e.secret if t.st else None)


@on(ev.SeedLeft)
def seed_left(t: Teller, e: ev.SeedLeft) -> Told:
    yield "seed_left", (e.number,)


@on(ev.DiceMixed)
def dice_mixed(t: Teller, e: ev.DiceMixed) -> Told:
    yield "dice_mixed", (e.seat, e.text)


def outcome(successes: int, dc: int | None) -> tuple[str | None, int | None]:
    """What one roll comes to: met or beaten, by how much; nothing without a DC (TASK-01)."""
    if dc is None:
        return None, None
    return ("success", successes - dc) if meets(successes, dc) else ("failure", None)


# ---------------------------------------------------------------------------------------------------- extended actions
@on(ev.TaskStarted)
def task_started(t: Teller, e: ev.TaskStarted) -> Told:
    if task := t.task(e.task.id):
        within = None if task.deadline is None else task.deadline - t.after.play.clock_s
        yield (
            "task_started",
            (
                t.name(task.unit),
                task.name,
                task.dc,
                task.interval_s or None,
                within,
                task.id,
                task.pool.target_number,
                t.name(task.opposes),
                task.teamwork or None,
                task.botch_ends or None,
            ),
        )


@on(ev.TaskRolled)
def task_rolled(t: Teller, e: ev.TaskRolled) -> Told:
    """How it stands now; the 1s: owner and ST, where they count."""
    if task := t.task(e.task):
        counted = t.owns(task.unit) and counts_mistakes(t.after.house)
        mistakes = task.mistakes if counted else None
        target = t.opponent(task)
        yield (
            "task_rolled",
            (
                t.name(e.by or task.unit),
                task.name,
                e.successes,
                task.successes,
                task.dc,
                mistakes,
                task.id,
                target,
                e.theirs if target else None,
                task.theirs if target else None,
            ),
        )


@on(ev.TaskBotched)
def task_botched(t: Teller, e: ev.TaskBotched) -> Told:
    task = t.task(e.task)
    if task and t.sees(e.unit):
        yield "task_botched", (t.name(e.unit), task.name, task.id)


@on(ev.TaskAtRisk)
def task_at_risk(t: Teller, e: ev.TaskAtRisk) -> Told:
    """A warning to the player and the ST (TASK-05)."""
    task = t.task(e.task)
    if task and t.owns(task.unit):
        yield "task_at_risk", (t.name(task.unit), task.name, task.mistakes, task.dc, task.id)


@on(ev.TaskSetAside)
def task_set_aside(t: Teller, e: ev.TaskSetAside) -> Told:
    if task := t.task(e.task):
        yield "task_set_aside", (t.name(task.unit), task.name, e.lost or None, task.successes, e.reason, task.id)


@on(ev.TaskEdited)
def task_edited(t: Teller, e: ev.TaskEdited) -> Told:
    """Only where this audience sees something of it change."""
    if f"x/{e.task.id}" in t.changed and (task := t.task(e.task.id)):
        yield "task_edited", (t.name(task.unit), task.name, e.reason, task.id)


@on(ev.TaskDone)
def task_done(t: Teller, e: ev.TaskDone) -> Told:
    if task := t.task(e.task):
        target = t.opponent(task)
        total, theirs = (task.successes, task.theirs) if target else (None, None)
        yield "task_done", (t.name(task.unit), task.name, task.id, total, target, theirs)


@on(ev.TaskFailed)
def task_failed(t: Teller, e: ev.TaskFailed) -> Told:
    if task := t.task(e.task):
        target = t.opponent(task)
        theirs = task.theirs if target else None
        total = task.successes
        yield "task_failed", (t.name(task.unit), task.name, e.why, e.reason, total, task.dc, task.id, target, theirs)


# --------------------------------------------------------------------------------------------------------------- units
@on(ev.UnitAdded)
def unit_added(t: Teller, e: ev.UnitAdded) -> Told:
    if t.st:
        yield "unit_added", ([e.unit.id, e.unit.name],)
    elif e.unit.on_stage and t.sees(e.unit.id):
        yield "entered", (t.name(e.unit.id),)


@on(ev.UnitRemoved)
def removed(t: Teller, e: ev.UnitRemoved) -> Told:
    if t.sees(e.unit):
        yield "removed", (e.name,)


@on(ev.UnitEntered)
def entered(t: Teller, e: ev.UnitEntered) -> Told:
    if t.sees(e.unit):
        yield "entered", (t.name(e.unit),)


@on(ev.UnitLeftStage)
def left_stage(t: Teller, e: ev.UnitLeftStage) -> Told:
    was = t.before.play.units.get(e.unit)
    if was is not None and sees(t.before, t.audience, was):
        yield "left_stage", ([was.id, was.name],)


@on(ev.UnitHidden)
def hidden(t: Teller, e: ev.UnitHidden) -> Told:
    if t.sees(e.unit):
        yield "hidden", (t.name(e.unit),)


@on(ev.UnitRevealed)
def revealed(t: Teller, e: ev.UnitRevealed) -> Told:
    if t.sees(e.unit):
        yield "revealed", (t.name(e.unit),)


@on(ev.InitiativeSet)
def initiative_set(t: Teller, e: ev.InitiativeSet) -> Told:
    if t.owns(e.unit):
        yield "initiative_set", (t.name(e.unit), e.initiative, e.face)


@on(ev.ValueSet)
def value_set(t: Teller, e: ev.ValueSet) -> Told:
    """Only where this audience sees the value change, and as it sees it. Without a reason the changed value says all."""
    first, *rest = e.path.split(".")
    path = f"u/{e.unit}/{rest[0] + ('_max' if rest[1] == 'max' else '') if first == 'tracks' else first}"
    if path not in t.changed:
        return
    if e.reason:
        yield "value_set", (t.name(e.unit), e.path, t.views[1].get(path), t.views[0].get(path), e.reason)
    else:
        yield "value_set", ()


@on(ev.DamageDealt)
def damaged(t: Teller, e: ev.DamageDealt) -> Told:
    """In numbers to those who see numbers; to the others in words, if the track is one that has words."""
    if not t.sees(e.unit):
        return
    shown = t.shown(e.unit, e.track)
    if shown == "numbers":
        yield "damaged", (t.name(e.unit), e.track, e.amount, e.value, t.name(e.by))
    elif shown == "words":
        unit = t.unit(e.unit)
        track = unit.tracks.get(e.track) if unit else None
        yield (
            "damaged",
            (t.name(e.unit), e.track, None, in_words(e.value, track.max if track else None, False), t.name(e.by)),
        )


@on(ev.ConditionGained)
def condition_gained(t: Teller, e: ev.ConditionGained) -> Told:
    if t.sees(e.unit) and (t.st or not e.secret):
        yield "condition_gained", (t.name(e.unit), e.condition, e.reason if t.may_name(e.by) else "")


@on(ev.ConditionLost)
def condition_lost(t: Teller, e: ev.ConditionLost) -> Told:
    if t.sees(e.unit) and (t.st or not e.secret):
        yield "condition_lost", (t.name(e.unit), e.condition, e.reason if t.may_name(e.by) else "")


@on(ev.UnitMoved)
def moved(t: Teller, e: ev.UnitMoved) -> Told:
    if t.sees(e.unit):
        yield "moved", (t.name(e.unit), e.position, e.distance)


@on(ev.EffectStarted)
def effect_started(t: Teller, e: ev.EffectStarted) -> Told:
    if t.sees(e.effect.on) and (t.st or not e.effect.secret):
        budget = t.after.play.budgets.get(e.effect.unit) if e.effect.unit else None
        rounds = e.effect.nth - budget.round if budget and e.effect.nth and t.sees(e.effect.by) else None
        name = e.effect.name if t.may_name(e.effect.by) else e.effect.condition
        yield "effect_started", (t.name(e.effect.on), name, rounds, lasts_shown(e.effect))


@on(ev.EffectEnded)
def effect_ended(t: Teller, e: ev.EffectEnded) -> Told:
    if t.sees(e.on) and (t.st or not e.secret):
        was = t.before.play.effects.get(e.effect)
        known = was is None or t.may_name(was.by)
        yield "effect_ended", (t.name(e.on), e.name if known or was is None else was.condition, e.why)


@on(ev.ConcentrationStarted)
def concentrates(t: Teller, e: ev.ConcentrationStarted) -> Told:
    if t.sees(e.concentration.unit):
        yield "concentrates", (t.name(e.concentration.unit), e.concentration.ability)


@on(ev.ConcentrationSustained)
def sustains(t: Teller, e: ev.ConcentrationSustained) -> Told:
    if t.sees(e.unit):
        yield "sustains", (t.name(e.unit), e.ability)


@on(ev.ConcentrationEnded)
def concentration_ended(t: Teller, e: ev.ConcentrationEnded) -> Told:
    if t.sees(e.unit):
        yield "concentration_ended", (t.name(e.unit), e.ability, e.why)


# -------------------------------------------------------------------------------------------------- scenes and worlds
@on(ev.SceneChanged)
def scene_changed(t: Teller, e: ev.SceneChanged) -> Told:
    """What in the story it turns on is the ST's to know."""
    yield "scene_changed", (e.scene, e.reason, e.counts, e.key_point or None if t.st else None)


@on(ev.SceneDoubted)
def scene_doubted(t: Teller, e: ev.SceneDoubted) -> Told:
    if t.st:
        yield "scene_doubted", (e.why, e.key_point or None, e.scene)


@on(ev.PrebuffAllowed)
def prebuff_allowed(t: Teller, e: ev.PrebuffAllowed) -> Told:
    yield "prebuff_allowed", (e.on,)


@on(ev.FilmEntered)
def film_entered(t: Teller, e: ev.FilmEntered) -> Told:
    yield "film_entered", (e.film.name, e.film.number, e.world)


@on(ev.FilmLeft)
def film_left(t: Teller, e: ev.FilmLeft) -> Told:
    yield "film_left", (e.name, e.world or None)


@on(ev.WorldSet)
def world_set(t: Teller, e: ev.WorldSet) -> Told:
    """Of a world the story is not in, the ST alone."""
    if t.st or e.world == t.after.play.setting.world:
        yield "world_set", (e.world or None,)


# ----------------------------------------------------------------------------------------------------------- the fight
@on(ev.FightStarted)
def fight_started(t: Teller, e: ev.FightStarted) -> Told:
    yield "fight_started", (t.names(e.fight.order),)


@on(ev.FightEnded)
def fight_ended(t: Teller, e: ev.FightEnded) -> Told:
    yield "fight_ended", (e.turns,)


@on(ev.UnitJoined)
def joined(t: Teller, e: ev.UnitJoined) -> Told:
    if t.sees(e.unit):
        yield "joined", (t.name(e.unit),)


@on(ev.UnitLeft)
def left(t: Teller, e: ev.UnitLeft) -> Told:
    if t.sees(e.unit) and "t/order" in t.changed:
        yield "left", (t.name(e.unit),)


@on(ev.OrderSet)
def reordered(t: Teller, e: ev.OrderSet) -> Told:
    if "t/order" in t.changed:
        yield "reordered", (t.names(e.order),)


@on(ev.TurnEnded)
def turn_ended(t: Teller, e: ev.TurnEnded) -> Told:
    yield "turn_ended", (e.turn, e.clock_s)


@on(ev.ActionBegan)
def action_began(t: Teller, e: ev.ActionBegan) -> Told:
    """To who does not see the unit the table is held, as when the ST merely holds it (TBL-04)."""
    if t.sees(e.unit):
        if not e.skipped:
            yield "action_began", (t.name(e.unit), e.budget.round)
    elif e.veiled and not t.before.play.held:
        yield "held", (False,)


@on(ev.ActionEnded)
def action_ended(t: Teller, e: ev.ActionEnded) -> Told:
    """Who has left keeps a place only for what is counted by it; players know of none, as it may be secret (TBL-04)."""
    if t.sees(e.unit) and (t.st or not (e.skipped and t.keeps_a_place(e.unit))):
        yield "action_ended", (t.name(e.unit), e.skipped, e.timed_out or None)


@on(ev.ActionsAnnounced)
def announced(t: Teller, e: ev.ActionsAnnounced) -> Told:
    if t.sees(e.unit):
        yield "announced", (t.name(e.unit), e.n)


@on(ev.ActionsGranted)
def granted(t: Teller, e: ev.ActionsGranted) -> Told:
    if t.owns(e.unit):
        yield "granted", (t.name(e.unit), list(e.slots))


@on(ev.ActionsTaken)
def taken(t: Teller, e: ev.ActionsTaken) -> Told:
    if t.owns(e.unit):
        yield "taken", (t.name(e.unit), list(e.slots))


@on(ev.DebtOwed)
def debt_owed(t: Teller, e: ev.DebtOwed) -> Told:
    if t.owns(e.unit):
        yield "debt_owed", (t.name(e.unit), e.debt)


# ----------------------------------------------------------------------------------------------------------- the stack
def declaration(t: Teller, p: Pending) -> tuple[Any, ...]:
    masked = not t.sees(p.actor)
    ability, text = ("", "") if masked else (p.technique or p.act.ability, p.act.text)
    targets = t.names(p.act.targets)
    return t.name(p.actor), p.act.kind, p.act.slot, ability, targets, text, p.id, p.parent, p.noticed


@on(ev.ActionDeclared)
def declared(t: Teller, e: ev.ActionDeclared) -> Told:
    if e.pending.noticed or t.sees(e.pending.actor):
        yield "declared", declaration(t, e.pending)


@on(ev.ActedAtOnce)
def at_once(t: Teller, e: ev.ActedAtOnce) -> Told:
    unit = t.unit(e.pending.actor)
    if t.st and unit is not None and unit.hidden:
        act = e.pending.act
        ability = e.pending.technique or act.ability
        yield "unnoticed", (t.name(e.pending.actor), act.kind, ability, t.names(act.targets))
    elif t.sees(e.pending.actor):
        yield "declared", declaration(t, e.pending)


def told_of(t: Teller, e: ev.ActionCarriedOut | ev.ActionFailed | ev.ActionWithdrawn) -> bool:
    return t.sees(e.actor) or e.pending in t.change.masked


@on(ev.AbilitiesAttached)
def attached(t: Teller, e: ev.AbilitiesAttached) -> Told:
    if t.sees(e.actor):
        yield "attached", (t.name(e.actor), e.kind, list(e.abilities), e.pending)


@on(ev.StepCarriedOut)
def step_done(t: Teller, e: ev.StepCarriedOut) -> Told:
    p = e.pending
    if t.sees(p.actor) or p.id in t.change.masked:
        steps = p.step + len(p.to_come)
        yield "step_done", (t.name(p.actor), e.kind, p.step - 1, steps, p.act.kind, t.names(p.act.targets), p.id)


@on(ev.ActionCarriedOut)
def carried_out(t: Teller, e: ev.ActionCarriedOut) -> Told:
    if told_of(t, e):
        yield "carried_out", (t.name(e.actor), e.kind, e.pending)


@on(ev.ActionFailed)
def failed(t: Teller, e: ev.ActionFailed) -> Told:
    if told_of(t, e):
        yield "failed", (t.name(e.actor), e.kind, "interrupted" if e.secret and not t.st else e.why, e.pending)


@on(ev.ActionWithdrawn)
def withdrawn(t: Teller, e: ev.ActionWithdrawn) -> Told:
    if told_of(t, e):
        yield "withdrawn", (t.name(e.actor), e.kind, e.refunded, e.reason, e.pending)


@on(ev.SeatPassed)
def passed(t: Teller, e: ev.SeatPassed) -> Told:
    if t.st:
        yield "passed", (e.seat, e.window)


@on(ev.WindowClosed)
def window_closed(t: Teller, e: ev.WindowClosed) -> Told:
    """Of windows that were open at all, to the ST; the others see it go."""
    if t.st and e.window in t.before.play.windows:
        yield "window_closed", (e.window, e.reason)


@on(ev.GuardPromised)
def guard_promised(t: Teller, e: ev.GuardPromised) -> Told:
    if t.owns(e.unit):
        yield "guard_promised", (t.name(e.unit), e.n, e.pending)


@on(ev.GuardSpent)
def guard_spent(t: Teller, e: ev.GuardSpent) -> Told:
    """Public with the roll."""
    if t.sees(e.unit):
        yield "guard_spent", (t.name(e.unit), e.n)


@on(ev.ExtrasGained)
def extras_gained(t: Teller, e: ev.ExtrasGained) -> Told:
    """With the roll that gave them, which is public."""
    if t.sees(e.unit):
        yield "extras_gained", (t.name(e.unit), e.n)


@on(ev.AreaLeft)
def area_left(t: Teller, e: ev.AreaLeft) -> Told:
    if t.sees(e.unit):
        yield "area_left", (t.name(e.unit), e.pending)


@on(ev.PendingEdited)
def edited(t: Teller, e: ev.PendingEdited) -> Told:
    """What the ST has changed of it by hand, to the STs: its new targets, who got away, the defence put aside."""
    was, now = t.before.play.pendings.get(e.pending.id), e.pending
    if not (t.st and e.by_st and was is not None):
        return
    targets = t.names(now.act.targets) if now.act.targets != was.act.targets else None
    fled = t.names(now.fled) if now.fled != was.fled else None
    guards = {name[1]: n for u, n in now.guards.items() if (name := t.name(u))} if now.guards != was.guards else None
    yield "edited", (now.id, t.name(now.actor), targets, fled, guards)


@on(ev.WindowClockSet)
def clock_set(t: Teller, e: ev.WindowClockSet) -> Told:
    """What the ST adds or takes is told to all whom it concerns; whose time bank was drawn on, to the STs alone."""
    window = t.before.play.windows.get(e.window)
    if window is None or not e.added_ms or not (t.st or (e.by_st and f"w/{e.window}" in t.changed)):
        return
    yield "clock_set", (round(e.added_ms / 1000), window.pending)


@on(ev.StackOrdered)
def restacked(t: Teller, e: ev.StackOrdered) -> Told:
    if t.st or "t/stack" in t.changed:
        shown = [p for p in t.views[1].get("t/stack", ()) if p in t.after.play.pendings]
        yield "restacked", (t.names(t.after.play.pendings[p].actor for p in shown),)


# ------------------------------------------------------------------------------------------------------------- readied
@on(ev.ReadiedDeclared)
def readied(t: Teller, e: ev.ReadiedDeclared) -> Told:
    """That something was readied is public; what, and for when, is the owner's and the ST's until used (RDY-04)."""
    r = e.readied
    if t.owns(r.unit):
        yield "readied", (t.name(r.unit), r.act.kind, r.words)
    elif t.sees(r.unit):
        yield "readied", (t.name(r.unit),)


def _readied_unit(t: Teller, id: str) -> str | None:
    known = t.after.play.readied.get(id) or t.before.play.readied.get(id)  # type: ignore[call-overload]
    return known.unit if known else None


@on(ev.ReadiedMatched)
def readied_matched(t: Teller, e: ev.ReadiedMatched) -> Told:
    unit = _readied_unit(t, e.readied)
    if unit is not None and t.owns(unit):
        yield "readied_matched", (t.name(unit), e.readied, e.pending)


@on(ev.ReadiedUsed)
def readied_used(t: Teller, e: ev.ReadiedUsed) -> Told:
    unit = _readied_unit(t, e.readied)
    known = t.after.play.readied.get(e.readied) or t.before.play.readied.get(e.readied)
    if unit is not None and known is not None and t.sees(unit):
        yield "readied_used", (t.name(unit), known.act.kind)


@on(ev.ReadiedExpired)
def readied_expired(t: Teller, e: ev.ReadiedExpired) -> Told:
    known = t.before.play.readied.get(e.readied)
    if known is not None and known.state == "armed" and t.owns(e.unit):
        yield "readied_expired", (t.name(e.unit), known.act.kind)


# -------------------------------------------------------------------------------------------------------- the ST's hand
@on(ev.TableHeld)
def held(t: Teller, e: ev.TableHeld) -> Told:
    if t.st or not (e.next or t.before.play.held):
        yield "held", (e.next,)


@on(ev.TableReleased)
def released(t: Teller, e: ev.TableReleased) -> Told:
    """Players: where the table goes on indeed; from a hold to a hidden unit's action it does not."""
    if t.st or t.before.play.held != t.after.play.held:
        yield "released", ()


@on(ev.Rewound)
def rewound(t: Teller, e: ev.Rewound) -> Told:
    """`to` is a version here; the server says it in the audience's own count."""
    yield "rewound", (e.to, e.reason)
