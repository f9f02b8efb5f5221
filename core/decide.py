"""(table, command, by, now, dice) -> events, or a refusal. Changes nothing. This page is the index of the rules.

Order: role, the clock first, who is too late, the decider, `settle`, the seed. Refused is a value here: nobody outside has
to catch anything.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from core import (
    cast,
    clock,
    commands,
    concentration,
    effects,
    fair,
    history,
    interrupts,
    losses,
    multiple,
    order,
    override,
    readied,
    rolls,
    scenes,
    seats,
    seeds,
    stack_control,
    talk,
    tasks,
    worlds,
)
from core.commands import AnswerRequest, AskLeave, By, Command
from core.draft import Draft
from core.events import Event
from core.refusals import Refused
from core.roles import NOBODY, NOT_LENT, ROLES, WISHES
from core.settle import settle
from core.state import Table
from core.world import World


@dataclass(frozen=True, slots=True)
class Decided:
    """What happens: the events, the table after them, and the ids that were made for the sender to know."""

    table: Table
    events: tuple[Event, ...]
    made: tuple[str, ...]


def decide(table: Table, command: Command, by: By, world: World) -> Decided | Refused:
    """What this command does to the table, or why it does nothing.

    Code `clock_due` never leaves the server: what `clock.due_command` names is decided first, then this again.
    """
    try:
        if ROLES[kind_of(command)] is not NOBODY:
            check_role(command, by)
            if clock.due_command(table, world.now, world.here) is not None:
                raise Refused("clock_due")
        draft = Draft(table, by, world)
        fair.in_time(draft, command)
        run(draft, command)
        settle(draft)
        seeds.turn_over(draft, table)
    except Refused as refused:
        return refused
    return Decided(draft.table, tuple(draft.events), tuple(draft.made))


def run(d: Draft, command: Command) -> None:
    DECIDERS[type(command)](d, command)


def kind_of(command: Command) -> str:
    """The command's name on the wire: EndAction -> "end_action"."""
    return _with_lines(type(command).__name__)


