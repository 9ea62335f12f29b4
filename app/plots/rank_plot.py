"""Comparison of a run with a paper by the rank of each split, without heights."""

from collections.abc import Sequence
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtGui import QColor

from app.display_texts import format_percent, typeset_text
from app.load_texts import load_name
from app.plots.axis_positions import axis_bounds
from app.plots.hover_plot import HoverPlot
from app.plots.live_texts import setting_cell
from app.plots.pens import make_pen
from app.plots.plot_axes import LEFT_PX, SplitTickAxis
from app.plots.plot_legend import LegendEntry
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.series_style import load_style
from app.widgets.table import Cell, TableData
from scheduler.papers.comparison import ComparisonRow, PaperComparison, ranks_text
from scheduler.translation import _

_MARK_PX = 11
_BOX_FRAC = 0.0165  # of the axis; the paper's closest splits are 0.044 of the axis apart, each with up to two boxes
_SHIFT_FRAC = 0.0205
_INSET = 0.42  # of a rank, above and below, so that boxes of adjacent ranks do not touch
_NEAR_PX = 16


class RankTick(NamedTuple):
    """Item on the axis that is not a split."""

    position: float
    tick: str


class RankAxis(pg.AxisItem):
    """Axis of whole ranks with rank 1 at the top."""

    def __init__(self) -> None:
        super().__init__("left")
        self.setWidth(LEFT_PX)

    def tickValues(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Return the ranks, every second rank on a short axis."""
        low, high = sorted((low, high))  # the axis is inverted
        step = 1 if size > 16 * (high - low) else 2
        return [(float(step), [float(rank) for rank in range(1, int(high) + 1, step) if rank >= low])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the labels."""
        del scale, spacing
        return [f"{value:.0f}" for value in values]


class RankPlot(HoverPlot):
    """Plot of ranks in the paper (boxes) and in the run (marks and whiskers).

    A box covers the ranks that the paper's text allows. A mark is the rank by the run's mean. A whisker covers the
    ranks that the run's intervals allow.
    """

    def __init__(self, theme: Theme) -> None:
        self._axis = SplitTickAxis(theme)
        self._comparison: PaperComparison | None = None
        self._places: dict[str, RankTick] = {}
        self._span = 1.0
        self._items: list[pg.GraphicsObject] = []
        super().__init__(theme, "", {"bottom": self._axis, "left": RankAxis()})
        self.setAccessibleName(_("Rank of each split, in the paper and here"))
        self.view.invertY(b=True)
        self.canvas.setLabel("left", _("Rank (1 is the best)"))
        self.canvas.setLabel("bottom", _("Split, I/O domain : guest"))
        self.restyle(theme.palette)

    def show_ranks(self, comparison: PaperComparison) -> None:
        """Show a comparison of a run with a paper."""
        self._comparison = comparison
        columns = comparison.columns
        self._places = {row.item: RankTick(float(at), row.item) for at, row in enumerate(columns)}
        settings = [row.setting for row in columns if row.setting is not None]
        self._axis.set_settings(settings or list(self._places.values()))
        low, high = axis_bounds(settings, 0.05) if settings else (-0.6, len(columns) - 0.4)
        self.canvas.setLabel("bottom", comparison.axis[:1].upper() + comparison.axis[1:])
        #: {what} is a measurement, for example: Throughput per split
        name = _("{what}, in the paper and here")
        self.setAccessibleName(name.format(what=comparison.what))
        self._span = high - low
        self.canvas.setXRange(low, high, padding=0)
        air = max(0.6, 0.05 * len(columns))  # a smaller margin would hide the number of the first rank
        self.canvas.setYRange(1 - air, len(columns) + air, padding=0)
        self.restyle(self.theme.palette)

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the loads, and the meaning of box and whisker with the method of each."""
        if self._comparison is None:
            return []
        styles = [load_style(load, palette) for load in self._comparison.loads]
        words = _("paper: ranks by its text ({method})")
        if not self._has_splits:
            words = _("paper: ranks by its figures ({method})")
        ours = _("here: ranks by 95 % intervals ({method})")
        return [
            *(LegendEntry(style.symbol, style.colour, _("{load} here").format(load=style.name)) for style in styles),
            LegendEntry("empty", palette.dim, words.format(method=self._comparison.paper.method.short)),
            LegendEntry("whisker", palette.dim, typeset_text(ours.format(method=self._comparison.here))),
        ]

    def restyle(self, palette: Palette) -> None:
        """Redraw all items in the colours of a palette."""
        super().restyle(palette)
        for item in self._items:
            self.canvas.removeItem(item)
        self._items = []
        for load in self._comparison.loads if self._comparison else ():
            rows = [row for row in self._comparison.standings if row.load == load] if self._comparison else []
            self._draw_series(rows, [self._rank_position(row) for row in rows], palette)

    def _draw_series(self, rows: Sequence[ComparisonRow], x: Sequence[float], palette: Palette) -> None:
        style = load_style(rows[0].load, palette)
        tops, ends = [row.stated[0] - _INSET for row in rows], [row.stated[1] + _INSET for row in rows]
        boxes = pg.BarGraphItem(
            x=x, y0=tops, y1=ends, width=_BOX_FRAC * self._span, brush=None, pen=make_pen(style.colour, 1.2)
        )
        whisker_x = [place for place in x for _ in range(2)]
        whisker_y = [rank for row in rows for rank in row.found]
        whiskers = pg.PlotCurveItem(whisker_x, whisker_y, connect="pairs", pen=make_pen(style.colour, 2.0))
        marks = pg.ScatterPlotItem(
            x,
            [row.rank for row in rows],
            symbol=style.symbol,
            size=_MARK_PX,
            brush=QColor(style.colour),
            pen=make_pen(palette.raised, 1.0),
        )
        for item in (boxes, whiskers, marks):
            self.canvas.addItem(item, ignoreBounds=True)
            self._items.append(item)

    def words_at(self, x: float, y: float) -> str:
        """Return the ranks of the nearest split.

        Args:
            x: Position on the lower axis.
            y: Unused.
        """
        del y
        if self._comparison is None:
            return ""
        wide = self.view.viewPixelSize()[0]
        near = min(self._comparison.standings, key=lambda row: abs(self._rank_position(row) - x))
        if abs(self._rank_position(near) - x) > _NEAR_PX * wide:
            return ""
        text = _(
            "{load}: rank {stated} in the paper. Here: rank {rank} by the mean, {found} by intervals, {part} "
            "of the best"
        )
        rows = [row for row in self._comparison.standings if row.item == near.item]
        words = [
            text.format(
                load=load_name(row.load),
                stated=ranks_text(row.stated),
                rank=row.rank,
                found=ranks_text(row.found),
                part=format_percent(row.found_frac),
            )
            for row in rows
        ]
        return "<br>".join([f"<b>{near.item}</b>", *words])

    def table(self) -> TableData:
        """Return the values in full precision."""
        headers = (
            _("Split") if self._has_splits else _("Item"),
            _("Load"),
            _("Rank, paper"),
            _("Rank, here"),
            _("By the mean"),
            _("Of best, paper (%)"),
            _("Of best, here (%)"),
            _("95 % from (%)"),
            _("95 % to (%)"),
        )
        return TableData(headers, [_rank_row(row) for row in self._comparison.standings] if self._comparison else [])

    @property
    def _has_splits(self) -> bool:
        return self._comparison is not None and self._comparison.has_splits

    def _rank_position(self, row: ComparisonRow) -> float:
        loads = self._comparison.loads if self._comparison else ()
        at = (row.setting or self._places[row.item]).position
        return at + (loads.index(row.load) - (len(loads) - 1) / 2) * _SHIFT_FRAC * self._span


def _rank_row(row: ComparisonRow) -> tuple[Cell, ...]:
    low, high = row.found_ci95_frac or (None, None)
    shares = (row.stated_frac, row.found_frac, low, high)
    ranks = (ranks_text(row.stated), ranks_text(row.found), row.rank)
    item = row.item if row.setting is None else setting_cell(row.setting)
    return (item, load_name(row.load), *ranks, *(None if share is None else 100 * share for share in shares))
