"""The bands behind the split that is recommended, and behind those that are as good."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtGui import QColor

from app.theme.tokens import Palette

_HALF_FRAC = 0.017  # half width of a band, as a part of the axis


class SplitBands:
    """Bands over the whole height of a plot, the winner's stronger.

    Args:
        plot: The plot they go into.
    """

    def __init__(self, plot: pg.PlotItem) -> None:
        self._plot = plot
        self.shown: list[pg.LinearRegionItem] = []

    def mark(self, places: Sequence[tuple[float, bool]], span: tuple[float, float], palette: Palette) -> None:
        """Mark places on the axis, each with whether it is the winner's; `span` is the range of the axis."""
        half = _HALF_FRAC * (span[1] - span[0])
        self._provide_bands(len(places))
        for band, (place, winner) in zip(self.shown, places, strict=True):
            band.setRegion((place - half, place + half))
            band.setProperty("winner", winner)
        self.restyle(palette)

    def restyle(self, palette: Palette) -> None:
        """Put on the colours of a palette."""
        for band in self.shown:
            tint = QColor(palette.accent)
            tint.setAlphaF(0.22 if band.property("winner") else 0.10)
            band.setBrush(tint)

    def _provide_bands(self, count: int) -> None:
        """Keep the bands that there are: making one costs as much as ranking."""
        while len(self.shown) > count:
            self._plot.removeItem(self.shown.pop())
        while len(self.shown) < count:
            band = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
            band.setZValue(-20)
            self._plot.addItem(band, ignoreBounds=True)
            self.shown.append(band)
