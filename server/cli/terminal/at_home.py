"""The verbs of this terminal: looking, help, the language, leaving; and `do`, which reaches every command by its fields."""

import re

from server.cli.terminal.fields import written_out
from server.cli.terminal.seen import Seen
from server.cli.terminal.split import whole_number
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Local, Parse, Rest, Verb, with_actor

HERE = "looking and leaving"


def local(word: str) -> Parse:
    return lambda rest, seen: Local(word, {"text": rest.raw})


def look(rest: Rest, seen: Seen) -> Local:
    """The table, or one unit's sheet."""
    return Local("look", {"unit": seen.the_unit(rest.raw) if rest.raw else None})


def log(rest: Rest, seen: Seen) -> Local:
    return Local("log", {"lines": min(200, max(1, whole_number(rest.raw, "how_many"))) if rest.raw else 20})


def lang(rest: Rest, seen: Seen) -> Local:
    if rest.raw.casefold() not in ("en", "zh"):
        raise Unclear("languages")
    return Local("lang", {"language": rest.raw.casefold()})


def calc(rest: Rest, seen: Seen) -> Local:
    """The names in it are those of the unit before the colon, or of one's only unit."""
    raw, seen = with_actor(rest.raw, seen)
    plain = re.match(r"(plain|普通)\s+", raw, re.IGNORECASE)
    if not raw:
        raise Unclear("calc_what")
    unit = seen.actor or (seen.mine[0] if len(seen.mine) == 1 else None)
    return Local("calc", {"text": raw[plain.end() :] if plain else raw, "unit": unit, "own": not plain})


def explain(rest: Rest, seen: Seen) -> Local:
    """The only one where none is named."""
    lasting = seen.ids("e")
    only = lasting[0] if len(lasting) == 1 and not rest.raw.strip() else ""
    return Local("explain", {"effect": only or seen.the_effect(rest.raw)})


def options(rest: Rest, seen: Seen) -> Local:
    """For all of one's units, or one; with `all` what cannot be done too, and why."""
    words = [word for word in rest.raw.split() if word.casefold() not in ("all", "全部")]
    unit = seen.the_unit(" ".join(words)) if words else None
    return Local("options", {"unit": unit, "all": len(words) < len(rest.raw.split())})


VERBS = (
    Verb(("look", "l", "看"), HERE, (), "look [NAME]", "show the table, or one unit", "look", look),
    Verb(("log", "记录"), HERE, (), "log [N]",
         "what happened before; to the Storyteller with the number of each change", "log 20", log),
    Verb(("requests",), HERE, (), "requests", "what waits for the Storyteller's answer, and asked rolls", "requests",
         local("requests")),
    Verb(("rules", "房规"), HERE, (), "rules [WORD]", "the house rules, and what was objected to them", "rules hp",
         lambda rest, seen: Local("rules", {"key": rest.raw})),
    Verb(("help", "?", "帮助"), HERE, (), "help [VERB]", "this list, or one verb with an example", "help attack",
         local("help")),
    Verb(("lang", "语言"), HERE, (), "lang en | zh", "the language of what is told", "lang zh", lang),
    Verb(("calc", "算"), HERE, (), "calc [NAME:] [plain] VALUE [with CHANGES] [then CHANGES]",
         "work a number out as the rules do; plain: money or distance, by ordinary arithmetic",
         "calc 10 with x2, x4, +50 then halved", calc),
    Verb(("explain", "为何"), HERE, (), "explain [EFFECT]", "when something that lasts ends, and why then", "explain bless",
         explain),
    Verb(("options", "能做"), HERE, (), "options [NAME] [all]",
         "what you can do now and what it costs; all: also what you cannot, and why", "options all", options),
    Verb(("wait",), HERE, (), "wait SECONDS | wait for WORDS",
         "for scripts: read the next line later, or once a line with these words was told", "wait for attack",
         local("wait")),
    Verb(("do",), HERE, (), "do KIND field=value act.field=value ...",
         "any command of the protocol by its fields; names of units are understood",
         "do declare unit=mira act.kind=open act.slot=move", lambda rest, seen: written_out(rest.raw, seen)),
    Verb(("quit", "exit", "bye", "退出"), HERE, (), "quit", "leave; the table goes on without you", "quit",
         local("quit")),
)  # fmt: skip
