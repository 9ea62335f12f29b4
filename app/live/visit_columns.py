"""Visits as columns of pixels: what is drawn costs as much as the picture is wide, however many visits there are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from app.theme.tokens import Palette

Pixels = NDArray[np.uint32]
"""Colours as Qt's Format_ARGB32 has them."""


class StackColours(NamedTuple):
    """What stands for the guest, the I/O domain, and for nothing configured: one colour, or one per column."""

    guest: int | Pixels
    io: int | Pixels
    none: int | Pixels


def stack_colours(palette: Palette, over: str = "", opacity: float = 1.0) -> StackColours:
    """Return the two domains' colours, seen through at this opacity (0 to 1) upon the colour `over`."""
    return StackColours(*(_mixed(name, over or name, opacity) for name in (palette.guest, palette.io, palette.edge)))


def stacks(io_frac: NDArray[np.float64], height: int, colours: StackColours) -> Pixels:
    """Return pixels of shape (height, columns): each column the guest's colour, from the bottom the I/O domain's.

    Args:
        io_frac: Share of the I/O domain per column, 0 to 1; nan where nothing is configured.
        height: Rows.
        colours: One for all columns, or one each.
    """
    from_bottom = (height - 0.5 - np.arange(height)[:, None]) / height
    split = np.where(from_bottom < io_frac, colours.io, colours.guest)
    return np.where(np.isnan(io_frac), colours.none, split).astype(np.uint32)


def image_of(pixels: Pixels) -> QImage:
    """Return a picture of its own."""
    height, width = pixels.shape
    kept = pixels.tobytes()  # which QImage looks at, and does not keep
    return QImage(kept, width, height, 4 * width, QImage.Format.Format_ARGB32).copy()


def _mixed(name: str, over: str, opacity: float) -> int:
    front, back = QColor(name), QColor(over)
    mixed = QColor()
    mixed.setRedF(opacity * front.redF() + (1 - opacity) * back.redF())
    mixed.setGreenF(opacity * front.greenF() + (1 - opacity) * back.greenF())
    mixed.setBlueF(opacity * front.blueF() + (1 - opacity) * back.blueF())
    return mixed.rgba()
