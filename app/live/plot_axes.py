"""The axes of our plots but time's: splits with their two-colour bars, rates, percents."""

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

LEFT_PX = 62  # every plot's left axis has the same width, so that plots in one column line up
_ROW_GAP_PX = 3
_BAR_W_PX, _BAR_H_PX = 22, 5


class HasTick(Protocol):
    """What stands on an axis of settings: `Setting`s, or anything like them."""

    @property
    def position(self) -> float:
        """Where it stands."""
        ...

    @property
    def tick(self) -> str:
        """What stands beneath the axis there."""
        ...


class FewLinesAxis(pg.AxisItem):
    """Plain numbers, with few lines."""

    def __init__(self) -> None:
        super().__init__("left")
        self.setWidth(LEFT_PX)

    def tickSpacing(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> Sequence[tuple[float, float]]:
        """Return the labelled lines only; pyqtgraph would draw finer ones between them."""
        return super().tickSpacing(low, high, size)[:1]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the labels, with a typographic minus."""
        del spacing
        return [typeset_text(f"{value * scale:g}") for value in values]


class RateAxis(FewLinesAxis):
    """Tuples per second, written `12k`.

    Attributes:
        most: Above it stands something else, without numbers beside it.
    """

    def __init__(self) -> None:
        self.most = math.inf
        super().__init__()

    def tickValues(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Return the places of the lines."""
        found = super().tickValues(low, high, size)
        return [(step, [value for value in values if value <= self.most]) for step, values in found]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the labels."""
        del spacing
        return [format_short(value * scale) for value in values]


_SEVERAL = 1.5  # CPUs, from where on an axis counts whole ones


class PercentAxis(pg.AxisItem):
    """Fractions, written as percent: 0, 25, 50, 75, 100; whole CPUs where there are several."""

    def __init__(self) -> None:
        super().__init__("left")
        self.setWidth(LEFT_PX)

    def tickValues(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Return quarters, or halves where there is little room; of several CPUs whole ones, five at most."""
        step = 0.25 if size > 110 else 0.5
        if high >= _SEVERAL:
            step = float(math.ceil(high / 5))
        return [(step, [i * step for i in range(int(high / step) + 1) if low - 1e-9 <= i * step <= high + 1e-9])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the labels."""
        del spacing
        return [f"{value * scale * 100:.0f}" for value in values]


class SplitTickAxis(pg.AxisItem):
    """The swept splits at ln(I/O domain / guest), each with its two-colour bar.

    Args:
        theme: Colours and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        # pyqtgraph's constructor resizes already, which asks for the labels.
        self._theme = theme
        self._settings: Sequence[HasTick] = ()
        self._strong: frozenset[str] = frozenset()
        self._words = QFontMetricsF(theme.font())
        self._rows = 0
        super().__init__("bottom")
        self._make_room(1)

    def set_settings(self, settings: Sequence[HasTick]) -> None:
        """Put these on the axis, those that stand at the same place once."""
        places = {setting.position: setting for setting in settings}
        self._settings = [places[place] for place in sorted(places)]
        self._make_room(1 + max((row for _, _, row in self.rows()), default=0))
        self._redraw_labels()

    def highlight_labels(self, labels: Sequence[str]) -> None:
        """Write these labels in the accent colour."""
        self._strong = frozenset(labels)
        self._redraw_labels()

    def rows(self) -> list[tuple[float, str, int]]:
        """Return (x in px, label, row 0 or 1) of every label that fits beside its neighbours."""
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
        """Use a second row of labels where one is too narrow."""
        super().resizeEvent(ev)
        self._make_room(1 + max((row for _, _, row in self.rows()), default=0))

    def linkedViewChanged(self, view: object, newRange: object = None) -> None:  # noqa: N803 - pyqtgraph's name
        """Likewise where the range changes."""
        super().linkedViewChanged(view, newRange)
        self._make_room(1 + max((row for _, _, row in self.rows()), default=0))

    def tickValues(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Return the splits' positions."""
        del size
        return [(1.0, [setting.position for setting in self._settings if low <= setting.position <= high])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return nothing: `drawPicture` writes the labels."""
        del scale, spacing
        return [""] * len(values)

    def drawPicture(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, p: QPainter, axis: object, ticks: object, texts: object
    ) -> None:
        """Draw the axis, then labels and bars."""
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
        """Return where words that are `half` wide to each side stand, so that none is cut off at the right or left."""
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
