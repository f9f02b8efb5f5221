"""How each command is drawn: from what is on the table, so that a good share is legal, and a share is not.

DRAWN has every command that there is. A draw looks at the walk (`w`), whose `w.seat` speaks; it changes nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import accumulate
from typing import Any

from core import commands as cmd
from core.commands import By, Command
from core.concentration import due
from core.decide import kind_of
from core.draft import owner
from core.ids import ST, SeatId, UnitId
from core.roles import ROLES
from core.rules import rules_of
from core.state import ATTACKS, Act, Duration, House, Pool, Role, Slot, Step, Strike, Table, Trigger, Visibility
from tests.walk import tables
from tests.walk.tables import ABILITIES, PLAYERS, SECRET, SECRETS, STORYTELLERS, TIME_UNITS, WATCHER, WORDS
from tests.walk.walk import CLOCK, Walk


def own_slots(w: Walk) -> tuple[Slot, ...]:
    """The kinds of action of one's own that the table's game has, the usual one most often; seldom one of another game."""
    rules = rules_of(w.table.house)
    own = tuple(slot for slot in rules.slots if slot != rules.answer_slot)
    return ("standard", "simple") if w.random.random() < 0.03 else (own[0], own[0], *own)


def answer_slots(w: Walk) -> tuple[Slot, ...]:
    return (rules_of(w.table.house).answer_slot,)


def ready_slots(w: Walk) -> tuple[Slot, ...]:
    return rules_of(w.table.house).ready_slots or ("standard",)


# ------------------------------------------------------------------------------------------------------- parts of them
def an_act(w: Walk, unit: UnitId, slots: tuple[Slot, ...]) -> Act:
    """Mostly what one of the unit's abilities is for."""
    r = w.random
    found = w.table.play.units.get(unit)
    theirs = found.abilities if found is not None and r.random() < 0.95 else ABILITIES
    slot = r.choice(slots)
    fitting = [name for name, a in theirs.items() if slot in a.slots]
    name = r.choice(fitting) if fitting and r.random() < 0.8 else r.choice(list(theirs)) if r.random() < 0.3 else ""
    ability = ABILITIES.get(name)
    aims = ability is not None and (ability.needs_target or "attack" in ability.act or bool(ability.steps))
    many = r.choice((1, 1, 1, 1, 2)) if aims else r.choice((0, 0, 0, 1))
    targets = tuple(w.aim() for _ in range(many))
    moves = name in ("step", "dash") or r.random() < 0.1
    return Act(
        r.choice(("use", "drop_prone", "drop", "speak", "open", "move")),
        slot,
        r.choice(("", "", "", "", "standard", "move")),
        name,
        targets,
        counters=w.pending() if name == "counter" else None,
        distance=r.choice((None, 3, 3, 40)) if moves else None,
        position=r.choice((None, "there")) if moves else None,
        leaves=moves and r.random() < 0.5,
        modifier=r.choice((0, 0, -9, 2)),
        text=r.choice(("", "", "so")),
        split=a_split(w, targets, ability.attacks) if ability and ability.attacks > 1 and r.random() < 0.8 else (),
        attached=(r.choice(("edge", "feint")),)
        if "attack" in (ability.act if ability else "") and r.random() < 0.3
        else (),
        steps=(Step(), Step(attached=("edge",))) if ability and ability.steps and r.random() < 0.3 else (),
    )


def a_split(w: Walk, targets: tuple[str, ...], most: int) -> tuple[Strike, ...]:
    """Several attacks in one action, all extra successes on the first more often than not."""
    r = w.random
    only = targets[0] if targets else w.aim()
    return tuple(
        Strike(
            only if r.random() < 0.8 else w.aim(),
            r.choice(("", "", "", "sword")),
            1 if k == 0 else r.choice((0, 0, 0, None)),
        )
        for k in range(r.choice((most, most, most - 1, most + 1)))
    )


def a_pool(w: Walk) -> Pool:
    r = w.random
    return r.choice(
        (
            Pool(fixed=3),
            Pool(("DEX",), ("Archery",)),
            Pool(fixed=0, extra=1),
            Pool(fixed=2, again=r.choice((8, 7))),
            Pool(fixed=r.choice((1, 1, 4)), target_number=r.choice((2, 6, 10))),
            Pool(fixed=2, against=("DEX",)),
        )
    )


def a_duration(w: Walk) -> Duration | None:
    r = w.random
    return Duration(r.choice((1, 1, 2)), r.choice(TIME_UNITS), r.random() < 0.3) if r.random() < 0.7 else None


