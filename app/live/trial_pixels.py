"""Trials as columns of pixels: what is drawn costs as much as the picture is wide, however many trials there are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from app.theme.tokens import Palette

Pixels = NDArray[np.uint32]
"""Colours as Qt's Format_ARGB32 has them."""


class ColumnShares(NamedTuple):
    """What is configured, per column.

    Attributes:
        io_frac: The I/O domain's share, 0 to 1; nan where nothing is configured.
        second_frac: A second guest's, likewise; 0 where there is none.
    """

    io_frac: NDArray[np.float64]
    second_frac: NDArray[np.float64]


class StackColours(NamedTuple):
    """What stands for each domain, and for nothing configured: one colour, or one per column."""

    guest: int | Pixels
    io: int | Pixels
    second: int | Pixels
    none: int | Pixels


def stack_colours(palette: Palette, over: str = "", opacity: float = 1.0) -> StackColours:
    """Return the domains' colours, seen through at this opacity (0 to 1) upon the colour `over`."""
    names = (palette.guest, palette.io, palette.guest_2, palette.edge)
    return StackColours(*(_blend_colours(name, over or name, opacity) for name in names))


def stack_pixels(shares: ColumnShares, height: int, colours: StackColours) -> Pixels:
    """Return pixels of shape (height, columns): the guest's colour, from the bottom the I/O domain's, above a second's.

    Args:
        shares: Of the I/O domain and of a second guest, by column.
        height: Rows.
        colours: One for all columns, or one each.
    """
    from_bottom = (height - 0.5 - np.arange(height)[:, None]) / height
    guests = np.where(from_bottom < 1 - shares.second_frac, colours.guest, colours.second)
    split = np.where(from_bottom < shares.io_frac, colours.io, guests)
    return np.where(np.isnan(shares.io_frac), colours.none, split).astype(np.uint32)


def image_of(pixels: Pixels) -> QImage:
    """Return a picture of its own."""
    height, width = pixels.shape
    kept = pixels.tobytes()  # which QImage looks at, and does not keep
    return QImage(kept, width, height, 4 * width, QImage.Format.Format_ARGB32).copy()


def _blend_colours(name: str, over: str, opacity: float) -> int:
    front, back = QColor(name), QColor(over)
    mixed = QColor()
    mixed.setRedF(opacity * front.redF() + (1 - opacity) * back.redF())
    mixed.setGreenF(opacity * front.greenF() + (1 - opacity) * back.greenF())
    mixed.setBlueF(opacity * front.blueF() + (1 - opacity) * back.blueF())
    return mixed.rgba()
