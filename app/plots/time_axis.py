"""Time axis with a strip of trials under it."""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from app.plots.run_board import TrialSpan
from app.plots.trial_pixels import ColumnShares, image_of, stack_colours, stack_pixels
from app.theme.theme import Theme

_STRIP_PX = 10
_LABEL_PX = 54
_LEAST_BOX_PX = 3  # below this average width, trials are drawn as columns of pixels
_STEPS_S = (5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 28_800, 86_400)


class TimeAxis(pg.AxisItem):
    """Axis of the time since the run began, with a strip of the trials' splits.

    Each trial is a stack of the domains' colours.

    Args:
        theme: Colours.
        strip: Show the strip.
    """

    def __init__(self, theme: Theme, *, strip: bool = False) -> None:
        super().__init__("bottom")
        self._theme = theme
        self._spans: Sequence[TrialSpan] = ()
        self._now_s = 0.0
        self._strip_px = _STRIP_PX if strip else 0
        height = QFontMetricsF(theme.font()).height()
        self.setHeight(round(2 * height + 14 + self._strip_px))

    def make_room(self) -> None:
        """Move the labels below the strip; call this after the plot's own styling."""
        self.setStyle(tickTextOffset=4 + self._strip_px)

    def set_spans(self, spans: Sequence[TrialSpan], now_s: float) -> None:
        """Show trials.

        Args:
            spans: Trials in order.
            now_s: End of the current trial, seconds since the run began.
        """
        self._spans, self._now_s = spans, now_s
        self.picture = None
        self.update()

    def tickValues(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Return round times with enough distance for their labels."""
        wanted_s = (high - low) * _LABEL_PX / max(size, 1.0)
        step = next((step for step in _STEPS_S if step >= wanted_s), _STEPS_S[-1] * (1 + wanted_s // _STEPS_S[-1]))
        first = int(-(-low // step))
        return [(float(step), [float(step * i) for i in range(first, int(high // step) + 1)])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return labels such as `4:05` or, from an hour on, `2:05:00`."""
        del scale, spacing
        return [time_text(value) for value in values]

    def drawPicture(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, p: QPainter, axis: object, ticks: object, texts: object
    ) -> None:
        """Draw the axis and the strip."""
        super().drawPicture(p, axis, ticks, texts)
        if not self._strip_px:
            return
        area = self.mapRectFromParent(self.geometry())
        p.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if len(self._spans) * _LEAST_BOX_PX > area.width():
            box = QRectF(area.left(), area.top() + 4, area.width(), self._strip_px - 1)
            p.drawImage(box, self._strip_image(round(box.width()), round(box.height())))
            return
        low, high = self.range
        scale = area.width() / max(high - low, 1e-9)
        for span in self._spans:
            left = max(area.left(), area.left() + (span.began_s - low) * scale)
            right = min(area.right(), area.left() + (self._end_s(span) - low) * scale)
            if right > left:
                gap = 1.0 if right - left > 5 else 0.0
                box = QRectF(left, area.top() + 4, right - left - gap, self._strip_px - 1)
                _paint_stack(p, box, span, self._theme)

    def _strip_image(self, width: int, height: int) -> QImage:
        """Return the strip of a long run as an image, because thousands of boxes are slow."""
        ended_s = np.fromiter(map(self._end_s, self._spans), np.float64)
        began_s = np.fromiter((span.began_s for span in self._spans), np.float64)
        io_frac = np.fromiter((np.nan if s.io_frac is None else s.io_frac for s in self._spans), np.float64)
        second_frac = np.fromiter((span.second_frac for span in self._spans), np.float64)
        low, high = self.range
        t_s = low + (high - low) / width * (np.arange(width) + 0.5)
        at = np.minimum(np.searchsorted(ended_s, t_s), len(ended_s) - 1)
        seen = (t_s >= began_s[at]) & (t_s <= ended_s[at])
        pixels = stack_pixels(ColumnShares(io_frac[at], second_frac[at]), height, stack_colours(self._theme.palette))
        return image_of(np.where(seen, pixels, 0).astype(np.uint32))

    def _end_s(self, span: TrialSpan) -> float:
        return self._now_s if span.ended_s is None else span.ended_s


def _paint_stack(painter: QPainter, box: QRectF, span: TrialSpan, theme: Theme) -> None:
    """Fill a box with the domains' colours; use grey if no split is set.

    The I/O domain is at the bottom.
    """
    palette = theme.palette
    if span.io_frac is None:
        painter.fillRect(box, QColor(palette.edge))
        return
    painter.fillRect(box, QColor(palette.guest))
    height = box.height() * span.io_frac
    painter.fillRect(QRectF(box.left(), box.bottom() - height, box.width(), height), QColor(palette.io))
    second = QRectF(box.left(), box.top(), box.width(), box.height() * span.second_frac)
    painter.fillRect(second, QColor(palette.guest_2))


def time_text(t_s: float) -> str:
    """Return a time since the start: `4:05` (minutes), `2:05:00` (hours)."""
    minutes, seconds = divmod(round(t_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
