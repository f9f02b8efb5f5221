"""Why something cannot be done: one class, a closed list of codes, each said in one line.

Texts in both languages stand in protocol/texts; a test keeps the lists equal. A refused command changes nothing.

Three kinds:
  rights and secrecy   never waived (RIGHTS)
  timing               the question has changed meanwhile; never waived (TIMING)
  rules                an objection: house rule `enforce: warn`, or the ST's leave, lets it through (RULES)
"""

from collections.abc import Mapping
from typing import Any

RIGHTS = {
    "forbidden": "your role may not do this",
    "unknown": "there is no such thing, or you may not know of it",
    "not_yours": "the unit belongs to another seat",
    "bad_value": "the value is not one that can stand here",
    "must_continue": "a declared action must go on (IMM-04)",
    "no_such_rule": "there is no house rule of this name",
    "pools_apart": "dice pools are never combined: each rolls his own (STY-07)",
    "no_number": "this cannot be worked out as it is written (NUM-02)",
    "no_change": "it is so already",
    "nothing_to_undo": "you have done nothing that could be taken back",
    "no_ask": "nobody asked this unit for a roll",
    "last_st": "a table needs a Storyteller: first give the role to somebody else, whose invitation lasts as long",
    "in_use": "the name or thing is already taken",
    "too_many": "there is no room for more of these",
    "off_stage": "the unit is not on stage",
    "not_target": "this unit is not attacked here",
}
TIMING = {
    "stale": "sent before you had seen the last rewind",
    "changed": "the value was changed meanwhile",
    "window_closed": "the window is closed; it cost nothing",
    "window_changed": "the question has changed; look again",
    "window_open": "something is waiting to be answered first",
    "not_asked": "your seat is not asked here",
    "already_answered": "you have passed already",
    "not_due": "its time has not come",
    "clock_due": "the clock goes first (never leaves the server)",
    "too_late": "the dice have been rolled, or the moment is over",
    "not_yet": "defence is declared after the roll at this table",
    "not_on_top": "something lies on it",
    "others_first": "the seat's acts have kept everybody waiting often enough for now",
    "stack_full": "too many interrupts lie on each other",
    "held": "the Storyteller holds the table",
    "paused": "the clock stands still already",
    "no_time_left": "your time bank is empty",
    "fixed_length": "windows have a fixed length at this table",
    "readied_gone": "this readied action has been used or has run out",
    "already_fighting": "a fight is on",
    "no_fight": "no fight is on",
    "in_film": "a Film is on",
    "no_film": "no Film is on",
    "history_short": "the log does not go back that far",
    "nothing_to_rewind": "there is nothing after that version",
    "task_closed": "the task is done, or has failed",
    "not_in_this_game": "the game of this table has no such thing",
}
RULES = {
    "not_possible": "something you may not know of stands in the way; the ST sees why",
    "not_your_action": "it is not this unit's action (ACT-04)",
    "no_action_left": "the action it costs is spent (ACT-01)",
    "cannot_convert": "actions convert downwards only (ACT-05)",
    "same_kind_of_act": "one free action for the same kind of act (ACT-03)",
    "free_action_cap": "no more free actions this turn (ACT-03)",
    "too_far": "farther than one move action carries (ACT-01)",
    "ability_required": "no ability of the unit allows this (ACT-08, IMM-01)",
    "cannot_act": "the unit cannot act (IMM-01)",
    "barred": "a condition keeps the unit from this kind of act",
    "no_immediate_left": "its immediate action of this round is used (IMM-02)",
    "no_target": "there is no target that can be aimed at",
    "not_enough": "fewer defence extra successes are left (XS-07)",
    "split_required": "several attacks of one action share extra successes: say how, before the roll (XS-02)",
    "split_too_large": "more extra successes are split than there are (XS-02)",
    "too_many_attacks": "more attacks than the action makes (XS-02)",
    "not_triggered": "its trigger has not happened (RDY-04, STY-02)",
    "not_declared": "more than one action is announced before the first (STY-03)",
    "too_many_actions": "no more actions in one turn than dots in Dexterity (STY-03)",
    "no_dice_left": "no die is left for so many actions (STY-03)",
    "own_action": "a readied action waits for somebody else's (RDY-01)",
    "cannot_ready": "only a free, swift, move or standard act can be readied (RDY-01)",
    "nothing_readied": "a readied action needs an act and a condition (RDY-01)",
    "bad_again": "10-again, 9-again and 8-again are the levels (DICE-02)",
    "one_attachment": "one attached ability goes with one action (ATT-01)",
    "attachment_mismatch": "the action is not what the attached ability must be attached to (ATT-01)",
    "already_concentrating": "one concentration at a time, and no two in one round (CON-04)",
    "not_in_fight": "the unit has no place in the order",
    "dc_fixed": "the DC of an extended action cannot be lowered (TASK-02)",
    "st_tells": "the Storyteller tells the target number and the successes needed (STY-06)",
    "no_teamwork": "nobody may help with this task (STY-07)",
    "interval": "its interval is not over yet (TASK-03)",
    "no_interval": "the ST has not set its interval yet (TASK-03)",
}
CODES: Mapping[str, str] = {**RIGHTS, **TIMING, **RULES}


class Refused(Exception):
    """One refusal. `params` may be shown to the sender; `st` is the true reason where only the ST may know it.

    It is the code he would have got, and the condition if one is to blame ("cannot_act:stunned"); "fault": our own mistake.

    `waivable`: a rule objected, so the ST can let it through. The same code may also stand for what nobody can waive,
    such as a target that does not exist.
    """

    def __init__(self, code: str, *, st: str = "", waivable: bool = False, **params: Any) -> None:
        assert code in CODES, code
        super().__init__(code)
        self.code = code
        self.params = params
        self.st = st
        self.waivable = waivable

    def __str__(self) -> str:
        return f"{self.code}: {CODES[self.code]}" + (f" {self.params}" if self.params else "")
