"""What is another seat's own, what the Storyteller does beside the table, and who is there."""

from dataclasses import replace
from typing import Any

from core import commands as cmd
from core.commands import Command
from core.decide import Decided
from core.ids import ALL, SeatId, UnitId
from core.state import Act, OrderKind, Strike, Trigger
from core.windows import top
from server.asked import own
from tests.secrecy.kinds.kind import asked_would_be_done, gives_b, secret, there, unit_of, units_named, would_be
from tests.secrecy.pair import Pair, even_passes
from tests.secrecy.side import Client, Side

# --------------------------------------------------------------------------------------------------- another seat's own


@secret("whispers")
def whispers(pair: Pair) -> Any:
    who, to = pair.random.choice((("p2", None), ("st", SeatId("p2"))))
    return pair.at_a(who, cmd.Whisper(pair.word(), to))


def moves_windows(pair: Pair, command: Command) -> bool:
    windows = ("reaction_floor_ms", "reaction_window_ms", "window_mode", "readied_debt", "absent")
    return isinstance(command, cmd.SetHouse) and command.key in windows


@secret("orders of another seat", spoils=moves_windows, even=even_passes)
def orders(pair: Pair) -> Any:
    """Not after a floor: as a pass would, it may close a window there."""
    found, r = top(pair.a.table), pair.random
    if found is not None and (clock := found[1].clock) and clock.running and pair.a.clock() >= clock.floor:
        return False
    order: OrderKind = r.choice(("pass", "pass", "ask", "unless_target"))
    return pair.at_a("p2", cmd.SetStandingOrder(r.choice(("*", "*", "move", pair.word())), order))


def guards_matter(pair: Pair, command: Command) -> bool:
    if isinstance(command, (cmd.SetValue, cmd.Adjust)):
        return str(command.path).startswith("extras")
    if isinstance(command, (cmd.GiveUnit, cmd.AddSeat, cmd.AddUnit, cmd.SetUp, cmd.SetDefaultGuard)):
        return True
    return isinstance(command, cmd.SetHouse) and command.key in ("enforce", "defense_from")


@secret("another's usual defence", spoils=guards_matter)
def default_guard(pair: Pair) -> Any:
    return pair.at_a("p2", cmd.SetDefaultGuard(pair.random.randrange(1, 9)))


def fires_it(pair: Pair, command: Command) -> bool:
    fires = isinstance(command, (cmd.Fire, cmd.SetReadiedAuto))
    return fires or moves_windows(pair, command) or gives_b(pair, command)


@secret("what another has readied", spoils=fires_it, even=even_passes, times=3)
def readied(pair: Pair) -> Any:
    b, d = units_named(pair, "b", "d")
    for command in (cmd.BeginAction(b), cmd.Grant(b, ("standard",))):
        if asked_would_be_done(pair, pair.b, "st", command) and asked_would_be_done(pair, pair.a, "st", command):
            pair.both("st", command)
    r = pair.random
    left = cmd.Ready(
        b, Act("use", "standard", text=pair.word()), r.choice((Trigger("attack"), Trigger(), Trigger("move")))
    )
    right = cmd.Ready(b, Act("move", "standard", position=pair.word()), None, pair.word())
    if all(asked_would_be_done(pair, side, "p2", one) for side, one in ((pair.a, left), (pair.b, right))):
        return pair.each("p2", left, right)
    return False


def something_to_answer(pair: Pair) -> None:
    """The ST's own attacks somebody of another seat's."""
    if there(pair, "b") and there(pair, "d"):
        strike = Act("attack", "standard", ability="sword", targets=(pair.units["b"],))
        pair.both("st", cmd.Insert(pair.units["d"], strike))


@secret("a promised defence", spoils=lambda pair, c: gives_b(pair, c) or guards_matter(pair, c), times=4)
def promised(pair: Pair) -> Any:
    """Of nothing, where nothing was promised: what is more than that, or takes its place, shows with the roll."""
    b = pair.units["b"]
    for pending in pair.a.table.play.pendings.values():
        if b in pending.act.targets and not pending.guards.get(b):
            return pair.at_a("p2", cmd.Defend(pending.window, b, 0))
    something_to_answer(pair)
    return False


def shows_what_was_bent(pair: Pair, command: Command) -> bool:
    return fires_it(pair, command) or guards_matter(pair, command)


@secret("rules bent in what is another's own", spoils=shows_what_was_bent, even=even_passes, times=4,
        house={"enforce": "warn"}, apart=("a hidden unit in the order, and its action",))  # fmt: skip
