"""The verbs of extended actions: taking one up, working on it, and the Storyteller's hand on it. Verb -> command."""

from server.cli.terminal.acts import Fields
from server.cli.terminal.phrases import dice, reason, seconds, with_reason
from server.cli.terminal.playing import own_unit
from server.cli.terminal.seen import Seen
from server.cli.terminal.split import Word, joined, options, parts, whole_number
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Rest, Verb

EXTENDED = "extended actions"
VALUES = ("with", "dc", "every", "within", "keeping", "successes", "mistakes")


def task(rest: Rest, seen: Seen) -> Fields:
    """Taken up; by its name alone, what is over is started once more as it was."""
    unit = own_unit("", seen)
    words, in_one_go = without_in_one_go(rest.words)
    found = parts(words, VALUES)
    name = joined(found[""])
    fields: Fields = {"kind": "start_task", "unit": unit, "name": name}
    over = [id for id in seen.ids("x") if seen.of("x", id, "unit") == unit and seen.of("x", id, "name") == name]
    if over and len(found) == 1:
        return {**fields, **as_it_was(seen, over[-1])}
    given = values(found, seen, unit)
    if not name or "pool" not in given or "dc" not in given:
        raise Unclear("task_how")
    return {**fields, **given, **({"in_one_go": True} if in_one_go else {})}


def as_it_was(seen: Seen, id: str) -> Fields:
    found = {name: seen.of("x", id, name) for name in ("pool", "dc", "interval", "in_one_go", "visibility")}
    found["interval_s"] = found.pop("interval")
    return {name: value for name, value in found.items() if value is not None}


def without_in_one_go(some: list[Word]) -> tuple[list[Word], bool]:
    """Takes the three words out, wherever they stand."""
    texts = [word.text.casefold() for word in some]
    for k in range(len(some) - 2):
        if texts[k : k + 3] == ["in", "one", "go"] and not any(word.fixed for word in some[k : k + 3]):
            return some[:k] + some[k + 3 :], True
    return some, False


def values(found: dict[str, list[Word]], seen: Seen, unit: str) -> Fields:
    """What stands behind the keywords. "with" is a pool, who sees its rolls, its again level."""
    fields: Fields = dice(found["with"], seen, [unit]) if "with" in found else {}
    for key, name in (("dc", "dc"), ("keeping", "successes"), ("successes", "successes"), ("mistakes", "mistakes")):
        if key in found:
            fields[name] = whole_number(joined(found[key]), key)
    for key, name in (("every", "interval_s"), ("within", "within_s")):
        if key in found:
            fields[name] = seconds(joined(found[key]))
    return fields


def work(rest: Rest, seen: Seen) -> Fields:
    words, given = options(rest.words, ("mod",))
    on = words[1:] if words and words[0].text.casefold() == "on" and not words[0].fixed else words
    fields: Fields = {"kind": "roll_task", "task": seen.the_task(joined(on))}
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
    some, in_one_go = without_in_one_go(some)
    found = parts(some, VALUES)
    id = seen.the_task(joined(found[""]))
    given = values(found, seen, str(seen.of("x", id, "unit")))
    given |= {"in_one_go": True} if in_one_go else {}
    if not given:
        raise Unclear("edit_task_how")
    return with_reason({"kind": "edit_task", "task": id, **given}, why)


def drop_task(rest: Rest, seen: Seen) -> Fields:
    some, why = reason(rest.words)
    return with_reason({"kind": "drop_task", "task": seen.the_task(joined(some))}, why)


VERBS = (
    Verb(("task", "延续"), EXTENDED, ("start_task",),
         "task NAME with POOL [private|st] dc N [every 1 day] [within 30 days] [in one go] [keeping N]",
         "take up an extended action; by its name alone: what is over once more",
         "task barricade the door with STR+2 dc 5 every 1 minute within 10 minutes", task),
    Verb(("work", "继续"), EXTENDED, ("roll_task",), "work [on NAME] [mod=+N]", "the next roll of an extended action",
         "work on novel mod=+1", work),
    Verb(("set aside", "搁置"), EXTENDED, ("set_aside",), "set aside NAME [lose N] [because WHY]",
         "it rests, and may lose successes; what must be done in one go fails", "set aside novel lose 2", set_aside),
    Verb(("edit task",), EXTENDED, ("edit_task",),
         "edit task NAME dc N | with POOL | every TIME | within TIME | successes N | mistakes N | in one go",
         "change an extended action; its player may raise the DC, the rest is the Storyteller's",
         "edit task novel dc 17", edit_task),
    Verb(("drop task",), EXTENDED, ("drop_task",), "drop task NAME [because WHY]",
         "give an extended action up, or take one that is over off the list", "drop task novel", drop_task),
)  # fmt: skip
