"""What a player and a Storyteller see in the middle of a fight: made by the real rules, so it cannot drift from them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core import commands as cmd
from core.ids import SeatId
from core.state import Ability, Applied, Pool, Seat, Trigger
from server.cli.terminal.seen import Seen
from tests.helpers.play import Game, attack, make_act, step_aside


class Evening:
    """Ann plays Mira, Bob plays Kai; two zombies and a ghoul off stage are the ST's."""

    def __init__(self, names: tuple[str, ...] = ("Mira", "Kai", "Zombie", "Zombie 2"), **house: Any) -> None:
        self.game = game = Game(dice=[3] * 200, players=("ann", "bob"), **house)
        seats = {SeatId(id): Seat(SeatId(id), id.capitalize(), "player") for id in ("ann", "bob")}
        game.table = replace(game.table, seats={**game.table.seats, **seats})
        bless = Ability("bless", slots=("swift",), applies=(Applied("blessed", rounds=3, to="self"),))
        dispel = Ability("dispel", slots=("immediate",), counters=True)
        mine = [attack("sword"), attack("bow", act="ranged_attack"), step_aside(), dispel, bless]
        mine += [Ability("first aid", needs_target=True), Ability("spark", "cast", needs_target=True)]
        sheet: dict[str, Any] = {
            "attributes": {"DEX": 3, "PER": 2},
            "skills": {"Stealth": 2, "Brawl": 1},
            "extras": {"defense": 3},
        }
        self.mira = game.unit(names[0], "ann", initiative=20, abilities=mine, **sheet)
        self.kai = game.unit(names[1], "bob", initiative=15, abilities=[attack("axe"), step_aside()])
        self.zombie = game.unit(names[2], initiative=12, abilities=[attack("claw"), attack("bite")])
        self.other = game.unit(names[3], initiative=8, abilities=[attack("claw")])
        self.ghoul = game.unit("Ghoul", initiative=5, on_stage=False)
        game.start(self.mira, self.kai, self.zombie, self.other)

    def bless(self) -> None:
        self.game.declare(self.mira, "use", "swift", ability="bless")
        self.game.pass_all()

    def zombie_attacks(self, *, readied: bool = False) -> "Evening":
        """Mira has readied her bow for it if wanted; Zombie attacks Mira, and everybody is asked."""
        game = self.game
        if readied:
            self.mira_readies()
        game.end(self.mira)
        game.end(self.kai)
        game.declare(self.zombie, ability="claw", targets=[self.mira])
        return self

    def mira_readies(self) -> None:
        shot = make_act("ranged_attack", "standard", ability="bow")
        self.game.do(cmd.Ready(self.mira, shot, Trigger(act="attack")), "ann")

    def kai_answers(self) -> None:
        self.game.react(self.kai, "step aside", window=self.game.window)

    def writes_a_novel(self) -> None:
        self.game.do(cmd.StartTask(self.mira, "novel", Pool(("PER",), modifier=1), 15, 86_400, 2_592_000), "ann")

    def everybody_wants_to_be_asked(self) -> None:
        for seat in ("ann", "bob", "st"):
            self.game.do(cmd.SetStandingOrder("*", "ask"), seat)

    def bob_passes(self) -> None:
        window = self.game.window
        self.game.do(cmd.Pass(window.id, window.gen), "bob")

    def hold(self) -> None:
        self.game.do(cmd.Hold())

    def requests(self) -> None:
        self.game.do(cmd.AskTakeBack(), "ann")

    def a_roll_is_asked(self) -> None:
        self.game.do(cmd.AskRoll((self.mira,), Pool(("PER",)), reason="something moves"))

    def leave_for_an_attack(self) -> None:
        """Bob asks leave to let Kai attack out of turn."""
        act = {"kind": "attack", "slot": "standard", "ability": "axe", "targets": [self.zombie]}
        inner = cmd.Declare(self.kai, make_act("attack", "standard", ability="axe", targets=(self.zombie,)))
        self.game.do(cmd.AskLeave(inner, {"kind": "declare", "unit": self.kai, "act": act}), "bob")

    def seen(self, who: str = "ann", **more: Any) -> Seen:
        role = "st" if who == "st" else "player"
        state: Mapping[str, Any] = self.game.seen(who)
        return Seen(state, role, "x1" if who == "st" else who, n=self.game.version, **more)  # type: ignore[arg-type]
