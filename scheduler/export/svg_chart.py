"""Drawing of small SVG charts; class names select colours of the page's style."""

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from scheduler.model.load_looks import CIRCLE, SQUARE, LoadMarker
from scheduler.translation import _

if TYPE_CHECKING:
    from markupsafe import Markup


class SvgDrawing:
    """SVG drawing under construction; coordinates are pixels from the top left corner.

    Args:
        width: Width of the drawing, pixels.
        height: Height of the drawing, pixels.
        title: Title for screen readers.
    """

    def __init__(self, width: float, height: float, title: str) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_svg_number(width)} {_svg_number(height)}" '
            f'role="img" '
            f'aria-label="{escape(title)}"><title>{escape(title)}</title>'
        ]

    def line(self, start: tuple[float, float], end: tuple[float, float], style: str) -> None:
        """Draw a straight line.

        Args:
            start: x and y of the start, pixels.
            end: x and y of the end, pixels.
            style: CSS classes.
        """
        (x1, y1), (x2, y2) = start, end
        self._parts.append(
            f'<line x1="{_svg_number(x1)}" y1="{_svg_number(y1)}" x2="{_svg_number(x2)}" '
            f'y2="{_svg_number(y2)}" class="{style}"/>'
        )

    def curve(self, points: Sequence[tuple[float, float]], style: str) -> None:
        """Draw straight lines through points.

        Args:
            points: x and y of each point, pixels.
            style: CSS classes.
        """
        path = " ".join(f"{_svg_number(x)},{_svg_number(y)}" for x, y in points)
        self._parts.append(f'<polyline points="{path}" class="{style}"/>')

    def bar(self, corner: tuple[float, float], size: tuple[float, float], style: str, tip: str = "") -> None:
        """Draw a filled rectangle.

        Args:
            corner: x and y of the top left corner, pixels.
            size: Width and height, pixels.
            style: CSS classes.
            tip: Tooltip; empty for none.
        """
        (x, y), (width, height) = corner, size
        inside = f"<title>{escape(tip)}</title>" if tip else ""
        self._parts.append(
            f'<rect x="{_svg_number(x)}" y="{_svg_number(y)}" width="{_svg_number(width)}" '
            f'height="{_svg_number(max(height, 0.0))}" class="{style}">'
            f"{inside}</rect>"
        )

    def marker(self, centre: tuple[float, float], marker: LoadMarker, style: str, tip: str = "") -> None:
        """Draw the marker of a load, all of the same visual size.

        Args:
            centre: x and y of the centre, pixels.
            marker: Marker to draw.
            style: CSS classes.
            tip: Tooltip; empty for none.
        """
        x, y = centre
        inside = f"<title>{escape(tip)}</title>" if tip else ""
        if marker == CIRCLE:
            self._parts.append(
                f'<circle cx="{_svg_number(x)}" cy="{_svg_number(y)}" r="5" class="{style}">{inside}</circle>'
            )
        elif marker == SQUARE:
            self.bar((x - 4.5, y - 4.5), (9, 9), style, tip)
        else:
            corners = " ".join(
                f"{_svg_number(x + 5 * right)},{_svg_number(y + 5 * down)}" for right, down in marker.corners
            )
            self._parts.append(f'<polygon points="{corners}" class="{style}">{inside}</polygon>')

    def whisker(self, x: float, ends: tuple[float, float], y: "LinearScale", style: str) -> None:
        """Draw an interval with a beam at each end, or an arrow head at a cut end.

        An end beyond the scale is cut.

        Args:
            x: Position of the figure, pixels.
            ends: Lower and upper end, in the unit of `y`.
            y: Scale of the values.
            style: CSS class of the colour.
        """
        low, high = map(y, ends)
        self.line((x, low), (x, high), _("whisker {style}").format(style=style))
        for value, place in zip(ends, (low, high), strict=True):
            away = y.beyond(value)
            if not away:
                self.line((x - 4, place), (x + 4, place), _("whisker {style}").format(style=style))
                continue
            base = place + 6 * away  # towards the figure, as pixels grow downwards
            corners = " ".join(
                f"{_svg_number(left)},{_svg_number(down)}" for left, down in ((x - 4, base), (x + 4, base), (x, place))
            )
            self._parts.append(f'<polygon points="{corners}" class="dot cut {style}"/>')

    def text(self, place: tuple[float, float], words: str, style: str, anchor: str = "start") -> None:
        """Write a line of text.

        Args:
            place: x and y of the anchor, pixels.
            words: The text.
            style: CSS classes.
            anchor: `start`, `middle` or `end`.
        """
        x, y = place
        self._parts.append(
            f'<text x="{_svg_number(x)}" y="{_svg_number(y)}" text-anchor="{anchor}" '
            f'class="{style}">{escape(words)}</text>'
        )

    def markup(self) -> "Markup":
        """Return the drawing as markup with all texts escaped."""
        from markupsafe import Markup

        return Markup("".join([*self._parts, "</svg>"]))


class LinearScale:
    """Linear scale from values to pixels.

    Args:
        values: Smallest and largest value.
        pixels: Pixels of the smallest and largest value.
    """

    def __init__(self, values: tuple[float, float], pixels: tuple[float, float]) -> None:
        self._low, self._high = values
        self._from, self._to = pixels

    def __call__(self, value: float) -> float:
        """Return the pixel of a value; a value outside the scale is on the edge."""
        part = (value - self._low) / (self._high - self._low or 1.0)
        return self._from + min(1.0, max(0.0, part)) * (self._to - self._from)

    def beyond(self, value: float) -> int:
        """Return 1 for a value above the scale, -1 for a value below the scale, else 0."""
        return int(value > self._high) - int(value < self._low)


def axis_ticks(high: float, low: float = 0.0) -> list[float]:
    """Return about five round values that span `low` to `high`.

    Args:
        high: Largest value, >= 0.
        low: Smallest value, <= 0.
    """
    if high - low <= 0:
        return [0.0, 1.0]
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    return [i * step for i in range(-math.floor(-low / step), math.ceil(high / step - 1e-9) + 1)]


def _svg_number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
