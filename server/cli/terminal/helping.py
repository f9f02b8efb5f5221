"""The help: a list by topic for a role, and a lesson for each verb. Made from the table of verbs alone."""

from collections.abc import Iterator

from rich.table import Table as Grid
from rich.text import Text

from core.state import Role
from server.cli.terminal.helping_zh import GENERAL_ZH, HELP_ZH, TOPICS_ZH
from server.cli.terminal.sayings import said
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Verb, all_verbs, find

GENERAL = (
    "Names may be shortened (zom), ids too; what has several words needs no quotes if it is known. "
    "NAME: COMMAND acts with that unit. An ability's bare name uses it: step aside leaves. help VERB teaches one."
)


def topics(role: Role, language: str = "en") -> Iterator[Text | Grid]:
    """Every verb that is for the role, one line each."""
    verbs = [verb for verb in all_verbs() if verb.open_to(role)]
    for topic in dict.fromkeys(verb.topic for verb in verbs):
        yield Text(TOPICS_ZH[topic] if language == "zh" else topic, style="bold")
        grid = Grid(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        grid.add_column(style="cyan", no_wrap=True)
        grid.add_column(overflow="fold")
        for verb in verbs:
            if verb.topic == topic:
                grid.add_row(Text("  " + verb.names[0]), Text(_help(verb, language)))
        yield grid
    yield Text(GENERAL_ZH if language == "zh" else GENERAL, style="dim")


def _help(verb: Verb, language: str) -> str:
    return HELP_ZH[verb.names[0]] if language == "zh" else verb.help


def lesson(text: str, role: Role, language: str = "en") -> Iterator[Text]:
    """One verb: how it is written, what it does, an example, its other names. Raises Unclear."""
    found = find(text, all_verbs())
    if found is None:
        raise Unclear("no_lesson", said=text)
    verb = found[0]
    yield Text(verb.usage, style="bold cyan")
    yield Text(f"  {_help(verb, language)}")
    yield Text(f"  {said(language, 'example')}: {verb.example}")
    if len(verb.names) > 1:
        yield Text(f"  {said(language, 'also')}: {', '.join(verb.names[1:])}", style="dim")
    if verb.kinds:
        yield Text(
            f"  {said(language, 'written_out')}: {' / '.join(f'do {kind} ...' for kind in verb.kinds)}", style="dim"
        )
    if not verb.open_to(role):
        yield Text(f"  ({said(language, 'for_st' if verb.open_to('st') else 'for_players')})", style="yellow")
