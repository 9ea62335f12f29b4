"""Pens for lines; pyqtgraph's pens are cosmetic, that is as many device pixels wide on any screen."""

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPen


def make_pen(colour: str | QColor, width_px: float = 1.5, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """Return a pen `width_px` device-independent pixels wide, on whatever screen is the sharpest."""
    app = QGuiApplication.instance()
    scale = app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0
    return pg.mkPen(colour, width=width_px * scale, style=style)
