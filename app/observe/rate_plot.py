"""Rate of the user's own database over time: windows, medians, comparison periods."""

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from app.display_texts import format_rate
from app.plots.dot_thinning import bin_medians, dot_distance_s, value_dots
from app.plots.hover_plot import HoverPlot
from app.plots.pens import make_pen
from app.plots.plot_axes import RateAxis
from app.plots.plot_legend import LegendEntry
from app.plots.sample_series import Floats, SampleSeries
from app.plots.step_curves import shade_colour, step_curve
from app.plots.time_axis import TimeAxis, time_text
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.table import Cell, TableData
from scheduler.translation import _

_LEAST_S = 300.0
_WINDOW_S = 10.0
_MEDIAN_S = 300.0
_BREAK = 2.5  # longest distance between joined medians, in stretches
_MEDIANS = 150  # per curve
_DOT_PX, _DOTS_PX = 5, 4  # size of a dot, and minimum distance between dots
_LEAST_DOTS = 60
_PLACES = 120  # positions that distinguish moves
_NEAR_PX = 6
_AIR = 1.08


def rate_words() -> str:
    """Return the line below the plot's heading, which explains the counter."""
    return _("Commits by the database's own counter. The counter may be seconds late, so use the median.")


class RatePlot(HoverPlot):
    """Plot of the rate per window of 10 s (dots) and of medians (lines).

    Comparison periods have marks and a line of their own.

    Attributes:
        windows: t_s, the rate in transactions/s (NaN for unknown), and 1 in a comparison period of another variant.
        moves: Time of each change of the split, and its text.
    """

    def __init__(self, theme: Theme) -> None:
        self._times = TimeAxis(theme)
        self.windows, self.moves = _make_series(), list[tuple[float, str]]()
        self._follows = False
        super().__init__(theme, "", {"bottom": self._times, "left": RateAxis()})
        self._times.make_room()
        self.setAccessibleName(_("Database throughput over time"))
        self.canvas.setLabel("left", _("Transactions/s"))
        self._turns, self._moves = pg.PlotCurveItem(antialias=False), pg.PlotCurveItem(antialias=False)  # all upright
        self.dots = tuple(pg.ScatterPlotItem(size=_DOT_PX, pxMode=True) for _ in range(2))
        self.medians = tuple(pg.PlotCurveItem() for _ in range(2))
        for item in (self._turns, self._moves, *self.dots, *self.medians):
            self.canvas.addItem(item, ignoreBounds=True)
        self.restyle(theme.palette)
        self.begin(simulated=False)

    def begin(self, *, simulated: bool, follows: bool = False) -> None:
        """Clear the plot.

        Args:
            simulated: True for the time of a simulated machine.
            follows: True while following, which sets splits and may be compared with another variant.
        """
        self.windows, self.moves, self._follows = _make_series(), [], follows
        self.canvas.setLabel("bottom", _("Simulated time") if simulated else _("Time"))
        self.show_legend(self.theme.palette)
        self.draw()

    def take(self, t_s: float, rate_tps: float | None, *, turn: bool = False) -> None:
        """Add a window; `draw` shows the window.

        Args:
            t_s: End of the window, seconds.
            rate_tps: Rate in transactions/s; None for unknown.
            turn: True in a comparison period of another variant than following.
        """
        self.windows.append(t_s, math.nan if rate_tps is None else rate_tps, float(turn))

    def take_move(self, t_s: float, words: str) -> None:
        """Add a change of the split.

        Args:
            t_s: Time of the change, seconds.
            words: Text of the change.
        """
        self.moves.append((t_s, words))

    def draw(self) -> None:
        """Draw all windows."""
        t_s, tps, turn = (self.windows.column(name) for name in self.windows.names)
        end_s = max(_LEAST_S, float(t_s[-1]) if len(t_s) else 0.0)
        known = tps[np.isfinite(tps)]
        top = _AIR * float(known.max()) if len(known) and known.max() > 0 else 1.0
        self.canvas.setYRange(0.0, top, padding=0)
        self._turns.setData(*step_curve(t_s, np.where(turn > 0, top, 0.0), _WINDOW_S), fillLevel=0.0)
        seen = {int(_PLACES * at / end_s): at for at, _ in self.moves}  # one move per visible position
        upright = np.repeat(np.array(list(seen.values()), dtype=np.float64), 2)
        self._moves.setData(upright, np.tile((0.0, top), len(seen)), connect="pairs")
        most = max(_LEAST_DOTS, int(self.view.width() / _DOTS_PX))
        step_s = max(_MEDIAN_S, dot_distance_s(end_s, _MEDIANS))
        for arm, (marks, curve) in enumerate(zip(self.dots, self.medians, strict=True)):
            own = np.where(turn == arm, tps, math.nan)
            marks.setData(*value_dots(t_s - _WINDOW_S / 2, own, end_s, most))
            curve.setData(*_break_at_gaps(*bin_medians(t_s - _WINDOW_S / 2, own, step_s), step_s), connect="finite")
        self.canvas.setXRange(0.0, end_s, padding=0)
        self._times.set_spans((), end_s)
        self.settle()

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the marks and lines; only those of the windows without following."""
        median = _("median of 5 min or longer")
        if not self._follows:
            return [LegendEntry("beads", palette.accent, _("10 s")), LegendEntry("line", palette.accent, median)]
        return [
            LegendEntry("o", palette.accent, _("10 s of following")),
            LegendEntry("s", palette.dim, _("10 s of the fixed split or original settings"), filled=False),
            LegendEntry("line", palette.accent, median),
            LegendEntry("dash", palette.text, _("median of 5 min or longer, comparison")),
            LegendEntry("upright", palette.text, _("change of the split")),
            LegendEntry(
                "block", shade_colour(palette).name(), _("comparison period: fixed split or original settings")
            ),
        ]

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        super().restyle(palette)
        self._turns.setPen(pg.mkPen(None))
        self._turns.setBrush(pg.mkBrush(shade_colour(palette)))
        self._moves.setPen(make_pen(palette.text, 1.0, Qt.PenStyle.DotLine))
        (ours, others), (median, other_median) = self.dots, self.medians
        ours.setBrush(pg.mkBrush(palette.accent))
        ours.setPen(pg.mkPen(None))
        others.setSymbol("s")
        others.setBrush(pg.mkBrush(palette.raised))
        others.setPen(make_pen(palette.dim, 1.0))
        median.setPen(make_pen(palette.accent, 2.0))
        other_median.setPen(make_pen(palette.text, 2.0, Qt.PenStyle.DashLine))

    def words_at(self, x: float, y: float) -> str:
        """Return the rate and the variant of the window at a time, and a nearby move.

        Args:
            x: Time, seconds.
            y: Unused.
        """
        del y
        row = self.windows.since(x)
        if row >= len(self.windows) or self.windows.column("t_s", row)[0] - x > _WINDOW_S:
            return ""
        _unused, tps, turn = (float(self.windows.column(name, row)[0]) for name in self.windows.names)
        rate = format_rate(None if math.isnan(tps) else tps, _("transactions/s"))
        lines = [f"<b>{time_text(x)}</b> &nbsp; {rate}"]
        if self._follows:
            lines.append(_period_text(turn))
        near_s = _NEAR_PX * self.view.viewPixelSize()[0]
        lines += [words for at, words in self.moves if abs(at - x) <= near_s][:1]
        return "<br>".join(lines)

    def table(self) -> TableData:
        """Return every window in full precision; while following, with variant and move."""
        t_s, tps, turn = (self.windows.column(name).tolist() for name in self.windows.names)
        rates: list[float | None] = [None if math.isnan(value) else value for value in tps]
        headers = (_("Until (s)"), _("Transactions/s"))
        if not self._follows:
            return TableData(headers, list(zip(t_s, rates, strict=True)))
        moved = {self.windows.since(at): words for at, words in self.moves}
        rows: list[tuple[Cell, ...]] = [
            (at, tps, _period_text(arm), moved.get(row))
            for row, (at, tps, arm) in enumerate(zip(t_s, rates, turn, strict=True))
        ]
        return TableData((*headers, _("Variant"), _("Change at the end")), rows)


def _make_series() -> SampleSeries:
    return SampleSeries("t_s", "tps", "turn")


def _period_text(arm: float) -> str:
    return _("comparison") if arm else _("following")


def _break_at_gaps(t_s: Floats, values: Floats, step_s: float) -> tuple[Floats, Floats]:
    """Insert a NaN where a curve would cross the comparison period of another variant."""
    gaps = np.flatnonzero(np.diff(t_s) > _BREAK * step_s) + 1
    return np.insert(t_s, gaps, t_s[gaps]), np.insert(values, gaps, np.nan)
