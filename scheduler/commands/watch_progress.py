"""Progress of watching, on standard error: how long, and what both domains use of the CPU."""

import contextlib
import sys
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from scheduler.follow.counter_windows import CounterWindow
from scheduler.model.number_texts import format_percent, format_short
from scheduler.model.terminal_text import replace_controls
from scheduler.run.watch_session import WatchSession


class WatchProgress:
    """Shows windows as they come; a terminal that is gone is no reason to stop.

    Args:
        for_s: How long it is to take.
        quiet: Show nothing at all.
    """

    def __init__(self, for_s: float, *, quiet: bool) -> None:
        columns = (BarColumn(30), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
        self._bar = Bar(*columns, console=Console(file=sys.stderr), refresh_per_second=2)
        self._task = self._bar.add_task("watching", total=for_s)
        self._quiet = quiet
        self._trouble = ""

    def __enter__(self) -> Self:
        """Begin to draw."""
        with contextlib.suppress(OSError):
            if not self._quiet:
                self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        with contextlib.suppress(OSError):
            if not self._quiet:
                self._bar.stop()

    def begin(self, watching: WatchSession, for_s: float) -> None:
        """Say nothing more: the bar stands already."""

    def take(self, watched_s: float, window: CounterWindow | None, trouble: str, rate_tps: float | None) -> None:
        """Show one window; what is wrong is said once."""
        with contextlib.suppress(OSError):
            if self._quiet:
                return
            if trouble and trouble != self._trouble:
                self._bar.print(replace_controls(f"not used: {trouble}"), markup=False)
            self._trouble = trouble
            words = "" if window is None else _window_words(window, rate_tps)
            self._bar.update(self._task, completed=watched_s, description=words)


def _window_words(window: CounterWindow, rate_tps: float | None) -> str:
    use, others = window.use, window.others_frac
    beside = "" if others is None else f", others {format_percent(others)}"
    rate = "" if rate_tps is None else f", {format_short(rate_tps)} transactions/s"
    return f"I/O domain {format_percent(use.io_cpus)}, guest {format_percent(use.guest_cpus)} of a CPU{beside}{rate}"
