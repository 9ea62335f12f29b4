"""Markup of a report for Qt's text documents, which know a part of HTML only.

Drawings, split bars and markers of loads become images; lists of facts become tables.
"""

import re
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from typing import NamedTuple

from app.paper.report_styles import ReportStyles

_WIDTH = re.compile(r"width:([\d.]+)%")
_POINTS = re.compile(r"([\d.]+)% ([\d.]+)%")
_WIDE_PX = 500.0  # wider drawings take the whole line; two others share it
_HALF_LINE = 0.49
_VOID = frozenset({"br", "meta", "hr", "img"})
_SKIPPED = frozenset({"style", "title"})
_RANKS = {"named": 0.12, "level": 0.05}
"""Share of the accent colour in the background of a row, as in the report's style sheet."""

_KEYS = {"io": "--io", "guest": "--guest", "tickmark": "--text"}
"""Colour of each entry in the legend of the CPU drawings."""

Attributes = list[tuple[str, str | None]]


class PaperFigure(NamedTuple):
    """Drawing of a report.

    Attributes:
        svg: Drawing with its colours.
        size: Width and height, pixels of 1/96 inch; without a line part.
        line_frac: Share of the line's width that the drawing takes, 0..1; 0 for a drawing of a fixed size.
    """

    svg: bytes
    size: tuple[float, float]
    line_frac: float = 0.0


