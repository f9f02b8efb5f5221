"""What each audience sees of one whole table, path by path. Clients are built on these words and numbers."""

from typing import Any

from core.ids import ALL, ST, EffectId, PendingId, ReadiedId, RequestId, SeatId, TaskId, UnitId, WindowId
from core.state import (
    Ability,
    Act,
    Budget,
    Clock,
    Concentration,
    Duration,
    Effect,
    Fight,
    Film,
    House,
    Objection,
    Orders,
    Pending,
    Play,
    Pool,
    Readied,
    Request,
    RollAsk,
    Seat,
    Seeds,
    Setting,
    Strike,
    Table,
    Task,
    Track,
    Trigger,
    Unit,
    Window,
    WorldClock,
)
from core.view import audiences, view

P1, P2 = SeatId("p1"), SeatId("p2")
MIRA, RAT, WRAITH = UnitId("mira"), UnitId("rat"), UnitId("wraith")
BLOW, TWO, HUSH = PendingId("k1"), PendingId("k2"), PendingId("k3")

UNITS = {
    MIRA: Unit(
        MIRA,
        "Mira",
        side="pc",
        number=1,
        on_stage=True,
        initiative=17,
        initiative_bonus=2,
        tracks={"hp": Track(6, 10), "luck": Track(3)},
        base=1,
        dodge=2,
        parry=3,
        takes_away=4,
        absorbs=5,
        attributes={"STR": 3, "DEX": 4},
        skills={"swords": 2},
        extras={"swords": 1},
        bonus={"swift": 1},
        abilities={"sword": Ability("sword", "melee_attack", attacks=2)},
        speed=9,
        position="door",
        conditions={"prone": False, "marked": True},
        notes="hates rats",
    ),
    RAT: Unit(RAT, "Rat", side="foe", number=2, on_stage=True, tracks={"hp": Track(4, 10)}),
    WRAITH: Unit(WRAITH, "Wraith", side="foe", number=3, on_stage=True, hidden=True),
}
BUDGET = Budget(
    MIRA,
    round=2,
    left={"standard": 1, "move": 0},
    spent=("swift", "move"),
    immediates=3,
    guard=4,
    debts=("all_swift",),
    gained=5,
    legendary=1,
    base_less=2,
    all_out=True,
    announced=2,
)
SWORD = Act(
    "melee_attack",
    "standard",
    ability="sword",
    targets=(RAT, WRAITH),
    counters=TWO,
    distance=7,
    position="well",
    text="hah",
    split=(Strike(RAT, "sword", 1), Strike(RAT, "sword", 2), Strike(WRAITH, "sword", 0)),
    attached=("edge",),
)
PENDINGS = {
    BLOW: Pending(
        BLOW,
        MIRA,
        SWORD,
        WindowId("w1"),
        parent=TWO,
        guards={RAT: 2, MIRA: 1},
        fled=(RAT, WRAITH),
        due=(ReadiedId("r1"),),
    ),
    TWO: Pending(
        TWO,
        RAT,
        Act("use", "full_round", ability="bite", targets=(MIRA,)),
        WindowId("w2"),
        technique="frenzy",
        step=2,
        to_come=(Act("move", "move", targets=(MIRA, WRAITH)),),
        gained=3,
        fewer_dice=4,
    ),
    HUSH: Pending(
        HUSH, WRAITH, Act("use", "free", ability="wail", text="oo", position="attic"), WindowId("w3"), noticed=True
    ),
}
WINDOWS = {
    WindowId("w1"): Window(WindowId("w1"), BLOW, gen=2, asked=(P2, ST), passed=(P2,), clock=Clock(True, 100, 900)),
    WindowId("w2"): Window(WindowId("w2"), TWO, kind="defence", asked=(P1,), clock=Clock(False, 50, 300)),
    WindowId("w3"): Window(WindowId("w3"), HUSH, kind="gain"),
}
TABLE = Table(
    name="Thursday",
    created=1000,
    practice=True,
    seats={P1: Seat(P1, "Ann", "player"), P2: Seat(P2, "Bo", "player"), SeatId("x1"): Seat(SeatId("x1"), "Cy", "st")},
    owners={MIRA: P1},
    orders={P1: Orders(P1, {"use": "pass", "move": "ask"}, guard=3)},
    requests={RequestId("q1"): Request(RequestId("q1"), P1, "allow", "please", wire={"t": "declare"}, code="too_far")},
    asks={RequestId("a1"): RollAsk(RequestId("a1"), (MIRA, RAT), Pool(fixed=2), "roller", 4, "climb")},
    objections={"p1:edition": Objection(P1, "Ann", "edition", "current", "no")},
    seeds=Seeds(4, 0, "aa", "bb", {P1: "rain"}),
    notes="the end is near",
    play=Play(
        units=UNITS,
        budgets={MIRA: BUDGET},
        effects={
            EffectId("e1"): Effect(EffectId("e1"), "trip", RAT, MIRA, "prone", unit=MIRA, nth=5),
            EffectId("e2"): Effect(
                EffectId("e2"), "curse", WRAITH, MIRA, "cursed", at=70, lasts=Duration(3, "hour"), waits=True
            ),
            EffectId("e3"): Effect(
                EffectId("e3"), "mark", RAT, MIRA, "marked", secret=True, lasts=Duration(1, "day", True)
            ),
        },
        concentrations={MIRA: Concentration(MIRA, "glow", "swift", round=2)},
        pendings=PENDINGS,
        windows=WINDOWS,
        readied={
            ReadiedId("r1"): Readied(
                ReadiedId("r1"), MIRA, Act("move", "move"), Trigger("move", side="foe"), "when it runs", True
            )
        },
        tasks={
            TaskId("x1"): Task(
                TaskId("x1"),
                MIRA,
                "pick",
                Pool(fixed=3),
                6,
                since=10,
                interval_s=60,
                deadline=700,
                in_one_go=True,
                visibility="open",
                successes=2,
                mistakes=5,
                rolls=3,
                aside=True,
            ),
            TaskId("x2"): Task(TaskId("x2"), RAT, "dig", Pool(fixed=1), 4, state="failed", why="deadline"),
        },
        banks={P1: 4000},
        stack=(BLOW, TWO, HUSH),
        fight=Fight((MIRA, RAT, WRAITH), turn=3, active=WRAITH, deadline=5000, left=600, counts=False),
        clock_s=77,
        scene=5,
        setting=Setting("Arkham", {"Arkham": WorldClock(3600, 5, None, 9, 12)}, Film("Dagon", 2), films=2),
        prebuff=True,
        held=True,
        hold_next=True,
    ),
    house=House(extended_mistakes="on"),
)


