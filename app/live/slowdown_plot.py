"""How much longer each item takes on each side than on the base, with its interval: in percent or in milliseconds."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.live.axes import LEFT_PX, SplitAxis
from app.live.hover_plot import HoverPlot
from app.live.legend import Entry
from app.live.pens import line
from app.load_words import load_name
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.words import full, typeset
from scheduler.model.findings import OverheadFinding, Slowdown
from scheduler.model.words import signed_percent

_LOOKS = (("o", "ir"), ("s", "third"), ("star", "fifth"), ("x", "seventh"))  # one per side, then again
_MARK_PX = 10
_SIDES_FRAC = 0.56  # of an item's column, for the marks of all sides
_WIDEST = 1.5  # times the largest slowdown; a whisker beyond is cut
_NEAR_PX = 16
_AIR = 0.08


class Column(NamedTuple):
    """One item on the axis."""

    position: float
    tick: str


class Drawn(NamedTuple):
    """One slowdown: where it stands, its value, its interval."""

    row: Slowdown
    x: float
    y: float
    ends: tuple[float, float] | None


class LongerAxis(pg.AxisItem):
    """Percent or milliseconds, with few lines."""

    def __init__(self) -> None:
        super().__init__("left")
        self.setWidth(LEFT_PX)

    def tickSpacing(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> Sequence[tuple[float, float]]:
        """Return the labelled lines only."""
        return super().tickSpacing(low, high, size)[:1]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the labels, with a typographic minus."""
        del spacing
        return [typeset(f"{value * scale:g}") for value in values]


