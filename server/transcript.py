"""A table's history as a story to read, in plain Markdown: evenings, scenes, turns, and who did what, as one audience
was told it and no more.

Everything here comes from the lines of one audience's log (export.told), so what is secret to it cannot be in it: not a
word, not a number, not where an evening ends.
"""

import datetime
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.ids import ALL, ST
from protocol import lines, texts
from server.export import Line

EVENING_S = 6 * 3600
"""So long without a word, and another evening begins."""
LEFT_OUT = frozenset(
    "seed_committed seed_revealed seed_left dice_mixed passed window_closed carried_out action_ended turn_ended held "
    "released notes_set table_made step_done guard_promised readied_matched".split()
)
"""What others tell as well, or what is no part of a story. The dice are for `overseer verify`."""
ENDS = frozenset({"carried_out", "failed", "withdrawn"})
"""What an action that was declared comes to."""

WORDS = {
    "en": {
        ALL: "As everybody was told it.",
        ST: "As the Storyteller was told it, with every secret.",
        "seat": "As {seat} was told it.",
        "evening": "Evening {n} · {day}",
        "scene": "Scene {n}",
        "turn": "Turn {n}",
        "undone": "(undone)",
        "quiet": "Nothing happened.",
    },
    "zh": {
        ALL: "所有人所知的经过。",
        ST: "主持人所知的经过，包括一切秘密。",
        "seat": "{seat}所知的经过。",
        "evening": "第{n}晚 · {day}",
        "scene": "第{n}场景",
        "turn": "第{n}回合",
        "undone": "（已撤销）",
        "quiet": "什么也没有发生。",
    },
}


@dataclass(frozen=True, slots=True)
class Moment:
    """A line, and where it stands: the evening, and the position in the audience's count. `count`: which count."""

    line: lines.Line
    evening: int
    at: datetime.datetime
    count: int
    n: int


@dataclass(slots=True)
class Story:
    """What was told in the evenings that are wanted; `evenings`: how many there are, `begun`: on which day each began."""

    moments: list[Moment] = field(default_factory=list)
    rewinds: list[tuple[int, int, int]] = field(default_factory=list)  # count, n, the n that was gone back to
    begun: list[datetime.date] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which evenings: by number (0: the last), or by the day on which they began."""

    evening: int | None = None
    first: datetime.date | None = None
    last: datetime.date | None = None

    def has(self, evening: int, day: datetime.date) -> bool:
        if self.evening is not None:
            return self.evening in (0, evening)
        return (self.first is None or day >= self.first) and (self.last is None or day <= self.last)


async def collect(told: AsyncIterator[Line], created: int, wanted: Wanted, names: Mapping[str, str]) -> Story:
    """`created`: ms. `names`: of the seats this audience knows, by id; the log names those that come later."""
    collecting = Collecting(created, wanted, names)
    async for one in told:
        collecting.take(one)
    return collecting.story


class Collecting:
    """Takes the lines of an audience's log one after another, and makes the story of them."""

    def __init__(self, created: int, wanted: Wanted, names: Mapping[str, str]) -> None:
        self.story = Story(names=dict(names))
        self._created = created
        self._wanted = wanted
        self._count, self._last_n = 0, 0
        self._last_s: int | None = None

    def take(self, one: Line) -> None:
        if one["kind"] == "keeping_noted":  # that a story was taken away is no part of it, nor the evening's end
            return
        story, n, at_s = self.story, one["n"], one["at_s"]
        if n < self._last_n:  # a new epoch began to count anew
            self._count += 1
        at = datetime.datetime.fromtimestamp(self._created / 1000 + at_s)
        if self._last_s is None or at_s - self._last_s >= EVENING_S:
            story.begun.append(at.date())
            if self._wanted.evening == 0:  # the one before was not the last
                story.moments.clear()
        self._last_n, self._last_s = n, at_s
        fields = one["fields"]
        if one["kind"] == "seat_added":
            story.names[fields["seat"]] = fields["name"]
        if one["kind"] == "rewound":
            story.rewinds.append((self._count, n, fields.get("to_n", 0)))
        if self._wanted.has(len(story.begun), story.begun[-1]):
            story.moments.append(Moment(_line(one), len(story.begun), at, self._count, n))


def _line(one: Line) -> lines.Line:
    values = [one["fields"].get(name) for name in lines.KINDS[one["kind"]]]
    return lines.unpack(lines.pack(one["kind"], one["at_s"], one["by"], values))