def part(audience: str, *letters: str) -> dict[str, object]:
    return {path: value for path, value in view(TABLE, audience).items() if path.partition("/")[0] in letters}


PUBLIC = {
    "t/name": "Thursday",
    "t/created": 1000,
    "t/practice": True,
    "t/held": True,
    "t/clock": 77,
    "t/scene": 5,
    "t/dice": {"seed": 4, "open": "aa", "secret": "bb", "mixed": {"p1": "rain"}},
    "t/world": {"name": "Arkham", "day": 3600, "sunrise": 5, "phase": 9, "calendar": 12},
    "t/film": {"name": "Dagon", "number": 2},
    "t/prebuff": True,
    "t/stack": [BLOW, TWO, HUSH],
    "t/fight": True,
    "t/order": [MIRA, RAT],
    "t/turn": 3,
    "t/active": None,
    "t/action_deadline": 5000,
    "t/action_left": 600,
    "t/slots": ["standard", "move", "swift", "free", "full_round", "full_turn", "immediate", "anytime"],
    "t/answer_slot": "immediate",
}


def test_there_is_an_audience_for_each_player_all_sts_and_all_spectators():
    assert audiences(TABLE) == [ST, ALL, P1, P2]


def test_of_the_table():
    for audience in (ALL, P1, P2):
        assert part(audience, "t") == PUBLIC
    assert part(ST, "t") == PUBLIC | {
        "t/order": [MIRA, RAT, WRAITH],
        "t/active": WRAITH,
        "t/hold_next": True,
        "t/counts": False,
        "t/notes": "the end is near",
    }


def test_of_the_seats():
    players = {"s/p1": {"name": "Ann", "role": "player"}, "s/p2": {"name": "Bo", "role": "player"}}
    assert part(P2, "s") == part(ALL, "s") == players
    assert part(ST, "s") == players | {"s/x1": {"name": "Cy", "role": "st"}}


