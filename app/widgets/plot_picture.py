"""Picture of a plot with its title and, for simulated data, the ribbon.

Drawing happens in the window's thread, writing in the background.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from app.glossary import glossary_term
from app.widgets.simulated_ribbon import paint_ribbon
from app.widgets.themed_plot import ThemedPlot
from scheduler.translation import _

_PNG_SCALE = 2.0
_TITLE_PX = 36
_RIBBON_PX = 26
_LEAST = QSize(480, 300)

Write = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class PlotPicture:
    """Content of a picture.

    Attributes:
        plot: The plot in its size on the screen, at least 480 x 300 pixels.
        title: Title of the plot.
        font: Font of the title.
        simulated: Draw the ribbon for simulated data.
    """

    plot: ThemedPlot
    title: str
    font: QFont
    simulated: bool

    def render_image(self) -> QImage:
        """Return the picture at twice the screen resolution."""
        size = self._picture_size()
        image = QImage(size * _PNG_SCALE, QImage.Format.Format_ARGB32)
        image.setDevicePixelRatio(_PNG_SCALE)
        painter = QPainter(image)
        self._draw_picture(painter, size)
        painter.end()
        return image

    def render_png(self) -> Write:
        """Draw the picture; return a function that writes PNG.

        The returned function encodes and writes the file in any thread.
        """
        image = self.render_image()

        def write(path: Path) -> None:
            buffer = QBuffer()
            if not image.save(buffer, "PNG"):  # pyright: ignore[reportArgumentType, reportCallIssue] - takes any device
                raise OSError(0, _("the image could not be encoded"))
            path.write_bytes(buffer.data().data())

        return write

    def render_svg(self) -> Write:
        """Draw the plot as vector shapes; return a function that writes SVG.

        The returned function writes the file in any thread.
        """
        size = self._picture_size()
        buffer = QBuffer()
        made = QSvgGenerator()
        made.setOutputDevice(buffer)
        made.setSize(size)
        made.setResolution(self.plot.logicalDpiX())  # axes are recorded pictures; another resolution scales them
        made.setViewBox(QRect(0, 0, size.width(), size.height()))
        made.setTitle(self.title)
        painter = QPainter(made)
        self._draw_picture(painter, size)
        painter.end()
        text = bytes(buffer.data().data())
        return lambda path: _write_bytes(path, text)

    def _picture_size(self) -> QSize:
        more_px = _TITLE_PX + (_RIBBON_PX if self.simulated else 0)
        return self.plot.size().expandedTo(_LEAST) + QSize(0, more_px)

    def _draw_picture(self, painter: QPainter, size: QSize) -> None:
        colours = self.plot.theme.palette
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRect(0, 0, size.width(), size.height()), QColor(colours.raised))
        painter.setFont(self.font)
        painter.setPen(QColor(colours.text))
        painter.drawText(QRect(12, 0, size.width() - 24, _TITLE_PX), Qt.AlignmentFlag.AlignVCenter, self.title)
        top = _TITLE_PX
        if self.simulated:
            painter.setFont(self.plot.theme.font())
            paint_ribbon(painter, QRect(0, top, size.width(), _RIBBON_PX), colours, glossary_term("simulated")[0])
            top += _RIBBON_PX
        area = QRectF(0, top, size.width(), size.height() - top)
        with _as_shapes(self.plot):
            self.plot.render(painter, area, self.plot.viewport().rect(), Qt.AspectRatioMode.KeepAspectRatio)


@contextlib.contextmanager
def _as_shapes(plot: ThemedPlot) -> Iterator[None]:
    """Draw symbols as vector shapes, which are sharp at every scale.

    On the screen, pyqtgraph draws symbols faster from cached bitmaps.
    """
    symbols = [item for item in plot.items() if isinstance(item, pg.ScatterPlotItem)]
    for item in symbols:
        item.setExportMode(True, {})
    try:
        yield
    finally:
        for item in symbols:
            item.setExportMode(False)


def _write_bytes(path: Path, data: bytes) -> None:
    path.write_bytes(data)
