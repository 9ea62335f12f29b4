"""Split over time: steps, range, moves, target split and comparison periods."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from app.display_texts import format_percent, typeset_text
from app.observe.follow_texts import FOLLOWING
from app.plots.dot_thinning import thinned_dots
from app.plots.hover_plot import HoverPlot
from app.plots.pens import make_pen
from app.plots.plot_axes import LEFT_PX
from app.plots.plot_legend import LegendEntry
from app.plots.sample_series import SampleSeries
from app.plots.step_curves import shade_colour, step_curve
from app.plots.time_axis import TimeAxis, time_text
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.table import TableData
from scheduler.follow.split_rule import log_ratio_of, rounded_split
from scheduler.model.observation_documents import FollowMove, FollowStarted, ObservationLine, ObservationWindow
from scheduler.model.split import Split
from scheduler.translation import _

_SETS = ((1, 2, 3, 5, 9), (1, 2, 5), (1, 3, 9), (1, 9), (1,))  # from fine to coarse
_LABEL_PX = 16.0


class RatioAxis(pg.AxisItem):
    """Axis of splits at ln(I/O domain / guest); a larger I/O share is further up."""

    def __init__(self) -> None:
        super().__init__("left")
        self.setWidth(LEFT_PX)

    def tickValues(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Return the positions of the splits whose labels fit."""
        px_per_unit = size / max(high - low, 1e-9)
        parts = next(parts for parts in _SETS if _least_gap(parts) * px_per_unit >= _LABEL_PX)
        places = sorted({sign * math.log(part) for part in parts for sign in (-1, 1)})
        return [(1.0, [place for place in places if low <= place <= high])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the splits."""
        del scale, spacing
        return [_tick_label(value) for value in values]


def _least_gap(parts: Sequence[int]) -> float:
    """Return the smallest distance between two labels, ln; infinity for one label."""
    return min((math.log(far / near) for near, far in itertools.pairwise(parts)), default=math.inf)


def _tick_label(value: float) -> str:
    far = f"{math.exp(abs(value)):.3g}"
    return f"{far}:1" if value > 0 else f"1:{far}"


_LEAST_S = 300.0
_WINDOW_S = 10.0
_AIR = 0.25  # margin above and below the range, ln
_MARK_PX = 10
_NEAR_PX = 9
_PLACES = 120  # positions that distinguish moves
_BEAD_PX, _BEADS_PX = 5, 7  # size of a dot, and minimum distance between dots
_LEAST_BEADS = 40  # in a plot without its final width


class SplitHistoryPlot(HoverPlot):
    """Step line of the split over time; a larger I/O share is further up.

    Attributes:
        windows: t_s, ln(I/O domain / guest) of the split and of the target split (NaN for no target), 1 in a comparison
            period of another variant, and the predicted gain of the target (NaN for none).
        moves: All moves.
    """

    def __init__(self, theme: Theme) -> None:
        self._times = TimeAxis(theme)
        self.windows, self.moves = _make_series(), list[FollowMove]()
        self._ends, self._end_s = (-1.0, 1.0), _LEAST_S
        super().__init__(theme, "", {"bottom": self._times, "left": RatioAxis()})
        self._times.make_room()
        self.setAccessibleName(_("Split over time"))
        self.canvas.setLabel("left", _("Split"))
        self._turns, self._set = (pg.PlotCurveItem(antialias=False) for _ in range(2))  # all lines are upright
        self._wish = pg.ScatterPlotItem(size=_BEAD_PX, pxMode=True)  # a dotted pen hides short steps
        self._marks, self._changes = (pg.ScatterPlotItem(size=_MARK_PX, pxMode=True) for _ in range(2))
        self._bounds = [pg.InfiniteLine(angle=0) for _ in range(2)]
        self._found = pg.InfiniteLine(angle=0)
        for item in (self._turns, *self._bounds, self._found, self._set, self._wish, self._changes, self._marks):
            self.canvas.addItem(item, ignoreBounds=True)
        self.view.sigResized.connect(self._draw_target_dots)
        self.restyle(theme.palette)

    def begin(self, began: FollowStarted) -> None:
        """Clear the plot."""
        self.windows, self.moves = _make_series(), []
        low, high, found = (_log_ratio(split) for split in (began.range_low, began.range_high, began.split))
        self._ends = min(low, found) - _AIR, max(high, found) + _AIR
        for item, place in zip((*self._bounds, self._found), (low, high, found), strict=True):
            item.setValue(place)
        self.canvas.setYRange(*self._ends, padding=0)
        self.canvas.setLabel("bottom", _("Simulated time") if began.simulated else _("Time"))
        self.draw()

    def take(self, line: ObservationLine) -> None:
        """Add a window or a move; `draw` shows it."""
        if isinstance(line, FollowMove):
            self.moves.append(line)
        elif isinstance(line, ObservationWindow):
            predicted_gain = math.nan if line.predicted_gain is None else line.predicted_gain
            turn = float(line.arm != FOLLOWING)
            self.windows.append(line.t_s, _log_ratio(line.split), _log_ratio(line.wish), turn, predicted_gain)

    def draw(self) -> None:
        """Draw all windows and moves."""
        t_s = self.windows.column("t_s")
        self._set.setData(*step_curve(t_s, self.windows.column("split"), _WINDOW_S), connect="finite")
        low, high = self._ends
        turns = np.where(self.windows.column("turn") > 0, high, low)
        self._turns.setData(*step_curve(t_s, turns, _WINDOW_S), fillLevel=low)
        self._end_s = end_s = max(_LEAST_S, float(t_s[-1]) if len(t_s) else 0.0)
        self._draw_target_dots()
        for marks, ours in ((self._marks, True), (self._changes, False)):
            # One mark per visible position; more marks would merge.
            seen = {int(_PLACES * m.t_s / end_s): m for m in self.moves if (m.io_used_frac is not None) is ours}
            marks.setData([move.t_s for move in seen.values()], [_log_ratio(move.after) for move in seen.values()])
        self.canvas.setXRange(0.0, end_s, padding=0)
        self._times.set_spans((), end_s)
        self.settle()

    def _draw_target_dots(self) -> None:
        """Draw the target splits as dots, as dense as the width allows."""
        most = max(_LEAST_BEADS, int(self.view.width() / _BEADS_PX))
        t_s, wish = self.windows.column("t_s"), self.windows.column("wish")
        self._wish.setData(*thinned_dots(t_s, wish, _WINDOW_S, self._end_s, most))

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the entries for line, marks, dots, dashes and shade."""
        return [
            LegendEntry("line", palette.text, _("set")),
            LegendEntry("o", palette.accent, _("change of the split")),
            LegendEntry("beads", palette.accent, _("target split")),
            LegendEntry("s", palette.dim, _("change of comparison period"), filled=False),
            LegendEntry(
                "block", shade_colour(palette).name(), _("comparison period: fixed split or original settings")
            ),
            LegendEntry("dash", palette.dim, _("allowed range, original split")),
        ]

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        super().restyle(palette)
        self._turns.setPen(pg.mkPen(None))
        self._turns.setBrush(pg.mkBrush(shade_colour(palette)))
        self._set.setPen(make_pen(palette.text, 2.0))
        self._wish.setBrush(pg.mkBrush(palette.accent))
        self._wish.setPen(pg.mkPen(None))
        for bound in self._bounds:
            bound.setPen(make_pen(palette.dim, 1.2, Qt.PenStyle.DashLine))
        self._found.setPen(make_pen(palette.dim, 1.0, Qt.PenStyle.DashDotLine))
        self._marks.setBrush(pg.mkBrush(palette.accent))
        self._marks.setPen(make_pen(palette.raised, 1.0))
        self._changes.setSymbol("s")
        self._changes.setBrush(pg.mkBrush(palette.raised))
        self._changes.setPen(make_pen(palette.dim, 1.5))

    def words_at(self, x: float, y: float) -> str:
        """Return the reason of a nearby move, or the values of the window at a time.

        Args:
            x: Time, seconds.
            y: Unused.
        """
        del y
        near_s = _NEAR_PX * self.view.viewPixelSize()[0]
        near = min(self.moves, key=lambda move: abs(move.t_s - x), default=None)
        if near is not None and abs(near.t_s - x) <= near_s:
            return (
                f"<b>{time_text(near.t_s)} &nbsp; {near.before.label} \N{RIGHTWARDS ARROW} {near.after.label}</b><br>"
                + typeset_text(near.text.replace(". ", ".<br>"))
            )
        row = self.windows.since(x)
        if row >= len(self.windows) or self.windows.column("t_s", row)[0] - x > _WINDOW_S:
            return ""
        split, wish, predicted_gain = (
            float(self.windows.column(name, row)[0]) for name in ("split", "wish", "predicted_gain")
        )
        words = f"<b>{time_text(x)} &nbsp; {_ratio_label(split)}</b>"
        if math.isnan(wish):
            return words
        there = _("target split {wish}")
        if not math.isnan(predicted_gain):
            there = _("target split {wish}, predicted gain {gain} (estimate)")
        return f"{words}<br>{there.format(wish=_ratio_label(wish), gain=format_percent(predicted_gain))}"

    def table(self) -> TableData:
        """Return every window in full precision."""
        headers = (
            _("Until (s)"),
            _("Split"),
            _("Target split"),
            _("Predicted gain (%)"),
            _("Variant"),
        )
        columns = [self.windows.column(name).tolist() for name in ("t_s", "split", "wish", "predicted_gain", "turn")]
        arms = (_("following"), _("comparison"))
        rows = [
            (t_s, _ratio_label(split), _ratio_label(wish), None if math.isnan(gain) else 100 * gain, arms[int(turn)])
            for t_s, split, wish, gain, turn in zip(*columns, strict=True)
        ]
        return TableData(headers, rows)


def _make_series() -> SampleSeries:
    return SampleSeries("t_s", "split", "wish", "turn", "predicted_gain")


def _log_ratio(split: Split | None) -> float:
    return log_ratio_of(split) if split is not None else math.nan


def _ratio_label(ratio: float) -> str | None:
    return None if math.isnan(ratio) else rounded_split(ratio).label