# ------------------------------------------------------------------------------------------------------------ the units
MIRA_TO_ALL = {
    "u/mira/name": "Mira",
    "u/mira/side": "pc",
    "u/mira/owner": "p1",
    "u/mira/position": "door",
    "u/mira/conditions": ["prone"],
    "u/mira/spent": ["move", "swift"],
    "u/mira/concentrating": True,
    "u/mira/readied": True,
}
MIRA_TO_HER_OWN = {
    "u/mira/hp": 6,
    "u/mira/hp_max": 10,
    "u/mira/luck": 3,
    "u/mira/luck_max": None,
    "u/mira/base": 1,
    "u/mira/dodge": 2,
    "u/mira/parry": 3,
    "u/mira/speed": 9,
    "u/mira/initiative": 17,
    "u/mira/initiative_bonus": 2,
    "u/mira/takes_away": 4,
    "u/mira/absorbs": 5,
    "u/mira/attributes": {"DEX": 4, "STR": 3},
    "u/mira/skills": {"swords": 2},
    "u/mira/extras": {"swords": 1},
    "u/mira/bonus": {"swift": 1},
    "u/mira/abilities": {"sword": {"name": "sword", "act": "melee_attack", "attacks": 2}},
    "u/mira/on_stage": True,
    "u/mira/hidden": False,
    "u/mira/left": {"move": 0, "standard": 1},
    "u/mira/round": 2,
    "u/mira/immediates": 3,
    "u/mira/guard": 4,
    "u/mira/gained": 5,
    "u/mira/legendary": 1,
    "u/mira/base_less": 2,
    "u/mira/all_out": True,
    "u/mira/announced": 2,
    "u/mira/debts": ["all_swift"],
    "u/mira/concentration": {"ability": "glow", "cost": "swift", "due": False},
}
RAT_TO_ALL = {
    "u/rat/name": "Rat",
    "u/rat/side": "foe",
    "u/rat/owner": ST,
    "u/rat/position": "",
    "u/rat/conditions": [],
    "u/rat/spent": [],
    "u/rat/concentrating": False,
    "u/rat/readied": False,
}


def test_of_a_unit_its_owner_sees_the_sheet_and_all_others_what_anybody_would():
    assert part(P1, "u") == MIRA_TO_ALL | MIRA_TO_HER_OWN | RAT_TO_ALL | {"u/rat/hp": "badly_hurt"}
    assert part(P2, "u") == MIRA_TO_ALL | RAT_TO_ALL | {"u/mira/hp": "hurt", "u/rat/hp": "badly_hurt"}


def test_of_a_unit_the_st_sees_all():
    seen = part(ST, "u")
    of_mira = {path: value for path, value in seen.items() if path.startswith("u/mira/")}
    st_alone = {"u/mira/number": 1, "u/mira/notes": "hates rats", "u/mira/secret": ["marked"]}
    assert of_mira == MIRA_TO_ALL | MIRA_TO_HER_OWN | st_alone
    assert (seen["u/wraith/hidden"], seen["u/wraith/number"]) == (True, 3)


# ------------------------------------------------------------------------------------------------------------ the stack
BLOW_TO_ALL = {
    "actor": MIRA,
    "kind": "melee_attack",
    "slot": "standard",
    "ability": "sword",
    "targets": [RAT],
    "attacks": [{"target": RAT, "weapon": "sword"}] * 2,
    "counters": TWO,
    "text": "hah",
    "state": "waiting",
    "window": "w1",
    "parent": TWO,
    "position": "well",
    "distance": 7,
    "fled": [RAT],
}
FRENZY_TO_ALL = {
    "actor": RAT,
    "kind": "use",
    "slot": "full_round",
    "ability": "bite",
    "targets": [MIRA],
    "technique": "frenzy",
    "step": 2,
    "steps": 3,
    "fewer_dice": 4,
    "to_come": [{"kind": "move", "targets": [MIRA]}],
    "state": "waiting",
    "window": "w2",
}
STACK_TO_ALL: dict[str, Any] = {
    "k/k1": BLOW_TO_ALL,
    "k/k2": FRENZY_TO_ALL,
    "k/k3": {"actor": None, "kind": "use", "slot": "free", "state": "waiting", "window": "w3"},
    "w/w1": {"pending": BLOW, "gen": 2, "kind": "before", "deadline": 900},
    "w/w2": {"pending": TWO, "gen": 1, "kind": "defence", "left": 300},
    "w/w3": {"pending": HUSH, "gen": 1, "kind": "gain", "covered": True},
}


def test_of_the_stack_spectators_see_what_is_done_and_not_who_hides_behind_it():
    assert part(ALL, "k", "w") == STACK_TO_ALL


def test_of_the_stack_a_seat_sees_its_own_secrets_and_what_it_is_asked():
    assert part(P2, "k", "w") == STACK_TO_ALL | {"w/w1/me": {"asked": True, "passed": True, "order_passes": True}}
    attacks = [{"target": RAT, "weapon": "sword", "extra": 1}, {"target": RAT, "weapon": "sword", "extra": 2}]
    assert part(P1, "k", "w") == STACK_TO_ALL | {
        "k/k1": BLOW_TO_ALL | {"attacks": attacks},
        "k/k1/guards": {MIRA: 1},
        "k/k1/due": ["r1"],
        "k/k1/attached": [["edge"]],
        "w/w2/me": {"asked": True, "passed": False, "order_passes": True},
    }


