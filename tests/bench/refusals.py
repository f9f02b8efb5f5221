"""How long a player waits for the refusal of what is hidden, and of what is not there: command in, answer out, no wire."""

import statistics

from tests.secrecy.refused import measured
from tests.secrecy.still import still


def main() -> None:
    ratios = []
    with still():
        for name, hidden, nothing in measured():
            ratios.append(hidden / nothing)
            print(f"{name:<44} hidden {hidden:6.0f} us   not there {nothing:6.0f} us   {ratios[-1]:.3f}", flush=True)
    print(f"hidden / not there: median {statistics.median(ratios):.3f}, from {min(ratios):.3f} to {max(ratios):.3f}")


if __name__ == "__main__":
    main()
