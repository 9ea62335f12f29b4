"""Compare every golden case with its files: what users get changes only where a commit names the change."""

import difflib
import itertools
from collections.abc import Iterator

import pytest

from scheduler.model.plan_file import parse_plan, write_plan
from tests.golden.cases import CASES, PLANS, SWEEPS
from tests.golden.making import EXPECTED, Texts, make_case, read_golden

MOST_LINES = 40
MOST_BYTES = 620_000
ADVICE = "Is the change intended? Run 'make golden', and name the change in the commit."


def diff_texts(before: Texts, after: Texts) -> Iterator[str]:
    """Yield the lines of a unified diff of all files of a case.

    Args:
        before: The golden files, name to content.
        after: The same files made now.
    """
    for name in sorted({*before, *after}):
        old, new = (each.get(name, "").splitlines() for each in (before, after))
        yield from difflib.unified_diff(old, new, f"golden/{name}", f"now/{name}", lineterm="", n=2)
        if (name in before) != (name in after):
            yield f"{name} is only in {'the golden files' if name in before else 'what is made now'}"


def describe_failure(name: str, lines: Iterator[str]) -> str:
    """Return the failure of a case: its first differing lines, and what to do; empty without a difference."""
    shown = list(itertools.islice(lines, MOST_LINES))
    more = sum(1 for _ in lines)
    rest = [f"... and {more} more lines"] if more else []
    return "\n".join([f"{name} differs from tests/golden/expected/{name}:", *shown, *rest, ADVICE]) if shown else ""


@pytest.mark.parametrize("name", CASES)
def test_golden_case_gives_its_files(name):
    failure = describe_failure(name, diff_texts(read_golden(name), make_case(name)))
    if failure:
        pytest.fail(failure, pytrace=False)


@pytest.mark.parametrize("name", [case.name for case in (*SWEEPS, *PLANS)])
def test_golden_plan_reads_back_as_written(name):
    lines = read_golden(name)["plan.toml"].splitlines()
    assert write_plan(parse_plan("\n".join(lines))).splitlines() == [line for line in lines if line[:1] != "#"]


def test_golden_folder_holds_only_cases_and_stays_small():
    assert {path.name for path in EXPECTED.iterdir()} == set(CASES)
    assert sum(path.stat().st_size for path in EXPECTED.rglob("*") if path.is_file()) <= MOST_BYTES


def test_golden_failure_shows_forty_lines_and_the_command():
    before, after = {"a.txt": "1\n" * 100}, {"a.txt": "2\n" * 100, "b.txt": ""}
    lines = describe_failure("split-grid", diff_texts(before, after)).splitlines()
    assert len(lines) == 1 + MOST_LINES + 2
    assert lines[1:3] == ["--- golden/a.txt", "+++ now/a.txt"]
    assert "make golden" in lines[-1]
    assert describe_failure("split-grid", diff_texts(before, before)) == ""
    assert "b.txt is only in what is made now" in describe_failure("split-grid", diff_texts({}, {"b.txt": ""}))
