"""Shapes of the loads' markers, the same in window and report.

A shape is a list of corners around (0, 0); all shapes have about the same visual size.
"""

import math

Corners = tuple[tuple[float, float], ...]


def _star_corners(points: int, inner: float) -> Corners:
    turns = (math.pi * step / points - math.pi / 2 for step in range(2 * points))
    sizes = (1.2 if step % 2 == 0 else inner for step in range(2 * points))
    return tuple((size * math.cos(turn), size * math.sin(turn)) for turn, size in zip(turns, sizes, strict=True))


_ARM, _HALF = 1.1, 0.4
_CROSS_QUARTER = ((_HALF, -_ARM), (_HALF, -_HALF), (_ARM, -_HALF))

_CROSS = (
    *_CROSS_QUARTER,
    *((-y, x) for x, y in _CROSS_QUARTER),
    *((-x, -y) for x, y in _CROSS_QUARTER),
    *((y, -x) for x, y in _CROSS_QUARTER),
)

MARKER_SHAPES: dict[str, Corners] = {
    "circle": (),
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "star": _star_corners(5, 0.5),
    "cross": _CROSS,
    "saltire": tuple(((x - y) / math.sqrt(2), (x + y) / math.sqrt(2)) for x, y in _CROSS),
    "pentagon": tuple((math.sin(turn), -math.cos(turn)) for turn in (2 * math.pi * corner / 5 for corner in range(5))),
    "hourglass": ((-1.0, -1.1), (1.0, -1.1), (0.15, 0.0), (1.0, 1.1), (-1.0, 1.1), (-0.15, 0.0)),
    "chevron": ((0.0, -1.1), (1.1, 0.0), (1.1, 1.1), (0.0, 0.0), (-1.1, 1.1), (-1.1, 0.0)),
    "bar": ((-1.1, -0.45), (1.1, -0.45), (1.1, 0.45), (-1.1, 0.45)),
    "tee": (
        *((-1.1, -1.1), (1.1, -1.1), (1.1, -0.3), (0.4, -0.3)),
        *((0.4, 1.1), (-0.4, 1.1), (-0.4, -0.3), (-1.1, -0.3)),
    ),
    "wedge": ((1.2, 0.0), (-0.85, 1.15), (-0.85, -1.15)),
    "diamond": ((0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)),
}
"""Marker to its corners in units of its half width; a circle has none. `diamond` is for unknown kinds."""
