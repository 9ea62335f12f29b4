"""Start of the window against importing its two libraries alone, each in a fresh interpreter, in pairs."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.bench.figure import Figure

PAIRS = 11
_LIMIT_S = 60.0
_ROOT = Path(__file__).resolve().parents[2]
_IMPORTS = ("-c", "import PySide6.QtWidgets, pyqtgraph; print('ready', flush=True)")
_WINDOW = ("-m", "tests.bench.window_start")


def measure() -> list[Figure]:
    """Return the ratio: median over pairs; the order within a pair alternates."""
    with tempfile.TemporaryDirectory(prefix="domtune-bench-") as home:
        environment = {**os.environ, "DOMTUNE_HOME": home}
        if not environment.get("DISPLAY") and not environment.get("WAYLAND_DISPLAY"):
            environment["QT_QPA_PLATFORM"] = "offscreen"
        for words in (_IMPORTS, _WINDOW):
            _until_ready(words, environment)  # byte code and the disk's cache are warm from here on
        pairs = [_pair(environment, imports_first=number % 2 == 0) for number in range(PAIRS)]
    ratios = sorted(window_s / imports_s for imports_s, window_s in pairs)
    imports_s, window_s = (statistics.median(column) for column in zip(*pairs, strict=True))
    note = (
        f"(median of {PAIRS} pairs, {ratios[0]:.2f} to {ratios[-1]:.2f}; "
        f"window {window_s * 1000:.0f} ms, imports {imports_s * 1000:.0f} ms)"
    )
    name = "start to usable window over import of PySide6.QtWidgets and pyqtgraph"
    return [Figure(name=name, value=statistics.median(ratios), at_most=1.5, note=note)]


def _pair(environment: dict[str, str], *, imports_first: bool) -> tuple[float, float]:
    if imports_first:
        imports_s = _until_ready(_IMPORTS, environment)
        return imports_s, _until_ready(_WINDOW, environment)
    window_s = _until_ready(_WINDOW, environment)
    return _until_ready(_IMPORTS, environment), window_s


def _until_ready(words: Sequence[str], environment: dict[str, str]) -> float:
    """Return the seconds from starting the interpreter to its line; raises subprocess.SubprocessError."""
    began_s = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *words],
        cwd=_ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        took_s = time.perf_counter() - began_s
        _, errors = process.communicate(timeout=_LIMIT_S)
    if line.strip() != "ready" or process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, process.args, line, errors[-500:])
    return took_s