def test_of_the_stack_the_st_sees_all():
    attacks = [
        {"target": RAT, "weapon": "sword", "extra": 1},
        {"target": RAT, "weapon": "sword", "extra": 2},
        {"target": WRAITH, "weapon": "sword", "extra": 0},
    ]
    blow = BLOW_TO_ALL | {"targets": [RAT, WRAITH], "attacks": attacks, "fled": [RAT, WRAITH]}
    frenzy = FRENZY_TO_ALL | {"to_come": [{"kind": "move", "targets": [MIRA, WRAITH]}]}
    wail = {"actor": WRAITH, "ability": "wail", "text": "oo", "position": "attic"}
    assert part(ST, "k", "w") == STACK_TO_ALL | {
        "k/k1": blow,
        "k/k2": frenzy,
        "k/k3": STACK_TO_ALL["k/k3"] | wail,
        "k/k1/guards": {MIRA: 1, RAT: 2},
        "k/k1/due": ["r1"],
        "k/k1/attached": [["edge"]],
        "k/k2/gained": 3,
        "w/w1/me": {"asked": True, "passed": False, "order_passes": False},
        "w/w1/asked": [P2, ST],
        "w/w1/passed": [P2],
        "w/w1/floor": 100,
        "w/w2/asked": [P1],
        "w/w2/passed": [],
        "w/w2/floor": 50,
        "w/w3/asked": [],
        "w/w3/passed": [],
    }


# --------------------------------------------------------------------------------------------- what is held back, lasts
def test_of_what_is_readied_and_whose_it_is():
    act = {"kind": "move", "slot": "move"}
    trigger = {"act": "move", "side": "foe"}
    face = {"unit": MIRA, "act": act, "trigger": trigger, "words": "when it runs", "auto": True, "state": "armed"}
    assert part(P1, "r") == part(ST, "r") == {"r/r1": face}
    assert part(P2, "r") == part(ALL, "r") == {}


def test_of_effects_and_who_made_them():
    trip = {"name": "trip", "on": MIRA, "condition": "prone", "by": RAT, "rounds": 3}
    curse = {"name": "cursed", "on": MIRA, "condition": "cursed", "at": 70, "waits": True, "lasts": [3, "hour"]}
    assert part(P1, "e") == part(ALL, "e") == {"e/e1": trip, "e/e2": curse}
    mark = {"name": "mark", "on": MIRA, "condition": "marked", "by": RAT, "lasts": [1, "own_day"]}
    assert part(ST, "e") == {"e/e1": trip, "e/e2": curse | {"name": "curse", "by": WRAITH}, "e/e3": mark}


def test_of_tasks_and_their_mistakes():
    pick = {
        "unit": MIRA,
        "name": "pick",
        "state": "open",
        "successes": 2,
        "dc": 6,
        "rolls": 3,
        "interval": 60,
        "next": 70,
        "deadline": 700,
        "in_one_go": True,
        "aside": True,
    }
    dig = {"unit": RAT, "name": "dig", "state": "failed", "why": "deadline", "successes": 0, "dc": 4, "rolls": 0}
    assert part(P2, "x") == part(ALL, "x") == {"x/x1": pick, "x/x2": dig}
    own = {"pool": {"fixed": 3}, "mistakes": 5, "at_risk": True}
    assert part(P1, "x") == {"x/x1": pick | own, "x/x2": dig}
    assert part(ST, "x") == {"x/x1": pick | own, "x/x2": dig | {"pool": {"fixed": 1}, "mistakes": 0}}


# -------------------------------------------------------------------------------------------------- what a seat asks for
def test_of_what_a_seat_wishes():
    assert part(P1, "m") == {"m/orders": {"move": "ask", "use": "pass"}, "m/guard": 3, "m/bank": 4000}
    assert part(P2, "m") == {"m/orders": {}, "m/guard": 0, "m/bank": 20000}
    assert part(ALL, "m") == {}
    assert part(ST, "b") == {"b/p1": {"bank": 4000, "percent": 100}, "b/p2": {"bank": 20000, "percent": 100}}
    assert part(P1, "b") == part(ALL, "b") == {}


def test_of_what_a_seat_asks_for_and_is_asked():
    request = {"seat": P1, "kind": "allow", "text": "please", "code": "too_far", "command": {"t": "declare"}}
    objection = {"seat": P1, "name": "Ann", "key": "edition", "value": "current", "text": "no"}
    ask = {"units": [MIRA], "pool": {"fixed": 2}, "visibility": "roller", "dc": 4, "reason": "climb"}
    assert part(P1, "q", "o", "a") == {"q/q1": request, "o/p1:edition": objection, "a/a1": ask}
    assert part(ST, "q", "o", "a") == {"q/q1": request, "o/p1:edition": objection, "a/a1": ask | {"units": [MIRA, RAT]}}
    assert part(P2, "q", "o", "a") == part(ALL, "q", "o", "a") == {}
