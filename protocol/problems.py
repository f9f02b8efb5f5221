"""What can go wrong for somebody who uses the SDK. The str of each is a sentence for people.

TableProblem
 +- Refused      the server said no; nothing was changed
 +- Unanswered   no answer in time (a TimeoutError); it may have been done, or not
 +- Closed       the conversation is over for good; `code` says why
"""

from collections.abc import Mapping
from typing import Any

from protocol import texts


class TableProblem(Exception):
    """Anything that a table's client raises."""


class Refused(TableProblem):
    """One refusal. `retry`: the same request may succeed a moment later."""

    def __init__(self, code: str, params: Mapping[str, Any], retry: bool = False, language: str = "en") -> None:
        super().__init__(code)
        self.code = code
        self.params = params
        self.retry = retry
        self.language = language

    def __str__(self) -> str:
        return texts.refusal(self.code, self.params, self.language)


class Unanswered(TableProblem, TimeoutError):
    """No answer came in time. A command may have been done all the same: the state will show it.

    `what`: which wait it was (texts "waits"); `reached`: whether there is a server at all.
    """

    def __init__(
        self, what: str, language: str = "en", gaps: Mapping[str, str] | None = None, *, reached: bool = True
    ) -> None:
        super().__init__(what)
        self.what, self.language, self.reached, self.gaps = what, language, reached, gaps or {}

    def __str__(self) -> str:
        return texts.word("waits", self.what, self.language).format(**self.gaps)


class Closed(TableProblem):
    """The table's client has ended. `code` is the close code, None when it was closed from this side."""

    def __init__(self, code: int | None, text: str) -> None:
        super().__init__(text)
        self.code = code
