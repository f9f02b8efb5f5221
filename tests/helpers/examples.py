"""An accepted example of every command, on a table of any number of units: for measuring, and for what must hold of all.

`EXAMPLES[cmd.Pass](12)` -> a game, the command, and who sends it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from core import commands as cmd
from core.commands import Command
from core.dice.source import KeyedDice
from core.ids import EffectId, PendingId, ReadiedId, RequestId, SeatId, TaskId, UnitId
from core.state import Ability, Act, Applied, Duration, Pool, Prepared, Trigger, Unit
from tests.helpers.play import Game, attack, make_act, step_aside

Example = tuple[Game, Command, str]


class Table(Game):
    """Mira (p1), Rolf (p2), and as many of the ST's as make `n`; a calm table, where nobody fights yet."""

    def __init__(self, n: int, **house: Any) -> None:
        super().__init__(**house)
        self.dice = KeyedDice(b"scripted")  # type: ignore[assignment]  # the same key: the same commitments
        own = [attack("sword"), attack("flurry", 40, attacks=3, gains=2), step_aside()]
        own.append(Ability("focus", "use", ("swift",), concentration="none", applies=(Applied("calm", to="self"),)))
        sheet: dict[str, Any] = {"attributes": {"DEX": 3}, "extras": {"defense": 3}, "hp": 1000}
        self.mira = self.unit("Mira", "p1", initiative=30, abilities=own, **sheet)
        self.rolf = self.unit("Rolf", "p2", initiative=29, abilities=own, **sheet)
        claw = [attack("claw"), step_aside()]
        self.foes = [self.unit(f"Foe {k}", initiative=20, abilities=claw, hp=1000) for k in range(n - 2)]
        self.foe = self.foes[0]

    def fighting(self) -> "Table":
        """Mira acts."""
        self.start()
        return self

    def attacked(self) -> "Table":
        """A foe's claw comes down on Mira; its window is open."""
        self.fighting()
        self.do(cmd.BeginAction(self.foe))
        self.declare(self.foe, ability="claw", targets=[self.mira])
        return self

    def lasting(self) -> "Table":
        """Something lies on every unit, to the end of the scene."""
        for unit in list(self.table.play.units):
            self.do(cmd.AddCondition(unit, "slow", lasts=Duration(1, "scene")))
        return self

    def made(self, command: Command, by: str = "st") -> str:
        return self.do(command, by).made[0]


EXAMPLES: dict[type[Command], Callable[[int], Example]] = {}
SWORD = Act("melee_attack", "standard", ability="sword")
POOL = Pool(("DEX",), modifier=2)


def example(
    *, by: str = "st", fighting: bool = False, attacked: bool = False, lasting: bool = False, **house: Any
) -> Any:
    """Marks a function that gives the command of a table; `by` whom, and what goes on there."""

    def note(make: Callable[[Table], Command]) -> None:
        def whole(n: int) -> Example:
            game = Table(n, **house)
            if fighting:
                game.fighting()
            if attacked:
                game.attacked()
            if lasting:
                game.lasting()
            command = make(game)
            return game, command, by

        EXAMPLES[command_of(make)] = whole

    return note


def command_of(make: Callable[[Table], Command]) -> type[Command]:
    """A function is called like its command: `end_action` makes EndAction."""
    name = "".join(part.capitalize() for part in make.__name__.strip("_").split("_"))
    return cmd.all_commands()[name]


# ------------------------------------------------------------------------------------------------------ in one's action
@example(by="p1", fighting=True)
def declare(t: Table) -> Command:
    return cmd.Declare(t.mira, make_act("melee_attack", "standard", ability="sword", targets=[t.foe]))


@example(by="p1", fighting=True)
def ready(t: Table) -> Command:
    return cmd.Ready(t.mira, SWORD, Trigger(act="attack"))


@example(by="p1", fighting=True)
def end_action(t: Table) -> Command:
    return cmd.EndAction(t.mira, 1)


@example(by="p2", fighting=True)
def leave_fight(t: Table) -> Command:
    return cmd.LeaveFight(t.rolf)


@example(by="p1", fighting=True, ruleset="storyteller")
def announce(t: Table) -> Command:
    return cmd.Announce(t.mira, 2)


