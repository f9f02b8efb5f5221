"""The verbs of extended actions: taking one up, working on it, and the Storyteller's hand on it. Verb -> command."""

from server.cli.terminal.acts import Fields
from server.cli.terminal.phrases import dice, reason, seconds, to_reach, with_reason
from server.cli.terminal.playing import own_unit
from server.cli.terminal.seen import Seen
from server.cli.terminal.split import Word, joined, listed, options, parts, whole_number
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Rest, Verb, rest_of, with_actor

EXTENDED = "extended actions"
VALUES = ("with", "dc", "tn", "every", "within", "keeping", "successes", "mistakes", "theirs")
FLAGS = {"in_one_go": ("in", "one", "go"), "teamwork": ("teamwork",), "botch_ends": ("botch", "ends")}
"""What is so or not so of a task, and the words that say it is."""


def task(rest: Rest, seen: Seen) -> Fields:
    """Taken up; by its name alone, what is over is started once more as it was."""
    unit = own_unit("", seen)
    words, flags = without_flags(rest.words)
    words, foe = before_opponent(words)
    found = parts(words, VALUES)
    name = joined(found[""])
    fields: Fields = {"kind": "start_task", "unit": unit, "name": name}
    over = [id for id in seen.ids("x") if seen.of("x", id, "unit") == unit and seen.of("x", id, "name") == name]
    if over and len(found) == 1:
        return {**fields, **as_it_was(seen, over[-1])}
    given = values(found, seen, unit)
    if not name or "pool" not in given or "dc" not in given:
        raise Unclear("task_how")
    return {**fields, **given, **flags, **(opponent(foe, seen) if foe else {})}


def before_opponent(some: list[Word]) -> tuple[list[Word], list[Word]]:
    """Cut at the "against" that comes after the pool; before it, it is a word of the name."""
    said = ["" if word.fixed else word.text.casefold() for word in some]
    after = said.index("with") if "with" in said else len(said)
    at = said.index("against", after) if "against" in said[after:] else len(said)
    return some[:at], some[at + 1 :]


def opponent(some: list[Word], seen: Seen) -> Fields:
    """Who strives against it, and with what: "zombie with STR+2 tn STR"."""
    found = parts(some, ("with",))
    foe = seen.the_unit(joined(found[""]))
    pool = dice(found.get("with", []), seen, [foe]).get("pool")
    if pool is None:
        raise Unclear("opposed_how")
    return {"opposes": foe, "opposed_pool": pool}


def as_it_was(seen: Seen, id: str) -> Fields:
    kept = ("pool", "dc", "interval", "visibility", "opposes", "opposed_pool", *FLAGS)
    found = {name: seen.of("x", id, name) for name in kept}
    found["interval_s"] = found.pop("interval")
    return {name: value for name, value in found.items() if value is not None}


def without_flags(some: list[Word]) -> tuple[list[Word], Fields]:
    """Takes their words out, wherever they stand."""
    found: Fields = {}
    for flag, words in FLAGS.items():
        n = len(words)
        for k in range(len(some) - n + 1):
            here = some[k : k + n]
            if tuple(w.text.casefold() for w in here) == words and not any(w.fixed for w in here):
                some, found[flag] = some[:k] + some[k + n :], True
                break
    return some, found


def values(found: dict[str, list[Word]], seen: Seen, unit: str) -> Fields:
    """What stands behind the keywords. "with" is a pool, who sees its rolls, its again level."""
    fields: Fields = dice(found["with"], seen, [unit]) if "with" in found else {}
    numbers = {"dc": "dc", "keeping": "successes", "successes": "successes", "mistakes": "mistakes", "theirs": "theirs"}
    for key, name in numbers.items():
        if key in found:
            fields[name] = whole_number(joined(found[key]), key)
    if "tn" in found:
        if "pool" not in fields:
            raise Unclear("tn_with_pool")
        fields["pool"] |= to_reach(joined(found["tn"]))
    for key, name in (("every", "interval_s"), ("within", "within_s")):
        if key in found:
            fields[name] = seconds(joined(found[key]))
    return fields


