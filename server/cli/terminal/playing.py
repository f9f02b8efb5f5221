"""The verbs of everybody who plays: acts, interrupts, wishes, talk and dice. Each row: verb -> parser -> command."""

import difflib

from server.cli.terminal.acts import Fields, Phrase, declaration, held_back, phrase
from server.cli.terminal.phrases import dice, trigger
from server.cli.terminal.seen import Seen, pick
from server.cli.terminal.split import Word, joined, listed, options, parts, whole_number
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Local, Rest, Verb, all_verbs, command, rest_of, with_actor

ACTION, REACTION, WISHES, TALK = "your action", "interrupts and readied actions", "what you wish for", "talk and dice"
ACTS = {
    **{kind: kind for kind in ("attack", "move", "cast", "use", "counter", "act")},
    **{"攻击": "attack", "移动": "move", "施法": "cast", "使用": "use"},
    **{"drop prone": "drop_prone", "伏地": "drop_prone"},
}


def act_in_words(raw: str, seen: Seen) -> tuple[Phrase, Seen]:
    """An act as part of another line: "attack zombie with bow", "Kai: move 3", or the bare name of an ability."""
    raw, seen = with_actor(raw, seen)
    for name in sorted(ACTS, key=len, reverse=True):
        if raw.casefold().startswith(name) and not raw[len(name) : len(name) + 1].isalnum():
            return phrase(ACTS[name], rest_of(raw[len(name) :], seen).words), seen
    return phrase("use", rest_of(raw, seen).words), seen


def by_ability(rest: Rest, seen: Seen) -> Fields:
    """A line without a verb: the name of an ability of one's own, with its target: "step aside leaves"."""
    if seen.role != "spectator":
        try:
            return declaration(seen, phrase("use", rest.words))
        except Unclear as problem:
            if problem.key not in ("no_ability", "no_unit_on_stage"):
                raise
    if rest.raw.casefold() in ("yes", "y", "no", "n", "是", "否"):
        raise Unclear("nothing_waits")
    first = rest.raw.split()[0].strip(":：")
    near = difflib.get_close_matches(rest.raw.casefold(), [n for v in all_verbs() for n in v.names], n=1, cutoff=0.6)
    near = near or difflib.get_close_matches(first.casefold(), [n for v in all_verbs() for n in v.names], n=1)
    if near:
        raise Unclear("no_verb_near", said=first, near=near[0])
    raise Unclear("no_verb", said=first)


def react(rest: Rest, seen: Seen) -> Fields:
    made, seen = act_in_words(rest.raw, seen)
    return declaration(seen, made, "react")


def announce(rest: Rest, seen: Seen) -> Fields:
    """How many actions; one's own unit where no other is named."""
    if not rest.words:
        raise Unclear("announce_how")
    first, *name = rest.words
    return {"kind": "announce", "unit": own_unit(joined(name), seen), "n": whole_number(first.text, "actions")}


def ready(rest: Rest, seen: Seen) -> Fields:
    raw, seen = with_actor(rest.raw, seen)
    found = parts(rest_of(raw, seen).words, ("when", "当"))
    condition = found.get("when", found.get("当", []))
    auto = bool(condition) and condition[-1].text.casefold() == "auto" and not condition[-1].fixed
    head = parts(found[""], ("auto",))
    auto = auto or "auto" in head
    made, seen = act_in_words(" ".join(_again(word) for word in head[""]), seen)
    unit, act = held_back(seen, made)
    condition = condition[:-1] if condition and condition[-1].text == "auto" else condition
    command: Fields = {"kind": "ready", "unit": unit, "act": act, **trigger(condition, seen, unit)}
    return {**command, "auto": True} if auto else command


def _again(word: Word) -> str:
    return f'"{word.text}"' if word.quoted else word.text


def end(rest: Rest, seen: Seen) -> Fields:
    unit = seen.the_unit(rest.raw) if rest.raw else seen.actor or seen.active
    if unit is None:
        raise Unclear("nobody_acts")
    return {"kind": "end_action", "unit": unit, "round": seen.unit(unit, "round", 0)}


def leave(rest: Rest, seen: Seen) -> Fields:
    return {"kind": "leave_fight", "unit": own_unit(rest.raw, seen)}


def own_unit(text: str, seen: Seen) -> str:
    """The named unit, the one before the colon, one's only one, or the one that acts."""
    if text:
        return seen.the_unit(text)
    if seen.actor or len(seen.mine) == 1:
        return seen.actor or seen.mine[0]
    if seen.active in seen.mine:
        return str(seen.active)
    if seen.mine:
        raise Unclear("which_unit", there=[seen.name(unit) for unit in seen.mine])
    raise Unclear("which_unit_none")


