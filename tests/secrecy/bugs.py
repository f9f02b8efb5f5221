"""Leaks a server could have, each put into a process by name: to prove that they are found.

What each gives away is said in words in `BUGS`; nothing of this is in core/ or server/.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from core import cast, diff, draft, explain, faces, interrupts, options, order, rolls, stack, stack_control, story, view
from core import events as ev
from core.ids import ST, UnitId
from core.refusals import Refused
from core.state import Table
from protocol.codec import encode_diff
from protocol.from_client import AskLog
from server import asks, export, history, joining, presence, replies, room, steps
from tests.secrecy import still
from tests.secrecy.pair import CANARY


@dataclass(frozen=True)
class Bug:
    words: str
    put_in: Callable[[], None]


BUGS: dict[str, Bug] = {}


def bug(words: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def keep(put_in: Callable[[], None]) -> Callable[[], None]:
        BUGS[put_in.__name__] = Bug(words, put_in)
        return put_in

    return keep


def put(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """In place of something what `make` makes of it."""
    setattr(owner, name, make(getattr(owner, name)))


def part(name: str, make: Callable[[Any], Any]) -> None:
    """One of the parts of a view."""
    new = make(getattr(view, name))
    view.PARTS = tuple(  # type: ignore[assignment]
        new if one.__name__ == name else one for one in view.PARTS
    )


def told(event: type[ev.Event], tell: Callable[[Any, Any], Iterator[tuple[str, tuple[Any, ...]]]]) -> None:
    """The lines of an event, for everybody."""
    story.TELLERS[event] = tell


def as_st(event: type[ev.Event]) -> None:
    """Everybody is told of it what the ST is."""
    teller = story.TELLERS[event]
    told(event, lambda t, e: teller(replace(t, audience=ST), e))


# ------------------------------------------------------------------------------------------------------------ in the view
@bug("shows hidden units")
def hidden_units_in_the_view() -> None:
    put(view, "sees", lambda old: lambda table, audience, unit: unit.on_stage or old(table, audience, unit))


@bug("shows where in the order a hidden unit stands")
def hidden_units_in_the_order() -> None:
    put(view, "visible", lambda old: lambda table, audience, unit: unit in table.play.units)


@bug("shows units that wait off stage")
def units_off_stage_in_the_view() -> None:
    put(view, "sees", lambda old: lambda table, audience, unit: not unit.hidden or old(table, audience, unit))


@bug("shows everybody's numbers")
def hp_as_numbers() -> None:
    put(faces.Faces, "tracks", lambda old: lambda self, id, audience: "numbers")


@bug("shows hp in words where nothing of it is to be shown")
def hp_in_words_to_all() -> None:
    def face(one: faces.Shown) -> Iterator[tuple[str, Any]]:
        if "hp" in one.unit.tracks:
            yield "hp", str(one.unit.tracks["hp"].value)

    faces.FACES["nothing"] = face


@bug("shows secret conditions")
def secret_conditions_in_the_view() -> None:
    def face(one: faces.Shown) -> Iterator[tuple[str, Any]]:
        yield from faces.public_face(one)
        yield "conditions", sorted(one.unit.conditions)

    faces.FACES["public"] = face


@bug("shows secret effects")
def secret_effects_in_the_view() -> None:
    put(view, "shows_effect", lambda old: lambda table, audience, e: view.visible(table, audience, e.on))


@bug("shows everybody everybody's sheet")
def sheets_in_the_view() -> None:
    def face(one: faces.Shown) -> Iterator[tuple[str, Any]]:
        yield from faces.public_face(one)
        yield "skills", dict(one.unit.skills)

    faces.FACES["public"] = face


@bug("shows what others have readied")
def readied_in_the_view() -> None:
    part("readied_part", lambda old: lambda table, audience: old(table, ST))


@bug("shows secret tasks")
def secret_tasks_in_the_view() -> None:
    put(view, "sees_task", lambda old: lambda table, audience, task: True)


@bug("shows others' standing orders")
def orders_in_the_view() -> None:
    def make(old: Any) -> Any:
        def orders(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
            yield from old(table, audience)
            yield "m/all", {seat: [dict(one.kinds), one.guard] for seat, one in table.orders.items()}

        return orders

    part("own_part", make)


@bug("asks everybody for the roll that one is asked for")
def prompts_to_all() -> None:
    part("ask_part", lambda old: lambda table, audience: old(table, ST))


@bug("shows others' requests and objections")
def requests_in_the_view() -> None:
    part("request_part", lambda old: lambda table, audience: old(table, ST))
    part("objection_part", lambda old: lambda table, audience: old(table, ST))


@bug("shows the ST's notes")
def notes_in_the_view() -> None:
    def make(old: Any) -> Any:
        def notes(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
            yield from old(table, audience)
            yield "t/notes", table.notes
            seen = [u for u in table.play.units.values() if view.visible(table, audience, u.id)]
            yield from ((f"u/{u.id}/notes", u.notes) for u in seen)

        return notes

    part("table_part", make)


@bug("shows the seats of STs and spectators")
def all_seats_in_the_view() -> None:
    part("seat_part", lambda old: lambda table, audience: old(table, ST))


@bug("tells who is asked in a window, and who has passed")
def who_passed_in_the_view() -> None:
    def make(old: Any) -> Any:
        def secrets(table: Table, audience: str, pending: Any, window: Any) -> Iterator[tuple[str, Any]]:
            yield from old(table, ST, pending, window)

        return secrets

    put(view, "window_secrets", make)


@bug("sends the paths of a snapshot in an order that hangs on how many units there are")
def order_of_keys() -> None:
    def make(old: Any) -> Any:
        def mixed(table: Table, audience: str) -> Any:
            found = old(table, audience)
            paths = list(found)
            k = len(table.play.units) % len(paths)
            return {path: found[path] for path in (*paths[k:], *paths[:k])}

        return mixed

    put(room, "view", make)


# ------------------------------------------------------------------------------------------------------- in lines and ids
@bug("tells everybody of hidden rolls")
def hidden_rolls_told() -> None:
    as_st(ev.Rolled)


@bug("tells everybody what is whispered")
def whispers_told() -> None:
    as_st(ev.Whispered)


@bug("says that the ST has written something down")
def notes_told() -> None:
    told(ev.NotesSet, lambda t, e: iter([("notes_set", ())]))


@bug("says whose time bank was drawn on")
def time_told() -> None:
    put(diff, "speaker_to", lambda old: lambda before, events, audience, by: by)
    as_st(ev.TimeDrawn) if ev.TimeDrawn in story.TELLERS else as_st(ev.WindowClockSet)


@bug("says what in the story a scene turns on")
def key_points_told() -> None:
    as_st(ev.SceneChanged)


@bug("says who passed")
def passes_told() -> None:
    as_st(ev.SeatPassed)
    put(diff, "speaker_to", lambda old: lambda before, events, audience, by: by)


@bug("says which ST it was, and for whom he acted")
def acting_st_told() -> None:
    put(diff, "spoken_by", lambda old: lambda by, audience, kind: by.st or by.seat)


@bug("says that the ST has gone back where he has only undone what was kept from one")
def silent_rewinds_told() -> None:
    put(steps, "_told", lambda old: lambda seen, past, n: old(seen, past, -1))


@bug("names the place gone back to by what only the STs saw: before or after a wish of one's own")
def places_among_the_unseen() -> None:
    put(history, "place_of", lambda old: lambda stood: next(iter(stood), (0, 0))[1])


@bug("counts open and hidden rolls together: a gap tells of them")
def one_count_of_rolls() -> None:
    for module in (rolls, order):
        put(module, "stream_of", lambda old: lambda visibility, seat: "open")


@bug("gives things numbers for names: they tell how many there are that are not seen")
def ids_that_count() -> None:
    counts: dict[int, int] = {}

    def new(self: Any) -> str:
        loop = id(still._current())
        counts[loop] = counts.get(loop, 0) + 1
        return f"thing{counts[loop]:03d}"

    still.InstantIds.new = new  # type: ignore[method-assign]


@bug("numbers units of a kind on from hidden ones")
def names_count_the_hidden() -> None:
    put(cast, "sees", lambda old: lambda table, audience, unit: True)


@bug("names the ability of whoever is not seen")
def words_of_the_unseen() -> None:
    put(explain, "visible", lambda old: lambda table, audience, unit: True)
    put(
        view,
        "effect_face",
        lambda old: lambda table, audience, effect: {**old(table, audience, effect), "name": effect.name},
    )


@bug("tells everybody of a rule bent in what is somebody's own")
def private_flags_told() -> None:
    teller = story.TELLERS[ev.Flagged]
    told(ev.Flagged, lambda t, e: teller(t, replace(e, private=False)))


# ------------------------------------------------------------------------------------------------------------ in refusals
@bug("refuses otherwise what is hidden than what is not there")
def hidden_refused_otherwise() -> None:
    def make(old: Any) -> Any:
        def known(self: Any, id: str) -> Any:
            if UnitId(id) in self.table.play.units:
                try:
                    return old(self, id)
                except Refused:
                    raise Refused("off_stage", unit=id) from None
            return old(self, id)

        return known

    put(draft.Draft, "known_unit", make)


@bug("names the hidden actor in a refusal")
def refusals_name_the_actor() -> None:
    put(interrupts, "not_his", lambda old: lambda d, pending: d.refuse("not_yours", unit=pending.actor))


@bug("gives everybody the true reason of a refusal")
def true_reasons_to_all() -> None:
    put(replies, "refused", lambda old: lambda seq, why, *, to_st: old(seq, why, to_st=True))
    put(interrupts, "sees", lambda old: lambda table, seat, unit: True)


# ------------------------------------------------------------------------------------------------- in frames and windows
@bug("tells all who listen whenever anybody comes or goes, an ST too")
def presence_of_all() -> None:
    put(presence, "told", lambda old: lambda room: {**old(room), "here": sorted(room.here)})


@bug("says how many devices are connected")
def devices_counted() -> None:
    put(joining, "_welcome", lambda old: lambda *args: {**old(*args), "limits": {"devices": len(args[0].listeners)}})
    put(presence, "told", lambda old: lambda room: {**old(room), "devices": len(room.listeners)})


@bug("sends a frame for every change, seen or not")
def a_frame_for_every_change() -> None:
    def make(old: Any) -> Any:
        def patches(here: Any, at: int, meant: Any, decided: Any, after: Any) -> Any:
            n, found, epochs = old(here, at, meant, decided, after)
            for name in n:
                if name not in found and name not in epochs:
                    n[name] += 1
                    found[name] = encode_diff(n[name], [], [])
            return n, found, epochs

        return patches

    put(steps, "_patches", make)


@bug("gives a window more time where a hidden unit could answer")
def windows_that_tell() -> None:
    def make(old: Any) -> Any:
        def clock(table: Table, now: int, dwell_ms: int, asks: bool) -> Any:
            hidden = sum(unit.hidden for unit in table.play.units.values())
            return old(table, now + 100 * hidden, dwell_ms, asks)

        return clock

    put(stack, "whole_clock", make)


@bug("asks the ST because of a hidden unit of his: the pause tells of it")
def windows_for_the_hidden() -> None:
    def make(old: Any) -> Any:
        def asked(table: Table, pending: Any, kind: str) -> Any:
            found = old(table, pending, kind)
            hidden = any(unit.hidden and unit.name.startswith(CANARY) for unit in table.play.units.values())
            return tuple(sorted({*found, ST})) if hidden and kind == "before" else tuple(s for s in found if s != ST)

        return asked

    put(stack, "asked", make)


@bug("asks again where an action is aimed at a hidden unit")
def hidden_targets_ask_again() -> None:
    put(stack_control, "pending_face", lambda old: lambda table, audience, pending: old(table, ST, pending))


@bug("does not hold the table while a hidden unit acts")
def no_veil() -> None:
    put(order, "st_sits", lambda old: lambda d: False)


@bug("passes whoever cannot act before a hidden unit does: the Storyteller's hold comes at once")
def the_unable_before_the_hidden() -> None:
    put(order, "hidden_next", lambda old: lambda d: None)


# ----------------------------------------------------------------------------------------------------- in what is kept
@bug("answers who asks for the log with the ST's")
def log_of_the_st() -> None:
    def make(old: Any) -> Any:
        async def log(room: Any, key: Any, question: Any) -> Any:
            return await old(room, replace(key, role="st"), question)

        return log

    asks.ANSWERS[AskLog] = make(asks.ANSWERS[AskLog])


@bug("writes into everybody's export what only the ST was told")
def export_of_the_st() -> None:
    put(export, "_lines", lambda old: lambda before, after, record, audience, *n: old(before, after, record, ST, *n))


@bug("offers to act against those who are not seen")
def options_at_the_hidden() -> None:
    put(options, "sees", lambda old: lambda table, seat, unit: True)