class PaperMarkup(HTMLParser):
    """Reader of a report that collects its markup and its drawings.

    Args:
        styles: Style sheet of the report.
    """

    def __init__(self, styles: ReportStyles) -> None:
        super().__init__(convert_charrefs=False)
        self.figures: list[PaperFigure] = []
        self.title = ""
        self._styles = styles
        self._out: list[str] = []
        self._svg: list[str] | None = None
        self._sign: list[tuple[str, float]] | None = None
        self._skipped = ""
        self._table = ""  # its tag, until its caption or its first row is known
        self._closing: list[tuple[str, str]] = []  # tags whose end has another text

    @property
    def markup(self) -> str:
        """The markup; an image's name is the number of its drawing."""
        return "".join(self._out)

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        """Copy or replace the start of an element.

        Args:
            tag: Name of the element.
            attrs: Names and values of its attributes.
        """
        values = {name: value or "" for name, value in attrs}
        if tag == "svg":
            self._svg = []
        if self._svg is not None:
            self._svg.append(self.get_starttag_text() or "")
        elif self._sign is not None:
            self._sign.append((tag, float(found[1]) if (found := _WIDTH.search(values.get("style", ""))) else 0.0))
        elif tag in _SKIPPED:
            self._skipped = tag
        else:
            self._start(tag, values)

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        """Copy an element without content.

        Args:
            tag: Name of the element.
            attrs: Names and values of its attributes.
        """
        if self._svg is not None:
            self._svg.append(self.get_starttag_text() or "")
        elif tag in _VOID:
            self._start(tag, {name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        """Copy or replace the end of an element."""
        if self._svg is not None:
            self._svg.append(f"</{tag}>")
            if tag == "svg":
                self._end_drawing("".join(self._svg))
        elif self._sign is not None:
            if tag == "span":
                self._end_sign(self._sign)
        elif tag == self._skipped:
            self._skipped = ""
        elif self._closing and self._closing[-1][0] == tag:
            self._out.append(self._closing.pop()[1])
        elif tag not in _VOID:
            self._out.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Copy a text."""
        if self._svg is not None:
            self._svg.append(data)
        elif self._skipped == "title":
            self.title += data
        elif self._sign is None and not self._skipped:
            self._out.append(data)

    def handle_entityref(self, name: str) -> None:
        """Copy a named character."""
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Copy a numbered character."""
        self.handle_data(f"&#{name};")

    def _start(self, tag: str, values: dict[str, str]) -> None:
        classes = frozenset(values.get("class", "").split())
        replace: dict[str, Callable[[frozenset[str]], None]] = {
            "dl": self._start_facts,
            "dt": lambda _: self._replace("dt", '<tr><td class="what" width="26%">', "</td>"),
            "dd": lambda _: self._replace("dd", "<td>", "</td></tr>"),
            "div": lambda _: self._replace("div", "", " "),  # the two drawings of a figure share a line
            "figure": lambda _: self._replace("figure", "<p>", "</p>"),
            "footer": lambda _: self._replace("footer", '<p class="caption">', "</p>"),
            "table": lambda _: self._start_table(),
            "caption": lambda _: self._replace("caption", '<p class="caption">', "</p>" + self._take_table()),
        }
        if self._start_image(tag, classes):
            return
        if tag in replace:
            replace[tag](classes)
            return
        if tag in {"thead", "tbody", "tr"}:
            self._out.append(self._take_table())
        if tag == "small" and ("reading" in classes or self._closing[-1:] == [("dd", "</td></tr>")]):
            self._out.append("<br>")
        self._out.append(self._tag(tag, values, classes))

    def _start_image(self, tag: str, classes: frozenset[str]) -> bool:
        """Replace an element that the style sheet draws; return True if it was one."""
        if "sign" in classes:
            self._sign = []
        elif tag == "i" and classes & _KEYS.keys():
            self._add_swatch(_KEYS[next(iter(classes))])
            self._replace("i", "", "")
        elif "load" in classes and tag == "span":
            self._add_marker(classes)
            self._replace("span", "", "")
        else:
            return False
        return True

    def _tag(self, tag: str, values: dict[str, str], classes: frozenset[str]) -> str:
        if rank := next((rank for rank in _RANKS if rank in classes), ""):
            values = {**values, "bgcolor": mix_with_white(self._styles.colour("--accent"), _RANKS[rank])}
        return f"<{tag}{''.join(f' {name}={chr(34)}{escape(value)}{chr(34)}' for name, value in values.items())}>"

    def _replace(self, tag: str, start: str, end: str) -> None:
        self._out.append(start)
        self._closing.append((tag, end))

    def _start_facts(self, _: frozenset[str]) -> None:
        self._replace("dl", '<table class="facts" width="100%" cellspacing="0">', "</table>")

    def _start_table(self) -> None:
        self._table = '<table width="100%" cellspacing="0">'
        self._closing.append(("table", "</table>"))

    def _take_table(self) -> str:
        table, self._table = self._table, ""
        return table

    def _end_drawing(self, svg: str) -> None:
        _, _, width, height = map(float, re.findall(r'viewBox="([^"]+)"', svg)[0].split())
        self._svg = None
        line_frac = 1.0 if width > _WIDE_PX else _HALF_LINE
        self._add_figure(PaperFigure(self._styles.apply_to(svg), (width, height), line_frac))

    def _end_sign(self, parts: list[tuple[str, float]]) -> None:
        """Draw the bar of a split: I/O domain, guest, and second guest."""
        self._sign = None
        io = next((percent for tag, percent in parts if tag == "i"), 0.0)
        second = next((percent for tag, percent in parts if tag == "b"), 0.0)
        colour = self._styles.colour
        bars = [
            f'<rect width="100" height="36" fill="{colour("--guest")}"/>',
            f'<rect width="{io}" height="36" fill="{colour("--io")}"/>',
            f'<rect x="{100 - second}" width="{second}" height="36" fill="{colour("--guest-2")}"/>',
        ]
        self._add_figure(PaperFigure(_drawing((100, 36), bars), (22, 8)))
        self._out.append("&nbsp;&nbsp;")

    def _add_swatch(self, colour: str) -> None:
        height, top = (16, 42) if colour == "--text" else (100, 0)
        shape = f'<rect y="{top}" width="100" height="{height}" fill="{self._styles.colour(colour)}"/>'
        self._out.append("&nbsp;&nbsp;")
        self._add_figure(PaperFigure(_drawing((100, 100), [shape]), (8, 8)))

    def _add_marker(self, classes: frozenset[str]) -> None:
        """Draw the marker of a load; its corners and its colour come from the style sheet."""
        fill = self._styles.value_of(classes, "background") or self._styles.colour("--dim")
        corners = _POINTS.findall(self._styles.value_of(classes, "clip-path"))
        shape = f'<circle cx="50" cy="50" r="45" fill="{fill}"/>'
        if corners:
            shape = f'<polygon points="{" ".join(f"{x},{y}" for x, y in corners)}" fill="{fill}"/>'
        self._add_figure(PaperFigure(_drawing((100, 100), [shape]), (8, 8)))
        self._out.append("&nbsp;")

    def _add_figure(self, figure: PaperFigure) -> None:
        self._out.append(f'<img src="{len(self.figures)}">')
        self.figures.append(figure)


def _drawing(size: tuple[int, int], shapes: list[str]) -> bytes:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}">'
    return f"{head}{''.join(shapes)}</svg>".encode()


def mix_with_white(colour: str, frac: float) -> str:
    """Return a paler colour.

    Args:
        colour: The colour, `#rrggbb`.
        frac: Share of the colour in the result, 0..1.
    """
    values = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 - frac * (255 - value)):02x}" for value in values)
