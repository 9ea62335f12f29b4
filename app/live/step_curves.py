"""A value per window as steps, and the shade of what is told apart by its time."""

import math

import numpy as np
from PySide6.QtGui import QColor

from app.live.curve_thinning import thin_curve
from app.live.sample_series import Floats
from app.theme.tokens import Palette

_POINTS = 300  # of a line: steps that are nearer than three pixels
_SHADE_FRAC = 0.13


def step_curve(t_s: Floats, values: Floats, window_s: float) -> tuple[Floats, Floats]:
    """Return a value per window, all of them known, as steps: their corners, thinned where these are very many."""
    both, twice = np.column_stack((t_s - window_s, t_s)).ravel(), np.repeat(values, 2)
    if len(twice):
        turns = twice[1:] != twice[:-1]
        corner = np.append(turns, True) | np.insert(turns, 0, True)
        both, twice = both[corner], twice[corner]
    return thin_curve(both, twice, _POINTS, gap_s=math.inf)


def shade_colour(palette: Palette) -> QColor:
    """Return a pale grey, as it comes out on the plot's background."""
    pale, strong = QColor(palette.raised), QColor(palette.dim)
    pairs = ((pale.red(), strong.red()), (pale.green(), strong.green()), (pale.blue(), strong.blue()))
    return QColor(*(round(low + _SHADE_FRAC * (high - low)) for low, high in pairs))
