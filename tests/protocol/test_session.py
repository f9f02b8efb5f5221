"""The client's half of the conversation, without a wire."""

from typing import Any

import pytest

from protocol.codec import command_body
from protocol.from_client import AskLog, Resume
from protocol.from_server import Ack, Answer, Diff, Presence, Refused, Snapshot, Welcome
from protocol.lines import Named, pack
from protocol.session import Gap, Saved, Session


def welcome(n: int = 0, epoch: str = "e") -> Welcome:
    return Welcome(
        version=1, table="T", name="N", epoch=epoch, n=n, seat="p", seat_name="M", role="player", heartbeat_s=20, now=1
    )


def snapshot(n: int = 0, epoch: str = "e", **view: object) -> Snapshot:
    paths = {path.replace("__", "/"): value for path, value in view.items()}
    return Snapshot(epoch=epoch, n=n, reason="first", view=paths)


@pytest.fixture
def session():
    one = Session("t.s.x", "c")
    one.receive(welcome())
    one.receive(snapshot(u__a__hp=5, u__a__name="Aki"))
    return one


def test_hello_tells_the_position_once_there_is_one(session: Session):
    assert Session("t.s.x", "c").hello().resume is None
    assert session.hello().resume == Resume(epoch="e", n=0)
    assert Session("t", "c", saved=Saved("e", 4, {"x": 1})).hello().resume == Resume(epoch="e", n=4)


def test_it_is_current_when_all_that_welcome_spoke_of_has_come():
    session = Session("t.s.x", "c")
    assert not session.current
    session.receive(welcome(n=2))
    session.receive(snapshot(1))
    assert not session.current
    session.receive(Diff(n=2, ops=[], log=[]))
    assert session.current
    session.hello()
    assert not session.current
    session.receive(welcome(n=0, epoch="other"))
    assert not session.current


def test_a_diff_sets_and_deletes(session: Session):
    update = session.receive(Diff(n=1, ops=[["u/a/hp", None], ["u/a/name"], ["never/there"]], log=[]))
    assert session.state == {"u/a/hp": None}
    assert update is not None
    assert (update.n, update.changed) == (1, frozenset({"u/a/hp", "u/a/name", "never/there"}))


@pytest.mark.parametrize("n", [0, 2, 100])
def test_anything_but_the_next_change_is_a_gap_and_changes_nothing(session: Session, n: int):
    with pytest.raises(Gap, match=f"change 1 was due, change {n} came"):
        session.receive(Diff(n=n, ops=[["u/a/hp", 1]], log=[]))
    assert (session.n, session.state["u/a/hp"]) == (0, 5)


def test_a_diff_before_anything_is_known_is_a_gap():
    with pytest.raises(Gap):
        Session("t.s.x", "c").receive(Diff(n=1, ops=[], log=[]))


def test_a_snapshot_replaces_everything(session: Session):
    state = session.state
    update = session.receive(snapshot(9, "f", u__a__hp=5, u__b__hp=1))
    assert state == {"u/a/hp": 5, "u/b/hp": 1}
    assert (session.epoch, session.n) == ("f", 9)
    assert update is not None
    assert (update.changed, update.reason) == (frozenset({"u/a/name", "u/b/hp"}), "first")


def test_what_was_saved_does_not_change_afterwards(session: Session):
    saved = session.saved
    session.receive(Diff(n=1, ops=[["u/a/hp", 1]], log=[]))
    assert saved == Saved("e", 0, {"u/a/hp": 5, "u/a/name": "Aki"})


def test_commands_are_numbered_and_kept_until_answered(session: Session):
    hold = command_body("hold", {})
    first, second, third = (session.command(hold) for _ in range(3))
    question = session.ask(AskLog, {"limit": 5})
    assert [first.seq, second.seq, third.seq, question.id] == [1, 2, 3, 1]
    session.receive(Ack(seq=1, n=0))
    assert list(session.unanswered()) == [second, third, question]
    session.receive(Refused(seq=2, code="held"))
    session.forget(third)
    session.receive(Answer(id=1))
    assert list(session.unanswered()) == []
    assert session.command(hold).seq == 4


def test_a_command_says_what_its_sender_had_seen(session: Session):
    session.receive(Diff(n=1, ops=[], log=[]))
    assert session.command(command_body("hold", {})).seen == 1


def test_what_is_added_while_sending_again_is_sent_too(session: Session):
    hold = command_body("hold", {})
    session.command(hold)
    sent = []
    for message in session.unanswered():
        sent.append(message)
        if len(sent) == 1:
            session.command(hold)
    assert [one.seq for one in sent if hasattr(one, "seq")] == [1, 2]


def test_presence_is_the_whole_list(session: Session):
    session.receive(Presence(here=["p", "q"]))
    session.receive(Presence(here=["q"]))
    assert session.here == {"q"}


def test_a_bare_value_line_tells_each_value_that_was_set(session: Session):
    ops: list[list[Any]] = [["t/turn", 2], ["u/a/conditions", ["prone"]], ["u/a/hp", 3], ["u/a/speed", 4], ["u/b/hp"]]
    set_ = pack("value_set", 60, "st")
    update = session.receive(Diff(n=1, ops=ops, log=[set_, set_, pack("narrated", 60, "st", ["x"])]))
    assert update is not None
    told = [
        (line.kind, line.get("unit"), line.get("path"), line.get("value"), line.get("was")) for line in update.lines
    ]
    assert told == [
        ("value_set", Named("a", "Aki"), "hp", 3, 5),
        ("value_set", Named("a", "Aki"), "speed", 4, None),
        ("value_set", Named("b", ""), "hp", None, None),
        ("narrated", None, None, None, None),
    ]
