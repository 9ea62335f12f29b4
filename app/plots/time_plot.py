"""Base of plots over time: visible period, trials under the axis, and tooltip."""

import math
from bisect import bisect_left

import numpy as np
import pyqtgraph as pg

from app.load_texts import load_name
from app.plots.curve_thinning import GAP_S
from app.plots.hover_plot import HoverPlot
from app.plots.live_texts import setting_name
from app.plots.run_board import RunBoard, TrialSpan
from app.plots.sample_series import SampleSeries
from app.plots.time_axis import TimeAxis, time_text
from app.theme.theme import Theme
from scheduler.translation import _

LAST_S = 300.0  # long enough for a dozen trials, short enough to show each second
_CLOSE_S = 2 * LAST_S
_HOUR_S = 3600.0


class TimePlot(HoverPlot):
    """Plot over the time of a run; `window_s` None shows the whole run.

    Args:
        theme: Colours and fonts.
        left: Left axis.
        strip: Show the trials' splits under the axis.
    """

    def __init__(self, theme: Theme, left: pg.AxisItem, *, strip: bool = False) -> None:
        self._times = TimeAxis(theme, strip=strip)
        self._board: RunBoard | None = None
        self.window_s: float | None = LAST_S
        super().__init__(theme, "", {"bottom": self._times, "left": left})
        self._times.make_room()
        self._name_time(0.0, simulated=False)

    def set_simulated(self, *, simulated: bool) -> None:
        """Name the axis for simulated time or clock time.

        Simulated time runs many times faster than the clock.
        """
        own, clock = _("Simulated time (min:s)"), _("Time (min:s)")
        self.canvas.setLabel("bottom", own if simulated else clock)

    def show_board(self, board: RunBoard) -> None:
        """Draw the state of a run."""
        self._board = board
        start_s, end_s = self.period(board)
        self._name_time(end_s, simulated=board.run is not None and board.run.facts.simulated)
        self.canvas.setXRange(start_s, end_s, padding=0)
        self._times.set_spans(visible_spans(board.spans, start_s), board.now_s)
        self.draw(board, start_s)
        self.settle()

    def _name_time(self, end_s: float, *, simulated: bool) -> None:
        """Name the axis with the format of its labels; update the layout only on a change."""
        unit = _("min:s") if end_s < _HOUR_S else _("h:min:s")
        words = _("Simulated time ({unit})") if simulated else _("Time ({unit})")
        if self.canvas.getAxis("bottom").labelText != (text := words.format(unit=unit)):
            self.canvas.setLabel("bottom", text, color=self.theme.palette.dim)

    def show_visible(self, board: RunBoard) -> None:
        """Draw the state of a run unless the table hides the plot."""
        if self.isVisible():
            self.show_board(board)

    def period(self, board: RunBoard) -> tuple[float, float]:
        """Return the first and the last time shown, seconds since the run began.

        The period of a young run grows in steps of a minute.
        """
        if self.window_s is None or board.now_s <= self.window_s:
            return 0.0, max(60.0, 60.0 * math.ceil(board.now_s / 60.0) if self.window_s is not None else board.now_s)
        return board.now_s - self.window_s, board.now_s

    def is_close(self, board: RunBoard) -> bool:
        """Return True when single seconds are visible."""
        start_s, end_s = self.period(board)
        return end_s - start_s <= _CLOSE_S

    def draw(self, board: RunBoard, start_s: float) -> None:
        """Draw the time from `start_s` on.

        Args:
            board: State of the run.
            start_s: First time shown, seconds since the run began.
        """
        raise NotImplementedError

    def words_at(self, x: float, y: float) -> str:
        """Return the time, the trial and the values of the second under the pointer.

        Args:
            x: Time, seconds since the run began.
            y: Unused.
        """
        del y
        if self._board is None:
            return ""
        figures = self.figures_at(self._board, x)
        if not figures:
            return ""
        span = next((s for s in reversed(self._board.spans) if s.began_s <= x), None)
        inside = span is not None and (span.ended_s is None or x <= span.ended_s)
        where = f" &nbsp; {setting_name(span.setting)}, {load_name(span.load)}" if span is not None and inside else ""
        return "<br>".join([f"<b>{time_text(x)}</b>{where}", *figures])

    def figures_at(self, board: RunBoard, t_s: float) -> list[str]:
        """Return the values of the second nearest to a time; empty for none.

        Args:
            board: State of the run.
            t_s: Time, seconds since the run began.
        """
        raise NotImplementedError


def visible_spans(spans: list[TrialSpan], start_s: float) -> list[TrialSpan]:
    """Return the trials that end after a time, in order (binary search).

    Args:
        spans: Trials in order.
        start_s: First time shown, seconds since the run began.
    """
    first = bisect_left(spans, start_s, key=lambda span: start_s if span.ended_s is None else span.ended_s)
    return spans[first:]


def nearest_row(series: SampleSeries, t_s: float) -> int | None:
    """Return the row of the second nearest to a time; None without a close second.

    Args:
        series: Samples.
        t_s: Time, seconds since the run began.
    """
    if not len(series):
        return None
    row = min(series.since(t_s), len(series) - 1)
    times = series.column("t_s", max(0, row - 1))[:2]
    first = max(0, row - 1)
    best = int(np.argmin(np.abs(times - t_s)))
    return first + best if abs(times[best] - t_s) <= GAP_S else None
