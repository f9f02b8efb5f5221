"""The help: a list by topic for a role, and a lesson for each verb. Made from the table of verbs alone."""

from collections.abc import Iterator

from rich.table import Table as Grid
from rich.text import Text

from core.state import Role
from server.cli.terminal.split import Unclear
from server.cli.terminal.verbs import Verb, all_verbs, find

GENERAL = (
    "Names may be shortened (zom), ids too; what has several words needs no quotes if it is known. "
    "NAME: COMMAND acts with that unit. An ability's bare name uses it: step aside leaves. help VERB teaches one."
)


def topics(role: Role) -> Iterator[Text | Grid]:
    """Every verb that is for the role, one line each."""
    verbs = [verb for verb in all_verbs() if verb.open_to(role)]
    for topic in dict.fromkeys(verb.topic for verb in verbs):
        yield Text(topic, style="bold")
        grid = Grid(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        grid.add_column(style="cyan", no_wrap=True)
        for verb in verbs:
            if verb.topic == topic:
                grid.add_row(Text("  " + verb.names[0]), Text(verb.help))
        yield grid
    yield Text(GENERAL, style="dim")


def lesson(text: str, role: Role) -> Iterator[Text]:
    """One verb: how it is written, what it does, an example, its other names. Raises Unclear."""
    found = find(text, all_verbs())
    if found is None:
        raise Unclear(f"there is no verb “{text}”; `help` lists all")
    verb = found[0]
    yield Text(verb.usage, style="bold cyan")
    yield Text(f"  {verb.help}")
    yield Text(f"  example: {verb.example}")
    if len(verb.names) > 1:
        yield Text(f"  also: {', '.join(verb.names[1:])}", style="dim")
    if verb.kinds:
        yield Text(f"  written out: {' or '.join(f'do {kind} ...' for kind in verb.kinds)}", style="dim")
    if not verb.open_to(role):
        yield Text(f"  ({_whose(verb)})", style="yellow")


def _whose(verb: Verb) -> str:
    return "for the Storyteller" if verb.open_to("st") else "for players"
