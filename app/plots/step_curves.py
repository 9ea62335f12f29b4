"""Step curves of values per window, and the shade for time ranges."""

import math

import numpy as np
from PySide6.QtGui import QColor

from app.plots.curve_thinning import thin_curve
from app.plots.sample_series import Floats
from app.theme.tokens import Palette

_POINTS = 300  # of a line; more steps would be closer than three pixels
_SHADE_FRAC = 0.13


def step_curve(t_s: Floats, values: Floats, window_s: float) -> tuple[Floats, Floats]:
    """Return values per window as the corners of steps, thinned if there are many.

    Args:
        t_s: End of each window, ascending, seconds.
        values: One value per window, none of them NaN.
        window_s: Length of a window, seconds.
    """
    both, twice = np.column_stack((t_s - window_s, t_s)).ravel(), np.repeat(values, 2)
    if len(twice):
        turns = twice[1:] != twice[:-1]
        corner = np.append(turns, True) | np.insert(turns, 0, True)
        both, twice = both[corner], twice[corner]
    return thin_curve(both, twice, _POINTS, gap_s=math.inf)


def shade_colour(palette: Palette) -> QColor:
    """Return the opaque colour of a pale grey shade on the plot's background."""
    pale, strong = QColor(palette.raised), QColor(palette.dim)
    pairs = ((pale.red(), strong.red()), (pale.green(), strong.green()), (pale.blue(), strong.blue()))
    return QColor(*(round(low + _SHADE_FRAC * (high - low)) for low, high in pairs))