def focused(t: Table) -> None:
    t.declare(t.mira, "use", "swift", ability="focus")
    t.pass_all()


@example(by="p1", fighting=True)
def sustain(t: Table) -> Command:
    focused(t)
    t.do(cmd.BeginAction(t.rolf))
    t.do(cmd.BeginAction(t.mira))
    return cmd.Sustain(t.mira)


@example(by="p1", fighting=True)
def drop_concentration(t: Table) -> Command:
    focused(t)
    return cmd.DropConcentration(t.mira)


# -------------------------------------------------------------------------------------------------------- in a window
@example(by="p1", attacked=True)
def react(t: Table) -> Command:
    return cmd.React(t.mira, Act("move", "immediate", ability="step aside", leaves=True), t.window.id)


def readied(t: Table) -> ReadiedId:
    t.fighting()
    t.do(cmd.Ready(t.mira, SWORD, Trigger(act="attack")), "p1")
    t.do(cmd.BeginAction(t.foe))
    t.declare(t.foe, ability="claw", targets=[t.mira])
    return next(iter(t.table.play.readied))


@example(by="p1")
def fire(t: Table) -> Command:
    found = readied(t)
    return cmd.Fire(found, t.window.id)


@example(by="p1", attacked=True)
def pass_(t: Table) -> Command:
    return cmd.Pass(t.window.id, t.window.gen)


@example(by="p1", attacked=True)
def defend(t: Table) -> Command:
    return cmd.Defend(t.window.id, t.mira, 2)


@example(by="p1", fighting=True)
def split_gain(t: Table) -> Command:
    t.declare(t.mira, ability="flurry", targets=[t.foe])
    t.pass_all()
    assert t.window.kind == "gain"
    return cmd.SplitGain(t.window.id, (2, 0))


@example(by="p1", attacked=True)
def more_time(t: Table) -> Command:
    return cmd.MoreTime(t.window.id)


@example(interrupted_by_readied="may_continue")
def withdraw(t: Table) -> Command:
    found = readied(t)
    t.do(cmd.Fire(found, t.window.id), "p1")
    t.do(cmd.Resolve(t.top.id))
    return cmd.Withdraw(t.top.id)


# --------------------------------------------------------------------------------------------------- a seat's own wishes
@example(by="p1")
def set_standing_order(t: Table) -> Command:
    return cmd.SetStandingOrder("*", "ask")


@example(by="p1")
def set_default_guard(t: Table) -> Command:
    return cmd.SetDefaultGuard(2)


@example(by="p1")
def set_readied_auto(t: Table) -> Command:
    return cmd.SetReadiedAuto(readied(t), True)


@example(by="p1", fighting=True)
def ask_take_back(t: Table) -> Command:
    t.declare(t.mira, ability="sword", targets=[t.foe])
    return cmd.AskTakeBack("oops")


@example(by="p1")
def object_to_rule(t: Table) -> Command:
    return cmd.ObjectToRule("enforce", "too strict")


@example(by="p1")
def ask_leave(t: Table) -> Command:
    return cmd.AskLeave(cmd.ChangeScene("story"), {})


# ---------------------------------------------------------------------------------------------------- talk and free rolls
@example(by="p1")
def say(t: Table) -> Command:
    return cmd.Say("On we go.", t.mira)


@example(by="p1")
def whisper(t: Table) -> Command:
    return cmd.Whisper("psst")


@example()
def narrate(t: Table) -> Command:
    return cmd.Narrate("The lights go out.")


@example(by="p1")
def roll(t: Table) -> Command:
    return cmd.Roll(t.mira, POOL)


@example()
def ask_roll(t: Table) -> Command:
    return cmd.AskRoll((t.mira, t.rolf), POOL)


@example()
def withdraw_ask(t: Table) -> Command:
    return cmd.WithdrawAsk(RequestId(t.made(cmd.AskRoll((t.mira,), POOL))))


@example(by="p1")
def mix_dice(t: Table) -> Command:
    return cmd.MixDice("4711")


# -------------------------------------------------------------------------------------------------------- extended actions
def task(t: Table) -> TaskId:
    return TaskId(t.made(cmd.StartTask(t.mira, "barricade", POOL, 50, 60, 6000), "p1"))