def bent(pair: Pair) -> Any:
    """At a table that warns: too much is promised, readied, split, attached, and taken back before it shows."""
    b, d = units_named(pair, "b", "d")
    if not there(pair, "b") or not there(pair, "d"):
        return False
    what = pair.random.choice(("promised", "readied", "declared"))
    if what == "promised":
        return promises_too_much(pair, b)
    for command in (cmd.BeginAction(b), cmd.Grant(b, ("standard",))):
        if all(asked_would_be_done(pair, side, "st", command) for side in pair.sides):
            pair.both("st", command)
    if what == "readied":
        far = cmd.Ready(b, Act("move", "standard", distance=999), None, pair.word())
        near = cmd.Ready(b, Act("use", "standard"), None, pair.word())
        done = all(asked_would_be_done(pair, side, "p2", one) for side, one in ((pair.a, far), (pair.b, near)))
        return done and pair.each("p2", far, near)
    blow = Act("attack", "standard", ability="flurry", split=(Strike(d, extra=0), Strike(d, extra=0)))
    too_much = pair.random.choice((
        replace(blow, split=(Strike(d, extra=7), Strike(d, extra=2))), replace(blow, attached=("edge", "feint")),
    ))  # fmt: skip
    left, right = (cmd.Declare(b, one) for one in (too_much, blow))
    if not (waits(pair, pair.a, left) and waits(pair, pair.b, right) and pair.each("p2", left, right)):
        return False
    return pair.both("st", cmd.Cancel(pair.b.table.play.stack[-1]))


def promises_too_much(pair: Pair, unit: UnitId) -> bool:
    """And nothing in the same instant: what is promised beyond shows with the roll."""
    attacks = [
        one for one in pair.a.table.play.pendings.values() if unit in one.act.targets and not one.guards.get(unit)
    ]
    if not attacks:
        something_to_answer(pair)
        return False
    pair.apart()
    client = pair.a.client("p2", "other")
    promises = (cmd.Defend(attacks[-1].window, unit, n) for n in (9, 0))
    done = [pair._say(pair.a, client, one, None) for one in promises]
    pair.apart()
    pair.compare("Bob promises more than he has, and takes it back")
    return all(done)


def waits(pair: Pair, side: Side, command: Command) -> bool:
    """Whether what Bob declares waits in a window before its roll: then it can be cancelled before it shows."""
    decided = would_be(side, "p2", command)
    if not isinstance(decided, Decided) or len(decided.table.play.stack) <= len(side.table.play.stack):
        return False
    return decided.table.play.pendings[decided.table.play.stack[-1]].state == "waiting"


@secret("whose time was drawn", times=4, spoils=lambda pair, command: isinstance(command, (cmd.MoreTime, cmd.SetHouse)))
def whose_time(pair: Pair) -> Any:
    if not pair.b.table.play.stack and there(pair, "a") and there(pair, "b"):
        strike = Act("attack", "standard", ability="sword", targets=(pair.units["b"],))
        pair.both("st", cmd.Insert(pair.units["a"], strike))  # so that Bob and the ST are asked
    stack = pair.b.table.play.stack
    if not stack or pair.time_drawn:
        return False
    window = pair.b.table.play.pendings[stack[-1]].window
    draw = cmd.MoreTime(window)
    if all(asked_would_be_done(pair, side, who, draw) for side, who in ((pair.a, "p2"), (pair.b, "st"))):
        pair.time_drawn = True
        return pair.each("p2", draw, draw, who_b="st")
    return False


@secret("for whose sake windows are longer", spoils=lambda pair, command: isinstance(command, cmd.GiveTime))
def whose_sake(pair: Pair) -> Any:
    percent = pair.random.choice((150, 200, 100))
    seats = (SeatId("p2"), SeatId("p1"))
    left, right = (cmd.GiveTime(seat, percent) for seat in seats)
    return pair.each("st", left, right)


def for_anns_sake(pair: Pair) -> bool:
    pair.both("st", cmd.GiveTime(SeatId("p1"), 200))
    return False


@secret("that another needs less time", before=for_anns_sake, spoils=lambda pair, command: isinstance(command, cmd.GiveTime),
        apart=("for whose sake windows are longer",))  # fmt: skip
def less_time(pair: Pair) -> Any:
    """Windows are as long as whoever needs most has them."""
    return pair.at_a("st", cmd.GiveTime(SeatId("p2"), pair.random.choice((110, 125, 150, 200))))


SLOW_S = 0.5
"""To the server and back: what is read within half of it after a deadline is in time."""


@secret("that a slow line was given time", times=4)
def slow_line(pair: Pair) -> Any:
    """Bob's pass is read a little after the deadline at both, and at one his line is known to be slow."""
    lines = [side.client("p2", "slow", trip_s=trip) for side, trip in ((pair.a, SLOW_S), (pair.b, 0.0))]
    something_to_answer(pair)
    if (found := top(pair.b.table)) is None:
        return False
    _, window = found
    clock = window.clock
    if "p2" not in window.asked or clock is None or not clock.running:
        return False
    pair.wait(clock.deadline - pair.b.clock() + 50)
    late = cmd.Pass(window.id, window.gen)
    done = [pair._say(side, line, late, None) for side, line in zip(pair.sides, lines, strict=True)]
    pair.compare("a pass that comes a little late")
    pair.wait(500)
    return done == [True, False]


