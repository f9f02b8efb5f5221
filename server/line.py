"""The commands of one table that wait for their turn. Whoever's turn it is takes those behind him along.

So a table where many act at once is as fast as one where one does: bringing several commands to the disk takes no longer.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from server.asked import Asked
from server.replies import Reply
from server.store.problems import StoreError

MOST = 16
"""Of one group. Deciding so many takes about 10 ms, in which the first of them waits."""


@dataclass(eq=False, slots=True)
class Waiting:
    """One command, from its coming to its answer."""

    asked: Asked
    answer: Reply | None = None
    problem: StoreError | None = None

    def result(self) -> Reply | None:
        """The answer; None while there is none. Raises what befell the group that it was in."""
        if self.problem and self.answer is None:
            raise self.problem
        return self.answer


class Line:
    """First come, first served."""

    def __init__(self) -> None:
        self._waiting: list[Waiting] = []

    @contextmanager
    def stand(self, asked: Asked) -> Iterator[Waiting]:
        """A place in the line while this lasts."""
        one = Waiting(asked)
        self._waiting.append(one)
        try:
            yield one
        finally:
            self._waiting.remove(one)

    def group(self) -> list[Waiting]:
        """The first who has no answer, and whoever can be decided together with him.

        One command of each client: sent twice, the second one finds the first's answer when its own turn comes.
        """
        group: list[Waiting] = []
        clients: set[tuple[str, str]] = set()
        for one in self._waiting:
            if one.answer or one.problem:
                continue
            if group and one.asked.alone:
                break
            if author := one.asked.author:
                if (author.seat, author.client) in clients:
                    continue
                clients.add((author.seat, author.client))
            group.append(one)
            if len(group) == MOST:
                break
        return group
