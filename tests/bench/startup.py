"""Start of the window against importing its two libraries alone, each in a fresh interpreter, in pairs.

Each is measured by the clock (what a person waits for: the bench) and by its CPU time (steadier on a busy machine: the
suite's test).
"""

import os
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.figure import Figure
from tests.bench.process import run_process

PAIRS = 11
_LIMIT_S = 60.0
_IMPORTS = ("-c", "import time, PySide6.QtWidgets, pyqtgraph; print('ready', time.process_time(), flush=True)")
_WINDOW = ("-m", "tests.bench.window_start")


@dataclass(frozen=True, slots=True)
class Start:
    """One start of an interpreter, until it says that it is ready.

    Attributes:
        wall_s: By the clock, seconds.
        cpu_s: CPU time of that process, seconds.
    """

    wall_s: float
    cpu_s: float


def measure() -> list[Figure]:
    """Return the ratio by the clock: median over pairs."""
    pairs = [(imports.wall_s, window.wall_s) for imports, window in starts(PAIRS)]
    ratios = sorted(window_s / imports_s for imports_s, window_s in pairs)
    imports_s, window_s = (statistics.median(column) for column in zip(*pairs, strict=True))
    note = (
        f"(median of {PAIRS} pairs, {ratios[0]:.2f} to {ratios[-1]:.2f}; "
        f"window {window_s * 1000:.0f} ms, imports {imports_s * 1000:.0f} ms)"
    )
    name = "start to usable window over import of PySide6.QtWidgets and pyqtgraph"
    return [Figure(name=name, value=statistics.median(ratios), at_most=1.5, note=note)]


def starts(pairs: int) -> list[tuple[Start, Start]]:
    """Return pairs of starts, imports alone and the window; the order within a pair alternates."""
    with tempfile.TemporaryDirectory(prefix="domtune-bench-") as home:
        environment = {**os.environ, "DOMTUNE_HOME": home}
        if not environment.get("DISPLAY") and not environment.get("WAYLAND_DISPLAY"):
            environment["QT_QPA_PLATFORM"] = "offscreen"
        for words in (_IMPORTS, _WINDOW):
            _until_ready(words, environment)  # byte code and the disk's cache are warm from here on
        return [_pair(environment, imports_first=number % 2 == 0) for number in range(pairs)]


def _pair(environment: dict[str, str], *, imports_first: bool) -> tuple[Start, Start]:
    if imports_first:
        imports = _until_ready(_IMPORTS, environment)
        return imports, _until_ready(_WINDOW, environment)
    window = _until_ready(_WINDOW, environment)
    return _until_ready(_IMPORTS, environment), window


def _until_ready(words: Sequence[str], environment: dict[str, str]) -> Start:
    """Return what it takes from starting the interpreter to its line; raises subprocess.SubprocessError."""
    cost = run_process(words, environment, _LIMIT_S)
    return Start(cost.ready_s, float(cost.said))
