"""What the log can say: every kind of line with its fields, and how a line is written into a DIFF and read back.

A line is [kind index, at_s, by, *fields], nils at its end cut away. `at_s`: whole seconds since the table was made;
`by`: a seat, "st", "" (the clock), or [st seat, seat] when an ST acted for a seat.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

# New kinds go to the end: an index, once given, keeps its meaning. "!" marks a unit ([id, name], or nil when its reader
# may not know which), "*" a list of units.
_TABLE = """
value_set            unit! path value was reason
said                 unit! text
whispered            to text
narrated             text
rolled               unit! why faces rolled extra successes chance dramatic dc size again counter target! \
                     visibility parts seed stream mixed outcome margin target_number ones botch eliminated
declared             unit! act slot ability targets* text pending parent noticed
carried_out          unit! act pending
failed               unit! act why pending
withdrawn            unit! act refunded reason pending
damaged              unit! track amount value source!
condition_gained     unit! condition reason
condition_lost       unit! condition reason
moved                unit! position distance
effect_started       unit! name rounds lasts
effect_ended         unit! name why
entered              unit!
left_stage           unit!
removed              name
hidden               unit!
revealed             unit!
unit_added           unit!
fight_started        units*
fight_ended          turns
joined               unit!
left                 unit!
reordered            units*
turn_ended           turn clock_s
action_began         unit! round
action_ended         unit! skipped timed_out
initiative_set       unit! initiative face
granted              unit! slots
taken                unit! slots
readied              unit! act words
readied_matched      unit! readied pending
readied_used         unit! act
readied_expired      unit! act
guard_promised       unit! n pending
guard_spent          unit! n
area_left            unit! pending
passed               seat window
window_closed        window reason
held                 next
released
rewound              to_n reason
edited               pending unit! targets* fled* guards
flagged              code leave unit!
fault                pending error
house_set            key value was
seat_added           seat name role
seat_removed         name
owner_set            unit! seat
notes_set
roll_asked           units* reason dc visibility ask
request_made         request kind seat text code
request_answered     request seat yes text
unnoticed            unit! act ability targets*
debt_owed            unit! debt
table_made           name
seed_committed       seed open secret
seed_revealed        seed open secret
dice_mixed           seat text
extras_gained        unit! n
task_started         unit! name dc interval_s within_s task target_number target! teamwork botch_ends
task_rolled          unit! name successes total dc mistakes task target! gained theirs
task_at_risk         unit! name mistakes dc task
task_set_aside       unit! name lost total reason task
task_edited          unit! name reason task
task_done            unit! name task total target! theirs
task_failed          unit! name why reason total dc task target! theirs
concentrates         unit! ability
sustains             unit! ability
concentration_ended  unit! ability why
scene_changed        scene reason counts key_point
scene_doubted        why key_point scene
prebuff_allowed      on
film_entered         name number world
film_left            name world
world_set            world
attached             unit! act abilities pending
step_done            unit! act step steps next targets* pending
rule_objected        key value text
clock_set            seconds pending
restacked            units*
ask_withdrawn        units* reason ask
announced            unit! n
task_botched         unit! name task
table_brought        name
seed_left            seed
history_lost         count first last acts
seen_lost            seat first last
time_given           name percent
invitation_renewed   seat lasts_s
invitation_revoked   seat
role_set             seat name role was
seat_lent            seat to lasts_s
loan_ended           seat to
keeping_noted        what text
"""

MARKED: dict[str, tuple[str, ...]] = {row.split()[0]: tuple(row.split()[1:]) for row in _TABLE.strip().splitlines()}

KINDS: Mapping[str, tuple[str, ...]] = {
    kind: tuple(name.rstrip("!*") for name in names) for kind, names in MARKED.items()
}
"""Every kind of line, in the order of its index, with the names of its fields."""

NAMES: tuple[str, ...] = tuple(KINDS)
INDEX: Mapping[str, int] = {kind: index for index, kind in enumerate(NAMES)}

UNKNOWN = "unknown"
"""The kind of a line that only a newer server knows. Its fields are named "0", "1", ..."""

LASTING = frozenset(
    "said whispered narrated request_made request_answered rule_objected house_set seat_added seat_removed owner_set "
    "notes_set roll_asked ask_withdrawn table_made table_brought rewound "
    "history_lost seen_lost time_given "
    "invitation_renewed invitation_revoked role_set seat_lent loan_ended keeping_noted".split()
)
"""Kinds of lines that tell of what no rewind undoes: what was said, asked and answered, and how the table is set up."""
NOT_A_VALUE = frozenset(
    {"conditions", "secret", "spent", "left", "readied", "round", "immediates", "guard", "debts", "owner"}
)
"""What changes of a unit by rules, in lines of their own."""

By = str | tuple[str, str]


class Named(NamedTuple):
    """A unit as the log names it: its id, and the name it had then."""

    id: str
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened. `line["unit"]` is a field's value, None where it was left out or may not be known."""

    kind: str
    at_s: int
    by: By
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def get(self, name: str, default: Any = None) -> Any:
        value = self.fields.get(name)
        return default if value is None else value