@example(by="p1")
def start_task(t: Table) -> Command:
    return cmd.StartTask(t.mira, "barricade", POOL, 50, 60, 6000)


@example(by="p1")
def roll_task(t: Table) -> Command:
    return cmd.RollTask(task(t))


@example()
def set_aside(t: Table) -> Command:
    return cmd.SetAside(task(t), 1)


@example()
def edit_task(t: Table) -> Command:
    return cmd.EditTask(task(t), dc=60)


@example(by="p1")
def drop_task(t: Table) -> Command:
    return cmd.DropTask(task(t))


# ------------------------------------------------------------------------------------------------------------- the cast
@example()
def add_unit(t: Table) -> Command:
    return cmd.AddUnit(Unit(UnitId(""), "Ghoul"))


@example(fighting=True)
def bring_on(t: Table) -> Command:
    return cmd.BringOn((t.unit("Ghoul", on_stage=False),))


@example(fighting=True)
def set_up(t: Table) -> Command:
    return cmd.SetUp((Prepared(Unit(UnitId(""), "Ghoul", initiative=3), count=6),))


@example(fighting=True)
def take_off(t: Table) -> Command:
    return cmd.TakeOff(t.foe)


@example(fighting=True)
def remove_unit(t: Table) -> Command:
    return cmd.RemoveUnit(t.foe)


@example(fighting=True)
def give_unit(t: Table) -> Command:
    return cmd.GiveUnit(t.foe, SeatId("p1"))


@example(fighting=True)
def hide(t: Table) -> Command:
    return cmd.Hide(t.foe)


@example(fighting=True)
def reveal(t: Table) -> Command:
    t.do(cmd.Hide(t.foe))
    return cmd.Reveal(t.foe)


# ------------------------------------------------------------------------------------------------------------ the fight
@example()
def start_fight(t: Table) -> Command:
    return cmd.StartFight(counts=True)


@example(lasting=True, fighting=True)
def end_fight(t: Table) -> Command:
    return cmd.EndFight(end_lasting=True)


@example(fighting=True)
def join_fight(t: Table) -> Command:
    t.do(cmd.LeaveFight(t.foe))
    return cmd.JoinFight(t.foe)


@example(fighting=True)
def reorder(t: Table) -> Command:
    order = t.fight.order
    return cmd.Reorder((*order[:-2], order[-1], order[-2]), order)


@example(lasting=True)
def pass_time(t: Table) -> Command:
    return cmd.PassTime(3600)


@example(fighting=True)
def begin_action(t: Table) -> Command:
    return cmd.BeginAction(t.foe)


@example(fighting=True)
def grant(t: Table) -> Command:
    return cmd.Grant(t.mira, ("standard",))


@example(fighting=True)
def spend(t: Table) -> Command:
    return cmd.Spend(t.mira, ("standard",))


# ------------------------------------------------------------------------------------------------------ scenes and worlds
@example(lasting=True)
def change_scene(t: Table) -> Command:
    return cmd.ChangeScene("story")


@example()
def allow_prebuff(t: Table) -> Command:
    return cmd.AllowPrebuff()


@example(lasting=True)
def enter_film(t: Table) -> Command:
    return cmd.EnterFilm("Night of the Dead", "Raccoon City")


@example()
def leave_film(t: Table) -> Command:
    t.do(cmd.EnterFilm("Night of the Dead", "Raccoon City"))
    t.lasting()
    return cmd.LeaveFilm()


@example(lasting=True)
def set_world(t: Table) -> Command:
    return cmd.SetWorld(day_s=172_800)


# --------------------------------------------------------------------------------------------------------- the ST's hand
@example()
def set_value(t: Table) -> Command:
    return cmd.SetValue(t.foe, "hp", 7, 1000)


@example()
def adjust(t: Table) -> Command:
    return cmd.Adjust(t.foe, "hp", -3)


@example(lasting=True)
def add_condition(t: Table) -> Command:
    return cmd.AddCondition(t.foe, "prone", rounds=2)


@example(lasting=True)
def remove_condition(t: Table) -> Command:
    return cmd.RemoveCondition(t.foe, "slow")