def a_trigger(w: Walk) -> Trigger | None:
    r = w.random
    return r.choice((
        None, Trigger("attack"), Trigger("attack", target="self"), Trigger(), Trigger("move"), Trigger(actor=w.unit()),
        Trigger(side="enemy"), Trigger(ability="sword"),
    ))  # fmt: skip


def a_round(w: Walk, unit: UnitId) -> int:
    budget = w.table.play.budgets.get(unit)
    return (budget.round if budget else 0) - (w.random.random() < 0.05)


def shown(w: Walk) -> list[UnitId]:
    fight = w.table.play.fight
    return [u for u in fight.order if u not in fight.ghosts] if fight else []


# ------------------------------------------------------------------------------------------------------ in one's action
def declare(w: Walk) -> Command:
    unit = w.acting()
    return cmd.Declare(unit, an_act(w, unit, own_slots(w)), w.random.random() < 0.3)


def ready(w: Walk) -> Command:
    unit = w.acting()
    act = an_act(w, unit, ready_slots(w))
    return cmd.Ready(unit, act, a_trigger(w), w.random.choice(("", "when it gets hot")), w.random.random() < 0.7)


def end_action(w: Walk) -> Command:
    unit = w.acting()
    return cmd.EndAction(unit, a_round(w, unit))


def announce(w: Walk) -> Command:
    return cmd.Announce(w.acting(), w.random.choice((0, 1, 2, 2, 3)))


def sustain(w: Walk) -> Command:
    return cmd.Sustain(w.acting())


def drop_concentration(w: Walk) -> Command:
    return cmd.DropConcentration(w.pick(w.table.play.concentrations, w.mine()))


# -------------------------------------------------------------------------------------------------------- in a window
def react(w: Walk) -> Command:
    unit = w.mine()
    return cmd.React(unit, an_act(w, unit, answer_slots(w)), w.window() if w.random.random() < 0.8 else None)


def fire(w: Walk) -> Command:
    play, r = w.table.play, w.random
    due = [id for pending in play.pendings.values() for id in pending.due] if r.random() < 0.7 else []
    targets = (w.unit(),) if r.random() < 0.1 else ()
    readied = w.pick(due or play.readied, "none")
    return cmd.Fire(readied, w.window() if r.random() < 0.7 else None, targets, r.choice((None, None, True)))


def pass_(w: Walk) -> Command:
    window = w.window()
    return cmd.Pass(window, w.gen(window))


def defend(w: Walk) -> Command:
    """Mostly a unit of the speaker's, against an attack on it."""
    waiting = [p for p in w.table.play.pendings.values() if p.act.kind in ATTACKS]
    aimed = [(p.window, target) for p in waiting for target in p.act.targets if w.speaks_for(UnitId(target))]
    window, unit = w.pick(aimed, (w.window(), w.target()))
    return cmd.Defend(window, unit, w.random.choice((1, 1, 1, 0, 2, 3)), w.random.choice((1, 1, 1, 1, 2, 3)))


def split_gain(w: Walk) -> Command:
    gaining = [window.id for window in w.table.play.windows.values() if window.kind == "gain"]
    return cmd.SplitGain(w.pick(gaining, w.window()), w.random.choice(((2,), (0, 1), (1, 1), (1,), ())))


def withdraw(w: Walk) -> Command:
    met = [p.id for p in w.table.play.pendings.values() if p.met_readied]
    return cmd.Withdraw(w.pick(met[-1:], w.pending()))


# -------------------------------------------------------------------------------------------------- a seat's own wishes
def set_standing_order(w: Walk) -> Command:
    act = w.random.choice(("*", "*", "attack", "move"))
    return cmd.SetStandingOrder(act, w.random.choice(("concerns_me", "ask", "pass", "unless_target")))


def ask_leave(w: Walk) -> Command:
    """Mostly for what a rule is against, or a wish. Its words are kept by who answers (see Walk.leaves)."""
    r = w.random
    draws: list[Callable[[Walk], Command]] = [declare, react, ready, fire, roll_task, sustain]
    wishes: list[Callable[[Walk], Command]] = [change_scene, start_fight]
    return cmd.AskLeave(r.choice(wishes if r.random() < 0.2 else draws)(w), {}, "please")


def object_to_rule(w: Walk) -> Command:
    keys = ["stack_depth", "enforce", *(["no such rule"] if w.random.random() < 0.2 else [])]
    return cmd.ObjectToRule(w.random.choice(keys), "no")


# ------------------------------------------------------------------------------------------------ talk, rolls and tasks
def say(w: Walk) -> Command:
    return cmd.Say("hm", w.random.choice((None, w.mine())))


