"""Knee bars above the throughput curves: the users at which a split saturates.

Each load and split has one bar. An open bar has no right edge, because no limit was found.
"""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath
from PySide6.QtWidgets import QGraphicsPathItem

from app.plots.pens import make_pen
from app.plots.plot_legend import LegendEntry
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.series_style import load_style
from scheduler.studies.capacity.charts import knee_band, knee_title, knee_users_text
from scheduler.studies.capacity.declaration import CapacityFinding, KneeEstimate
from scheduler.translation import _

_LANE_PX = 19.0
_MOST_FRAC = 0.45  # of the plot's height, for all bars
_LEAST_BAR_PX = 5.0
_BAR_FRAC = 0.55  # of the height that one bar may take
_BESIDE_PX = 5.0
_ABOVE_LINES = 10


class KneeBars:
    """Plot items of all knees.

    Args:
        plot: Plot that gets the items.
        theme: Colours and fonts.
    """

    def __init__(self, plot: pg.PlotItem, theme: Theme) -> None:
        self._plot, self._theme = plot, theme
        self.knees: tuple[KneeEstimate, ...] = ()
        self.bars: list[QGraphicsPathItem] = []
        self.words: list[pg.TextItem] = []

    def set_knees(self, knees: Sequence[KneeEstimate]) -> None:
        """Set the knees; call `place` to position their bars."""
        self.knees = tuple(knees)
        while len(self.bars) > len(self.knees):
            for item in (self.bars.pop(), self.words.pop()):
                self._plot.removeItem(item)
        while len(self.bars) < len(self.knees):
            self.bars.append(QGraphicsPathItem())
            self.words.append(pg.TextItem())
            self.words[-1].textItem.document().setDocumentMargin(1)  # default covers the next bar's text
            for item in (self.bars[-1], self.words[-1]):
                item.setZValue(_ABOVE_LINES)
                self._plot.addItem(item, ignoreBounds=True)
        self.restyle(self._theme.palette)

    def height_px(self, room_px: float) -> float:
        """Return the height that the bars need in a plot of a given height, pixels."""
        return min(_LANE_PX * len(self.knees), _MOST_FRAC * room_px)

    def place(self, edges: tuple[float, float], top: float, pixel: tuple[float, float], room_px: float) -> None:
        """Place the bars below the upper edge of a plot.

        Args:
            edges: First and last number of users on the axis.
            top: Upper edge of the plot, as a rate.
            pixel: Width and height of a pixel, in the plot's units.
            room_px: Height of the plot, pixels.
        """
        wide, high = pixel
        lane = self.height_px(room_px) / max(len(self.knees), 1) * high
        for number, (knee, bar, words) in enumerate(zip(self.knees, self.bars, self.words, strict=True)):
            middle = top - (number + 0.5) * lane
            band = knee_band(knee, "")
            left, right = band.low, edges[1] if band.high is None else band.high
            short = max(0.0, _LEAST_BAR_PX * wide - (right - left)) / 2
            rect = QRectF(left - short, middle - _BAR_FRAC * lane / 2, right - left + 2 * short, _BAR_FRAC * lane)
            bar.setPath(_bar_outline(rect, is_open=knee.open))
            self._place_words(words, rect, edges, wide)

    def _place_words(self, words: pg.TextItem, bar: QRectF, edges: tuple[float, float], wide: float) -> None:
        """Place the text of a bar on the side with more room, or inside without room."""
        beyond, before, gap = edges[1] - bar.right(), bar.left() - edges[0], _BESIDE_PX * wide
        y = bar.center().y()
        words.fill = pg.mkBrush(None)
        if max(beyond, before) < words.boundingRect().width() * wide + gap:
            words.fill = pg.mkBrush(self._theme.palette.raised)
            words.setAnchor((0.5, 0.5))
            words.setPos(bar.center().x(), y)
        elif beyond >= before:
            words.setAnchor((0, 0.5))
            words.setPos(bar.right() + gap, y)
        else:
            words.setAnchor((1, 0.5))
            words.setPos(bar.left() - gap, y)

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        for knee, bar, words in zip(self.knees, self.bars, self.words, strict=True):
            style = load_style(knee.load, palette)
            fill = QColor(style.colour)
            fill.setAlphaF(0.35 if knee.is_decided else 0.12)
            bar.setBrush(fill)
            between = not (knee.open or knee.is_decided)
            bar.setPen(make_pen(style.colour, 1.2, style=Qt.PenStyle.DashLine if between else Qt.PenStyle.SolidLine))
            words.setText(f"{knee_title(knee)}: {knee_users_text(knee)}")
            words.setColor(QColor(style.text_colour))
            words.setFont(self._theme.font())

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return an entry for each kind of bar that occurs."""
        full = [LegendEntry("block", palette.dim, _("saturated from here"))]
        more = [LegendEntry("empty", palette.dim, _("not saturated in the tested range"))]
        between = [LegendEntry("empty", palette.dim, _("undecided: saturated within this range"))]
        return [
            *(full if any(knee.is_decided for knee in self.knees) else []),
            *(between if not all(knee.is_decided or knee.open for knee in self.knees) else []),
            *(more if any(knee.open for knee in self.knees) else []),
        ]


def knees_in(answer: object) -> tuple[KneeEstimate, ...]:
    """Return the knees of a capacity study's answer; none for other answers."""
    return answer.knees if isinstance(answer, CapacityFinding) else ()


def _bar_outline(rect: QRectF, *, is_open: bool) -> QPainterPath:
    """Return the outline of a bar; an open bar has no right edge."""
    path = QPainterPath(rect.topRight())
    for corner in (rect.topLeft(), rect.bottomLeft(), rect.bottomRight()):
        path.lineTo(corner)
    if not is_open:
        path.closeSubpath()
    return path
