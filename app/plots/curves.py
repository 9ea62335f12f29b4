"""Curves of the throughput plot: their number, order, offsets and labels."""

import math
from collections.abc import Sequence
from itertools import pairwise

from app.plots.axis_positions import OnAxis
from app.plots.load_items import LoadItems
from app.plots.plot_legend import LegendEntry
from app.theme.tokens import Palette
from app.widgets.series_style import load_style
from scheduler.model.setting import curve_label
from scheduler.model.spec import RunSpec

_SHIFT_FRAC = 0.007  # distance between two loads at one split, as a fraction of the axis
_MANY_SHIFT_FRAC = 0.016  # distance between three or more loads: the width of a mark
_ROOM_FRAC = 0.7  # share of the distance to the next split that the marks may take
_NAME_PX = 16  # height of a baseline's name, and the distance between two names in a row

Curve = tuple[str, tuple[int, str] | None]
"""Load kind, and the number and label of a split (study of users) or side (study of vCPUs); None for one curve."""


def curves_of(spec: RunSpec) -> list[Curve]:
    """Return the curves of a plan.

    A plan has one curve per load. A study of users has one per load and split. A study of vCPUs with a reference has
    one per load and side.
    """
    kinds = [load.name for load in spec.loads]
    if not (spec.kind.varies_users or (spec.kind.varies_vcpus and spec.has_reference)):
        return [(kind, None) for kind in kinds]
    labels = list(dict.fromkeys(map(curve_label, spec.settings)))
    return [(kind, (row, label)) for kind in kinds for row, label in enumerate(labels)]


def entry_of(load: LoadItems, palette: Palette) -> LegendEntry:
    """Return the legend entry of a curve.

    Args:
        load: Plot items of the curve.
        palette: Current colours.
    """
    style = load_style(load.kind, palette)
    where = load.held[1] if load.held else ""
    return LegendEntry(style.symbol, style.colour, f"{style.name} {where}".rstrip(), filled=load.filled)


def shifts_of(loads: int, settings: Sequence[OnAxis], span: tuple[float, float]) -> list[float]:
    """Return the offset of each curve on the lower axis, so that marks do not overlap.

    Args:
        loads: Number of curves.
        settings: Settings of the axis.
        span: Range of the axis.
    """
    positions = sorted({setting.position for setting in settings})
    nearest = min((right - left for left, right in pairwise(positions)), default=math.inf)
    wanted = (_SHIFT_FRAC if loads <= 2 else _MANY_SHIFT_FRAC) * (span[1] - span[0])
    step = min(wanted, _ROOM_FRAC * nearest / max(loads - 1, 1))
    return [(place - (loads - 1) / 2) * step for place in range(loads)]


def place_names(loads: Sequence[LoadItems], shape: tuple[float, float], pixel: tuple[float, float]) -> None:
    """Place the baselines' names at the right end without overlap.

    The highest name goes above its line if there is room, the others below. Names of close lines go next to each other.

    Args:
        loads: Plot items of the curves.
        shape: Right and upper edge of the plot.
        pixel: Width and height of a pixel, in the plot's units.
    """
    (right, top), (wide, high) = shape, pixel
    x, before = right, math.inf
    levels = [(load.at(load.baseline.mean_tps or 0.0) if load.baseline else 0.0, load) for load in loads]
    for rank, (level, load) in enumerate(sorted(levels, key=lambda placed: -placed[0])):
        above = rank == 0 and top - level >= load.base_words.boundingRect().height() * high
        x = x if before - level < _NAME_PX * high else right
        load.place_words(x, top, above=above)
        x -= (load.base_words.boundingRect().width() + _NAME_PX) * wide
        before = math.inf if above else level
