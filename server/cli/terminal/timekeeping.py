"""The verbs of time: scenes, what is used before a fight, Films, worlds and their sky. Verb -> parser -> command."""

from typing import Any

from server.cli.terminal.acts import Fields
from server.cli.terminal.lengths import clock, moment
from server.cli.terminal.phrases import seconds
from server.cli.terminal.playing import unquoted
from server.cli.terminal.seen import Seen
from server.cli.terminal.split import Word, joined, parts
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Rest, Verb

TIME = "scenes and worlds"
REASONS = ("transition", "story", "area", "time", "fight")


def pass_time(rest: Rest, seen: Seen) -> Fields:
    return {"kind": "pass_time", "seconds": seconds(rest.raw)}


def without(some: list[Word], *flag: str) -> tuple[list[Word], bool]:
    """The words without this flag ("end lasting"), and whether it was among them."""
    plain = ["" if word.fixed else word.text.casefold() for word in some]
    for k in range(len(plain) - len(flag) + 1):
        if tuple(plain[k : k + len(flag)]) == flag:
            return some[:k] + some[k + len(flag) :], True
    return some, False


def forcing(some: list[Word]) -> tuple[list[Word], Fields]:
    rest, forced = without(some, "end", "lasting")
    return rest, {"end_lasting": True} if forced else {}


def scene(rest: Rest, seen: Seen) -> Fields:
    found = parts(rest.words, ("because",))
    key_point, late = forcing(found.get("because", []))
    some, early = forcing(found[""])
    some, uncounted = without(some, "uncounted")
    some, night = without(some, "endless", "night")
    reason = joined(some).casefold()
    if reason not in REASONS:
        raise Unclear("scene_why", reasons=" | ".join(REASONS))
    fields: Fields = {"kind": "change_scene", "reason": reason, **early, **late, **({"night": True} if night else {})}
    if key_point:
        fields["key_point"] = joined(key_point)
    return {**fields, **({"counts": False} if uncounted else {})}


def prebuff(rest: Rest, seen: Seen) -> Fields:
    said = rest.raw.casefold() or "on"
    if said not in ("on", "off"):
        raise Unclear("prebuff_how")
    return {"kind": "allow_prebuff", "on": said == "on"}


def film(rest: Rest, seen: Seen) -> Fields:
    some, forced = forcing(rest.words)
    found = parts(some, ("in",))
    if not found[""]:
        raise Unclear("film_which")
    fields: Fields = {"kind": "enter_film", "name": unquoted(joined(found[""])), **forced}
    return {**fields, **({"world": joined(found["in"])} if "in" in found else {})}


def leave_film(rest: Rest, seen: Seen) -> Fields:
    return {"kind": "leave_film", **forcing(rest.words)[1]}


def world(rest: Rest, seen: Seen) -> Fields:
    """What is not said stays as it is, in the world the story is in; another one has Earth's day."""
    found = parts(rest.words, ("day", "sunrise", "sunset", "now", "date"))
    name = joined(found.pop(""))
    here: dict[str, Any] = dict(seen.state.get("t/world") or {})
    if not found:
        raise Unclear("world_how")
    fields: Fields = {"kind": "set_world", **({"world": name} if name else {})}
    if name in ("", here.get("name", "")) and here:
        fields |= {"day_s": here["day"], "sunrise_s": here.get("sunrise"), "sunset_s": here.get("sunset")}
    if "day" in found:
        fields["day_s"] = clock(joined(found["day"]))
    for mark in ("sunrise", "sunset"):
        if mark in found:
            fields[f"{mark}_s"] = moment(joined(found[mark]))
    if "now" in found:
        fields["time_s"] = clock(joined(found["now"]))
    if "date" in found:
        said = joined(found["date"])
        fields["date"] = "" if said.casefold() in ("none", "no") else said
    return fields


VERBS = (
    Verb(("scene", "场景"), TIME, ("change_scene",),
         "scene transition | story | area | time | fight [because KEY POINT] [end lasting] [endless night] [uncounted]",
         "another scene begins; fight: the fight that is on is a real one; end lasting: what is not permanent ends; "
         "endless night: no sun rises in it; uncounted: a transition that ends nothing",
         "scene story because the mainframe is shut down", scene),
    Verb(("prebuff",), TIME, ("allow_prebuff",), "prebuff on | off",
         "what is used now counts as used when the fight starts", "prebuff on", prebuff),
    Verb(("film", "影片"), TIME, ("enter_film",), "film NAME [in WORLD] [end lasting]",
         "a Film begins, in a world of its own", "film Night of the Dead in Raccoon City", film),
    Verb(("leave film",), TIME, ("leave_film",), "leave film [end lasting]", "the Film is over", "leave film",
         leave_film),
    Verb(("world", "世界"), TIME, ("set_world",),
         "world [NAME] [day 48h] [sunrise 12h | never] [sunset 30h | never] [now 13:00] [date 2026-01-31 | none]",
         "a world's day and sky; what is not said stays as it is", "world day 48h sunrise 12h sunset 30h now 13h",
         world),
    Verb(("pass time",), TIME, ("pass_time",), "pass time N s | minutes | hours | days",
         "world time goes by, outside a fight", "pass time 10 minutes", pass_time),
)  # fmt: skip
