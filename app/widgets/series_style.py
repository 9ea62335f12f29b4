"""Style of a series: each series has its own colour and its own marker."""

from dataclasses import dataclass

from PySide6.QtCore import Qt

from app.load_texts import load_name
from app.theme.tokens import Palette
from scheduler.model.bottleneck import Bottleneck
from scheduler.model.load_kinds import find_load_kind
from scheduler.model.load_looks import UNKNOWN_MARKER, LoadMarker
from scheduler.model.load_name import LoadName
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId
from scheduler.translation import _

_OWN_SYMBOLS = {"circle": "o", "square": "s", "star": "star", "cross": "+", "saltire": "x", "wedge": "t2"}
"""Symbols that pyqtgraph has, by marker; `themed_plot` adds a symbol for each other marker."""


def plot_symbol(marker: LoadMarker) -> str:
    """Return the symbol of a marker in pyqtgraph."""
    return _OWN_SYMBOLS.get(marker.name, "d" if marker == UNKNOWN_MARKER else f"load-{marker.name}")


@dataclass(frozen=True, slots=True)
class SeriesStyle:
    """Style of one series.

    Attributes:
        name: Name in legends.
        colour: Colour of lines and markers, `#RRGGBB`.
        text_colour: Colour of text in the same hue, `#RRGGBB`.
        symbol: Symbol of pyqtgraph (`plot_symbol`; `d` diamond, `t1` and `t3` triangles).
        line: Pen style of Qt.
        role: Role of a label in this colour (see `app.theme.style_sheet`).
        mark_px: Width of its marks in plots of throughput, pixels.
    """

    name: str
    colour: str
    text_colour: str
    symbol: str
    line: Qt.PenStyle
    role: str
    mark_px: int = 11


def load_style(kind: str, palette: Palette) -> SeriesStyle:
    """Return the style of a load.

    A load in a mix has the colour of its kind and a dashed line. An unknown kind has the dim text colour and a
    diamond.

    Args:
        kind: Kind of the load.
        palette: Current colours.
    """
    known = find_load_kind(kind)
    if known is None:
        return SeriesStyle(kind, palette.dim, palette.dim, "d", Qt.PenStyle.SolidLine, "dim")
    colour, text = known.colour.shade(dark=palette.dark), known.colour.text_shade(dark=palette.dark)
    line = Qt.PenStyle.DashLine if LoadName.of(kind).mix else Qt.PenStyle.SolidLine
    marker = known.marker
    return SeriesStyle(load_name(kind), colour, text, plot_symbol(marker), line, known.colour.name, marker.plot_px)


def domain_style(domain: DomainId | str, palette: Palette) -> SeriesStyle:
    """Return the style of a domain.

    The I/O domain is orange, the guest green and the second guest a darker green, everywhere.

    Args:
        domain: Domain or its name.
        palette: Current colours.
    """
    if domain == IO:
        name = _("I/O domain")
        return SeriesStyle(name, palette.io, palette.io_text, "t1", Qt.PenStyle.SolidLine, "io")
    if domain == GUEST_2:
        name = _("Second guest")
        return SeriesStyle(name, palette.guest_2, palette.guest_2_text, "t3", Qt.PenStyle.DotLine, "guest_2")
    name = _("Guest")
    return SeriesStyle(name, palette.guest, palette.guest_text, "d", Qt.PenStyle.SolidLine, "guest")


def limit_style(limit: Bottleneck, palette: Palette) -> SeriesStyle:
    """Return the style of a bottleneck: the saturated domain's style, otherwise grey.

    Args:
        limit: Bottleneck of the throughput.
        palette: Current colours.
    """
    if limit in (Bottleneck.IO, Bottleneck.GUEST):
        return domain_style(IO if limit is Bottleneck.IO else GUEST, palette)
    if limit is Bottleneck.BOTH:
        name = _("Both domains")
        return SeriesStyle(name, palette.dim, palette.dim, "h", Qt.PenStyle.SolidLine, "dim")
    name = _("Clients, network, disk")
    return SeriesStyle(name, palette.dim, palette.dim, "t", Qt.PenStyle.SolidLine, "dim")