def whisper(w: Walk) -> Command:
    if w.seat != ST:
        return cmd.Whisper(f"{SECRET}{w.seat}", w.random.choice((None, None, None, PLAYERS[0])))
    to = w.random.choice((*PLAYERS, SeatId("nobody")))
    return cmd.Whisper(f"{SECRET}{to}", to)


def roll(w: Walk) -> Command:
    r = w.random
    unit, ask = w.mine(), None
    if w.table.asks and r.random() < 0.3:
        asked = r.choice(list(w.table.asks.values()))
        unit, ask = r.choice(asked.units), asked.id
    opposes = w.mine() if r.random() < 0.2 else None
    secret: Visibility = r.choice(("open", "open", "roller", "st"))
    return cmd.Roll(unit, a_pool(w), secret, r.choice((None, 1, 3)), SECRET if secret == "st" else "why", ask, opposes)


def ask_roll(w: Walk) -> Command:
    units = tuple(w.unit() for _ in range(w.random.choice((0, 1, 1, 2))))
    return cmd.AskRoll(units, a_pool(w), w.random.choice(("open", "roller")))


def start_task(w: Walk) -> Command:
    r = w.random
    hidden = w.seat == ST and r.random() < 0.3
    return cmd.StartTask(
        w.mine(),
        f"{SECRET}plot" if hidden else r.choice(("novel", "shelf", "shelf", "map", "map", "")),
        r.choice((a_pool(w), Pool(fixed=1, target_number=10))),
        r.choice((1, 3, 9, 9, 9)),
        r.choice((None, 0, 60)),
        r.choice((None, None, None, 600, 600, 0)),
        r.random() < 0.3,
        "st" if hidden else r.choice(("open", "roller")),
        r.choice((0, 0, 0, 1, 2)),
        **contest(w),
    )


def contest(w: Walk) -> dict[str, Any]:
    """What only the Storyteller rules have; now and then asked for at another table too, which is refused."""
    r = w.random
    if w.table.house.ruleset != "storyteller" and r.random() < 0.95:
        return {}
    against = r.choice(({}, {"opposes": w.unit(), "opposed_pool": r.choice((None, Pool(fixed=3)))}))
    return {**against, "teamwork": r.random() < 0.3, "botch_ends": r.random() < 0.2}


def a_task(w: Walk) -> Any:
    """Mostly one of the speaker's, still open."""
    tasks = w.table.play.tasks.values()
    mine = [t.id for t in tasks if (t.state == "open" or w.random.random() < 0.3) and w.speaks_for(t.unit)]
    return w.pick(mine or w.table.play.tasks, "none")


def roll_task(w: Walk) -> Command:
    r = w.random
    if w.table.house.ruleset != "storyteller" or r.random() < 0.5:
        return cmd.RollTask(a_task(w), r.choice((0, 0, 2)))
    helped = w.pick([t.id for t in w.table.play.tasks.values() if t.teamwork], a_task(w))
    who = r.choice(((w.mine(),), (w.mine(),), (w.mine(), w.unit())))
    return cmd.RollTask(helped, r.choice((0, 0, 2)), who, r.choice((None, a_pool(w))))


def edit_task(w: Walk) -> Command:
    r = w.random
    task = a_task(w)
    if w.seat != ST:
        return cmd.EditTask(task, dc=r.choice((0, 3, 9, 12)))
    return r.choice((
        cmd.EditTask(task, dc=5), cmd.EditTask(task, interval_s=0), cmd.EditTask(task, within_s=r.choice((0, 60))),
        cmd.EditTask(task, in_one_go=True), cmd.EditTask(task, successes=2), cmd.EditTask(task, mistakes=2),
        cmd.EditTask(task, pool=a_pool(w)),
        cmd.EditTask(task, **r.choice(({"teamwork": r.random() < 0.5}, {"botch_ends": r.random() < 0.5}, {"theirs": 2}))),
    ))  # fmt: skip


def drop_task(w: Walk) -> Command:
    """Mostly one that is over."""
    return cmd.DropTask(w.pick([t.id for t in w.table.play.tasks.values() if t.state != "open"], a_task(w)))


# ------------------------------------------------------------------------------------------------------ the ST: the cast
def add_unit(w: Walk) -> Command:
    unit = tables.a_unit(w.random)
    if w.random.random() < 0.25 or len(w.table.play.units) > 9:
        unit = replace(unit, name="")
    return cmd.AddUnit(unit, w.random.choice((None, None, *PLAYERS)))


def off_stage(w: Walk) -> UnitId:
    return w.pick([u.id for u in w.table.play.units.values() if not u.on_stage], w.unit())