def undone(rewinds: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """The stretches (count, first, last) that rewinds have gone back over; one that was undone itself has undone nothing."""
    stretches: list[tuple[int, int, int]] = []
    for count, n, to in reversed(list(rewinds)):
        if not any(c == count and first <= n <= last for c, first, last in stretches):
            stretches.append((count, to + 1, n - 1))
    return stretches


def written(story: Story, title: str, audience: str, language: str) -> Iterator[str]:
    """The Markdown, line by line."""
    words = WORDS[language]
    seat = escaped(story.names.get(audience, ""))
    yield f"# {escaped(title)}"
    yield ""
    yield f"*{words.get(audience, words['seat']).format(seat=seat)}*"
    if not story.moments:
        yield ""
        yield words["quiet"]
    page = _Page(story, language)
    for moment in scene_first(story.moments):
        yield from page.tell(moment)


def scene_first(moments: Iterable[Moment]) -> Iterator[Moment]:
    """A fight that is a scene of its own is told in it: the log says that it begins, and then that a scene does."""
    fight: Moment | None = None
    for moment in moments:
        begins = moment.line.kind == "scene_changed" and fight is not None and at(moment) == at(fight)
        if begins:
            yield moment
        if fight is not None:
            yield fight
        fight = moment if moment.line.kind == "fight_started" else None
        if fight is None and not begins:
            yield moment
    if fight is not None:
        yield fight


def at(moment: Moment) -> tuple[int, int]:
    return moment.count, moment.n


class _Page:
    """The story so far: under which heading it stands, and which actions wait for their end."""

    def __init__(self, story: Story, language: str) -> None:
        self._story = story
        self._language = language
        self._words = WORDS[language]
        self._undone = undone(story.rewinds)
        self._evening = 0
        self._waiting: list[str] = []
        self._in_list = False

    def tell(self, moment: Moment) -> Iterator[str]:
        line = moment.line
        if moment.evening != self._evening:
            self._evening = moment.evening
            day = self._story.begun[moment.evening - 1].isoformat()
            yield from self._heading("## " + self._words["evening"].format(n=moment.evening, day=day))
        if line.kind == "scene_changed" and line.get("counts"):
            sentence = self._sentence(line)
            yield from self._heading("### " + self._words["scene"].format(n=line["scene"]))
            yield from self._paragraph(f"*{sentence}*")
        elif line.kind == "turn_ended":
            yield from self._heading("#### " + self._words["turn"].format(n=line["turn"] + 1))
        elif line.kind == "action_began":
            yield from self._paragraph(f"**{self._sentence(line)}**")
            self._waiting.clear()
        elif line.kind == "narrated" and not self._waiting:
            yield from self._paragraph(self._sentence(line))
        elif line.kind not in LEFT_OUT:
            yield from self._item(moment)
            if line.kind == "fight_started":
                yield from self._heading("#### " + self._words["turn"].format(n=1))
        self._follow(line)

    def _follow(self, line: lines.Line) -> None:
        """An answer stands below what it answers, until that has come to its end."""
        pending = line.get("pending", "")
        if line.kind == "declared" and pending:
            parent = line.get("parent")
            self._waiting = self._waiting[: self._waiting.index(parent) + 1] if parent in self._waiting else []
            self._waiting.append(pending)
        elif line.kind in ENDS and pending in self._waiting:
            del self._waiting[self._waiting.index(pending) :]

    def _item(self, moment: Moment) -> Iterator[str]:
        if not self._in_list:
            yield ""
        self._in_list = True
        depth = len(self._waiting)
        if moment.line.kind == "declared":
            parent = moment.line.get("parent")
            depth = self._waiting.index(parent) + 1 if parent in self._waiting else 0
        mark = f" {self._words['undone']}" if self._was_undone(moment) else ""
        yield f"{'  ' * depth}- {self._sentence(moment.line)}{mark}"

    def _was_undone(self, moment: Moment) -> bool:
        if moment.line.kind in lines.LASTING:
            return False
        return any(count == moment.count and first <= moment.n <= last for count, first, last in self._undone)

    def _heading(self, text: str) -> Iterator[str]:
        self._waiting.clear()
        yield from self._paragraph(text)

    def _paragraph(self, text: str) -> Iterator[str]:
        self._in_list = False
        yield ""
        yield text

    def _sentence(self, line: lines.Line) -> str:
        return escaped(texts.say(line, self._language, self._story.names))


def escaped(text: Any) -> str:
    """Words as they are, in one line: nothing in them is taken for Markdown or HTML."""
    plain = "".join(letter if letter.isprintable() else " " for letter in str(text)).strip()
    plain = re.sub(r"([\\`*_{}\[\]<>#|~&$@])", r"\\\1", plain)
    plain = re.sub(
        r"(?i)(www|:)(?=\.|//)", r"\1\\", plain
    )  # many readers make a link of whatever looks like an address
    return re.sub(r"^(\d+)([.)])|^([-+=])", lambda found: f"{found[1] or ''}\\{found[2] or found[3]}", plain)