def fire(rest: Rest, seen: Seen) -> Fields:
    flags = {w.text.casefold() for w in rest.words if not w.fixed} & {"leaves", "stays"}
    found = parts([w for w in rest.words if w.text.casefold() not in flags], ("at", "on", "against"))
    command: Fields = {"kind": "fire", "readied": seen.the_readied(joined(found[""]))}
    if seen.top_window:
        command["window"] = seen.top_window
    aimed = [name for key in ("at", "on", "against") for name in listed(found.get(key, []))]
    if aimed:
        command["targets"] = seen.the_units(aimed)
    if flags:
        command["leaves"] = "leaves" in flags
    return command


def pass_(rest: Rest, seen: Seen) -> Fields:
    if not seen.stack:
        raise Unclear("nothing_asked")
    window = seen.the_window(rest.raw)
    return {"kind": "pass", "window": window, "gen": seen.of("w", window, "gen", 0)}


def defend(rest: Rest, seen: Seen) -> Fields:
    number = next((w for w in rest.words if w.text.isdigit() and not w.fixed), None)
    if number is None:
        raise Unclear("defend_how")
    n = whole_number(number.text, "number")
    others, which = options([w for w in rest.words if w is not number and w.text.casefold() != "with"], ("attack",))
    name = joined(others)
    if not seen.top:
        raise Unclear("nobody_attacked")
    aimed = [u for u in seen.of("k", seen.top, "targets", ()) if u in seen.mine]
    unit = seen.the_unit(name) if name else seen.actor or (aimed[0] if len(aimed) == 1 else own_unit("", seen))
    command: Fields = {"kind": "defend", "window": seen.top_window, "unit": unit, "n": n}
    return {**command, "attack": whole_number(which["attack"], "which_attack")} if which else command


def gain(rest: Rest, seen: Seen) -> Fields:
    """How many of the extra successes gained midway go to each attack still to come."""
    numbers = [entry for part in listed(rest.words) for entry in part.replace("/", " ").split()]
    if not numbers:
        raise Unclear("gain_how")
    window = seen.the_window("")
    return {"kind": "split_gain", "window": window, "gain": [whole_number(one, "part") for one in numbers]}


def more_time(rest: Rest, seen: Seen) -> Fields:
    return {"kind": "more_time", "window": seen.the_window(rest.raw)}


def withdraw(rest: Rest, seen: Seen) -> Fields:
    own = [k for k in reversed(seen.stack) if seen.of("k", k, "actor") in seen.mine]
    return {"kind": "withdraw", "pending": own[0] if own and not rest.raw else seen.the_pending(rest.raw)}


ORDERS = {"concerns me": "concerns_me", "concerns_me": "concerns_me", "ask": "ask", "always ask": "ask", "pass": "pass",
          "unless target": "unless_target", "unless_target": "unless_target"}  # fmt: skip


def order(rest: Rest, seen: Seen) -> Fields | Local:
    text = " ".join(rest.raw.casefold().split())
    if not text:
        return Local("orders")
    for said, kind in sorted(ORDERS.items(), key=lambda one: -len(one[0])):
        if text == said or text.endswith(" " + said):
            act = text[: -len(said)].strip().removeprefix("for ").replace(" ", "_")
            return {"kind": "set_standing_order", "act": act if act not in ("", "all", "any") else "*", "order": kind}
    raise Unclear("order_how")


def default_defence(rest: Rest, seen: Seen) -> Fields:
    return {"kind": "set_default_guard", "n": whole_number(rest.raw or "?", "default_defence")}


def auto(rest: Rest, seen: Seen) -> Fields:
    on = [w for w in rest.words if w.text.casefold() in ("on", "off")]
    which = joined([w for w in rest.words if w not in on])
    return {"kind": "set_readied_auto", "readied": seen.the_readied(which), "auto": not on or on[0].text == "on"}


def take_back(rest: Rest, seen: Seen) -> Fields:
    return {"kind": "ask_take_back", **({"text": unquoted(rest.raw)} if rest.raw else {})}


def ask_leave(rest: Rest, seen: Seen) -> Fields:
    """For the command that was refused last, or for the one that stands here."""
    found = parts(rest.words, ("because",))
    raw = rest.raw[: rest.raw.casefold().find("because")] if "because" in found else rest.raw
    if not (raw.strip() or seen.refused):
        raise Unclear("leave_for_what")
    inner = command(raw.strip() or seen.refused, seen, wish=True)
    if isinstance(inner, Local) or inner["kind"] == "ask_leave":
        raise Unclear("no_leave_needed")
    text = joined(found.get("because", []))
    return {"kind": "ask_leave", "command": inner, **({"text": text} if text else {})}


