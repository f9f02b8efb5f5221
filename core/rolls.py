"""Rolls: a pool from a unit's sheet, thrown on the right stream, shown with how it came about (DICE-01 to DICE-07)."""

from dataclasses import replace

from core import bounds
from core import events as ev
from core.bounds import refuse_beyond
from core.commands import AskRoll, Roll, WithdrawAsk
from core.dice.pool import BEST_AGAIN, Throw, again_level, attribute_extras, with_extras
from core.dice.proof import MOST_DICE
from core.draft import Draft, owner, sees
from core.ids import ALL, ST, RequestId, UnitId
from core.seeds import next_origin
from core.state import House, Pending, Pool, RollAsk, Unit, Visibility

AGAIN_LEVELS = (10, 9, BEST_AGAIN)


def pool_parts(unit: Unit, pool: Pool, more: tuple[tuple[str, int], ...] = ()) -> tuple[tuple[str, int], ...]:
    """The pool's sources by name: Attributes, Skills, a fixed number, modifiers. What the unit lacks counts 0."""
    parts = [(name, unit.attributes.get(name, 0)) for name in pool.attributes]
    parts += [(name, unit.skills.get(name, 0)) for name in pool.skills]
    if pool.fixed is not None:
        parts.append(("fixed", pool.fixed))
    if pool.modifier:
        parts.append(("modifier", pool.modifier))
    return (*parts, *(part for part in more if part[1]))


def fewer(pending: Pending) -> tuple[tuple[str, int], ...]:
    """What an action's roll loses for being one of several (STY-03)."""
    return (("multiple_actions", -pending.fewer_dice),)


def extra_successes(unit: Unit, pool: Pool) -> int:
    """Those of the Attributes and Skills in the pool, and what the pool itself is given (DICE-04)."""
    from_attributes = sum(attribute_extras(unit.attributes.get(name, 0)) for name in pool.attributes)
    return pool.extra + from_attributes + sum(unit.extras.get(name, 0) for name in pool.skills)


def stream_of(visibility: Visibility, seat: str) -> str:
    """Secret rolls have streams of their own: a gap in the open counter would tell of them."""
    return {"open": "open", "st": "st", "roller": f"seat:{seat}"}[visibility]


def shown_to(d: Draft, unit: Unit, visibility: Visibility, at: Unit | None = None) -> Visibility:
    """What a unit rolls, or rolls `at` one, that not everybody may know of is no open roll: their count would show a gap."""
    if visibility == "open" and not all(sees(d.table, ALL, u) for u in (unit, at) if u is not None):
        return "st" if owner(d.table, unit.id) == ST else "roller"
    return visibility


def shown_against(d: Draft, by: Unit, visibility: Visibility) -> Visibility:
    """A roll against what somebody does whom not everybody may know of is the ST's alone: its reason would tell of him."""
    return visibility if sees(d.table, ALL, by) else "st"


def check_again(d: Draft, pool: Pool, unit: Unit, visibility: Visibility = "open", *, private: bool = False) -> None:
    """`private`: it is not rolled now, and whoever will roll it may keep it to himself until then."""
    if pool.again not in AGAIN_LEVELS:
        secret = shown_to(d, unit, visibility) != "open"
        d.objection("bad_again", unit.id, secret=secret, private=private, again=pool.again, accepted=list(AGAIN_LEVELS))


def check_size(d: Draft, unit: Unit, pool: Pool) -> None:
    """No more dice than one roll shows."""
    size = sum(n for _, n in pool_parts(unit, pool)) + pool.added
    if size > MOST_DICE:
        raise d.refuse("bad_value", size=size, least=0, most=MOST_DICE)


