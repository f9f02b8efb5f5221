"""What can go wrong with a scenario. The text of each is for whoever wrote the file."""


class ScenarioProblem(Exception):
    """The file cannot be played. One plain sentence per line: where, what was found, what is accepted."""


class StepWrong(Exception):
    """A step did not go as the file says."""

    def __init__(self, step: str, what: str, expected: str, found: str) -> None:
        super().__init__(f"{step}: {what}: expected {expected}, found {found}")
        self.step = step
        self.what = what
        self.expected = expected
        self.found = found
