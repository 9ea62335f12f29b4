"""The axis of splits over time: ln(I/O domain / guest), written as splits."""

import itertools
import math
from collections.abc import Sequence

import pyqtgraph as pg

from app.live.plot_axes import LEFT_PX

_SETS = ((1, 2, 3, 5, 9), (1, 2, 5), (1, 3, 9), (1, 9), (1,))  # the finest first
_LABEL_PX = 16.0


class RatioAxis(pg.AxisItem):
    """More for the I/O domain further up."""

    def __init__(self) -> None:
        super().__init__("left")
        self.setWidth(LEFT_PX)

    def tickValues(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, low: float, high: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Return the places of the splits that have room for their labels."""
        px_per_unit = size / max(high - low, 1e-9)
        parts = next(parts for parts in _SETS if _least_gap(parts) * px_per_unit >= _LABEL_PX)
        places = sorted({sign * math.log(part) for part in parts for sign in (-1, 1)})
        return [(1.0, [place for place in places if low <= place <= high])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the splits."""
        del scale, spacing
        return [_ratio_label(value) for value in values]


def _least_gap(parts: Sequence[int]) -> float:
    """Return how near the nearest two are; one alone has all the room there is."""
    return min((math.log(far / near) for near, far in itertools.pairwise(parts)), default=math.inf)


def _ratio_label(value: float) -> str:
    far = f"{math.exp(abs(value)):.3g}"
    return f"{far}:1" if value > 0 else f"1:{far}"