def object_to_rule(rest: Rest, seen: Seen) -> Fields:
    found = parts(rest.words, ("because",))
    rules = {path[2:]: path[2:] for path in seen.state if path.startswith("h/")}
    key = pick(joined(found[""]), rules, "house")
    text = joined(found.get("because", []))
    return {"kind": "object_to_rule", "key": key, **({"text": text} if text else {})}


def unquoted(text: str) -> str:
    said = text.strip()
    pairs = (('"', '"'), ("“", "”"), ("「", "」"))
    inside = next((said[1:-1] for a, b in pairs if len(said) > 2 and said[0] == a and said[-1] == b), said)
    return said if any(sign in inside for pair in pairs for sign in pair) else inside


def say(rest: Rest, seen: Seen) -> Fields:
    text = unquoted(rest.raw)
    if not text:
        raise Unclear("say_what")
    return {"kind": "say", "text": text, **({"unit": seen.actor} if seen.actor else {})}


def whisper(rest: Rest, seen: Seen) -> Fields:
    if seen.speaks_as != "st":
        if not rest.raw:
            raise Unclear("whisper_what")
        return {"kind": "whisper", "text": unquoted(rest.raw)}
    if len(rest.words) < 2:
        raise Unclear("whisper_to")
    first = rest.words[0].text
    text = rest.raw.strip().lstrip('"“「')[len(first) :].lstrip(' :：,，"”」')
    return {"kind": "whisper", "to": seen.the_seat(first.rstrip(":：,，"), st=False), "text": unquoted(text)}


def roll(rest: Rest, seen: Seen) -> Fields:
    raw, seen = with_actor(rest.raw, seen)
    found = parts(rest_of(raw, seen).words, ("against",))
    if not raw:
        waiting = [(ask, u) for ask in seen.ids("a") for u in seen.of("a", ask, "units", ()) if u in seen.mine]
        waiting = [one for one in waiting if seen.actor in (None, one[1])]
        if not waiting:
            raise Unclear("roll_what")
        return {"kind": "roll", "unit": waiting[0][1], "ask": waiting[0][0]}
    unit = own_unit("", seen)
    fields = dice(found[""], seen, [unit])
    if "pool" not in fields:
        raise Unclear("roll_how_many")
    if "against" in found:
        foe = parts(found["against"], ("with",))
        fields["opposes"] = seen.the_unit(joined(foe[""]))
        if "with" in foe:
            fields["opposed_pool"] = dice(foe["with"], seen, [fields["opposes"]]).get("pool")
    return {"kind": "roll", "unit": unit, **fields}


def mix(rest: Rest, seen: Seen) -> Fields:
    text = unquoted(rest.raw)
    if not text:
        raise Unclear("mix_what")
    return {"kind": "mix_dice", "text": text}


DECLARES = ("declare", "react")

