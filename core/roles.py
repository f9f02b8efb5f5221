"""Who may send what: one table of command x role. Nothing else asks for a role.

A player further needs to own the unit he speaks for; that is a question about units (`Draft.own_unit`). What is said to each
command in each situation stands on one page, tests/server/situations.py, and is tried out at a live server.
"""

from collections.abc import Mapping

from core.state import Role

EVERYBODY: frozenset[Role] = frozenset({"st", "player", "spectator"})
SEATED: frozenset[Role] = frozenset({"st", "player"})
STORYTELLER: frozenset[Role] = frozenset({"st"})
NOBODY: frozenset[Role] = frozenset()
"""The server's own commands: never from a client."""

WISHES = frozenset({"change_scene", "start_fight"})
"""What only the ST does, and any player may ask him for (TIME-05)."""

NAMED = frozenset("add_seat remove_seat renew_invitation revoke_invitation set_role take_back_seat".split())
"""What the log says by name which ST has done it, be he the only one (server/audit.py)."""

NOT_LENT = frozenset({"lend_seat", "take_back_seat"})
"""What goes with the seat itself: whoever sits there by a loan may not."""

ROLES: Mapping[str, frozenset[Role]] = {
    # one's own action, and the windows
    "declare": SEATED,
    "ready": SEATED,
    "announce": SEATED,
    "end_action": SEATED,
    "leave_fight": SEATED,
    "sustain": SEATED,
    "drop_concentration": SEATED,
    "react": SEATED,
    "fire": SEATED,
    "pass": SEATED,
    "defend": SEATED,
    "split_gain": SEATED,
    "more_time": SEATED,
    "withdraw": SEATED,
    # a seat's own wishes
    "set_standing_order": SEATED,
    "set_default_guard": SEATED,
    "set_readied_auto": SEATED,
    "ask_take_back": frozenset({"player"}),
    "ask_leave": frozenset({"player"}),
    "object_to_rule": frozenset({"player"}),
    # talk and free rolls
    "say": SEATED,
    "whisper": SEATED,
    "narrate": STORYTELLER,
    "roll": SEATED,
    "ask_roll": STORYTELLER,
    "withdraw_ask": STORYTELLER,
    "mix_dice": SEATED,
    # extended actions
    "start_task": SEATED,
    "roll_task": SEATED,
    "set_aside": STORYTELLER,
    "edit_task": SEATED,
    "drop_task": SEATED,
    # the cast
    "add_unit": STORYTELLER,
    "bring_on": STORYTELLER,
    "set_up": STORYTELLER,
    "take_off": STORYTELLER,
    "remove_unit": STORYTELLER,
    "give_unit": STORYTELLER,
    "hide": STORYTELLER,
    "reveal": STORYTELLER,
    # the fight
    "start_fight": STORYTELLER,
    "end_fight": STORYTELLER,
    "join_fight": STORYTELLER,
    "reorder": STORYTELLER,
    "pass_time": STORYTELLER,
    "change_scene": STORYTELLER,
    "allow_prebuff": STORYTELLER,
    "enter_film": STORYTELLER,
    "leave_film": STORYTELLER,
    "set_world": STORYTELLER,
    "begin_action": STORYTELLER,
    "grant": STORYTELLER,
    "spend": STORYTELLER,
    # override
    "set_value": STORYTELLER,
    "adjust": STORYTELLER,
    "add_condition": STORYTELLER,
    "remove_condition": STORYTELLER,
    "end_effect": STORYTELLER,
    "set_house": STORYTELLER,
    "set_notes": STORYTELLER,
    # windows and stack
    "hold": STORYTELLER,
    "release": STORYTELLER,
    "set_clock": STORYTELLER,
    "close_window": STORYTELLER,
    "cancel": STORYTELLER,
    "resolve": STORYTELLER,
    "insert": STORYTELLER,
    "edit_pending": STORYTELLER,
    "restack": STORYTELLER,
    "give_time": STORYTELLER,
    # requests and history
    "answer_request": STORYTELLER,
    "rewind": STORYTELLER,
    # seats and invitations
    "add_seat": STORYTELLER,
    "remove_seat": STORYTELLER,
    "renew_invitation": STORYTELLER,
    "revoke_invitation": STORYTELLER,
    "set_role": STORYTELLER,
    "lend_seat": frozenset({"player"}),
    "take_back_seat": SEATED,
    # the server's own
    "close_due": NOBODY,
    "end_due_action": NOBODY,
    "release_due": NOBODY,
    "note_keeping": NOBODY,
    "report_loss": NOBODY,
}
