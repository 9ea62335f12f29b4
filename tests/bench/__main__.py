"""`python -m tests.bench [NAME ...]`: measure and print; exit code 1 when a promise is not kept or not measured."""

import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

from scheduler.errors import SchedulerError
from tests.bench.figure import Figure

BENCHES = ("startup", "turns", "monitor_cost", "load_cost", "simulated", "history")


def main(names: Sequence[str]) -> int:
    """Run the named benches, or all; return the exit code."""
    unknown = sorted(set(names) - set(BENCHES))
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    results = [_run(name) for name in names or BENCHES]
    return 0 if all(results) else 1


def _run(name: str) -> bool:
    """Print one bench's figures; a bench that is missing or breaks has not kept its promise."""
    fine = True
    try:
        figures: Iterable[Figure] = import_module(f"tests.bench.{name}").measure()
        for figure in figures:  # some come one by one, minutes apart
            print(figure.line, flush=True)
            fine = fine and figure.fine
    except (ImportError, SchedulerError, OSError, subprocess.SubprocessError, AssertionError) as error:
        print(f"FAILED {name}: not measured ({type(error).__name__}: {error})", flush=True)
        return False
    return fine


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
