"""The axis of splits over time: ln(I/O domain / guest), written as splits."""

import math

import pyqtgraph as pg

from app.live.axes import LEFT_PX

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
        for parts in _SETS:
            gaps = [math.log(far / near) for near, far in zip(parts, parts[1:], strict=False)]
            if min(gaps, default=math.inf) * px_per_unit >= _LABEL_PX:
                break
        places = sorted({sign * math.log(part) for part in parts for sign in (-1, 1)})
        return [(1.0, [place for place in places if low <= place <= high])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the splits."""
        del scale, spacing
        return [_label(value) for value in values]


def _label(value: float) -> str:
    far = f"{math.exp(abs(value)):.3g}"
    return f"{far}:1" if value > 0 else f"1:{far}"