@cache
def _with_lines(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def check_role(command: Command, by: By) -> None:
    kind = kind_of(command)
    if by.role not in ROLES[kind] or (by.lent and kind in NOT_LENT):
        raise Refused("forbidden", kind=kind, role=by.role)


# ----------------------------------------------------------------------------------------------- leave for a refused act
def ask_leave(d: Draft, c: AskLeave) -> None:
    """Only what a rule refuses can be asked for, or another scene; rights and what came too late are never waived."""
    if kind_of(c.command) in WISHES:
        run(Draft(d.table, d.by, d.world), c.command)  # raises what stands in the way of it
        seats.ask_leave(d, c, "forbidden")
        return
    refused = decide(d.table, c.command, d.by, d.world)
    if isinstance(refused, Decided):
        raise d.refuse("bad_value", kind=kind_of(c.command), wanted="nothing_to_ask")
    if not refused.waivable:
        raise refused
    seats.ask_leave(d, c, refused.code, refused.st)


def answer_request(d: Draft, c: AnswerRequest) -> None:
    """One answer: a yes lets that one act through, or goes back to before the act that was asked back.

    What the two of them wrote to each other is not told with the rewind, which is everybody's.
    """
    request = seats.take_request(d, c)
    if not c.yes:
        return
    if request.kind == "take_back":
        history.rewind(d, commands.Rewind(request.to or 0, c.head if c.head is not None else -1, play=c.play))
        return
    if c.command is None:
        raise d.refuse("unknown", id=c.request)
    st = d.by
    if kind_of(c.command) in WISHES:
        run(d, c.command)
        return
    d.by, d.permitted = By(request.seat, "player"), True
    check_role(c.command, d.by)
    run(d, c.command)
    d.by, d.permitted = st, False


DECIDERS: dict[type[Command], Callable[[Draft, Any], None]] = {
    # one's own action                                  ACT-01 to 08, TIME-03, TIME-04
    commands.Declare: interrupts.declare,
    commands.Ready: readied.ready,
    commands.Announce: multiple.announce,
    commands.EndAction: order.end_action,
    commands.LeaveFight: order.leave_fight,
    # concentration                                     CON-01 to 06
    commands.Sustain: concentration.sustain,
    commands.DropConcentration: concentration.drop,
    # in a window                                       IMM-01 to 07, RDY-01 to 04, XS-01 to 10
    commands.React: interrupts.react,
    commands.Fire: readied.fire,
    commands.Pass: interrupts.pass_,
    commands.Defend: interrupts.defend,
    commands.SplitGain: interrupts.split_gain,
    commands.MoreTime: interrupts.more_time,
    commands.Withdraw: interrupts.withdraw,
    # a seat's own wishes                               IMM-07, TBL-01
    commands.SetStandingOrder: seats.set_standing_order,
    commands.SetDefaultGuard: seats.set_default_guard,
    commands.SetReadiedAuto: readied.set_readied_auto,
    commands.AskTakeBack: seats.ask_take_back,
    commands.AskLeave: ask_leave,
    commands.ObjectToRule: seats.object_to_rule,
    # talk and rolls                                    ACT-04, DICE-01 to 07
    commands.Say: talk.say,
    commands.Whisper: talk.whisper,
    commands.Narrate: talk.narrate,
    commands.Roll: rolls.roll,
    commands.AskRoll: rolls.ask_roll,
    commands.WithdrawAsk: rolls.withdraw_ask,
    commands.MixDice: seeds.mix_dice,
    # extended actions                                  TASK-02 to 06
    commands.StartTask: tasks.start_task,
    commands.RollTask: tasks.roll_task,
    commands.SetAside: tasks.set_aside,
    commands.EditTask: tasks.edit_task,
    commands.DropTask: tasks.drop_task,
    # the ST: the cast                                  TBL-04
    commands.AddUnit: cast.add_unit,
    commands.BringOn: cast.bring_on,
    commands.SetUp: cast.set_up,
    commands.TakeOff: cast.take_off,
    commands.RemoveUnit: cast.remove_unit,
    commands.GiveUnit: cast.give_unit,
    commands.Hide: cast.hide,
    commands.Reveal: cast.reveal,
    # the ST: the fight                                 TIME-03, TIME-04, ACT-02
    commands.StartFight: order.start_fight,
    commands.EndFight: order.end_fight,
    commands.JoinFight: order.join_fight,
    commands.Reorder: order.reorder,
    commands.PassTime: order.pass_time,
    commands.BeginAction: order.begin_action,
    commands.Grant: order.grant,
    commands.Spend: order.spend,
    # the ST: scenes, Films, worlds                     TIME-01, 02, 05 to 08
    commands.ChangeScene: scenes.change_scene,
    commands.AllowPrebuff: scenes.allow_prebuff,
    commands.EnterFilm: worlds.enter_film,
    commands.LeaveFilm: worlds.leave_film,
    commands.SetWorld: worlds.set_world,
    # the ST: override                                  TBL-01, TBL-02, TBL-05
    commands.SetValue: override.set_value,
    commands.Adjust: override.adjust,
    commands.AddCondition: effects.add_condition,
    commands.RemoveCondition: effects.remove_condition,
    commands.EndEffect: effects.end_effect,
    commands.SetHouse: override.set_house,
    commands.SetNotes: talk.set_notes,
    # the ST: windows and stack                         IMM-07, TBL-02
    commands.Hold: override.hold,
    commands.Release: order.release,
    commands.SetClock: stack_control.set_clock,
    commands.CloseWindow: stack_control.close_window,
    commands.Cancel: stack_control.cancel,
    commands.Resolve: stack_control.resolve,
    commands.Insert: stack_control.insert,
    commands.EditPending: stack_control.edit_pending,
    commands.Restack: stack_control.restack,
    commands.GiveTime: seats.give_time,
    # the ST: requests and history                      TBL-02
    commands.AnswerRequest: answer_request,
    commands.Rewind: history.rewind,
    # seats and invitations
    commands.AddSeat: seats.add_seat,
    commands.RemoveSeat: seats.remove_seat,
    commands.RenewInvitation: seats.renew_invitation,
    commands.RevokeInvitation: seats.revoke_invitation,
    commands.SetRole: seats.set_role,
    commands.LendSeat: seats.lend_seat,
    commands.TakeBackSeat: seats.take_back_seat,
    # the server's own
    commands.CloseDue: clock.close_due,
    commands.EndDueAction: clock.end_due_action,
    commands.ReleaseDue: clock.release_due,
    commands.NoteKeeping: losses.note_keeping,
    commands.ReportLoss: losses.report_loss,
}
