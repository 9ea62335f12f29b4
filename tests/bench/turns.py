"""How long the window is busy at a time, with eight hours of history, while a sweep of this computer runs."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from scheduler.errors import LoadError
from tests.bench.figure import Figure

SECONDS = 60
_LIMIT_S = 300.0
_ROOT = Path(__file__).resolve().parents[2]


def measure(host_url: str = "local:") -> list[Figure]:
    """Return the promised percentiles; the window runs in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="domtune-bench-") as folder:
        Path(folder).chmod(0o755)  # the embedded database's account must be able to enter it
        seen = _window(host_url, {**os.environ, "DOMTUNE_HOME": folder, "QT_QPA_PLATFORM": "offscreen"})
    if not seen["restored"] or seen["live_samples"] < SECONDS / 2:
        raise LoadError(f"the sweep behind the window did not run as it should: {seen}")
    what = f"({seen['turns']:.0f} turns in {SECONDS} s, {seen['history']:.0f} documents of history"
    plain = seen["plain_plot_ms"]
    work, gap = seen["longest_work_ms"], seen["longest_gap_ms"]
    return [
        Figure(
            name="window's own work per turn, p99.9, ms",
            value=seen["work_ms"],
            at_most=max(16.0, plain),
            note=f"{what}; longest {work:.1f} ms; a plain plot of the main one's size takes {plain:.1f} ms)",
        ),
        Figure(
            name="window's gaps between turns, p99, ms",
            value=seen["gap_ms"],
            at_most=16,
            note=f"{what}; longest {gap:.1f} ms)",
        ),
    ]


def _window(host_url: str, environment: dict[str, str]) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.window_turns", host_url, str(SECONDS)],
        cwd=_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        raise LoadError(f"the window ended with {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout.splitlines()[-1])
