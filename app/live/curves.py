"""Which curves the plot of rates has, how they are told apart, and how their marks stand beside each other."""

import math
from collections.abc import Sequence
from itertools import pairwise

from app.live.axis_positions import OnAxis
from app.live.load_items import LoadItems
from app.live.plot_legend import LegendEntry
from app.theme.tokens import Palette
from app.widgets.series_style import load_style
from scheduler.model.setting import curve_label
from scheduler.model.spec import RunSpec

_SHIFT_FRAC = 0.007  # between two loads at one split, as a part of the axis
_MANY_SHIFT_FRAC = 0.016  # between several, a mark's width, where the next split leaves room
_ROOM_FRAC = 0.7  # of the way to the next split, for all loads' marks
_NAME_PX = 16  # height of a baseline's name, and what is between two beside each other

Curve = tuple[str, tuple[int, str] | None]
"""A load's kind, and which of several: the split that users are varied at, or the base that vCPUs are compared with."""


def curves_of(spec: RunSpec) -> list[Curve]:
    """Return the curves: one per load; of users one per load and split, of vCPUs with a base one per load and side."""
    kinds = [load.name for load in spec.loads]
    if not (spec.kind.varies_users or (spec.kind.varies_vcpus and spec.has_reference)):
        return [(kind, None) for kind in kinds]
    labels = list(dict.fromkeys(map(curve_label, spec.settings)))
    return [(kind, (row, label)) for kind in kinds for row, label in enumerate(labels)]


def entry_of(load: LoadItems, palette: Palette) -> LegendEntry:
    """Return a curve's line in the legend."""
    style = load_style(load.kind, palette)
    where = load.held[1] if load.held else ""
    return LegendEntry(style.symbol, style.colour, f"{style.name} {where}".rstrip(), filled=load.filled)


def shifts_of(loads: int, settings: Sequence[OnAxis], span: tuple[float, float]) -> list[float]:
    """Return what is added to the positions of each load: their marks stand beside each other, near their split."""
    positions = sorted({setting.position for setting in settings})
    nearest = min((right - left for left, right in pairwise(positions)), default=math.inf)
    wanted = (_SHIFT_FRAC if loads <= 2 else _MANY_SHIFT_FRAC) * (span[1] - span[0])
    step = min(wanted, _ROOM_FRAC * nearest / max(loads - 1, 1))
    return [(place - (loads - 1) / 2) * step for place in range(loads)]


def place_names(loads: Sequence[LoadItems], shape: tuple[float, float], pixel: tuple[float, float]) -> None:
    """Name the baselines, the highest above its line if there is room, others below; beside each other if near.

    Args:
        loads: The curves.
        shape: The plot's right and upper edge.
        pixel: What a pixel is wide and high.
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