def bring_on(w: Walk) -> Command:
    r = w.random
    copies = r.choice((1, 1, 2)) if len(w.table.play.units) < 8 else r.choice((1, 101))
    units = (off_stage(w),) * r.choice((1, 1, 2))
    return cmd.BringOn(units, copies, r.choice((None, None, True, False)), r.random() < 0.8, r.random() < 0.5)


def set_up(w: Walk) -> Command:
    r = w.random
    units = tables.prepared(r) if len(w.table.play.units) < 8 else ()
    return cmd.SetUp(units, r.random() < 0.8, r.choice((None, True, False)), r.random() < 0.8)


def on_stage(w: Walk) -> UnitId:
    return w.pick([u.id for u in w.table.play.units.values() if u.on_stage], w.unit())


def remove_unit(w: Walk) -> Command:
    return cmd.RemoveUnit(w.unit() if len(w.table.play.units) > 5 else UnitId("none"))


def hide(w: Walk) -> Command:
    return cmd.Hide(w.unit())


def reveal(w: Walk) -> Command:
    return cmd.Reveal(w.pick([u.id for u in w.table.play.units.values() if u.hidden], w.unit()))


# ------------------------------------------------------------------------------------------------------ the ST: the fight
def start_fight(w: Walk) -> Command:
    r = w.random
    units = () if r.random() < 0.7 else tuple(on_stage(w) for _ in range(3))
    return cmd.StartFight(units, r.random() < 0.95, r.choice((None, True, True, False)), r.random() < 0.1)


def reorder(w: Walk) -> Command:
    was = shown(w)
    order = w.random.sample(was, len(was))
    if w.random.random() < 0.2:
        return cmd.Reorder(tuple(order), tuple(was[1:]))
    return cmd.Reorder(tuple(order), tuple(was))


def join_fight(w: Walk) -> Command:
    out = [u.id for u in w.table.play.units.values() if u.on_stage and u.id not in shown(w)]
    return cmd.JoinFight(w.pick(out, w.unit()), w.random.choice((None, None, 0, 2)))


def some_slots(w: Walk) -> tuple[str, ...]:
    return w.random.choice(
        (("standard",), ("move", "swift"), ("immediate",), ("full_round",), ("standard", "standard"))
    )


# ------------------------------------------------------------------------------------------------- scenes, Films, worlds
def change_scene(w: Walk) -> Command:
    r = w.random
    key = f"{SECRET}key" if r.random() < 0.5 else ""
    return cmd.ChangeScene(
        r.choice(("story", "fight", "transition", "area", "time")), key, r.random() < 0.2, r.random() < 0.8,
        r.random() < 0.3,
    )  # fmt: skip


def set_world(w: Walk) -> Command:
    r = w.random
    day = r.choice((86400, 86400, 100))
    return cmd.SetWorld(
        r.choice(("", "Alien")), day, r.choice((None, 6, 60)), r.choice((None, 90)), r.choice((None, 0, 99, 101)),
        r.choice((None, "2026-01-31", "", "someday")),
    )  # fmt: skip


# -------------------------------------------------------------------------------------------------------- the ST: override
def set_value(w: Walk) -> Command:
    r = w.random
    unit = w.unit()
    path, value = r.choice((
        ("hp", r.choice((0, 5, 20))), ("tracks.hp.max", 30), ("attributes.DEX", r.choice((3, None))), ("base", 2),
        ("position", "here"), ("notes", f"{SECRET}spy"), ("initiative", r.choice((None, 7))), ("speed", 12), ("wits", 1),
        ("extras.defense", r.choice((0, 3))), ("bonus.swift", r.choice((None, 1))), ("name", r.choice(("", "Mira"))),
    ))  # fmt: skip
    return cmd.SetValue(unit, path, value, w.value(unit, path) if r.random() < 0.9 else 77)


def adjust(w: Walk) -> Command:
    path = w.random.choice(("hp", "hp", "hp", "mana", "base", "attributes.DEX"))
    return cmd.Adjust(w.unit(), path, w.random.choice((-9, -2, 9, 9)))


def add_condition(w: Walk) -> Command:
    r = w.random
    secret = r.random() < 0.3
    word = r.choice(SECRETS if secret else WORDS)
    if r.random() < 0.1:
        secret, word = True, r.choice(WORDS)  # the same word may be public on somebody else
    lasts = a_duration(w)
    short = r.choice((None, 1)) if lasts is None else None
    return cmd.AddCondition(w.unit(), word, secret, rounds=short, by=r.choice((None, w.unit())), lasts=lasts)