def work(rest: Rest, seen: Seen) -> Fields:
    """By its own unit; or by the one that is named before a colon or after "by", else a player's own, at another's task."""
    raw, seen = with_actor(rest.raw, seen)
    words, given = options(rest_of(raw, seen).words, ("mod",))
    on = words[1:] if words and words[0].text.casefold() == "on" and not words[0].fixed else words
    found = parts(on, ("by", "with"))
    id = seen.the_task(joined(found[""]))
    fields: Fields = {"kind": "roll_task", "task": id}
    its_own = seen.of("x", id, "unit")
    by = seen.the_units(listed(found["by"])) if "by" in found else [seen.actor] if seen.actor else []
    if not by and seen.role == "player" and seen.mine and its_own not in seen.mine:
        by = [own_unit("", seen)]
    if by and by != [its_own]:
        fields["units"] = by
    if "with" in found:
        fields |= {"pool": dice(found["with"], seen, by or seen.mine).get("pool")}
    return {**fields, **({"modifier": whole_number(given["mod"], "mod")} if "mod" in given else {})}


def set_aside(rest: Rest, seen: Seen) -> Fields:
    some, why = reason(rest.words)
    found = parts(some, ("lose", "losing"))
    fields: Fields = {"kind": "set_aside", "task": seen.the_task(joined(found[""]))}
    for lost in (found[key] for key in ("lose", "losing") if key in found):
        fields["lost"] = whole_number(joined(lost[:1]), "lost")
    return with_reason(fields, why)


def edit_task(rest: Rest, seen: Seen) -> Fields:
    some, why = reason(rest.words)
    some, flags = without_flags(some)
    found = parts(some, VALUES)
    id = seen.the_task(joined(found[""]))
    given = {**values(found, seen, str(seen.of("x", id, "unit"))), **flags}
    if not given:
        raise Unclear("edit_task_how")
    return with_reason({"kind": "edit_task", "task": id, **given}, why)


def drop_task(rest: Rest, seen: Seen) -> Fields:
    some, why = reason(rest.words)
    return with_reason({"kind": "drop_task", "task": seen.the_task(joined(some))}, why)


VERBS = (
    Verb(("task", "延续"), EXTENDED, ("start_task",),
         "task NAME with POOL [private|st] dc N [every 1 day] [within 30 days] [in one go] [keeping N] "
         "[tn N] [teamwork] [botch ends] [against NAME with POOL]",
         "take up an extended action; by its name alone: what is over once more; tn: the target number; teamwork: others "
         "may roll for it; botch ends: no starting over; against: who resists",
         "task barricade the door with STR+2 dc 5 every 1 minute within 10 minutes", task),
    Verb(("work", "继续"), EXTENDED, ("roll_task",), "work [on NAME] [mod=+N] [by HELPER [with POOL]]",
         "the next roll of an extended action; by: another unit that may help", "work on novel mod=+1", work),
    Verb(("set aside", "搁置"), EXTENDED, ("set_aside",), "set aside NAME [lose N] [because WHY]",
         "it rests, and may lose successes; what must be done in one go fails", "set aside novel lose 2", set_aside),
    Verb(("edit task",), EXTENDED, ("edit_task",),
         "edit task NAME dc N | with POOL [tn N] | every TIME | within TIME | successes N | theirs N | mistakes N | "
         "in one go | teamwork | botch ends",
         "change an extended action; its player may raise the DC, the rest is the Storyteller's",
         "edit task novel dc 17", edit_task),
    Verb(("drop task",), EXTENDED, ("drop_task",), "drop task NAME [because WHY]",
         "give an extended action up, or take one that is over off the list", "drop task novel", drop_task),
)  # fmt: skip