def make_roll(
    d: Draft,
    unit: Unit,
    pool: Pool,
    why: str,
    *,
    visibility: Visibility = "open",
    more: tuple[tuple[str, int], ...] = (),
    extra: int = 0,
    betters: int = 0,
    dc: int | None = None,
    pending: str | None = None,
    target: str | None = None,
    opposes: UnitId | None = None,
    eliminated: int = 0,
) -> Throw:
    """Throw a unit's pool and record the roll. `more`: further parts of the pool; `extra`, `betters`: of its extra successes
    and of the steps its again level is bettered by; `eliminated`: successes that an opponent's roll takes away."""
    seat = owner(d.table, unit.id)
    visibility = shown_to(d, unit, visibility, d.play.units.get(UnitId(target)) if target else None)
    origin = next_origin(d, stream_of(visibility, seat))
    parts = pool_parts(unit, pool, more)
    size = sum(n for _, n in parts)
    if pool.added and (size > 0 or pool.helps_chance):
        parts, size = (*parts, ("added", pool.added)), size + pool.added
    again = again_level(pool.again, pool.betters + betters)
    extra += extra_successes(unit, pool)
    opponent = d.play.units.get(UnitId(opposes or target or ""))
    thrown = d.rules.throw(d.house, d.world.dice.faces(origin), size, replace(pool, again=again, extra=extra), opponent)
    thrown = replace(thrown, successes=max(0, thrown.successes - eliminated))
    d.emit(
        ev.Rolled(
            unit=unit.id,
            seat=seat,
            why=why,
            visibility=visibility,
            stream=origin.stream,
            counter=origin.counter,
            parts=parts,
            size=max(1 if thrown.chance else 0, size),
            chance=thrown.chance,
            again=thrown.again,
            faces=thrown.faces,
            rolled=thrown.rolled,
            extra=extra,
            successes=thrown.successes,
            dramatic=thrown.dramatic,
            dc=dc,
            pending=pending,  # type: ignore[arg-type]
            target=target,
            seed=origin.seed,
            mixed=origin.mixed,
            opposes=opposes,
            target_number=thrown.target_number,
            ones=thrown.ones,
            botch=thrown.botch,
            eliminated=eliminated,
        )
    )
    return thrown


def lessened(thrown: Throw, less: int) -> int:
    """Successes left when some of the real ones are taken away; extra ones count only on what is left (DICE-03)."""
    return with_extras(thrown.rolled - less, thrown.extra)


# ------------------------------------------------------------------------------------------------------ rolls by command
def roll(d: Draft, c: Roll) -> None:
    """Anyone for a unit of his, in a fight or out of it; in answer to the ST's request with that request's pool."""
    unit = d.own_unit(c.unit)
    pool, visibility, dc, reason = c.pool, c.visibility, c.dc, c.reason
    if c.ask is not None:
        ask = d.table.asks.get(c.ask)
        if ask is None or unit.id not in ask.units:
            raise d.refuse("no_ask", unit=unit.id)
        pool, visibility, dc, reason = ask.pool, ask.visibility, ask.dc, ask.reason
        d.emit(ev.RollAnswered(ask.id, unit.id))
    elif visibility == "st" and not d.is_st:
        raise d.refuse("forbidden", visibility=visibility)
    check_again(d, pool, unit, visibility)
    check_size(d, unit, pool)
    eliminated = 0
    if c.opposes is not None:
        theirs = opponent_successes(d, c.opposes, c.opposed_pool or pool, visibility, reason, by=unit.id)
        dc, eliminated = d.rules.opposed(d.house, dc, theirs)
    make_roll(d, unit, pool, reason, visibility=visibility, dc=dc, opposes=c.opposes, eliminated=eliminated)


def opposed(house: House, theirs: int) -> tuple[int, int]:
    """The opponent's successes, extra ones included, are the DC, to be met or beaten (DICE-05); nothing is eliminated."""
    return theirs + (1 if house.opposed_tie == "defender" else 0), 0


def opponent_successes(
    d: Draft, opposes: UnitId, pool: Pool, visibility: Visibility, reason: str, *, by: UnitId
) -> int:
    opponent = d.own_unit(opposes)
    visibility = shown_against(d, d.known_unit(by), visibility)
    check_again(d, pool, opponent, visibility)
    check_size(d, opponent, pool)
    return make_roll(d, opponent, pool, reason, visibility=visibility, opposes=by).successes


def ask_roll(d: Draft, c: AskRoll) -> None:
    units = tuple(unit.id for unit in d.known_units(c.units))
    if not units:
        raise d.refuse("bad_value", units=[])
    if c.pool.again not in AGAIN_LEVELS:
        raise d.refuse("bad_again", again=c.pool.again, accepted=list(AGAIN_LEVELS))
    for id in units:
        check_size(d, d.known_unit(id), c.pool)
    refuse_beyond(d, "asks", len(d.table.asks), bounds.ASKS)
    d.emit(ev.RollAsked(RollAsk(RequestId(d.make()), units, c.pool, c.visibility, c.dc, c.reason)))


def withdraw_ask(d: Draft, c: WithdrawAsk) -> None:
    if c.ask not in d.table.asks:
        raise d.refuse("no_ask", id=c.ask)
    d.emit(ev.AskWithdrawn(c.ask, c.reason))
