"""Axes for splits with their split bars, for rates and for percentages."""

import math
from collections.abc import Sequence
from typing import Protocol

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from app.display_texts import format_short, typeset_text
from app.theme.theme import Theme
from app.widgets.split_bar import paint_split
from scheduler.model.setting import SplitSetting

LEFT_PX = 62  # the same for all plots, so that plots in a column are aligned
_ROW_GAP_PX = 3
_BAR_W_PX, _BAR_H_PX = 22, 5


class HasTick(Protocol):
    """Item on an axis of settings, for example a `Setting`."""

    @property
    def position(self) -> float:
        """Position on the axis."""
        ...

    @property
    def tick(self) -> str:
        """Label under the axis."""
        ...


class FewLinesAxis(pg.AxisItem):
    """Axis of plain numbers with few grid lines."""

    def __init__(self) -> None:
        super().__init__("left")
        self.setWidth(LEFT_PX)

    def tickSpacing(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> Sequence[tuple[float, float]]:
        """Return the spacing of labelled lines only, without pyqtgraph's finer lines."""
        return super().tickSpacing(low, high, size)[:1]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the labels with a typographic minus."""
        del spacing
        return [typeset_text(f"{value * scale:g}") for value in values]


class RateAxis(FewLinesAxis):
    """Axis of rates with labels such as `12k`.

    Attributes:
        most: Highest labelled rate; the room above holds other items.
    """

    def __init__(self) -> None:
        self.most = math.inf
        super().__init__()

    def tickValues(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Return the positions of the lines."""
        found = super().tickValues(low, high, size)
        return [(step, [value for value in values if value <= self.most]) for step, values in found]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the labels."""
        del spacing
        return [format_short(value * scale) for value in values]


_SEVERAL = 1.5  # CPUs above which the axis labels whole CPUs


class PercentAxis(pg.AxisItem):
    """Axis of CPU use: percent of the shared CPU, or CPUs where several are shared."""

    def __init__(self) -> None:
        super().__init__("left")
        self._cpus = 1
        self.setWidth(LEFT_PX)

    def set_cpus(self, cpus: int) -> None:
        """Set the number of shared CPUs: labels are CPUs instead of percent for several."""
        self._cpus = cpus
        self.picture = None
        self.update()

    def tickValues(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Return quarters, halves on a short axis, or at most five steps of whole CPUs."""
        step = 0.25 if size > 110 else 0.5
        if high >= _SEVERAL:
            step = float(math.ceil(high / 5))
        return [(step, [i * step for i in range(int(high / step) + 1) if low - 1e-9 <= i * step <= high + 1e-9])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the labels."""
        del spacing
        if self._cpus > 1:
            return [f"{value * scale:g}" for value in values]
        return [f"{value * scale * 100:.0f}" for value in values]


class SplitTickAxis(pg.AxisItem):
    """Axis of splits at ln(I/O domain / guest), each with its split bar.

    Args:
        theme: Colours and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        # Set these first, because pyqtgraph's constructor resizes the axis and needs the labels.
        self._theme = theme
        self._settings: Sequence[HasTick] = ()
        self._strong: frozenset[str] = frozenset()
        self._words = QFontMetricsF(theme.font())
        self._rows = 0
        super().__init__("bottom")
        self._make_room(1)

    def set_settings(self, settings: Sequence[HasTick]) -> None:
        """Set the settings of the axis; keep one of those with equal positions."""
        places = {setting.position: setting for setting in settings}
        self._settings = [places[place] for place in sorted(places)]
        self._make_room(1 + max((row for _, _, row in self.rows()), default=0))
        self._redraw_labels()

    def highlight_labels(self, labels: Sequence[str]) -> None:
        """Show these labels in the accent colour."""
        self._strong = frozenset(labels)
        self._redraw_labels()

    def rows(self) -> list[tuple[float, str, int]]:
        """Return (x in pixels, label, row 0 or 1) of every label that fits."""
        area = self._axis_area()
        low, high = self.range
        ends = [-1e9, -1e9]
        placed: list[tuple[float, str, int]] = []
        for setting in self._settings:
            x = area.left() + (setting.position - low) / max(high - low, 1e-9) * area.width()
            half = max(self._words.horizontalAdvance(setting.tick), _BAR_W_PX) / 2 + 3
            middle = self._clamp_centre(x, half)
            row = next((row for row in (0, 1) if middle - half >= ends[row]), None)
            if row is not None:
                ends[row] = middle + half
                placed.append((x, setting.tick, row))
        return placed

    def resizeEvent(self, ev: object = None) -> None:
        """Use a second row of labels where one row is too narrow."""
        super().resizeEvent(ev)
        self._make_room(1 + max((row for _, _, row in self.rows()), default=0))

    def linkedViewChanged(self, view: object, newRange: object = None) -> None:  # noqa: N803 - pyqtgraph's name
        """Update the rows of labels after a change of the range."""
        super().linkedViewChanged(view, newRange)
        self._make_room(1 + max((row for _, _, row in self.rows()), default=0))

    def tickValues(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Return the positions of the settings."""
        del size
        return [(1.0, [setting.position for setting in self._settings if low <= setting.position <= high])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return empty labels: `drawPicture` writes the text."""
        del scale, spacing
        return [""] * len(values)

    def drawPicture(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, p: QPainter, axis: object, ticks: object, texts: object
    ) -> None:
        """Draw the axis, the labels and the split bars."""
        del texts
        super().drawPicture(p, axis, ticks, [])
        palette = self._theme.palette
        top = self._axis_area().top() + 2 * _ROW_GAP_PX
        splits = {setting.tick: setting.split for setting in self._settings if isinstance(setting, SplitSetting)}
        for x, text, row in self.rows():
            strong = text in self._strong
            font: QFont = self._theme.font(weight=QFont.Weight.Bold if strong else QFont.Weight.Normal)
            y = top + row * (self._words.height() + _BAR_H_PX)
            p.setFont(font)
            p.setPen(QColor(palette.accent_text if strong else palette.text))
            half = QFontMetricsF(font).horizontalAdvance(text) / 2 + 2
            box = QRectF(self._clamp_centre(x, half) - half, y, 2 * half, self._words.height())
            p.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, text)
            bar = QRectF(x - _BAR_W_PX / 2, y + self._words.height(), _BAR_W_PX, _BAR_H_PX)
            if text in splits:
                paint_split(p, bar, splits[text], palette)

    def _clamp_centre(self, x: float, half: float) -> float:
        """Return the centre of a label, moved inside the axis; `half` is half its width."""
        area = self._axis_area()
        return max(area.left() + half, min(x, area.right() - half)) if area.width() > 2 * half else x

    def _axis_area(self) -> QRectF:
        return self.mapRectFromParent(self.geometry())

    def _make_room(self, rows: int) -> None:
        if self._settings and rows != self._rows:
            self._rows = rows
            row_px = self._words.height() + _BAR_H_PX
            self.setHeight(round(rows * row_px + self._words.height() + 4 * _ROW_GAP_PX))

    def _redraw_labels(self) -> None:
        self.picture = None
        self.update()
