"""Markers and colours of loads, the same in window and report.

A record of a load kind has one marker and one colour. Window, report and style sheets derive from the records.
"""

import math

import msgspec

from scheduler.translation import _

Corners = tuple[tuple[float, float], ...]


class LoadMarker(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Marker of a load in plots and tables.

    Attributes:
        name: Name in the report's style sheet, lower-case letters; unique.
        plural: Name of several markers in sentences, for example `stars`.
        corners: Corners around (0, 0) in units of the half width, at most 1.2 from each axis; empty for a circle.
        plot_px: Width in plots of throughput, pixels. Thin markers need more, because their rim hides most of them.
        table_scale: Factor of its size in tables of the report, so that all markers have the same visual size.
    """

    name: str
    plural: str
    corners: Corners = ()
    plot_px: int = 11
    table_scale: float = 1.1


class LoadColour(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Colour of a load, each shade as `#RRGGBB`.

    Attributes:
        name: Class in the report's style sheet and role of labels in the window, lower-case letters; unique.
        light: Lines and markers on a light background; contrast of at least 3:1.
        light_text: Text on a light background; contrast of at least 4.5:1.
        dark: Lines and markers on a dark background; contrast of at least 3:1.
        dark_text: Text on a dark background; contrast of at least 4.5:1.
    """

    name: str
    light: str
    light_text: str
    dark: str
    dark_text: str

    def shade(self, *, dark: bool) -> str:
        """Return the colour of lines and markers on a dark or a light background."""
        return self.dark if dark else self.light

    def text_shade(self, *, dark: bool) -> str:
        """Return the colour of text on a dark or a light background."""
        return self.dark_text if dark else self.light_text


def _star_corners(points: int, inner: float) -> Corners:
    turns = (math.pi * step / points - math.pi / 2 for step in range(2 * points))
    sizes = (1.2 if step % 2 == 0 else inner for step in range(2 * points))
    return tuple((size * math.cos(turn), size * math.sin(turn)) for turn, size in zip(turns, sizes, strict=True))


_ARM, _HALF = 1.1, 0.4
_CROSS_QUARTER = ((_HALF, -_ARM), (_HALF, -_HALF), (_ARM, -_HALF))
_CROSS_CORNERS = (
    *_CROSS_QUARTER,
    *((-y, x) for x, y in _CROSS_QUARTER),
    *((-x, -y) for x, y in _CROSS_QUARTER),
    *((y, -x) for x, y in _CROSS_QUARTER),
)

CIRCLE = LoadMarker(name="circle", plural="circles")
SQUARE = LoadMarker(
    name="square",
    plural="squares",
    corners=((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    table_scale=1.0,
)
STAR = LoadMarker(name="star", plural="stars", corners=_star_corners(5, 0.5), plot_px=17, table_scale=1.25)
CROSS = LoadMarker(name="cross", plural="crosses", corners=_CROSS_CORNERS, plot_px=15, table_scale=1.15)
SALTIRE = LoadMarker(
    name="saltire",
    plural=_("diagonal crosses"),
    corners=tuple(((x - y) / math.sqrt(2), (x + y) / math.sqrt(2)) for x, y in _CROSS_CORNERS),
    plot_px=15,
    table_scale=1.15,
)
WEDGE = LoadMarker(
    name="wedge",
    plural="wedges",
    corners=((1.2, 0.0), (-0.85, 1.15), (-0.85, -1.15)),
    table_scale=1.2,
)
HOURGLASS = LoadMarker(
    name="hourglass",
    plural="hourglasses",
    corners=((-1.0, -1.1), (1.0, -1.1), (0.15, 0.0), (1.0, 1.1), (-1.0, 1.1), (-0.15, 0.0)),
)
CHEVRON = LoadMarker(
    name="chevron",
    plural="chevrons",
    corners=((0.0, -1.1), (1.1, 0.0), (1.1, 1.1), (0.0, 0.0), (-1.1, 1.1), (-1.1, 0.0)),
)
BAR = LoadMarker(
    name="bar",
    plural="bars",
    corners=((-1.1, -0.45), (1.1, -0.45), (1.1, 0.45), (-1.1, 0.45)),
    plot_px=13,
    table_scale=1.2,
)
TEE = LoadMarker(
    name="tee",
    plural=_("letters T"),
    corners=(
        *((-1.1, -1.1), (1.1, -1.1), (1.1, -0.3), (0.4, -0.3)),
        *((0.4, 1.1), (-0.4, 1.1), (-0.4, -0.3), (-1.1, -0.3)),
    ),
)
UNKNOWN_MARKER = LoadMarker(
    name="diamond",
    plural="diamonds",
    corners=((0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)),
    table_scale=1.2,
)
"""Marker of a load whose kind this version does not know."""

BLUE = LoadColour(name="ir", light="#0072B2", light_text="#00639B", dark="#56B4E9", dark_text="#6BBEEC")
PINK = LoadColour(name="oltp", light="#CC79A7", light_text="#9C4377", dark="#E08BBB", dark_text="#E69CC5")
VERMILION = LoadColour(name="third", light="#D55E00", light_text="#A04700", dark="#EF6C1A", dark_text="#F58B4A")
SLATE = LoadColour(name="fourth", light="#4A4F58", light_text="#4A4F58", dark="#E8E4C0", dark_text="#E8E4C0")
PURPLE = LoadColour(name="fifth", light="#7733CC", light_text="#6A2BBF", dark="#9966FF", dark_text="#B596FF")
AUBERGINE = LoadColour(name="seventh", light="#440055", light_text="#440055", dark="#BBFF88", dark_text="#BBFF88")
COBALT = LoadColour(name="eighth", light="#4422FF", light_text="#3A1DD8", dark="#5566BB", dark_text="#97A4EC")
SAND = LoadColour(name="ninth", light="#998866", light_text="#6B5E40", dark="#995577", dark_text="#D994B4")
LILAC = LoadColour(name="tenth", light="#AA77FF", light_text="#6F45C9", dark="#66FFFF", dark_text="#66FFFF")
NAVY = LoadColour(name="eleventh", light="#220088", light_text="#220088", dark="#AA5522", dark_text="#E39A6E")
