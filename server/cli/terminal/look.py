"""The table at one glance: order, values, stack, what is one's own, who is here. State in, rich renderables out. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from protocol import texts
from server.cli.terminal.acts import abilities, slots
from server.cli.terminal.asked import act_line, action_left, asked_act, held, readied_name, seconds_left
from server.cli.terminal.sayings import said
from server.cli.terminal.seen import Seen

MOST_BUDGETS = 4
"""Whoever has more units in a fight is told of the active one only; `look NAME` tells of any."""
WORDS_OF = {
    **dict.fromkeys(("conditions", "secret"), "conditions"),
    **dict.fromkeys(("spent", "left", "debts", "bonus"), "slots"),
    "extras": "values",
    "concentration": "values",
}
"""Which of the game's words stand in a value of a unit's sheet; elsewhere they are the table's own."""
HP_STYLES = {"unhurt": "green", "hurt": "yellow", "badly_hurt": "red", "out": "dim red"}


def look(
    seen: Seen, language: str, now: int, here: Iterable[str], age_s: float | None = None
) -> Iterator[RenderableType]:
    """Everything at the table that this seat may see. `age_s`: how old it is, when the connection is lost."""
    yield headline(seen, language, age_s, now)
    if seen.ids("u"):
        yield units(seen, language)
    if seen.stack:
        yield Text(said(language, "stack"))
        yield from stack(seen, language, now)
    fighting = [unit for unit in seen.state.get("t/order") or () if unit in seen.mine]
    many = len(fighting) > MOST_BUDGETS
    for unit in fighting:
        if not many or unit == seen.active:
            yield budget(seen, unit, language)
    yield from lasting(seen, language)
    yield from tasks(seen, language)
    yield from waiting(seen, language)
    yield people(seen, language, set(here))


def headline(seen: Seen, language: str, age_s: float | None, now: int | None = None) -> Text:
    state = seen.state
    parts = [str(state.get("t/name", ""))]
    if state.get("t/fight"):
        acts = said(language, "acts", unit=seen.name(seen.active)) if seen.active else said(language, "nobody_acts")
        parts += [said(language, "fight", turn=state.get("t/turn", 1)), acts]
        if now is not None and (left := action_left(seen, now)) is not None:
            parts.append(said(language, "left_short", s=f"{left:.0f}"))
    else:
        parts += [said(language, "no_fight"), *where(seen, language)]
    if why := held(seen, language):
        parts.append(why)
    if age_s is not None:
        parts.append(said(language, "old", s=f"{age_s:.0f}"))
    return Text(" · ".join(parts), style="bold")


def where(seen: Seen, language: str) -> Iterator[str]:
    """The scene, the Film, what the world's clock shows, and whether what is used now waits for the fight."""
    state = seen.state
    yield said(language, "scene", n=state.get("t/scene", 1))
    if state.get("t/film"):
        yield said(language, "film", name=state["t/film"].get("name", ""))
    world = state.get("t/world") or {}
    if world:
        time = (state.get("t/clock", 0) + world.get("phase", 0)) % world.get("day", 86400)
        yield f"{time // 3600:02}:{time // 60 % 60:02}"
    if state.get("t/prebuff"):
        yield said(language, "prebuff")


class Units:
    """As a table where its words fit beside each other; on a phone a paragraph for each, broken between words."""

    def __init__(self, wide: Grid, narrow: Grid) -> None:
        self.wide, self.narrow = wide, narrow

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        natural = Measurement.get(console, options.update(max_width=10_000), self.wide).maximum
        yield self.wide if natural <= options.max_width else self.narrow