def remove_condition(w: Walk) -> Command:
    """Mostly one that is there, and keeps somebody from acting."""
    there = [(u.id, word) for u in w.table.play.units.values() for word in u.conditions]
    unit, word = w.pick(there, (w.unit(), "slow"))
    return cmd.RemoveCondition(unit, word)


def set_house(w: Walk) -> Command:
    r = w.random
    key = r.choice([field.name for field in fields(House)])
    if r.random() < 0.05:
        return r.choice((cmd.SetHouse("no such rule", 1), cmd.SetHouse(key, -1)))
    value = tables.a_value(r, key)
    return cmd.SetHouse(key, list(value) if isinstance(value, tuple) else value)


def set_notes(w: Walk) -> Command:
    return cmd.SetNotes(f"{SECRET}{w.random.randrange(2)}", w.random.choice((None, w.unit())))


# ----------------------------------------------------------------------------------------------- the ST: windows and stack
def give_time(w: Walk) -> Command:
    return cmd.GiveTime(w.random.choice((*PLAYERS, SeatId("x"))), w.random.choice((50, 100, 150, 200, 300)))


def insert(w: Walk) -> Command:
    unit = w.unit()
    return cmd.Insert(unit, an_act(w, unit, own_slots(w) if w.even() else answer_slots(w)), w.random.random() < 0.5)


def edit_pending(w: Walk) -> Command:
    r = w.random
    pending = w.pending()
    found = w.table.play.pendings.get(pending)
    targets = found.act.targets if found else ()
    return r.choice((
        cmd.EditPending(pending, targets=(w.unit(),)), cmd.EditPending(pending, fails=True),
        cmd.EditPending(pending, guards={t: 1 for t in targets}), cmd.EditPending(pending, fled=targets[:1]),
        cmd.EditPending(pending, split=a_split(w, targets, 2)),
    ))  # fmt: skip


def restack(w: Walk) -> Command:
    stack = w.table.play.stack
    return cmd.Restack(tuple(w.random.sample(stack, len(stack))), stack if w.random.random() < 0.9 else stack[1:])


# ------------------------------------------------------------------------------------------------------ requests, history
def answer_request(w: Walk) -> Command:
    """As the server completes it: the past to go back to, and the command that was asked leave for."""
    request = w.pick(w.table.requests, "none")
    found = w.table.requests.get(request)
    play = w.play_at(found.to) if found is not None and found.to is not None else None
    head = w.version - (w.random.random() < 0.05)
    return cmd.AnswerRequest(request, w.random.random() < 0.7, "", head, play, w.leaves.get(request))


def rewind(w: Walk) -> Command:
    to = w.random.randrange(max(w.ready, w.version - 15), w.version + 1)
    return cmd.Rewind(to, w.version - (w.random.random() < 0.05), "", w.play_at(to))


# ------------------------------------------------------------------------------------------------- seats and invitations
def add_seat(w: Walk) -> Command:
    gone = [seat for seat in (*PLAYERS, *STORYTELLERS) if seat not in w.table.seats]
    seat = w.random.choice(gone or list(PLAYERS))
    return cmd.AddSeat(
        seat, "st" if seat in STORYTELLERS else "player", (w.unit(),) if seat in PLAYERS else (), seat=seat
    )


def remove_seat(w: Walk) -> Command:
    return cmd.RemoveSeat(w.random.choice((*PLAYERS, *PLAYERS, STORYTELLERS[1], *STORYTELLERS, SeatId("nobody"))))


def any_seat(w: Walk) -> SeatId:
    return w.random.choice((*PLAYERS, *STORYTELLERS, SeatId("nobody")))


def lasts_s(w: Walk) -> int | None:
    return w.random.choice((None, 60, 3600))


def set_role(w: Walk) -> Command:
    """Mostly what it was in the beginning, so that the walk has players and Storytellers."""
    seat = any_seat(w)
    usual: Role = "st" if seat in STORYTELLERS else "player"
    return cmd.SetRole(seat, usual if w.random.random() < 0.7 else w.random.choice(("st", "player", "spectator")))


def lend_seat(w: Walk) -> Command:
    return cmd.LendSeat(w.random.choice(("Dora", "Emil", "")), w.random.choice((60, 3600)))


def take_back_seat(w: Walk) -> Command:
    return cmd.TakeBackSeat(w.random.choice((None, any_seat(w))))


# ------------------------------------------------------------------------------------------------------- the server's own
def close_due(w: Walk) -> Command:
    """A timer that fires whenever it likes."""
    window = w.window()
    return cmd.CloseDue(window, w.gen(window))