VERBS = (
    Verb(("attack", "攻击"), ACTION, DECLARES,
         "attack TARGET [with ABILITY] [slot=S] [pay=S] [mod=+N] [split 2/2/1 | split A 4, B with axe 3] [attaching A]",
         "attack somebody; in a window, with an ability that is immediate, as an interrupt", "attack zombie with sword",
         lambda rest, seen: declaration(seen, phrase("attack", rest.words))),
    Verb(("move", "移动"), ACTION, DECLARES, "move [METRES] [to PLACE] [pay=standard]",
         "move; pay=standard moves with a standard action", "move 8 to door",
         lambda rest, seen: declaration(seen, phrase("move", rest.words))),
    Verb(("use", "使用"), ACTION, DECLARES, "use ABILITY [on TARGET] [to PLACE] [attaching A, -, B]",
         "use an ability of yours; its bare name is enough: first aid on Kai; a Technique takes one attached ability a step",
         "use first aid on Kai",
         lambda rest, seen: declaration(seen, phrase("use", rest.words))),
    Verb(("cast", "施法"), ACTION, DECLARES, "cast ABILITY [at TARGET]",
         "cast an ability of yours", "cast spark at zombie",
         lambda rest, seen: declaration(seen, phrase("cast", rest.words))),
    Verb(("act", "do something", "行动"), ACTION, DECLARES, "act WHAT YOU DO [slot=standard] [kind=WORD]",
         "anything else, in words; the Storyteller says what comes of it", "act swing from the chandelier slot=move",
         lambda rest, seen: declaration(seen, phrase("act", rest.words))),
    Verb(("ready", "准备"), ACTION, ("ready",),
         'ready ACT when attacked | NAME attacks | an enemy moves | "words" [auto]',
         "hold an act back for a trigger; auto: it fires by itself", "ready attack zombie with bow when attacked",
         ready),
    Verb(("announce", "宣布"), ACTION, ("announce",), "announce N [NAME]",
         "several actions in this turn, said before the first; each has fewer dice", "announce 2", announce),
    Verb(("end", "end action", "结束"), ACTION, ("end_action",), "end [NAME]", "end your action", "end", end),
    Verb(("sustain", "keep concentration", "维持专注"), ACTION, ("sustain",), "sustain [NAME]",
         "keep your concentration up; first thing in your action, before you do anything else", "sustain",
         lambda rest, seen: {"kind": "sustain", "unit": own_unit(rest.raw, seen)}),
    Verb(("drop concentration", "放弃专注"), ACTION, ("drop_concentration",), "drop concentration [NAME]",
         "let your concentration go, at any time", "drop concentration",
         lambda rest, seen: {"kind": "drop_concentration", "unit": own_unit(rest.raw, seen)}),
    Verb(("leave fight", "flee"), ACTION, ("leave_fight",), "leave fight [NAME]", "take a unit out of the order",
         "leave fight Mira", leave),
    Verb(("react", "反应"), REACTION, ("react",), "react ACT [leaves]",
         "an immediate or reflexive action; leaves: it takes you out of the attack's area or reach",
         "react step aside leaves",
         react),
    Verb(("counter", "反制"), REACTION, DECLARES, "counter [WHOSE ACT] [with ABILITY]",
         "counter a waiting action with an ability that can", "counter zombie with dispel",
         lambda rest, seen: declaration(seen, phrase("counter", rest.words))),
    Verb(("drop prone", "prone", "伏地"), REACTION, ("react",), "drop prone",
         "drop to the ground, the immediate action that needs no ability", "drop prone",
         lambda rest, seen: declaration(seen, phrase("drop_prone", rest.words))),
    Verb(("fire", "发动"), REACTION, ("fire",), "fire [WHICH] [at TARGET] [leaves]", "use a readied action", "fire",
         fire),
    Verb(("pass", "p", "过", "放弃"), REACTION, ("pass",), "pass", "you have no answer to what is asked", "pass", pass_),
    Verb(("defend", "防御"), REACTION, ("defend",), "defend N [NAME] [attack=K]",
         "set N defence extra successes aside against the attack on top, the Kth of several", "defend 2", defend),
    Verb(("gain", "分配"), REACTION, ("split_gain",), "gain N [N ...]",
         "split extra successes gained midway over your attacks still to come", "gain 2 0", gain),
    Verb(("more time", "more", "加时"), REACTION, ("more_time",), "more time", "draw on your time bank", "more time",
         more_time),
    Verb(("withdraw",), REACTION, ("withdraw",), "withdraw",
         "take a declared action back, where the house rules let you",
         "withdraw", withdraw),
    Verb(("order", "orders", "standing orders", "预设"), WISHES, ("set_standing_order",),
         "order [KIND OF ACT] concerns me | ask | pass | unless target",
         "what the server answers for you; alone: show your orders", "order move pass", order),
    Verb(("default defence", "default defense"), WISHES, ("set_default_guard",), "default defence N",
         "defence extra successes set aside when you say nothing", "default defence 1", default_defence),
    Verb(("auto",), WISHES, ("set_readied_auto",), "auto [WHICH] on | off",
         "let a readied action fire by itself, or not",
         "auto on", auto),
    Verb(("take back", "undo", "收回"), WISHES, ("ask_take_back",), "take back [WHY]",
         "ask the Storyteller to undo your last act", "take back wrong target", take_back),
    Verb(("ask leave",), WISHES, ("ask_leave",), "ask leave [COMMAND] [because WHY]",
         "ask the Storyteller to let through what the rules refused, or for a scene or a fight; alone: the last refused",
         "ask leave move 30 to gate",
         ask_leave),
    Verb(("object to", "object", "反对"), WISHES, ("object_to_rule",), "object to RULE [because WHY]",
         "tell the Storyteller that you cannot accept a house rule; it stays on record",
         "object to enforce because we said strict", object_to_rule),
    Verb(("say", "说"), TALK, ("say",), "say TEXT", "speak to all; NAME: say TEXT lets a unit speak",
         "say behind you!", say),
    Verb(("whisper", "w", "密语"), TALK, ("whisper",), "whisper TEXT (the Storyteller: whisper SEAT TEXT)",
         "to the Storyteller alone, or from the Storyteller to one seat", "whisper Ann you hear steps", whisper),
    Verb(("roll", "检定"), TALK, ("roll",),
         "roll POOL [open|private|st] [dc N|none] [9-again|tn N] [for WHY] [against NAME with POOL]",
         "roll a pool; alone: answer the roll you were asked for", "roll DEX+Stealth+2 open dc 2 for sneaking", roll),
    Verb(("mix", "mix dice", "混入"), TALK, ("mix_dice",), "mix TEXT",
         "mix a word of yours into the dice of this scene, so that nobody can have chosen them", "mix 4711", mix),
)  # fmt: skip
