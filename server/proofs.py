"""Checks the dice of an exported log: every seed against its commitment, every roll against its seed (DICE-07).

The file alone is enough; nothing is asked of the server that made it. What is wrong comes out in the order of the file.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter

from pydantic import BaseModel, ConfigDict, ValidationError

from core.dice.proof import Origin, commitment, shown
from core.state import Seeds


class _Fields(BaseModel):
    model_config = ConfigDict(strict=False, frozen=True, extra="ignore")


class Sealed(_Fields):
    seed: int
    open: str
    secret: str


class Opened(_Fields):
    seed: int
    open: str
    secret: str | None = None


class Left(_Fields):
    seed: int


class Mixed(_Fields):
    seat: str
    text: str


class Rolled(_Fields):
    unit: tuple[str, str] | None = None
    why: str = ""
    faces: tuple[int, ...]
    size: int
    again: int
    counter: int
    seed: int = 0
    stream: str = "open"
    mixed: tuple[tuple[str, str], ...] = ()

    @property
    def origin(self) -> Origin:
        return Origin(self.seed, self.stream, self.counter, self.mixed)

    def __str__(self) -> str:
        who = self.unit[1] if self.unit else "somebody"
        secret = "" if self.stream == "open" else "secret "
        return f"{secret}roll {self.counter} of {who}{f' for {self.why}' if self.why else ''} (seed {self.seed})"


class Line(_Fields):
    kind: str
    fields: dict[str, object]


@dataclass
class Findings:
    """`wrong`: one sentence each, in the order of the log. `waiting`, `secret`: rolls by seed that cannot be checked yet,
    or not by this file's reader. `left`: those of a seed that stayed on another server. `unproven`: rolls of a seed that is
    not the one that was sealed. `older`: rolls of before rolls could be proven."""

    confirmed: int = 0
    wrong: list[str] = field(default_factory=list)
    waiting: Counter[int] = field(default_factory=Counter)
    secret: Counter[int] = field(default_factory=Counter)
    left: Counter[int] = field(default_factory=Counter)
    unproven: int = 0
    older: int = 0
    seeds: int = 0


def check(file: Iterable[tuple[int, object]]) -> Findings:
    """What the lines of a log say, each with its number in the file; whatever is not about dice is passed over."""
    log = Log()
    for number, line in file:
        log.take(number, line)
    return log.findings()


class Log:
    """A log while it is read. Rolls are kept until their seed is known."""

    def __init__(self) -> None:
        self._wrong: list[tuple[int, str]] = []
        self._sealed: Sealed | None = None
        self._last = 0
        self._mixed: dict[str, str] = {}
        self._counters: dict[str, int] = {}
        self._rolls: list[tuple[int, Rolled]] = []
        self._opened: dict[tuple[int, bool], bytes | None] = {}
        self._finished: set[int] = set()
        self._left: set[int] = set()
        self._older = 0

    def go_on(self, seeds: Seeds, rolls: Mapping[str, int]) -> None:
        """The log goes on where another one has ended: with this seed, and so many rolls made of each stream."""
        self._last = seeds.number
        self._sealed = Sealed(seed=seeds.number, open=seeds.open, secret=seeds.secret) if seeds.open else None
        self._mixed = {str(seat): text for seat, text in seeds.mixed.items()}
        self._counters = dict(rolls)

    def take(self, number: int, line: object) -> None:
        """The next line, with its number in the file; whatever is not about dice is passed over."""
        try:
            self.read(number, Line.model_validate(line))
        except ValidationError as problem:
            where = ".".join(str(part) for part in problem.errors()[0]["loc"])
            self.say(number, f"this is no line of a log ({where}: {problem.errors()[0]['msg'].lower()})")

    def say(self, number: int, what: str) -> None:
        self._wrong.append((number, what))

    def read(self, number: int, line: Line) -> None:
        match line.kind:
            case "seed_committed":
                self._seal(number, Sealed.model_validate(line.fields))
            case "seed_revealed":
                self._open(number, Opened.model_validate(line.fields))
            case "seed_left":
                self._leave(number, Left.model_validate(line.fields).seed)
            case "dice_mixed":
                mixed = Mixed.model_validate(line.fields)
                self._mixed[mixed.seat] = mixed.text
            case "rolled":
                self._roll(number, Rolled.model_validate(line.fields))

    def _seal(self, number: int, sealed: Sealed) -> None:
        if sealed.seed != self._last + 1 or self._sealed is not None:
            self.say(number, f"seed {sealed.seed} is sealed where seed {self._last + 1} was due")
        self._sealed, self._last, self._mixed = sealed, sealed.seed, {}

    def _open(self, number: int, opened: Opened) -> None:
        sealed = self._sealed
        if sealed is None or sealed.seed != opened.seed:
            self.say(number, f"seed {opened.seed} is opened, but was not the one in use")
            return
        for secret, said, promised in ((False, opened.open, sealed.open), (True, opened.secret, sealed.secret)):
            if said is None:
                continue  # for other eyes
            seed = _bytes(said)
            self._opened[opened.seed, secret] = seed if commitment(seed) == promised else None
            if commitment(seed) != promised:
                what = f"{'secret ' if secret else ''}seed {opened.seed}"
                self.say(number, f"{what} is not the one that was sealed (it gives {commitment(seed)}, not {promised})")
        self._sealed = None
        self._finished.add(opened.seed)

    def _leave(self, number: int, seed: int) -> None:
        if self._sealed is None or self._sealed.seed != seed:
            self.say(number, f"seed {seed} is left behind, but was not the one in use")
        self._sealed = None
        self._left.add(seed)

    def _roll(self, number: int, roll: Rolled) -> None:
        before, self._counters[roll.stream] = self._counters.get(roll.stream), roll.counter
        if not roll.seed:
            self._older += 1
            return
        if roll.counter != (before or 0) + 1 and (before is not None or not self._older):
            self.say(number, f"{roll}: roll {(before or 0) + 1} should come here; one is missing, or made twice")
        if self._sealed is None or self._sealed.seed != roll.seed:
            self.say(number, f"{roll}: this seed was not in use when it was rolled")
        elif dict(roll.mixed) != self._mixed:
            self.say(number, f"{roll}: mixed in was {_mix(self._mixed)}, not {_mix(dict(roll.mixed))}")
        self._rolls.append((number, roll))

    def findings(self) -> Findings:
        found = Findings(older=self._older, seeds=len(self._finished))
        for number, roll in self._rolls:
            if (key := (roll.seed, roll.origin.secret)) not in self._opened:
                left = found.left if roll.seed in self._left else found.waiting
                (found.secret if roll.seed in self._finished else left)[roll.seed] += 1
                continue
            if (seed := self._opened[key]) is None:
                found.unproven += 1
                continue
            faces = shown(seed, roll.origin, roll.size, roll.again)
            if faces == roll.faces:
                found.confirmed += 1
            else:
                self.say(number, f"{roll}: its faces are {_faces(faces)}, and the log says {_faces(roll.faces)}")
        found.wrong = [f"line {number}: {what}" for number, what in sorted(self._wrong, key=itemgetter(0))]
        return found


def _bytes(hexed: str) -> bytes:
    try:
        return bytes.fromhex(hexed)
    except ValueError:
        return b""


def _faces(faces: Iterable[int]) -> str:
    return ", ".join(map(str, faces))


def _mix(mixed: dict[str, str]) -> str:
    return ", ".join(f"“{text}” ({seat})" for seat, text in sorted(mixed.items())) or "nothing"