def units(seen: Seen, language: str) -> Units:
    """The order first, the active unit marked; then who is on stage without a place; then who waits off stage."""
    order = [unit for unit in seen.state.get("t/order") or () if unit in seen.ids("u")]
    others = [unit for unit in seen.ids("u") if unit not in order]
    others.sort(key=lambda unit: (not seen.unit(unit, "on_stage", True), seen.name(unit)))
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    for column in ("", "unit", "side", "hp", "spent", "conditions", "place"):
        grid.add_column(said(language, column) if column else "", overflow="fold")
    narrow = Grid(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
    narrow.add_column(no_wrap=True)
    narrow.add_column(overflow="fold")
    for k, unit in enumerate(order + others):
        active = unit == seen.active
        mark = "▶" if active else str(k + 1) if unit in order else "·"
        name = Text(seen.name(unit), style="bold" if active else "cyan" if unit in seen.mine else "")
        plain = (seen.unit(unit, "side", ""), spent(seen, unit, language), marks(seen, unit, language))
        side, used, words = (Text(str(cell)) for cell in plain)  # Text: a name in [brackets] is no markup
        place = Text(seen.unit(unit, "position", ""))
        cells = (name, side, health(seen, unit, language), used, words, place)
        grid.add_row(mark, *cells)
        narrow.add_row(mark, Text(" · ").join(cell for cell in cells if cell))
    return Units(grid, narrow)


def health(seen: Seen, unit: str, language: str) -> Text:
    """In numbers where they are shown, else in words; other tracks after it."""
    whole = Text()
    for track in ["hp", *sorted(t for t in tracks(seen, unit) if t != "hp")]:
        value, most = seen.unit(unit, track), seen.unit(unit, f"{track}_max")
        if value is None:
            continue
        if whole:
            whole.append(f" {track} ")
        if isinstance(value, str):
            whole.append(texts.word("values", value, language), HP_STYLES.get(value, ""))
            continue
        part = 1.0 if not most else value / most
        style = "green" if part > 0.5 else "yellow" if part > 0.25 else "red"
        whole.append(f"{value}/{most}" if most is not None else str(value), style if track == "hp" else "")
    return whole


def tracks(seen: Seen, unit: str) -> list[str]:
    start, end = f"u/{unit}/", "_max"
    found = [path[len(start) : -len(end)] for path in seen.state if path.startswith(start) and path.endswith(end)]
    return found or ["hp"]


def spent(seen: Seen, unit: str, language: str) -> str:
    counted = Counter(seen.unit(unit, "spent", ()))
    return ", ".join(f"{n} {_slot(slot, language)}" if n > 1 else _slot(slot, language) for slot, n in counted.items())


def _slot(slot: str, language: str) -> str:
    word = texts.word("slots", slot, language)
    return word.removesuffix(" action") if language == "en" else word


def marks(seen: Seen, unit: str, language: str) -> str:
    found = [texts.word("conditions", word, language) for word in seen.unit(unit, "conditions", ())]
    found += [f"({texts.word('conditions', word, language)})" for word in seen.unit(unit, "secret", ())]
    if seen.unit(unit, "concentrating"):
        found.append(texts.word("conditions", "concentrating", language))
    if seen.unit(unit, "readied"):
        found.append(said(language, "readied"))
    if seen.unit(unit, "hidden"):
        found.append(said(language, "hidden"))
    if seen.unit(unit, "on_stage", True) is False:
        found.append(said(language, "off_stage"))
    return ", ".join(found)


def stack(seen: Seen, language: str, now: int) -> Iterator[Text]:
    """Bottom first; each lies on the one before it, so it stands further in."""
    for depth, pending in enumerate(seen.stack):
        window = str(seen.of("k", pending, "window", ""))
        left = seconds_left(seen, window, now)
        told = Text("   " * depth + ("└ " if depth else "• ") + act_line(seen, pending, language))
        if left is not None:
            told.append(f" – {said(language, 'left_short', s=f'{left:.0f}')}", "yellow")
        elif seen.of("w", window, "left") is not None:
            told.append(f" – {said(language, 'stands')}", "yellow")
        if attacks := seen.of("k", pending, "attacks", ()):
            told.append(f" – {', '.join(attack(seen, one) for one in attacks)}", "cyan")
        guards = seen.of("k", pending, "guards", {})
        if guards:
            told.append(" – " + ", ".join(guard(seen, aim, n, language) for aim, n in guards.items()), "cyan")
        yield told


def attack(seen: Seen, one: dict[str, Any]) -> str:
    """One of several attacks: at whom, with what, and its extra successes where they are known: "Kai (axe) +3"."""
    weapon = f" ({one['weapon']})" if one.get("weapon") else ""
    return seen.name(one["target"]) + weapon + (f" +{one['extra']}" if "extra" in one else "")


def guard(seen: Seen, aim: str, n: int, language: str) -> str:
    """A promised defence; of several attacks on one unit the second is its id and "/2"."""
    unit, _, nth = aim.partition("/")
    return f"{seen.name(unit)}{f' ({nth})' if nth else ''} {said(language, 'guard', n=n)}"


def budget(seen: Seen, unit: str, language: str) -> Text:
    """What a unit of one's own may still do, what it holds back, what it owes, what it can."""
    left = seen.unit(unit, "left", {})
    parts = [f"{n} {_slot(slot, language)}" for slot, n in left.items() if n]
    parts = parts or [said(language, "nothing_left")]
    if seen.unit(unit, "immediates"):
        parts.append(said(language, "immediates", n=seen.unit(unit, "immediates")))
    if seen.unit(unit, "guard"):
        parts.append(said(language, "guard", n=seen.unit(unit, "guard")))
    if seen.unit(unit, "debts"):
        debts = ", ".join(_slot(debt, language) for debt in seen.unit(unit, "debts"))
        parts.append(said(language, "owes", debts=debts))
    if held := seen.unit(unit, "concentration"):
        cost = texts.word("slots", held["cost"], language)
        parts.append(
            said(language, "sustain_due" if held["due"] else "concentrates", ability=held["ability"], cost=cost)
        )
    told = Text(f"{said(language, 'has', unit=seen.name(unit))}: {', '.join(parts)}")
    if own := can(seen, unit, language):
        told.append(f" · {said(language, 'can')}: {own}", "dim")
    return told


def can(seen: Seen, unit: str, language: str) -> str:
    return ", ".join(
        f"{name} ({'/'.join(_slot(slot, language) for slot in slots(one))})"
        for name, one in abilities(seen, unit).items()
    )


def lasting(seen: Seen, language: str) -> Iterator[Text]:
    for id in seen.ids("r"):
        if seen.of("r", id, "state", "armed") != "armed":
            continue
        unit, _, act = readied_name(seen, id, language).partition(": ")
        words = seen.of("r", id, "words", "")
        when = said(language, "when_words", words=words) if words else trigger(seen, id, language)
        when += said(language, "by_itself") if seen.of("r", id, "auto") else ""
        yield Text(said(language, "holds", unit=unit, act=act, when=when), style="cyan")
    for id in seen.ids("e"):
        rounds = seen.of("e", id, "rounds")
        told = f"{seen.of('e', id, 'name')} → {seen.name(seen.of('e', id, 'on'))}"
        lasts = seen.of("e", id, "lasts")
        left = (
            said(language, "rounds", n=rounds) if rounds is not None else texts.lasts(lasts, language) if lasts else ""
        )
        left += said(language, "waits") if seen.of("e", id, "waits") else ""
        yield Text(told + (f" ({left})" if left else ""), style="magenta")


def tasks(seen: Seen, language: str) -> Iterator[Text]:
    """Extended actions: how far each is, its mistakes where they count, when it goes on, by when it must be done."""
    clock = seen.state.get("t/clock", 0)
    for id in seen.ids("x"):
        whole = {name: seen.of("x", id, name) for name in seen.state[f"x/{id}"]}
        told = [said(language, "task", unit=seen.name(whole["unit"]), name=whole["name"], total=whole["successes"],
                     dc=whole["dc"])]  # fmt: skip
        if "opposes" in whole:
            told.append(said(language, "task_against", unit=seen.name(whole["opposes"]), total=whole["theirs"]))
        if "target_number" in whole:
            told.append(said(language, "task_target", number=whole["target_number"]))
        told += [said(language, f"task_{word}") for word in ("teamwork", "botch_ends") if whole.get(word)]
        told += [texts.counted("mistake", whole["mistakes"], language)] if "mistakes" in whole else []
        told += [said(language, "task_at_risk")] if whole.get("at_risk") else []
        if whole["state"] != "open":
            told.append(texts.word("tasks", whole["state"], language))
        elif whole.get("aside"):
            told.append(said(language, "task_aside"))
        elif whole.get("next", 0) > clock:
            told.append(said(language, "task_next", time=texts.time(whole["next"] - clock, language)))
        if whole["state"] == "open" and "deadline" in whole:
            told.append(said(language, "task_by", time=texts.time(whole["deadline"] - clock, language)))
        yield Text(", ".join(told), style="magenta")


def trigger(seen: Seen, readied: str, language: str) -> str:
    parts = dict(seen.of("r", readied, "trigger") or {})
    for name in ("actor", "target"):
        if parts.get(name) in seen.ids("u"):
            parts[name] = seen.name(parts[name])
    for name in ("act", "side"):
        if name in parts:
            parts[name] = texts.word("acts" if name == "act" else "sides", parts[name], language)
    shown = ", ".join(f"{texts.word('triggers', name, language)} {value}" for name, value in parts.items())
    return f" ({shown})" if parts else ""


def waiting(
    seen: Seen, language: str, only: Set[str] | None = None, acts: Mapping[str, str] | None = None
) -> Iterator[Text]:
    """Requests to the ST, and rolls that were asked for; `only` these. `acts`: what take-backs are about, by request."""
    for id, number in seen.requests.items():
        if only is not None and id not in only:
            continue
        what = texts.word("requests", str(seen.of("q", id, "kind")), language)
        act = (acts or {}).get(id) or asked_act(seen, seen.of("q", id, "command"), language)
        text = f": {act}" if act else ""
        text += f" – “{seen.of('q', id, 'text')}”" if seen.of("q", id, "text") else ""
        code = seen.of("q", id, "code", "")
        text += f" ({texts.word('refusals', code, language)})" if code else ""
        key = "request" if seen.role == "st" else "my_request"
        seat = seen.seat_name(seen.of("q", id, "seat"))
        yield Text(said(language, key, number=number, seat=seat, what=what, text=text), style="yellow")
    for id in seen.ids("a"):
        if only is not None and id not in only:
            continue
        names = ", ".join(map(seen.name, seen.of("a", id, "units", ())))
        reason = f" – {seen.of('a', id, 'reason')}" if seen.of("a", id, "reason") else ""
        told = said(language, "rolls_asked", units=names, pool=pool(seen.of("a", id, "pool", {})), reason=reason)
        yield Text(told, style="yellow")


def pool(made: dict[str, Any]) -> str:
    terms = [*made.get("attributes", ()), *made.get("skills", ())]
    terms += [str(made["fixed"])] if made.get("fixed") is not None else []
    more = made.get("modifier", 0)
    return " + ".join(terms) + (f" {'+' if more > 0 else '−'} {abs(more)}" if more else "")


def people(seen: Seen, language: str, here: set[str]) -> Text:
    """Who has a player's seat, connected or not."""
    players = [id for id in seen.seats() if seen.of("s", id, "role", "player") == "player"]
    there = ", ".join(seen.seat_name(id) for id in players if id in here) or said(language, "nobody")
    away = ", ".join(seen.seat_name(id) for id in players if id not in here)
    told = said(language, "here", names=there) + (f" · {said(language, 'not_here', names=away)}" if away else "")
    if seen.state.get("m/bank") is not None and seen.role == "player":
        told += f" · {said(language, 'bank', s=seen.state['m/bank'] // 1000)}"
    return Text(told, style="dim")


def sheet(seen: Seen, unit: str, language: str) -> Iterator[RenderableType]:
    """All that is known of one unit."""
    yield Text(f"{seen.name(unit)} – {seen.seat_name(seen.unit(unit, 'owner'))} – {unit}", style="bold")
    grid = Grid(box=None, show_header=False, pad_edge=False)
    grid.add_column()
    grid.add_column(overflow="fold")
    for path in (path for path in seen.state if path.startswith(f"u/{unit}/")):
        name, value = path.split("/", 2)[2], seen.state[path]
        if value in ("", None, False, [], {}) or name in ("name", "owner") or name.endswith("_max"):
            continue
        if name == "abilities":
            value = can(seen, unit, language)
        elif isinstance(value, dict):
            value = ", ".join(
                f"{texts.word(WORDS_OF.get(name, ''), key, language)} {one}" for key, one in value.items()
            )
        elif isinstance(value, list):
            value = ", ".join(texts.word(WORDS_OF.get(name, ""), str(one), language) for one in value)
        elif value is True:
            value = texts.language(language).yes
        grid.add_row(Text(texts.word("values", name, language), style="dim"), Text(str(value)))
    yield grid
