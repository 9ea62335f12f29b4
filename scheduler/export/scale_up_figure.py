"""The figure of a scale-up report: normalised throughput over the guest's vCPUs, beside what doubling would give."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scheduler.export.report_figures import marker_of
from scheduler.export.svg_chart import Drawing, Scale, ticks
from scheduler.model.findings import Filled, ScaleUpFinding, Size
from scheduler.model.number_texts import short
from scheduler.model.setting import VcpusSetting
from scheduler.model.words import load_title, rate

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _HEIGHT = 880.0, 380.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 14.0, 36.0, 46.0
_FLOOR = _HEIGHT - _BOTTOM
_CHAR_PX = 6.8
_WIDEST = 1.5  # times the highest ratio; a whisker beyond is cut

FILLED = {
    Filled.GUEST: "guest full",
    Filled.IO: "I/O domain full",
    Filled.BOTH: "shared CPUs full",
    Filled.CLIENT: "users full",
    Filled.NOTHING: "waiting",
    Filled.UNKNOWN: "CPU not measured",
}
"""What is written at a number of vCPUs, and in the table."""


def scale_up_figures(finding: ScaleUpFinding) -> "list[Markup]":
    """Draw each load by itself."""
    loads = dict.fromkeys(size.load for size in finding.sizes)
    return [_figure([size for size in finding.sizes if size.load == load]) for load in loads]


def _figure(sizes: Sequence[Size]) -> "Markup":
    first, last = sizes[0], sizes[-1]
    ideal = [(size.vcpus, size.vcpus / first.vcpus) for size in sizes]
    top = max(*(size.ratio for size in sizes), 1.0)
    high = max(min(size.ci95[1], _WIDEST * top) if size.ci95 else size.ratio for size in sizes)
    rungs = ticks(max(high, ideal[-1][1]) * 1.02)
    x = Scale((_place(first.vcpus) - 0.25, _place(last.vcpus) + 0.4), (_LEFT, _WIDTH - _RIGHT))
    y = Scale((0, rungs[-1]), (_FLOOR, _TOP))
    drawing = Drawing(_WIDTH, _HEIGHT, f"Normalised throughput of {load_title(first.load)} over vCPUs of the guest")
    for rung in rungs:
        drawing.line((_LEFT, y(rung)), (_WIDTH - _RIGHT, y(rung)), "grid")
        drawing.text((_LEFT - 8, y(rung) + 4), short(rung), "tick", "end")
    drawing.curve([(x(_place(vcpus)), y(ratio)) for vcpus, ratio in ideal], "configured")
    _series(drawing, sizes, x, y)
    for size in sizes:
        centre = x(_place(size.vcpus))
        drawing.line((centre, _FLOOR), (centre, _FLOOR + 5), "grid")
        drawing.text((centre, _FLOOR + 18), str(size.vcpus), "tick", "middle")
    drawing.text((_WIDTH / 2, _HEIGHT - 4), "vCPUs of the guest (logarithmic)", "axis", "middle")
    _legend(drawing, first)
    return drawing.markup()


def _series(drawing: Drawing, sizes: Sequence[Size], x: Scale, y: Scale) -> None:
    shape, style = marker_of(sizes[0].load)
    drawing.curve([(x(_place(size.vcpus)), y(size.ratio)) for size in sizes], f"through {style}")
    for size in sizes:
        centre, level = x(_place(size.vcpus)), y(size.ratio)
        span = ""
        if size.ci95:
            drawing.whisker(centre, size.ci95, y, style)
            span = f" ({short(size.ci95[0])} to {short(size.ci95[1])})"
        made = rate(size.mean_tps, size.load, size.unit)
        tip = f"{size.vcpus}: {short(size.ratio)} times{span}, {made}, {FILLED[size.filled]}"
        drawing.marker((centre, level), shape, f"dot {style}", tip)
        drawing.text((centre + 10, level + 16), f"{short(size.ratio)}, {FILLED[size.filled]}", "tick")


def _legend(drawing: Drawing, first: Size) -> None:
    shape, style = marker_of(first.load)
    words = f"times {first.vcpus} vCPU{'' if first.vcpus == 1 else 's'}"
    drawing.text((4, 14), words, "axis")
    left = 4 + _CHAR_PX * (len(words) + 2)
    drawing.marker((left, 10), shape, f"dot {style}")
    drawing.text((left + 10, 14), load_title(first.load), "note")
    left += 28 + _CHAR_PX * len(load_title(first.load))
    drawing.curve([(left, 10), (left + 26, 10)], "configured")
    drawing.text((left + 32, 14), "twice the vCPUs, twice the work; whiskers: 95 % interval within blocks", "tick")


def _place(vcpus: int) -> float:
    return VcpusSetting(vcpus).position
