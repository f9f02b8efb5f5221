"""A table at which much is done at once, by clients that write down what they live through; at the end it is checked."""

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import Any

from server.config import load_settings
from server.node import open_node
from server.seating import add_seat, make_table
from tests.faults.checker import Report, check
from tests.faults.history import History
from tests.faults.player import Player

ANSWERED_S = 30.0
TOLD_S = 15.0
MOST = 1200
"""Commands at one table: its streams keep 2,000 changes, and the last reader wants all of them."""
MARKER = {"name": "Marker", "on_stage": True, "side": "foes", "position": "=0"}


async def tables(url: str, count: int, *, weaker: bool = False) -> list[dict[str, str]]:
    """New tables on a store; of each the tokens by name."""
    settings = load_settings({"redis_url": url, "accept_weaker_durability": weaker})
    found = []
    async with open_node(settings) as rooms:
        for k in range(count):
            made = await make_table(rooms, f"table {k}")
            tokens = {"st": made.token}
            for name, role in (("Ann", "player"), ("Bob", "player"), ("Eve", "spectator")):
                tokens[name] = (await add_seat(rooms, made.table, name, role)).token  # type: ignore[arg-type]
            found.append(tokens)
    return found


class Unplayable(Exception):
    """The table cannot even be set up."""


class Evening:
    """`begin`, `play` for a while (again and again), `finish`: the report."""

    def __init__(
        self,
        tokens: dict[str, str],
        address: Callable[[], int],
        seed: int,
        *,
        rude: float = 0.05,
        lazy: float = 0.0,
        clock_ms: int = 400,
        drops: float = 0.02,
        padding: int = 0,
        patience: float = 1.0,
        pause_s: float = 0.004,
    ) -> None:
        self.history = History()
        self.chance = random.Random(seed)
        self.commands = 0
        self._tokens = tokens
        self._address = address
        self._rude, self._lazy, self._clock_ms, self._drops = rude, lazy, clock_ms, drops
        self._patience, self._padding, self._pause_s = patience, padding, pause_s
        self._players: dict[str, Player] = {}
        self._count = 0
        self._from = 0
        self._marker = ""

    @property
    def full(self) -> bool:
        return self.commands >= MOST

    @property
    def players(self) -> list[Player]:
        return list(self._players.values())

    def _sit(self, name: str, token: str, **options: Any) -> Player:
        seat = token.split(".")[1]
        audience = {"st": "st", "Eve": "all"}.get(name.split("-")[0], seat)
        # Clients of different seats have one and the same id: nobody's numbers are another's business.
        client = "phone" if "-" not in name else name.partition("-")[2]
        player = Player(
            self.history, token, audience, client, self._address, random.Random(self.chance.random()), **options
        )
        return player

    async def begin(self) -> None:
        """Everybody sits down; a fight begins in which the clock ends every action."""
        for name in ("st", "st-two", "Ann", "Ann-tablet", "Bob", "Eve", "Bob-tv"):
            # Where one who gives commands does not read, all wait for him and little happens: so that one does it less.
            lazy = {"Eve": 1.0, "Bob-tv": 1.0, "Ann-tablet": 0.1}.get(name, 0.0) * self._lazy
            token = self._tokens[name.split("-")[0]]
            self._players[name] = self._sit(name, token, rude=self._rude, lazy=lazy, happened=self._happened)
        await asyncio.gather(*(player.current() for player in self.players))
        st = self._players["st"]
        self._marker = (await self._must(st, "add_unit", unit=MARKER))["made"][0]
        if self._clock_ms:
            await self._must(st, "set_house", key="action_clock_ms", value=self._clock_ms)
        self._from = (await self._must(st, "start_fight"))["n"]

    async def _must(self, player: Player, kind: str, **fields: Any) -> dict[str, Any]:
        answer = await player.command(kind, **fields)
        if answer["t"] != "ack":
            raise Unplayable(f"{kind} was refused: {answer['code']}")
        return answer

    def _happened(self) -> int:
        return self._players["st"].n

    def _token(self) -> str:
        self._count += 1
        return f"<{self._count}>"

    async def play(self, commands: int) -> None:
        """So many commands, several at once, and a rewind after every forty. Returns when each has been answered."""
        while commands > 0:
            await self._bustle(min(commands, 40))
            commands -= 40
            await self._rewind()

    async def _bustle(self, commands: int) -> None:
        left = commands

        async def one(name: str) -> None:
            nonlocal left
            while left > 0:
                left -= 1
                self.commands += 1
                await self._act(self._players[name])
                if self.chance.random() < self._drops:
                    self.chance.choice(self.players).drop(forget=self.chance.random() < 0.2)
                await asyncio.sleep(self.chance.uniform(0, self._pause_s))

        await asyncio.gather(*(one(name) for name in ("st", "st", "st-two", "Ann", "Ann", "Ann-tablet", "Bob", "Bob")))

    async def _rewind(self) -> None:
        """Goes back a few changes. The clock may always be faster; then it is tried again, and in the end let be."""
        st = self._players["st"]
        for _ in range(3):
            self.commands += 1
            head = st.n
            to = max(self._from, head - self.chance.randint(1, 12))
            answer = await st.command("rewind", to=to, head=head, reason=self._token())
            if answer["t"] == "ack":
                return

    async def _act(self, player: Player) -> None:
        token = self._token()
        roll = self.chance.random()
        seen = player.n
        if player.rewound and self.chance.random() < 0.1:
            seen = max(0, player.rewound - self.chance.randint(-1, 3))
        if player.audience == "st":
            if roll < 0.7:
                was = player.state.get(f"u/{self._marker}/position")
                if roll < 0.12:
                    was = f"={self.chance.randrange(self._count)}"
                await player.command(
                    "set_value", unit=self._marker, path="position", value=f"={token[1:-1]}", was=was, reason=token,
                    seen=seen,
                )  # fmt: skip
            else:
                await player.command("narrate", text=token, seen=seen)
        elif roll < 0.1:
            await player.command("narrate", text=token)  # not his to do
        elif roll < 0.25:
            await player.command("whisper", text=token, seen=seen)
        else:
            await player.command("say", text=token + "." * self._padding, seen=seen)

    async def finish(self) -> Report:
        """The faults are over: everybody comes back, hears everything, and all of it is checked."""
        readers: list[Player] = []
        for player in self.players:
            player.lazy = 0.0
        try:
            try:
                async with asyncio.timeout(ANSWERED_S * self._patience):
                    st = self._players["st"]
                    ended = await st.command("end_fight")
                    readers = [
                        self._sit(f"{name}-last{k}", token, resume=resume, final=True)
                        for name, token in self._tokens.items()
                        for k, resume in enumerate((self._beginning(name), ("", 0)))
                    ]
                    await asyncio.gather(*(reader.current() for reader in readers))
                async with asyncio.timeout(TOLD_S * self._patience):
                    everybody = [*self.players, *readers]
                    if ended["t"] == "ack":  # a server may be late: what it says when it welcomes is not always all
                        await asyncio.gather(*(one.sees("t/fight", False) for one in everybody))
                    last = {
                        one.audience: max(o.n for o in everybody if o.audience == one.audience) for one in everybody
                    }
                    await asyncio.gather(*(one.reached(one.epoch, last[one.audience]) for one in everybody))
            except (TimeoutError, ConnectionAbortedError, Unplayable):
                pass  # the checker says what is missing
            self.history.calm()
        finally:
            await self.leave(readers)
        return check(self.history)

    def _beginning(self, name: str) -> tuple[str, int]:
        one = self._players[name]
        return one.epoch, max(0, one.n - 1900)

    async def leave(self, more: Sequence[Player] = ()) -> None:
        await asyncio.gather(*(player.close() for player in (*self.players, *more)))