class SlowdownPlot(HoverPlot):
    """A mark per item and side, filled where it is told from noise, hollow where not; all items together first.

    Args:
        theme: Colours and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        self._axis = SplitAxis(theme)
        self._rows: tuple[Slowdown, ...] = ()
        self._sides: tuple[str, ...] = ()
        self._columns: dict[tuple[str, str], Column] = {}
        self._in_ms = False
        self._items: list[pg.GraphicsObject] = []
        self.drawn: list[Drawn] = []
        super().__init__(theme, "", {"bottom": self._axis, "left": LongerAxis()})
        self.setAccessibleName(self.tr("How much longer each item takes"))
        self._zero = pg.InfiniteLine(angle=0)
        self._zero.setZValue(-10)
        self.canvas.addItem(self._zero, ignoreBounds=True)
        self.canvas.setLabel("bottom", self.tr("Item"))
        self.restyle(theme.palette)

    def show_finding(self, finding: OverheadFinding) -> None:
        """Show what a study found."""
        self._rows = (*finding.overall, *finding.items)
        self._sides = tuple(dict.fromkeys(row.side for row in self._rows))
        self._arrange()

    def show_ms(self, wanted: bool) -> None:  # noqa: FBT001 - a slot
        """Show milliseconds in place of percent; all items together have none."""
        self._in_ms = wanted
        self._arrange()

    def _arrange(self) -> None:
        rows = [row for row in self._rows if row.item or not self._in_ms]
        several = len({row.load for row in rows}) > 1
        keys = list(dict.fromkeys((row.load, row.item) for row in rows))
        self._columns = {key: Column(float(at), _tick(*key, several=several)) for at, key in enumerate(keys)}
        self.drawn = [Drawn(row, self._place(row), *self._value(row)) for row in rows]
        self.canvas.setLabel("left", self.tr("Longer by (ms)") if self._in_ms else self.tr("Longer by (%)"))
        self._axis.set_settings(list(self._columns.values()))
        self._axis.emphasise([column.tick for (_, item), column in self._columns.items() if not item])
        self.canvas.setXRange(-0.6, max(len(keys), 1) - 0.4, padding=0)
        self._fit()
        self.restyle(self.theme.palette)

    def _place(self, row: Slowdown) -> float:
        step = _SIDES_FRAC / max(len(self._sides), 1)
        return self._columns[row.load, row.item].position + step * (
            self._sides.index(row.side) - (len(self._sides) - 1) / 2
        )

    def _value(self, row: Slowdown) -> tuple[float, tuple[float, float] | None]:
        if self._in_ms:
            return row.side_ms - row.base_ms, row.added_ci95_ms
        return 100 * row.slowdown_frac, row.ci95_frac and (100 * row.ci95_frac[0], 100 * row.ci95_frac[1])

    def _fit(self) -> None:
        largest = _WIDEST * max((abs(one.y) for one in self.drawn), default=1.0)
        ends = [min(max(end, -largest), largest) for one in self.drawn for end in (one.y, *(one.ends or ()))]
        low, high = min(0.0, *ends, 0.0), max(0.0, *ends, 0.0)
        air = _AIR * ((high - low) or 1.0)
        self.canvas.setYRange(low - (air if low else 0.0), high + air, padding=0)
        self.settle()

    def legend(self, palette: Palette) -> list[Entry]:
        """Return the sides' marks, what hollow ones are, and the whiskers."""
        sides = [Entry(*self._look(side, palette), typeset(side)) for side in self._sides]
        return [
            *sides,
            Entry("o", palette.dim, self.tr("below the noise"), filled=False),
            Entry("whisker", palette.dim, self.tr("95 % interval over blocks")),
        ]

    def _look(self, side: str, palette: Palette) -> tuple[str, str]:
        symbol, role = _LOOKS[self._sides.index(side) % len(_LOOKS)]
        return symbol, getattr(palette, role)

    def restyle(self, palette: Palette) -> None:
        """Draw everything in the colours of a palette: it is little."""
        super().restyle(palette)
        self._zero.setPen(line(palette.dim, style=Qt.PenStyle.DashLine))
        for item in self._items:
            self.canvas.removeItem(item)
        self._items = []
        for side in self._sides:
            self._draw([one for one in self.drawn if one.row.side == side], *self._look(side, palette), palette)

    def _draw(self, there: Sequence[Drawn], symbol: str, colour: str, palette: Palette) -> None:
        known = [(one.x, end) for one in there if one.ends is not None for end in one.ends]
        x, y = np.array(known).T if known else (np.array([]), np.array([]))
        brushes = [pg.mkBrush(QColor(colour if one.row.told_apart else palette.raised)) for one in there]
        marks = pg.ScatterPlotItem(
            [one.x for one in there],
            [one.y for one in there],
            symbol=symbol,
            size=_MARK_PX,
            brush=brushes,
            pen=line(colour),
        )
        for item in (pg.PlotCurveItem(x, y, connect="pairs", pen=line(colour)), marks):
            self.canvas.addItem(item, ignoreBounds=True)
            self._items.append(item)

    def words_at(self, x: float, y: float) -> str:
        """Return the nearest slowdown's figures."""
        wide, high = self.view.viewPixelSize()
        far = [(math.hypot((one.x - x) / wide, (one.y - y) / high), at) for at, one in enumerate(self.drawn)]
        distance, at = min(far, default=(math.inf, 0))
        return row_words(self.drawn[at].row) if distance < _NEAR_PX else ""


def row_words(row: Slowdown) -> str:
    """Return a slowdown's figures as rich text."""
    tr = pg.QtCore.QCoreApplication.translate
    name = row.item or tr("slowdown_plot", "all items, mean")
    lines = [f"<b>{name}</b> &nbsp; {load_name(row.load)}, {typeset(row.side)}"]
    spans = [signed_percent(row.slowdown_frac)]
    if row.ci95_frac is not None:
        low, high = (signed_percent(end) for end in row.ci95_frac)
        spans.append(tr("slowdown_plot", "({low} to {high})").format(low=low, high=high))
    lines.append(" ".join(spans))
    words = tr("slowdown_plot", "{side} ms instead of {base} ms; {n} blocks")
    lines.append(words.format(side=full(row.side_ms), base=full(row.base_ms), n=row.blocks))
    if row.ci95_frac is not None and not row.told_apart:
        lines.append(tr("slowdown_plot", "below the noise"))
    return "<br>".join(map(typeset, lines))


def _tick(load: str, item: str, *, several: bool) -> str:
    name = item or pg.QtCore.QCoreApplication.translate("slowdown_plot", "all")
    return f"{load_name(load)} {name}" if several and item != load_name(load) else name
