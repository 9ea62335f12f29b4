"""Trials as columns of pixels.

The cost depends on the width of the picture, not on the number of trials.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from app.theme.tokens import Palette

Pixels = NDArray[np.uint32]
"""Colours in Qt's Format_ARGB32."""


class ColumnShares(NamedTuple):
    """CPU allotted per column.

    Attributes:
        io_frac: Share of the I/O domain, 0..1; NaN if nothing is allotted.
        second_frac: Share of a second guest, 0..1; 0 without a second guest.
    """

    io_frac: NDArray[np.float64]
    second_frac: NDArray[np.float64]


class StackColours(NamedTuple):
    """Colours of the domains and of no split: one colour, or one per column."""

    guest: int | Pixels
    io: int | Pixels
    second: int | Pixels
    none: int | Pixels


def stack_colours(palette: Palette, over: str = "", opacity: float = 1.0) -> StackColours:
    """Return the colours of the domains.

    Args:
        palette: Current colours.
        over: Background colour to blend with; empty for none.
        opacity: Opacity of the domain colours, 0..1.
    """
    names = (palette.guest, palette.io, palette.guest_2, palette.edge)
    return StackColours(*(_blend_colours(name, over or name, opacity) for name in names))


def stack_pixels(shares: ColumnShares, height: int, colours: StackColours) -> Pixels:
    """Return the pixels of stacked shares, shape (height, columns).

    The I/O domain is at the bottom, a second guest at the top, and the guest between them.

    Args:
        shares: Shares by column.
        height: Number of rows.
        colours: One colour for all columns, or one per column.
    """
    from_bottom = (height - 0.5 - np.arange(height)[:, None]) / height
    guests = np.where(from_bottom < 1 - shares.second_frac, colours.guest, colours.second)
    split = np.where(from_bottom < shares.io_frac, colours.io, guests)
    return np.where(np.isnan(shares.io_frac), colours.none, split).astype(np.uint32)


def image_of(pixels: Pixels) -> QImage:
    """Return the pixels as an image with its own memory."""
    height, width = pixels.shape
    kept = pixels.tobytes()  # QImage does not keep this memory alive
    return QImage(kept, width, height, 4 * width, QImage.Format.Format_ARGB32).copy()


def _blend_colours(name: str, over: str, opacity: float) -> int:
    front, back = QColor(name), QColor(over)
    mixed = QColor()
    mixed.setRedF(opacity * front.redF() + (1 - opacity) * back.redF())
    mixed.setGreenF(opacity * front.greenF() + (1 - opacity) * back.greenF())
    mixed.setBlueF(opacity * front.blueF() + (1 - opacity) * back.blueF())
    return mixed.rgba()
