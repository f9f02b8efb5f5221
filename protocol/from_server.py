"""What the server may say: WELCOME, SNAPSHOT, DIFF, CHECK, ACK, REFUSED, ANSWER, PRESENCE, PONG, ERROR, GOAWAY.

DIFF is an array on the wire, for its size; all others are maps with the key "t". Times are ms on the server's clock.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict

from protocol.version import TIME

N = Annotated[int, Field(ge=0, le=TIME)]
Role = Literal["st", "player", "spectator"]
SnapshotReason = Literal["first", "epoch", "too_old", "ahead", "slow", "drift"]
"""Why all is told anew: new client, replaced stream, gap too long to fill, position nobody knows, slow reader, wrong sum."""

DIFF = 1
"""The first item of a DIFF array."""


Entry = Annotated[tuple[N, list[list[Any]]], Strict(False)]
"""[n, its lines], out of the log."""


class FromServer(BaseModel):
    """Any message of the server. Unknown keys are ignored, so that a newer server can be understood."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class Welcome(FromServer):
    """The token was good. Then comes a SNAPSHOT, or the DIFFs up to `n`, or nothing when the client has `n`.

    `limits`: the bounds of version.py, and of this server (0: none): `rate_...`, what a connection, a seat, a table, an
    address may send per second for long, `burst_...`, how much at once; counted in commands, of which a PING is a tenth, a
    question that looks something up three, DRIFT ten, a long frame one more for each 16 KiB; `..._log`, the same, in bytes
    of what a seat's commands add to the log (an ST's: ten times as many); `..._joins`, `..._joins_all`, the same in
    connections; `connections_...`, how many there may be; `most_...`, how much of anything a table holds (core/bounds.py),
    dice of a roll too.

    `durable` is false for an ST where whoever runs the server has accepted a store that may lose the last moments of play.
    `read_only`: an ST sees what `seat` sees, and cannot act there.
    """

    t: Literal["welcome"] = "welcome"
    version: int
    table: str
    name: str
    epoch: str
    n: N
    seat: str
    seat_name: str
    role: Role
    limits: dict[str, int] = {}
    heartbeat_s: Annotated[int, Field(ge=1, le=3600)]
    now: N
    durable: bool = True
    minor: int = 0
    read_only: bool = False


class Snapshot(FromServer):
    """Everything this audience may see, by path, as of position `n` of `epoch`."""

    t: Literal["snapshot"] = "snapshot"
    epoch: str
    n: N
    reason: SnapshotReason
    view: dict[str, Any]


class Diff(FromServer):
    """One change. `ops`: [path, value] (set) or [path] (delete); `log`: lines (lines.py); `n`: the last n + 1."""

    n: N
    ops: list[Annotated[list[Any], Field(min_length=1, max_length=2)]]
    log: list[list[Any]]


class Check(FromServer):
    """What a client at `n` should have: `crc` of its view (checks.py says how). If not: DRIFT. Elsewhere than at `n` it says
    nothing. Not sent before minor 1.
    """

    t: Literal["check"] = "check"
    n: N
    crc: Annotated[int, Field(ge=0, lt=2**32)]


class Ack(FromServer):
    """The command of this `seq` was done; what it changed is in the DIFFs up to `n`. `made`: ids of new things.

    `token`: what opens the seat, after a command that makes an invitation. It is told here and nowhere else.
    """

    t: Literal["ack"] = "ack"
    seq: N
    n: N
    made: list[str] = []
    token: str | None = Field(default=None, repr=False)


class Refused(FromServer):
    """The command of this `seq` was not done, and never will be. `retry`: the same under a new seq may succeed.

    But for the code `rate`: nothing was decided. The same is sent again under the same seq, after `params.retry_ms`.
    """

    t: Literal["refused"] = "refused"
    seq: N
    code: str
    params: dict[str, Any] = {}
    retry: bool = False


class Answer(FromServer):
    """The answer to the ASK of this `id`; what else it holds depends on the question.

    log             entries: [[n, [line, ...]], ...] by rising n; more: whether older ones exist;
                    undone: [[first, last], ...], the positions among them that a later rewind has undone;
                    kept_from: what is older than this position can no longer be asked for, only read (transcripts)
    rewind_preview  entries, as above: what would be undone; to, head: what to name in the command that does it
    audit           entries, as above, by versions of the table in place of n; names: {seat: name}, also
                    of those that are gone; before: what to ask for next, 1 when there is no more;
                    kept_from: what is older than this version is archived, and only the operator can read it
    calc            value: a whole number; unit: what it counts, or ""; steps: [text]; names: {name: what it stood for}
    explain         why: a kind of reason; facts: what protocol.texts.explanation makes a sentence of
    options         options: [{kind, unit?, act?, slot?, pay?, ability?, attached?, steps?, window?, gen?, readied?, auto?,
                    task?, pending?, ask?, n?, attack?, gain?, command?: what leave is asked for, costs?: [slot],
                    targets?: [unit it can be aimed at], flags?: [rule bent], code?, params?: why it cannot be done,
                    leave?: the ST could let it through}];
                    more, where it is true: these are too many for one answer, ask for the other units one by one
    library         files: [{name, units: [{name, count}], problem?}]; of a named one what read_units says
    read_units      units: as SET_UP takes them; kept: [[line, unit, field]] that nobody knows, kept in the unit's notes;
                    elsewhere: [[line, unit, ability]] that this game cannot use; aside: [word] of the text left aside;
                    or problem: {language: why it cannot be read, one line for each entry that is wrong}
    export          text: the next piece of the file; done, of: how many changes of the table are gone through, of how many;
                    next: the `page` to ask for, none at the end; archived, at the end: older scenes are not in it
    any             code, params: the question was refused; `rate`: to be sent again, after params.retry_ms
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")

    t: Literal["answer"] = "answer"
    id: N
    code: str | None = None
    params: dict[str, Any] = {}
    entries: list[Entry] | None = None
    more: bool | None = None
    undone: list[list[N]] | None = None
    kept_from: N | None = None
    to: N | None = None
    head: N | None = None


class Presence(FromServer):
    """Which player seats have somebody connected, all of them, now."""

    t: Literal["presence"] = "presence"
    here: list[str]


class Pong(FromServer):
    """Yes, and it is `now`."""

    t: Literal["pong"] = "pong"
    id: N
    now: N


class Error(FromServer):
    """Something the client sent could not be read, or came too soon (`rate`: `params.retry_ms`); or why the connection is
    about to be closed.
    """

    t: Literal["error"] = "error"
    code: str
    text: str
    params: dict[str, Any] = {}


class GoAway(FromServer):
    """This server is about to stop. Come back within `after_ms`; another one, or the next, will answer."""

    t: Literal["goaway"] = "goaway"
    reason: str
    after_ms: N = 0


AnyFromServer = Welcome | Snapshot | Diff | Check | Ack | Refused | Answer | Presence | Pong | Error | GoAway
MAPS: dict[str, type[FromServer]] = {
    one.model_fields["t"].default: one
    for one in (Welcome, Snapshot, Check, Ack, Refused, Answer, Presence, Pong, Error, GoAway)
}
