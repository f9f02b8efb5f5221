"""A phone goes silent in its own action: the table sees it, the ST goes on, and the phone comes back to where it was."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from protocol.client import Table
from tests.end_to_end.conftest import House
from tests.helpers.servers import serving


@pytest.fixture
async def quick(tmp_path: Path) -> AsyncIterator[House]:
    """A server that misses a silent client soon."""
    async with AsyncExitStack() as stack:
        flags = ("--data-dir", str(tmp_path / "data"), "--heartbeat-s", "1")
        yield House(await stack.enter_async_context(serving(*flags)), tmp_path / "data", stack)


class Phone:
    """A process; `shows` waits until its screen shows something."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def shows(self, **wanted: Any) -> dict[str, Any]:
        assert self.process.stdout is not None
        async with asyncio.timeout(60):
            async for line in self.process.stdout:
                screen: dict[str, Any] = json.loads(line)
                if wanted.items() <= screen.items():
                    return screen
        raise AssertionError(f"the phone never showed {wanted}")

    def sleep(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def wake(self) -> None:
        self.process.send_signal(signal.SIGCONT)


def here(st: Table) -> set[str]:
    return {st.seats[seat] for seat in st.here}


async def test_the_st_sees_it_away_acts_for_it_and_it_resumes_in_one_step(quick: House) -> None:
    st = await quick.prepare(reaction_window_ms=0)
    bob = await quick.sit("Bob")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.helpers.phone", quick.invitations["Ann"], stdout=asyncio.subprocess.PIPE
    )
    phone = Phone(process)
    try:
        await phone.shows(active="Mira")
        await st.until(lambda t: here(t) == {"Ann", "Bob"})

        phone.sleep()
        await st.until(lambda t: here(t) == {"Bob"})
        ann = next(id for id, name in st.seats.items() if name == "Ann")
        await st.declare(st.units["Mira"], "move", slot="move", distance=4, position="door", as_seat=ann)
        await st.end_action(st.units["Mira"], as_seat=ann)
        await bob.until(lambda t: t.active is not None and t.active.name == "Goro")
        moved = [told for told in await bob.log(limit=20) if told.kind == "moved"]
        assert [told.by for told in moved] == [ann]  # the ST's hand does not show to players

        phone.wake()
        screen = await phone.shows(active="Goro", online=True)
        assert screen["position"] == "door"
        assert screen["snapshots"] == 0  # it was told what it had missed, nothing more
        await st.until(lambda t: here(t) == {"Ann", "Bob"})
    finally:
        process.kill()
        await process.wait()
