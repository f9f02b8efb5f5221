"""How the rules text writes a calculation, read into fractions: "6/Resolve extra successes + 1", "1/minute" (NUM-02).

    calculation   value ["with" change...] ["then" change...]...
    value         sum ["/" sum]                     all on the left by all on the right
    sum           product (("+" | "-") product)...
    product       single ("x" single)...
    single        number | name | "-" single | "(" value ")"
    change        ("x" | "/" | "+" | "-") single | "halved" | "doubled"

A bare unit after the "/" only names the unit. Changes may have commas between them; "then" begins a derived value. What a
phone or a Chinese keyboard makes of the signs is understood too.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from core.arithmetic import Change
from core.refusals import Refused

LONGEST = 300
"""Of a text, in letters. It also bounds how large a number can grow."""
MOST_BRACKETS = 30

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<sign>[-+/(),*]|[xX](?![^\W\d_]))"
    r"|[\"“](?P<quoted>[^\"“”]+)[\"”]"
    r"|(?P<word>[^\W\d_][\w.'’]*))"
)
SAME_SIGN = str.maketrans({"÷": "/", "−": "-", "–": "-", "、": ",", "×": "*"})
JOINS = {"with": "with", "then": "then", "经": "with", "再": "then"}
TIMES_IN_WORDS = {"halved": Fraction(1, 2), "doubled": Fraction(2), "减半": Fraction(1, 2), "加倍": Fraction(2)}

Part = tuple[Fraction, str]
"""A value, and how it is written out."""


@dataclass(frozen=True, slots=True)
class Calculation:
    """What was written, read: the first value, how it is written out, what it counts, what the names in it stood for.

    `changes`: those of the first value. `derived`: those of each value derived from the one before it (NUM-04).
    """

    value: Fraction
    shown: str
    unit: str
    names: Mapping[str, int]
    changes: tuple[Change, ...] = ()
    derived: tuple[tuple[Change, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Token:
    """`kind`: number, sign, word or join; `at`: its place in the text, counted from 1. The end of the text is one too."""

    kind: str
    text: str
    at: int


def read(text: str, names: Mapping[str, int]) -> Calculation:
    """The calculation; `names`: values by name, in small letters. Refuses with the reason, the place, what stands there."""
    if len(text) > LONGEST:
        raise Refused("no_number", why="too_long", at=LONGEST, said=text[:20])
    found = tokens(text)
    brackets = [one for one in found if one.text == "("]
    if len(brackets) > MOST_BRACKETS:
        raise Refused("no_number", why="too_long", at=brackets[MOST_BRACKETS].at, said="(")
    return Reader(found, names).calculation()


def tokens(text: str) -> list[Token]:
    """The signs, numbers and words of a text, and its end."""
    text = unicodedata.normalize("NFKC", text).translate(SAME_SIGN).rstrip()
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            stray = text[at:].lstrip()[0]
            raise Refused("no_number", why="not_here", at=text.index(stray, at) + 1, said=stray)
        found.append(token(match))
        at = match.end()
    return [*found, Token("end", "", len(text) + 1)]


def token(match: re.Match[str]) -> Token:
    kind = match.lastgroup or ""
    said, at = match[kind], match.start(kind) + 1
    if kind == "sign":
        return Token(kind, "x" if said in "*X" else said, at)
    if kind == "word" and said.casefold() in JOINS:
        return Token("join", JOINS[said.casefold()], at)
    return Token("word" if kind == "quoted" else kind, said, at)


class Reader:
    """One reading from left to right: a function for each line of the page's head, and `take` between them."""

    def __init__(self, found: list[Token], names: Mapping[str, int]) -> None:
        self.left = found
        self.names = names
        self.used: dict[str, int] = {}

    def calculation(self) -> Calculation:
        if self.here.kind == "end":
            raise self.wrong("empty")
        (value, shown), unit = self.value()
        changes = self.changes() if self.take("join", "with") else ()
        derived = []
        while self.take("join", "then"):
            derived.append(self.changes())
        if self.here.kind != "end":
            raise self.wrong("not_here")
        return Calculation(value, shown, unit, self.used, changes, tuple(derived))

    def value(self) -> tuple[Part, str]:
        """With the unit it names, if any."""
        above = self.sum()
        if not self.take("sign", "/"):
            return above, ""
        unit = self.bare_unit()
        if unit:
            return above, unit
        before = self.here
        below = self.sum()
        if self.here.text == "/" and self.here.kind == "sign":
            raise self.wrong("second_slash")
        if below[0] == 0:
            raise self.wrong("division_by_zero", before)
        return (above[0] / below[0], f"{bracketed(above[1])} / {bracketed(below[1])}"), ""

    def sum(self) -> Part:
        value, shown = self.product()
        while sign := self.take("sign", "+") or self.take("sign", "-"):
            more, also = self.product()
            value, shown = (value + more if sign.text == "+" else value - more), f"{shown} {sign.text} {also}"
        return value, shown

    def product(self) -> Part:
        value, shown = self.single()
        while self.take("sign", "x"):
            more, also = self.single()
            value, shown = value * more, f"{shown} x {also}"
        return value, shown

    def single(self) -> Part:
        if number := self.take("number"):
            return Fraction(number.text), written(Fraction(number.text))
        if self.here.kind == "word":
            return self.name()
        if self.take("sign", "-"):
            value, shown = self.single()
            return -value, f"-{shown}"
        if self.take("sign", "("):
            (value, shown), unit = self.value()
            if unit:
                raise self.wrong("unit_inside")
            if not self.take("sign", ")"):
                raise self.wrong("open_bracket")
            return value, f"({shown})"
        raise self.wrong("number_expected")

    def name(self) -> Part:
        """The longest name of a value that begins here; names may have several words."""
        words = self.words()
        for n in range(len(words), 0, -1):
            name = " ".join(words[:n])
            if name.casefold() in self.names:
                self.left = self.left[n:]
                self.used[name] = self.names[name.casefold()]
                return Fraction(self.used[name]), name
        raise self.wrong("unknown_name", said=" ".join(words))

    def bare_unit(self) -> str:
        """Words that are no value's name and have nothing behind them that could make one of them: a unit. Else ""."""
        words = self.words()
        after = self.left[len(words)]
        unit = " ".join(words)
        if unit.casefold() in self.names or not (after.kind in ("end", "join") or after.text == ")"):
            return ""
        self.left = self.left[len(words) :]
        return unit

    def changes(self) -> tuple[Change, ...]:
        """One or more."""
        found = [self.change()]
        while self.here.kind not in ("end", "join"):
            self.take("sign", ",")
            found.append(self.change())
        return tuple(found)

    def change(self) -> Change:
        if self.here.kind == "word" and self.here.text.casefold() in TIMES_IN_WORDS:
            return Change("times", TIMES_IN_WORDS[self.skip().text.casefold()])
        if self.here.kind != "sign" or self.here.text not in "x/+-":
            raise self.wrong("change_expected")
        sign, operand = self.skip().text, self.here
        n, _ = self.single()
        if sign == "/" and n == 0:
            raise self.wrong("division_by_zero", operand)
        if sign in "+-":
            return Change("plus", n if sign == "+" else -n)
        return Change("times", n if sign == "x" else 1 / n)

    # -- one token after the other
    @property
    def here(self) -> Token:
        return self.left[0]

    def skip(self) -> Token:
        taken, *self.left = self.left
        return taken

    def take(self, kind: str, text: str = "") -> Token | None:
        """The next token, if it is this one."""
        return self.skip() if self.here.kind == kind and text in ("", self.here.text) else None

    def words(self) -> list[str]:
        """The words that come next; none of them is taken."""
        n = next(i for i, one in enumerate(self.left) if one.kind != "word")
        return [one.text for one in self.left[:n]]

    def wrong(self, why: str, at: Token | None = None, said: str = "") -> Refused:
        at = at or self.here
        if why == "unknown_name":
            return Refused("no_number", why=why, at=at.at, said=said, accepted=sorted(self.names)[:40])
        return Refused("no_number", why=why, at=at.at, said=said or at.text)


def written(n: Fraction) -> str:
    """3, 0.25, 1/3."""
    decimal = f"{float(n):.12g}"
    return decimal if n.denominator != 1 and Fraction(decimal) == n else str(n)


def bracketed(shown: str) -> str:
    """A sum or product needs brackets beside another sign; a single part has them or needs none."""
    return shown if " " not in shown or (shown[0] == "(" and shown.find(")") == len(shown) - 1) else f"({shown})"