def pack(kind: str, at_s: int, by: By, args: Sequence[Any] = ()) -> list[Any]:
    """A line as the wire has it. Raises KeyError for a kind not in the table, ValueError for too many fields."""
    names = KINDS[kind]
    if len(args) > len(names):
        raise ValueError(f"{kind} has {len(names)} fields ({', '.join(names)}), not {len(args)}")
    end = len(args)
    while end and args[end - 1] is None:
        end -= 1
    return [INDEX[kind], at_s, by, *args[:end]]


def pack_fields(line: Line) -> list[Any]:
    """The same from named fields."""
    return pack(line.kind, line.at_s, line.by, [line.fields.get(name) for name in KINDS[line.kind]])


def unpack(packed: Sequence[Any]) -> Line:
    """A line with its fields by name; fields that were cut are None. Raises ValueError when it is no line at all."""
    if len(packed) < 3 or type(packed[0]) is not int or type(packed[1]) is not int or packed[0] < 0:
        raise ValueError("a log line is [kind index, seconds, by, ...]")
    index, at_s, by, *args = packed
    if index >= len(NAMES):
        return Line(UNKNOWN, at_s, _by(by), {str(k): value for k, value in enumerate(args)})
    kind = NAMES[index]
    marked = MARKED[kind]
    # More fields than we know come from a newer server; less were cut.
    args = [*args[: len(marked)], *[None] * (len(marked) - len(args))]
    fields = {name.rstrip("!*"): _read(name, value) for name, value in zip(marked, args, strict=True)}
    return Line(kind, at_s, _by(by), fields)


def values_set(
    line: Line, ops: Sequence[Sequence[Any]], known: Mapping[str, Any], names: Mapping[str, Any] | None = None
) -> Iterator[Line]:
    """`value_set` without fields says only who did it: what was set stands in the same patch's ops, a line for each.

    `known`: the values before it by path, as far as one has them; `names`: where a unit's name is looked up, if not there.
    """
    for path, *value in ops:
        area, _, rest = path.partition("/")
        unit, _, name = rest.partition("/")
        if area == "u" and name and name not in NOT_A_VALUE:
            called = known.get(f"u/{unit}/name") or (names or {}).get(f"u/{unit}/name", "")
            values = (Named(unit, str(called)), name, value[0] if value else None, known.get(path), None)
            yield Line(line.kind, line.at_s, line.by, dict(zip(KINDS[line.kind], values, strict=True)))


def each_value(
    line: Sequence[Any], ops: Sequence[Sequence[Any]], known: Mapping[str, Any], names: Mapping[str, Any]
) -> list[Any]:
    """A packed `value_set` as one line for each value of a unit that was set; itself where none was."""
    return [pack_fields(one) for one in values_set(unpack(line), ops, known, names)] or [line]


def _by(value: Any) -> By:
    if isinstance(value, (list, tuple)) and len(value) == 2 and all(isinstance(one, str) for one in value):
        return value[0], value[1]
    return value if isinstance(value, str) else ""


def _read(marked: str, value: Any) -> Any:
    if marked.endswith("!"):
        return _named(value)
    if marked.endswith("*"):
        return tuple(_named(one) for one in value) if isinstance(value, (list, tuple)) else ()
    return value


def _named(value: Any) -> Named | None:
    if isinstance(value, (list, tuple)) and len(value) == 2 and all(isinstance(one, str) for one in value):
        return Named(value[0], value[1])
    return None
