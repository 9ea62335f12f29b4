"""Kills and fuzz cases of one day, with a report: `python -m tests.torture`, or `make torture`.

1,000 kills: of a sweep of this computer (core, window, both, child), of a sweep beside a guard, its guard and both, of
what follows a host with its local guard and its window, and of what a window then reports. 100,000 fuzz cases over all
groups. Seeds count from the day, so each day tries new cases and moments, and each finding names its seed. Exit code 0
only when nothing was found.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.running import GROUPS

ROOT = Path(__file__).resolve().parents[1]
REPORT = Path("build/torture.md")
_SHARES = {"sweep": 0.6, "guard": 0.25, "follow": 0.1, "window": 0.05}
_SHARE_CASES = 5_000  # a case that ends its process ends no more than so many
_LIMIT_S = 6 * 3600.0
_AS_FOUND = re.compile(r"(\d+) of (\d+) (?:as found|true|back)")
_SHOWN = 20  # failures of a group that the report shows


class Group(NamedTuple):
    """Outcome of one group of kills or cases.

    Attributes:
        name: Kind of kill, or group of fuzzers.
        seed: The first seed.
        tried: How many were asked for.
        fine: How many ended as they should.
        took_s: Seconds.
        failures: A line for each failure, with its seed.
    """

    name: str
    seed: int
    tried: int
    fine: int
    took_s: float
    failures: tuple[str, ...]


def day_seed(day: datetime.date) -> int:
    """Return the first seed of a day: no two days within 27 years share one of 100,000."""
    return day.toordinal() % 10_000 * 100_000


def fuzz(name: str, seed: int, cases: int) -> Group:
    """Run a group of fuzzers, some thousand cases in each process."""
    began_s, tried, failures, last = time.monotonic(), 0, list[str](), ""
    for first in range(seed, seed + cases, _SHARE_CASES):
        share = min(_SHARE_CASES, seed + cases - first)
        done = _run([sys.executable, "-m", "tests.fuzz", name, str(first), str(share)], {})
        findings = [json.loads(line) for line in done.splitlines() if line.startswith("{")]
        failures += [
            f"`python -m tests.fuzz {name} {each['seed']} 1`: {each['error']}" for each in findings if "seed" in each
        ]
        last = done.rstrip().rpartition("\n")[2] if not findings else last
        tried += sum(each.get("cases", 0) for each in findings)
    if tried < cases:
        failures.append(f"{cases - tried} cases did not run: a process ended in the middle. {last[:200]}".rstrip())
    return Group(
        f"fuzz: {name}", seed, cases, max(0, tried - len(failures)), time.monotonic() - began_s, tuple(failures)
    )


def kills(count: int, seed: int) -> Iterator[Group]:
    """Yield what came of each kind of kill."""
    many = {kind: max(1, round(share * count)) for kind, share in _SHARES.items()}
    of_three = {kind: -(-many[kind] // 3) for kind in ("guard", "window")}  # three victims each
    seeded = ("--seed", str(seed))
    guard = {"DOMTUNE_KILLS": str(of_three["guard"]), "DOMTUNE_SEED": str(seed)}
    for kind, tried, words, env in (
        ("sweep", many["sweep"], ("tests.crash.campaign", "--count", str(many["sweep"]), *seeded), {}),
        ("guard", 3 * of_three["guard"], ("pytest", "-q", "tests/crash/guard/test_random_kills.py"), guard),
        ("follow", many["follow"], ("tests.crash.follow_campaign", "--count", str(many["follow"]), *seeded), {}),
        (
            "window",
            3 * of_three["window"],
            ("tests.crash.truth_campaign", "--rounds", str(of_three["window"]), *seeded),
            {},
        ),
    ):
        began_s = time.monotonic()
        lines = _run([sys.executable, "-m", *words], env).splitlines()
        fine = sum(int(found[1]) for line in lines if (found := _AS_FOUND.search(line)))
        bad = [line for line in lines if _is_bad(line)] if fine < tried else []
        yield Group(f"kill: {kind}", seed, tried, fine, time.monotonic() - began_s, tuple(bad))


def _is_bad(line: str) -> bool:
    return bool(line.strip()) and not line.rstrip().endswith(("as found", ": true")) and "as found, by" not in line


def _run(words: Sequence[str], env: dict[str, str]) -> str:
    """Run a program; return what it printed, and its last complaint where it failed."""
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=_LIMIT_S,
    )
    return done.stdout if done.returncode == 0 else f"{done.stdout}\n{done.stderr[-1000:]}"


def everything(kill_count: int, cases: int, seed: int) -> Iterator[Group]:
    """Yield what came of each group; 0 leaves kills or cases out.

    Args:
        kill_count: How many processes are killed, in all.
        cases: How many cases are tried, in all.
        seed: The first seed of each group.
    """
    for name in GROUPS if cases else ():
        yield fuzz(name, seed, cases // len(GROUPS))
    if kill_count:
        yield from kills(kill_count, seed)


def report(groups: Sequence[Group], day: datetime.date) -> str:
    """Return the report in Markdown."""
    lines = [
        f"# Torture of {day}",
        "",
        "| group | first seed | tried | as they should be | failures | s |",
        "|---|---|---|---|---|---|",
    ]
    for each in groups:
        bad = each.tried - each.fine
        lines.append(f"| {each.name} | {each.seed} | {each.tried} | {each.fine} | {bad} | {each.took_s:.0f} |")
    for each in groups:
        if each.failures:
            lines += ["", f"## {each.name}", "", *(f"- {line}" for line in each.failures[:_SHOWN])]
    return "\n".join([*lines, ""])


def main() -> int:
    """Run everything and write the report; return 1 where anything failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--cases", type=int, default=100_000)
    today = datetime.datetime.now(datetime.UTC).date()
    parser.add_argument("--day", type=datetime.date.fromisoformat, default=today, help="whose seeds, as in 2026-11-27")
    parser.add_argument("--report", type=Path, default=REPORT)
    arguments = parser.parse_args()
    seed, groups = day_seed(arguments.day), list[Group]()
    arguments.report.parent.mkdir(parents=True, exist_ok=True)
    for group in everything(arguments.kills, arguments.cases, seed):
        groups.append(group)
        print(f"{group.name}: {group.fine} of {group.tried}, {group.took_s:.0f} s", file=sys.stderr, flush=True)
        arguments.report.write_text(report(groups, arguments.day))
    print(f"in {arguments.report}")
    return int(any(group.fine < group.tried for group in groups))


if __name__ == "__main__":
    sys.exit(main())