def end_due_action(w: Walk) -> Command:
    unit = w.acting()
    return cmd.EndDueAction(unit, a_round(w, unit))


def report_loss(w: Walk) -> Command:
    seat = w.random.choice((None, *PLAYERS, SeatId("nobody")))
    return cmd.ReportLoss(seat, 3, 5, () if seat else ("clock/w/1/2", f"{PLAYERS[0]}/c/4"))


# ------------------------------------------------------------------------------------------------------------ all of them
WINDOW, ACTION, CALM = 0, 1, 2
"""The three situations: something waits on the stack; it is somebody's action; no fight is on."""

Draw = Callable[[Walk], Command]
Weights = tuple[float, float, float]

DRAWN: Mapping[type[Command], tuple[Weights, Draw]] = {
    cmd.Declare: ((4, 45, 18), declare),
    cmd.Ready: ((1, 12, 1), ready),
    cmd.Announce: ((0.3, 3, 0.5), announce),
    cmd.EndAction: ((1, 14, 0.5), end_action),
    cmd.LeaveFight: ((0.3, 1, 0.5), lambda w: cmd.LeaveFight(w.mine())),
    cmd.Sustain: ((0.3, 2, 0.3), sustain),
    cmd.DropConcentration: ((1, 1, 1), drop_concentration),
    cmd.React: ((28, 4, 2), react),
    cmd.Fire: ((4, 1, 0.3), fire),
    cmd.Pass: ((26, 0.5, 0.5), pass_),
    cmd.Defend: ((6, 0.3, 0.3), defend),
    cmd.SplitGain: ((0.7, 0.2, 0.2), split_gain),
    cmd.MoreTime: ((2, 0.2, 0.2), lambda w: cmd.MoreTime(w.window())),
    cmd.Withdraw: ((0.7, 0.2, 0.2), withdraw),
    cmd.SetStandingOrder: ((1, 1, 1), set_standing_order),
    cmd.SetDefaultGuard: ((1, 1, 1), lambda w: cmd.SetDefaultGuard(w.random.randrange(3))),
    cmd.SetReadiedAuto: ((1, 3, 0.5), lambda w: cmd.SetReadiedAuto(w.pick(w.table.play.readied, "none"), w.even())),
    cmd.AskTakeBack: ((1, 1.5, 1), lambda w: cmd.AskTakeBack("oh")),
    cmd.ObjectToRule: ((1, 1, 1), object_to_rule),
    cmd.AskLeave: ((2, 3, 2), ask_leave),
    cmd.Say: ((1, 1, 1), say),
    cmd.Whisper: ((1, 1, 1), whisper),
    cmd.Narrate: ((0.5, 0.5, 0.5), lambda w: cmd.Narrate("night falls")),
    cmd.Roll: ((2, 2, 3), roll),
    cmd.AskRoll: ((1, 1, 1), ask_roll),
    cmd.WithdrawAsk: ((0.5, 0.5, 1), lambda w: cmd.WithdrawAsk(w.pick(w.table.asks, "none"))),
    cmd.MixDice: ((0.5, 0.5, 1), lambda w: cmd.MixDice(w.random.choice(("salt", "pepper", "")))),
    cmd.StartTask: ((2, 3, 6), start_task),
    cmd.RollTask: ((3, 3, 4), roll_task),
    cmd.SetAside: ((0.5, 0.7, 2), lambda w: cmd.SetAside(a_task(w), w.random.choice((0, 1)))),
    cmd.EditTask: ((0.7, 1, 2), edit_task),
    cmd.DropTask: ((0.3, 0.5, 1), drop_task),
    cmd.AddUnit: ((0.5, 0.5, 1), add_unit),
    cmd.BringOn: ((1, 1.5, 2), bring_on),
    cmd.SetUp: ((0.4, 0.4, 1), set_up),
    cmd.TakeOff: ((0.5, 0.5, 0.5), lambda w: cmd.TakeOff(w.unit())),
    cmd.RemoveUnit: ((0.7, 0.7, 1), remove_unit),
    cmd.GiveUnit: ((0.5, 0.5, 0.5), lambda w: cmd.GiveUnit(w.unit(), w.random.choice((None, *PLAYERS, SeatId("x"))))),
    cmd.Hide: ((0.7, 0.7, 0.7), hide),
    cmd.Reveal: ((1, 1, 1), reveal),
    cmd.StartFight: ((0.3, 0.3, 12), start_fight),
    cmd.EndFight: ((0.3, 1.5, 0.5), lambda w: cmd.EndFight(w.random.random() < 0.1)),
    cmd.JoinFight: ((1, 1.5, 0.3), join_fight),
    cmd.Reorder: ((0.5, 1, 0.2), reorder),
    cmd.PassTime: ((0.2, 0.2, 5), lambda w: cmd.PassTime(w.random.choice((0, 6, 60, 3600, 90_000)))),
    cmd.BeginAction: ((0.5, 2, 0.3), lambda w: cmd.BeginAction(w.unit())),
    cmd.Grant: ((1, 2, 0.3), lambda w: cmd.Grant(w.unit(), some_slots(w))),
    cmd.Spend: ((0.5, 1, 0.3), lambda w: cmd.Spend(w.unit(), some_slots(w))),
    cmd.ChangeScene: ((0.4, 1, 3), change_scene),
    cmd.AllowPrebuff: ((0.3, 0.3, 5), lambda w: cmd.AllowPrebuff(w.random.random() < 0.7)),
    cmd.EnterFilm: ((0.2, 0.2, 5), lambda w: cmd.EnterFilm("Alien", w.random.choice(("", "LV-426")))),
    cmd.LeaveFilm: ((0.2, 0.2, 3), lambda w: cmd.LeaveFilm(w.random.random() < 0.2)),
    cmd.SetWorld: ((0.5, 0.5, 2), set_world),
    cmd.SetValue: ((2, 2, 2), set_value),
    cmd.Adjust: ((3, 3, 2), adjust),
    cmd.AddCondition: ((4, 4, 6), add_condition),
    cmd.RemoveCondition: ((4, 5, 5), remove_condition),
    cmd.EndEffect: ((1, 1, 1), lambda w: cmd.EndEffect(w.pick(w.table.play.effects, "none"))),
    cmd.SetHouse: ((2, 2, 2), set_house),
    cmd.SetNotes: ((0.5, 0.5, 0.5), set_notes),
    cmd.Hold: ((2, 2, 0.5), lambda w: cmd.Hold(w.random.random() < 0.4)),
    cmd.Release: ((4, 5, 1), lambda w: cmd.Release()),
    cmd.SetClock: ((1.5, 0.2, 0.2), lambda w: cmd.SetClock(w.window(), w.random.choice((-9000, -500, 3000)))),
    cmd.CloseWindow: ((3, 0.2, 0.2), lambda w: cmd.CloseWindow(w.window(), w.random.random() < 0.3)),
    cmd.Cancel: ((2, 0.2, 0.2), lambda w: cmd.Cancel(w.pending(), w.random.random() < 0.7)),
    cmd.Resolve: ((2, 0.2, 0.2), lambda w: cmd.Resolve(w.pending())),
    cmd.Insert: ((3, 2, 1), insert),
    cmd.EditPending: ((4, 0.2, 0.2), edit_pending),
    cmd.Restack: ((2, 0.2, 0.2), restack),
    cmd.GiveTime: ((0.5, 0.5, 0.5), give_time),
    cmd.AnswerRequest: ((2, 3, 3), answer_request),
    cmd.Rewind: ((1.5, 1.5, 1.5), rewind),
    cmd.AddSeat: ((1.5, 1.5, 1.5), add_seat),
    cmd.RemoveSeat: ((0.5, 0.5, 0.5), remove_seat),
    cmd.RenewInvitation: ((0.3, 0.3, 0.3), lambda w: cmd.RenewInvitation(any_seat(w), lasts_s(w))),
    cmd.RevokeInvitation: ((0.3, 0.3, 0.3), lambda w: cmd.RevokeInvitation(any_seat(w))),
    cmd.SetRole: ((0.4, 0.4, 0.4), set_role),
    cmd.LendSeat: ((0.4, 0.4, 0.4), lend_seat),
    cmd.TakeBackSeat: ((0.6, 0.6, 0.6), take_back_seat),
    cmd.CloseDue: ((1, 0.2, 0.2), close_due),
    cmd.EndDueAction: ((0.3, 1, 0.2), end_due_action),
    cmd.ReleaseDue: ((0.1, 0.1, 0.1), lambda w: cmd.ReleaseDue()),
    cmd.NoteKeeping: ((0.05, 0.05, 0.05), lambda w: cmd.NoteKeeping("exported")),
    cmd.ReportLoss: ((0.1, 0.1, 0.1), report_loss),
}