@example(lasting=True)
def end_effect(t: Table) -> Command:
    return cmd.EndEffect(EffectId(next(iter(t.table.play.effects))))


@example()
def set_house(t: Table) -> Command:
    return cmd.SetHouse("lag_ms", 300)


@example()
def set_notes(t: Table) -> Command:
    return cmd.SetNotes("the king dies tonight")


# ------------------------------------------------------------------------------------------------- windows and the stack
@example(attacked=True)
def hold(t: Table) -> Command:
    return cmd.Hold()


@example(attacked=True)
def release(t: Table) -> Command:
    t.do(cmd.Hold())
    return cmd.Release()


@example()
def give_time(t: Table) -> Command:
    return cmd.GiveTime(SeatId("p1"), 150)


@example(attacked=True)
def set_clock(t: Table) -> Command:
    return cmd.SetClock(t.window.id, 5000)


@example(attacked=True)
def close_window(t: Table) -> Command:
    return cmd.CloseWindow(t.window.id)


@example(attacked=True)
def cancel(t: Table) -> Command:
    return cmd.Cancel(t.top.id)


@example(attacked=True)
def resolve(t: Table) -> Command:
    return cmd.Resolve(t.top.id)


@example(attacked=True)
def insert(t: Table) -> Command:
    return cmd.Insert(t.rolf, make_act("melee_attack", "standard", ability="sword", targets=[t.foe]))


@example(attacked=True)
def edit_pending(t: Table) -> Command:
    return cmd.EditPending(t.top.id, targets=(t.rolf,))


@example(attacked=True)
def restack(t: Table) -> Command:
    t.do(cmd.Insert(t.rolf, make_act("melee_attack", "standard", ability="sword", targets=[t.foe])))
    was: Sequence[PendingId] = t.table.play.stack
    return cmd.Restack(tuple(reversed(was)), tuple(was))


# -------------------------------------------------------------------------------------------------- requests and history
@example()
def answer_request(t: Table) -> Command:
    wish = cmd.ChangeScene("story")
    return cmd.AnswerRequest(RequestId(t.made(cmd.AskLeave(wish, {}), "p1")), True, command=wish)


@example(fighting=True)
def rewind(t: Table) -> Command:
    before = t.version
    play = t.table.play
    t.declare(t.mira, ability="sword", targets=[t.foe])
    return cmd.Rewind(before, t.version, play=play)


# ------------------------------------------------------------------------------------------------ seats and invitations
@example()
def add_seat(t: Table) -> Command:
    return cmd.AddSeat("Cleo", "player")


@example()
def remove_seat(t: Table) -> Command:
    return cmd.RemoveSeat(SeatId("p2"))


@example()
def renew_invitation(t: Table) -> Command:
    return cmd.RenewInvitation(SeatId("p2"), 3600)


@example()
def revoke_invitation(t: Table) -> Command:
    return cmd.RevokeInvitation(SeatId("p2"))


@example()
def set_role(t: Table) -> Command:
    return cmd.SetRole(SeatId("p2"), "st")


@example(by="p1")
def lend_seat(t: Table) -> Command:
    return cmd.LendSeat("Dora", 3600)


@example(by="p1")
def take_back_seat(t: Table) -> Command:
    t.do(cmd.LendSeat("Dora", 3600), "p1")
    return cmd.TakeBackSeat()


# ------------------------------------------------------------------------------------------------------ the server's own
@example(attacked=True)
def close_due(t: Table) -> Command:
    t.now += 60_000
    return cmd.CloseDue(t.window.id, t.window.gen)


@example(fighting=True, action_clock_ms=5000)
def end_due_action(t: Table) -> Command:
    t.now += 60_000
    return cmd.EndDueAction(t.mira, 1)


@example()
def release_due(t: Table) -> Command:
    t.do(cmd.Hold())
    t.of_the_server(cmd.RenewInvitation(SeatId("x1"), 1))
    t.now += 60_000
    return cmd.ReleaseDue()


@example()
def report_loss(t: Table) -> Command:
    return cmd.ReportLoss(None, 3, 4, ("p1/client/7", "clock/w1/1"))


@example()
def note_keeping(t: Table) -> Command:
    return cmd.NoteKeeping("exported")
