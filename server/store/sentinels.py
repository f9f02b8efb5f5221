"""Connections that find the primary themselves: Sentinels are asked whenever one is made, and a silent server is left soon.

redis-py has a Sentinel client, which takes the word of the first Sentinel that answers: after a failover that may be one
that was cut off and names the old primary. Here the newest change of primary counts, and the server is asked its role.
"""

import asyncio
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection, Connection, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError, ReadOnlyError

from .address import Address, Place

LOOK_S = 0.5  # so long the answers of Sentinels, or of a cluster's servers, are waited for
GREETING_S = 0.5  # one that is there greets sooner; one that does not may have just failed


class Sentinels:
    """Asked anew for every connection; those that connect at the same moment share the answer."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._asking: asyncio.Task[Place] | None = None

    async def primary(self) -> Place:
        """Where the primary is now. redis-py's ConnectionError if no Sentinel knows."""
        asking = self._asking
        if asking is None or asking.done():
            asking = self._asking = asyncio.create_task(self._find(), name="ask the Sentinels")
        return await asyncio.shield(asking)

    async def _find(self) -> Place:
        """What the Sentinel says that has seen the newest change of primary."""
        told: list[tuple[int, Place]] = await answers([self._ask(place) for place in self._address.places])
        if not told:
            raise ConnectionError(f"no Sentinel tells where {self._address.name} is")
        _, place = max(told)
        return place

    async def _ask(self, place: Place) -> tuple[int, Place]:
        redis = Redis(
            host=place[0],
            port=place[1],
            password=self._address.sentinel_password,
            protocol=2,
            socket_timeout=LOOK_S,
            socket_connect_timeout=LOOK_S,
            retry=Retry(NoBackoff(), 0),
        )
        try:
            said = await redis.execute_command("SENTINEL", "MASTER", self._address.name)  # type: ignore[no-untyped-call]
        finally:
            await redis.aclose()
        found = {text(name): text(value) for name, value in zip(said[::2], said[1::2], strict=True)}
        return int(found["config-epoch"]), (found["ip"], int(found["port"]))


class _Greets(AbstractConnection):
    """A connection that is soon given up where nobody greets: another server may have taken over meanwhile."""

    async def on_connect_check_health(self, check_health: bool = True) -> None:
        try:
            async with asyncio.timeout(GREETING_S):
                await self._greet(check_health)
        except OSError as silent:
            raise ConnectionError("it does not greet") from silent

    async def _greet(self, check_health: bool) -> None:
        await super().on_connect_check_health(check_health)


class _AsksSentinels(_Greets):
    """A connection to whatever server is the primary when it is made."""

    def __init__(self, *, sentinels: Sentinels, **options: Any) -> None:
        super().__init__(**options)
        self._sentinels = sentinels

    async def _connect(self) -> None:
        self.host, self.port = await self._sentinels.primary()
        await super()._connect()  # type: ignore[safe-super, no-untyped-call]

    async def _greet(self, check_health: bool) -> None:
        await super()._greet(check_health)
        await self.send_command("ROLE")
        role = await self.read_response()
        if role[0] != b"master":
            raise ConnectionError("another server is about to become the primary")

    async def read_response(self, *args: Any, **options: Any) -> Any:
        try:
            return await super().read_response(*args, **options)
        except ReadOnlyError:
            await self.disconnect()
            raise ConnectionError("it is the primary no more") from None


class Primary(_AsksSentinels, Connection):
    pass


class PrimaryTls(_AsksSentinels, SSLConnection):
    pass


class Member(_Greets, Connection):
    pass


class MemberTls(_Greets, SSLConnection):
    pass


async def answers(asked: list[Any]) -> list[Any]:
    """What came of these within LOOK_S, without those that failed or did not answer (frozen, cut off)."""
    tasks = [asyncio.create_task(one) for one in asked]
    try:
        await asyncio.wait(tasks, timeout=LOOK_S)
    finally:
        late = [task for task in tasks if not task.done()]
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
    return [task.result() for task in tasks if not task.cancelled() and task.exception() is None]


def text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value or "")