@secret("requests and objections of another")
def requests(pair: Pair) -> Any:
    ask: Command = pair.random.choice((
        cmd.AskTakeBack(pair.word()), cmd.AskLeave(cmd.ChangeScene("story"), {}, pair.word()),
        cmd.ObjectToRule("stack_depth", pair.word()),
    ))  # fmt: skip
    made = pair.at_a("p2", ask)
    if len(made) > 1 and pair.random.random() < 0.5:
        pair.at_a("st", cmd.AnswerRequest(made[0], False, pair.word()))  # type: ignore[arg-type]
    return made


# ---------------------------------------------------------------------------------------------- who is there, who looks
@secret("how many devices a seat has")
def devices(pair: Pair) -> Any:
    who = pair.random.choice(("p2", "x1", "x2", "w1"))
    pair.apart()
    client = pair.a.client(who, f"device{pair.random.randrange(3)}")
    pair.apart()
    pair.compare(f"another device of {who}")
    if pair.random.random() < 0.4:
        leaves(pair, client)
    return True


@secret("what the ST looks at")
def looks(pair: Pair) -> Any:
    pair.apart()
    client = pair.a.client("x1", "other")
    r = pair.random
    client.ask(r.choice((
        {"what": "log", "limit": 5}, {"what": "calc", "text": "1 + 2"}, {"what": "rewind_preview", "to": 1},
        {"what": "explain", "effect": "nothing"}, {"what": "options", "unit": str(unit_of(pair, "a", "d"))},
        {"what": "library"}, {"what": "read_units", "text": "name: Ghoul"},
        {"what": "export"}, {"what": "export", "form": "log", "whose": "p2"},
    )))  # fmt: skip
    pair.a.loop.go()
    pair.apart()
    pair.compare("the ST looks at something")
    return True


def the_other_st(pair: Pair) -> bool:
    pair.st["A"] = "x2"
    return True


@secret("which ST speaks", before=the_other_st, times=1)
def which_st(pair: Pair) -> Any:
    pair.st["A"] = pair.random.choice(("x1", "x2"))
    return pair.at_a("st", cmd.Whisper(pair.word(), SeatId("p2")))


@secret("seats of STs and spectators")
def unseen_seats(pair: Pair) -> Any:
    seat, role = pair.random.choice((("w7", "spectator"), ("x7", "st")))
    table = pair.a.table
    command: Command = (
        cmd.RemoveSeat(SeatId(seat))
        if SeatId(seat) in table.seats
        else cmd.AddSeat(pair.word(), role, seat=SeatId(seat))  # type: ignore[arg-type]
    )
    return _server_at_a(pair, command)


@secret("that the ST looks through a player's eyes")
def through_eyes(pair: Pair) -> Any:
    """Of somebody who is not here, too."""
    players = [seat for seat, it in pair.a.table.seats.items() if it.role == "player"]
    whose = pair.random.choice((*players, ALL))
    pair.apart()
    client = pair.a.client("x1", f"as {whose}", see_as=whose)
    client.ask({"what": "log", "limit": 5})
    pair.apart()
    pair.compare(f"the ST looks through the eyes of {whose}")
    if pair.random.random() < 0.4:
        leaves(pair, client)
    return True


def leaves(pair: Pair, client: Client) -> None:
    client.hang_up()
    pair.a.loop.go()
    del pair.a.clients[f"{client.seat}/{client.name}"]
    pair.compare(f"a device of {client.seat} is gone")


@secret("that a seat is lent, and to whom")
def lent(pair: Pair) -> Any:
    """The guest sits down, and wishes for something."""
    done = pair.at_a("p2", cmd.LendSeat(pair.word(), 3600))
    if not done:
        return False
    guest = f"guest{pair.a.client('p2', 'other').seq}"
    pair.apart()
    pair.a.client("p2", guest, token=pair._answer(pair.a.client("p2", "other"))["token"])
    pair.apart()
    pair.compare("somebody sits on a lent seat")
    pair.one(pair.a, "p2", cmd.Whisper(pair.word()), device=guest)
    if pair.random.random() < 0.5:
        pair.at_a("p2", cmd.TakeBackSeat())
    return done


@secret("whose invitation is renewed or revoked", apart=("which ST speaks",))
def invitations(pair: Pair) -> Any:
    seat = SeatId("x2")
    return pair.at_a("st", pair.random.choice((cmd.RenewInvitation(seat), cmd.RevokeInvitation(seat))))


@secret("that something was lost")
def lost(pair: Pair) -> Any:
    return _server_at_a(pair, cmd.ReportLoss(SeatId("p2"), 3, 5, ()))


def _server_at_a(pair: Pair, command: Command) -> bool:
    pair.apart()
    side = pair.a
    asked = own(command, side.loop.draw("operator"), side.clock())
    done: bool = side.loop.run(side.room.submit(asked))["t"] == "ack"
    pair.apart()
    pair.compare(f"the server at A alone: {command}")
    return done


def st_acts_for_bob(pair: Pair) -> bool:
    pair.acts_for = True
    return True


@secret("that the ST acts for a player", before=st_acts_for_bob, times=2)
def acts_for(pair: Pair) -> Any:
    say = cmd.Say("hm")
    return pair.each("x1", say, say, as_a="p2", who_b="p2")
