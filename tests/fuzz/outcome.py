"""What came of a batch, as a worker tells it."""

from dataclasses import dataclass, field

from tests.fuzz.frames import Frame


@dataclass
class Outcome:
    """`faults`: (what is wrong, what the frame was meant as, its hex, who sent it). `kinds`: of each command or question how
    often it was sent, done, refused. `held_ms`: the longest that one step of the server took, and the frame it was for.
    """

    seed: int
    frames: int = 0
    answered: int = 0
    closed: int = 0
    faults: list[tuple[str, str, str, str]] = field(default_factory=list)
    held_ms: float = 0.0
    held_by: tuple[str, str] = ("", "")
    aside_ms: float = 0.0
    kinds: dict[str, list[int]] = field(default_factory=dict)
    seconds: float = 0.0
    worker: int = 0
    rss_mb: float = 0.0

    def note_time(self, held_ms: float, frame: Frame) -> None:
        if held_ms > self.held_ms:
            self.held_ms, self.held_by = held_ms, (frame.label, frame.hex[:400])

    def add(self, other: "Outcome") -> None:
        """Another batch into the sum."""
        self.frames += other.frames
        self.answered += other.answered
        self.closed += other.closed
        self.faults += other.faults
        self.seconds += other.seconds
        self.aside_ms = max(self.aside_ms, other.aside_ms)
        if other.held_ms > self.held_ms:
            self.held_ms, self.held_by = other.held_ms, other.held_by
        for key, counts in other.kinds.items():
            self.kinds[key] = [a + b for a, b in zip(self.kinds.get(key, [0, 0, 0]), counts, strict=True)]