CANNOT_BE_REFUSED: Mapping[type[Command], str] = {
    cmd.NoteKeeping: "it says what has been done already",
    cmd.Narrate: "whatever the Storyteller tells is so; only who is none is refused, as with every command of his",
}
"""Commands that no state of a table forbids, and why."""


# --------------------------------------------------------------------------------------------------------- who says what
def _summed(situation: int) -> list[float]:
    return list(accumulate(weights[situation] for weights, _ in DRAWN.values()))


KINDS = list(DRAWN)
ROLE = {kind: ROLES[kind_of(kind.__new__(kind))] for kind in KINDS}
SUMMED = [_summed(situation) for situation in (WINDOW, ACTION, CALM)]


def choose(w: Walk) -> tuple[Command, By]:
    """The next command and who sends it: mostly whoever may, and whose turn it is to say something."""
    play, r = w.table.play, w.random
    rare = list(chances(w)) if r.random() < 0.25 else []
    if rare:
        kind, seat = r.choice(rare)
        by = By(ST, "st") if seat == ST else By(seat, "player")
    else:
        situation = WINDOW if play.stack else CALM if play.fight is None else ACTION
        (kind,) = r.choices(KINDS, cum_weights=SUMMED[situation])
        by = a_sender(w, ROLE[kind])
    w.seat = by.seat
    return DRAWN[kind][1](w), by


