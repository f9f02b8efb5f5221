"""The seeds of the dice: one for each scene, sealed as it begins and opened as it ends (DICE-07).

Which seed a table rolls from only goes forward: what has been opened can be foretold, so nothing is rolled from it again,
not even after a rewind into its scene.
"""

from core import events as ev
from core.commands import MixDice
from core.dice.proof import Origin
from core.dice.source import Dice
from core.draft import Draft
from core.seats import anew
from core.state import Seeds, Table


def next_origin(d: Draft, stream: str) -> Origin:
    """Where the next roll of a stream comes from. Seed 0, of a table older than these proofs, is never opened."""
    seeds = d.table.seeds
    return Origin(seeds.number, stream, d.table.rolls.get(stream, 0) + 1, tuple(sorted(seeds.mixed.items())))


def mix_dice(d: Draft, c: MixDice) -> None:
    """What a seat says goes into every further roll of the scene: so nobody can have chosen the seed for its faces."""
    if not c.text or not c.text.isprintable():
        raise d.refuse("bad_value", text=c.text)
    if d.table.seeds.mixed.get(d.by.seat) == c.text:
        raise d.refuse("no_change")
    d.emit(ev.DiceMixed(d.by.seat, c.text))


def turn_over(d: Draft, before: Table) -> None:
    """A new scene, or a rewind to before this seed was sealed: the seed is opened, and the next one sealed."""
    went_back = any(isinstance(event, ev.Rewound) and event.to < before.seeds.since for event in d.events)
    if went_back or d.play.scene != before.play.scene:
        change_seed(d)


def brought(table: Table, name: str, version: int, dice: Dice) -> tuple[ev.Event, ...]:
    """What happens to a table that was brought to another server: its seed stays behind, and one of its own is sealed."""
    number = table.seeds.number
    left: tuple[ev.Event, ...] = (ev.SeedLeft(number),) if table.seeds.open else ()
    sealed = ev.SeedCommitted(Seeds(number + 1, version, *dice.commitments(number + 1)))
    return (ev.TableBrought(name), *anew(table), *left, sealed)


def renewed(table: Table, version: int, old: Dice, new: Dice) -> tuple[ev.Event, ...]:
    """Where something was lost, what was rolled since then must not fall again: the seed is opened, and one of another key
    sealed.
    """
    number = table.seeds.number
    opened: tuple[ev.Event, ...] = (ev.SeedRevealed(number, *old.seeds(number)),) if table.seeds.open else ()
    return (*opened, ev.SeedCommitted(Seeds(number + 1, version, *new.commitments(number + 1))))


def change_seed(d: Draft) -> None:
    """What was mixed into the old seed is forgotten: a seed must be sealed before anybody says what goes in with it."""
    number = d.table.seeds.number
    if number:
        d.emit(ev.SeedRevealed(number, *d.world.dice.seeds(number)))
    d.emit(ev.SeedCommitted(Seeds(number + 1, d.world.version, *d.world.dice.commitments(number + 1))))
