"""What is said to every command and every question, by who sends it and in what situation: "ok", or the code of the refusal.

test_situations.py goes through all of it at a live server. The command is that of tests/helpers/examples.py: right where its
own sender says it ("own"; of the Storyteller's, "st").

    st        a Storyteller, for himself            off_stage  the sender's units are off stage
    own       the player whose unit it is about     no_fight   no fight is on, where the example has one
    other     another player                        held       the Storyteller holds the table
    hidden    about a unit that he cannot see       lent       who has borrowed the player's seat
    spectator a spectator                           rewound    it was sent before its sender had seen the last rewind
    eyes      a Storyteller who looks through the player's eyes
    -         it is about no unit
"""


def _rows(page: str) -> dict[str, dict[str, str]]:
    (_, *columns), *rows = [line.split() for line in page.strip().splitlines()]
    return {kind: dict(zip(columns, said, strict=True)) for kind, *said in rows}


ALWAYS = {"spectator": "forbidden", "eyes": "read_only", "rewound": "stale"}
"""To all commands."""

PLAYERS = _rows("""
command              st        own       other           hidden  off_stage       no_fight      held      lent
declare              ok        ok        not_yours       unknown off_stage       ok            ok        ok
ready                ok        ok        not_yours       unknown not_your_action no_fight      ok        ok
end_action           ok        ok        not_yours       unknown not_your_action no_fight      held      ok
leave_fight          ok        ok        not_yours       unknown not_in_fight    not_in_fight  ok        ok
announce             ok        ok        not_yours       unknown not_in_fight    no_fight      ok        ok
sustain              ok        ok        not_yours       unknown too_late        no_fight      ok        ok
drop_concentration   ok        ok        not_yours       unknown no_change       no_change     ok        ok
react                ok        ok        not_yours       unknown off_stage       window_closed ok        ok
fire                 ok        ok        readied_gone    -       readied_gone    readied_gone  ok        ok
pass                 not_asked ok        ok              -       ok              window_closed ok        ok
defend               ok        ok        not_yours       unknown ok              window_closed ok        ok
split_gain           ok        ok        not_yours       -       ok              window_closed ok        ok
more_time            not_asked ok        ok              -       ok              window_closed paused    ok
withdraw             ok        not_yours not_yours       -       not_yours       unknown       not_yours not_yours
set_standing_order   ok        ok        ok              -       ok              ok            ok        ok
set_default_guard    ok        ok        ok              -       ok              ok            ok        ok
set_readied_auto     ok        ok        readied_gone    -       readied_gone    readied_gone  ok        ok
ask_take_back        forbidden ok        nothing_to_undo -       ok              ok            ok        ok
object_to_rule       forbidden ok        ok              -       ok              ok            ok        ok
say                  ok        ok        not_yours       unknown off_stage       ok            ok        ok
whisper              unknown   ok        ok              -       ok              ok            ok        ok
roll                 ok        ok        not_yours       unknown ok              ok            ok        ok
start_task           ok        ok        not_yours       unknown ok              ok            ok        ok
roll_task            ok        ok        not_yours       -       ok              ok            ok        ok
edit_task            ok        ok        not_yours       -       ok              ok            ok        ok
drop_task            ok        ok        not_yours       -       ok              ok            ok        ok
mix_dice             ok        ok        ok              -       ok              ok            ok        ok
lend_seat            forbidden ok        ok              -       ok              ok            ok        forbidden
take_back_seat       unknown   ok        ok              -       ok              ok            ok        forbidden
ask_leave            forbidden ok        ok              -       ok              ok            ok        ok
""")
"""What players may say, in general."""

STORYTELLERS = {
    kind: {"st": "ok", "own": "forbidden", "lent": "forbidden"}
    for kind in """
narrate ask_roll withdraw_ask set_aside add_unit bring_on set_up take_off remove_unit give_unit hide reveal
start_fight end_fight change_scene allow_prebuff enter_film leave_film set_world join_fight reorder pass_time
begin_action grant spend set_value adjust add_condition remove_condition end_effect set_house set_notes hold release
give_time set_clock close_window cancel resolve insert edit_pending restack add_seat remove_seat renew_invitation
revoke_invitation set_role answer_request rewind
""".split()
}
"""What only Storytellers may say: in no situation is a player told more than that."""

QUESTIONS = _rows("""
question         st      own        lent       spectator  eyes
audit            ok      forbidden  forbidden  forbidden  forbidden
log              ok      ok         ok         ok         ok
rewind_preview   ok      forbidden  forbidden  forbidden  forbidden
calc             ok      ok         ok         ok         ok
explain          ok      ok         ok         ok         ok
options          ok      ok         ok         ok         ok
library          ok      forbidden  forbidden  forbidden  forbidden
read_units       ok      forbidden  forbidden  forbidden  forbidden
export           ok      forbidden  forbidden  forbidden  forbidden
""")
