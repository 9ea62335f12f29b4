"""Pens for lines with the same width on every screen.

Pyqtgraph's pens are cosmetic: their width counts device pixels.
"""

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPen


def make_pen(colour: str | QColor, width_px: float = 1.5, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """Return a pen whose width matches the screen with the highest resolution.

    Args:
        colour: Colour.
        width_px: Width in device-independent pixels.
        style: Qt's pen style.
    """
    app = QGuiApplication.instance()
    scale = app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0
    return pg.mkPen(colour, width=width_px * scale, style=style)
