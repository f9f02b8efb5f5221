"""`make rules`: one line for every rule of the catalogue: its tests, its worked cases, whether they pass.

    python -m tests.rules.report            all of them
    python -m tests.rules.report ACT DICE   some chapters

A test proves a rule by `@pytest.mark.rule("ACT-03")` and a worked case by `@pytest.mark.case("ACT-03.2")`, the second of
that rule's cases in catalogue.yaml. A rule, or a case, that no passing test proves makes this fail.
"""

import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

CATALOGUE = Path(__file__).parent / "catalogue.yaml"
TESTS = Path(__file__).parent.parent


@dataclass(eq=False)  # pytest keeps plugins in a set
class Proofs:
    """A pytest plugin: which tests bear which marks, and how they ended."""

    rules: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    cases: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    failed: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Only what proves a rule is run."""
        for item in items:
            for mark in item.iter_markers("rule"):
                for rule in mark.args:
                    self.rules[rule].add(item.nodeid)
            for mark in item.iter_markers("case"):
                for case in mark.args:
                    self.cases[case].add(item.nodeid)
                    self.rules[case.partition(".")[0]].add(item.nodeid)
        proving = set().union(*self.rules.values(), *self.cases.values())
        items[:] = [item for item in items if item.nodeid in proving]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.when == "call" and report.passed:
            self.passed.add(report.nodeid)

    def holds(self, tests: set[str]) -> bool:
        return bool(tests & self.passed) and not tests & self.failed


def catalogue(chapters: list[str]) -> list[dict[str, Any]]:
    entries = [entry for chapter in yaml.safe_load(CATALOGUE.read_text()).values() for entry in chapter]
    return [entry for entry in entries if not chapters or entry["id"].split("-")[0] in chapters]


def line(entry: dict[str, Any], proofs: Proofs) -> tuple[bool, str]:
    """Whether the rule is proven, and its line."""
    rule, count = entry["id"], len(entry.get("cases", ()))
    tests = proofs.rules.get(rule, set())
    missing = [k for k in range(1, count + 1) if not proofs.holds(proofs.cases.get(f"{rule}.{k}", set()))]
    proven = proofs.holds(tests) and not missing
    word = "proven" if proven else "FAILS" if tests & proofs.failed else "NO TEST" if not tests else "no case"
    without = f"   without a passing test: {', '.join(map(str, missing))}" if missing else ""
    return proven, f"{rule:<8} {word:<8} {len(tests):>3} tests   {count - len(missing)}/{count} cases{without}"


def main(chapters: list[str]) -> int:
    proofs = Proofs()
    pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", "--no-summary", str(TESTS)], [proofs])
    lines = [line(entry, proofs) for entry in catalogue(chapters)]
    known = {entry["id"]: len(entry.get("cases", ())) for entry in catalogue([])}
    strange = sorted(rule for rule in proofs.rules if rule not in known)
    strange += sorted(c for c in proofs.cases if not 1 <= int(c.partition(".")[2]) <= known.get(c.partition(".")[0], 0))
    for _, text in lines:
        print(text)
    for name in strange:
        print(f"{name}: a test is marked with it, and the catalogue has no such rule or case")
    proven = sum(good for good, _ in lines)
    print(f"rules: {proven}/{len(lines)} proven, {len(proofs.passed)} tests")
    return 0 if proven == len(lines) and not strange and not proofs.failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