def chances(w: Walk) -> Iterator[tuple[type[Command], SeatId]]:
    """What is seldom possible, where it is, and whose chance it is."""
    sts = any(seat.role == "st" for seat in w.table.seats.values())
    found = in_a_window(w.table) if w.table.play.stack else with_nothing_waiting(w.table)
    return (one for one in found if one[1] != ST or sts)


def in_a_window(table: Table) -> Iterator[tuple[type[Command], SeatId]]:
    play = table.play
    top = play.pendings[play.stack[-1]]
    if play.windows[top.window].kind == "gain":
        yield from [(cmd.SplitGain, owner(table, top.actor))] * 5
    if top.met_readied and table.house.interrupted_by_readied == "may_continue":
        yield from [(cmd.Withdraw, owner(table, top.actor))] * 12
    for id in top.due:
        if id in play.readied:
            yield from [(cmd.Fire, owner(table, play.readied[id].unit))] * 2
    for target in top.act.targets if top.act.kind in ATTACKS else ():
        budget = play.budgets.get(UnitId(target))
        if budget is not None and budget.guard:
            yield cmd.Defend, owner(table, budget.unit)


def with_nothing_waiting(table: Table) -> Iterator[tuple[type[Command], SeatId]]:
    play = table.play
    active = play.fight.active if play.fight is not None else None
    if play.setting.film is not None and play.fight is None:
        yield cmd.LeaveFilm, ST
    if active is not None and rules_of(table.house).most_actions(play.units[active]) is not None:
        yield cmd.Announce, owner(table, active)
    if active is not None and due(table, active):
        yield cmd.Sustain, owner(table, active)
    for task in play.tasks.values():
        if task.state == "open":
            yield from [(cmd.RollTask, owner(table, task.unit))] * 4
            yield from ((cmd.EditTask, ST), (cmd.SetAside, ST))
        else:
            yield cmd.DropTask, owner(table, task.unit)


def a_sender(w: Walk, roles: frozenset[Role]) -> By:
    """The server for what is its own; else a seat that is there, now and then one that may not."""
    r = w.random
    if not roles:
        return CLOCK
    sts = [seat for seat in STORYTELLERS if role_of(w, seat) == "st"]
    players = [seat for seat in PLAYERS if role_of(w, seat) == "player"]
    if r.random() < 0.03:
        return By(WATCHER, "spectator") if r.random() < 0.5 or not players else By(r.choice(players), "player")
    if not sts and not players:
        return By(WATCHER, "spectator")
    if "player" not in roles or not players:
        return By(ST, "st", r.choice(sts)) if sts else By(r.choice(players), "player")
    seats = wanted(w, [*players, ST] if sts and "st" in roles else players) if r.random() < 0.8 else players
    seat = r.choice(seats)
    if seat == ST:
        return By(ST, "st", r.choice((None, *sts)))
    return By(seat, "player", r.choice(sts) if sts and r.random() < 0.05 else None)


def role_of(w: Walk, seat: SeatId) -> Role | None:
    found = w.table.seats.get(seat)
    return found.role if found is not None else None


def wanted(w: Walk, seats: list[SeatId]) -> list[SeatId]:
    """Whose answer is awaited, or whose unit acts."""
    play = w.table.play
    if play.stack:
        window = play.windows[play.pendings[play.stack[-1]].window]
        return [s for s in seats if s in window.asked and s not in window.passed] or seats
    active = play.fight.active if play.fight else None
    return [s for s in seats if active and owner(w.table, active) == s] or seats
