"""The figure of a scale-up report: normalised throughput over the guest's vCPUs, beside what doubling would give."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scheduler.export.report_figures import load_marker
from scheduler.export.svg_chart import LinearScale, SvgDrawing, axis_ticks
from scheduler.model.number_texts import format_short
from scheduler.model.sentence_texts import format_load_rate, load_title
from scheduler.model.setting import VcpusSetting
from scheduler.model.study_findings import SaturatedPart, ScaleUpFinding, VcpuThroughput

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _HEIGHT = 880.0, 380.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 14.0, 36.0, 46.0
_FLOOR = _HEIGHT - _BOTTOM
_CHAR_PX = 6.8
_WIDEST = 1.5  # times the highest ratio; a whisker beyond is cut

SATURATION_TEXTS = {
    SaturatedPart.GUEST: "guest full",
    SaturatedPart.IO: "I/O domain full",
    SaturatedPart.BOTH: "shared CPUs full",
    SaturatedPart.CLIENT: "users full",
    SaturatedPart.NOTHING: "waiting",
    SaturatedPart.UNKNOWN: "CPU not measured",
}
"""What is written at a number of vCPUs, and in the table."""


def scale_up_figures(finding: ScaleUpFinding) -> "list[Markup]":
    """Draw each load by itself."""
    loads = dict.fromkeys(size.load for size in finding.sizes)
    return [_draw_load([size for size in finding.sizes if size.load == load]) for load in loads]


def _draw_load(sizes: Sequence[VcpuThroughput]) -> "Markup":
    first, last = sizes[0], sizes[-1]
    ideal = [(size.vcpus, size.vcpus / first.vcpus) for size in sizes]
    top = max(*(size.ratio for size in sizes), 1.0)
    high = max(min(size.ci95[1], _WIDEST * top) if size.ci95 else size.ratio for size in sizes)
    rungs = axis_ticks(max(high, ideal[-1][1]) * 1.02)
    x = LinearScale((_vcpus_position(first.vcpus) - 0.25, _vcpus_position(last.vcpus) + 0.4), (_LEFT, _WIDTH - _RIGHT))
    y = LinearScale((0, rungs[-1]), (_FLOOR, _TOP))
    drawing = SvgDrawing(_WIDTH, _HEIGHT, f"Normalised throughput of {load_title(first.load)} over vCPUs of the guest")
    for rung in rungs:
        drawing.line((_LEFT, y(rung)), (_WIDTH - _RIGHT, y(rung)), "grid")
        drawing.text((_LEFT - 8, y(rung) + 4), format_short(rung), "tick", "end")
    drawing.curve([(x(_vcpus_position(vcpus)), y(ratio)) for vcpus, ratio in ideal], "configured")
    _draw_series(drawing, sizes, x, y)
    for size in sizes:
        centre = x(_vcpus_position(size.vcpus))
        drawing.line((centre, _FLOOR), (centre, _FLOOR + 5), "grid")
        drawing.text((centre, _FLOOR + 18), str(size.vcpus), "tick", "middle")
    drawing.text((_WIDTH / 2, _HEIGHT - 4), "vCPUs of the guest (logarithmic)", "axis", "middle")
    _draw_legend(drawing, first)
    return drawing.markup()


def _draw_series(drawing: SvgDrawing, sizes: Sequence[VcpuThroughput], x: LinearScale, y: LinearScale) -> None:
    shape, style = load_marker(sizes[0].load)
    drawing.curve([(x(_vcpus_position(size.vcpus)), y(size.ratio)) for size in sizes], f"through {style}")
    for size in sizes:
        centre, level = x(_vcpus_position(size.vcpus)), y(size.ratio)
        span = ""
        if size.ci95:
            drawing.whisker(centre, size.ci95, y, style)
            span = f" ({format_short(size.ci95[0])} to {format_short(size.ci95[1])})"
        made = format_load_rate(size.mean_tps, size.load, size.unit)
        tip = f"{size.vcpus}: {format_short(size.ratio)} times{span}, {made}, {SATURATION_TEXTS[size.filled]}"
        drawing.marker((centre, level), shape, f"dot {style}", tip)
        drawing.text((centre + 10, level + 16), f"{format_short(size.ratio)}, {SATURATION_TEXTS[size.filled]}", "tick")


def _draw_legend(drawing: SvgDrawing, first: VcpuThroughput) -> None:
    shape, style = load_marker(first.load)
    words = f"times {first.vcpus} vCPU{'' if first.vcpus == 1 else 's'}"
    drawing.text((4, 14), words, "axis")
    left = 4 + _CHAR_PX * (len(words) + 2)
    drawing.marker((left, 10), shape, f"dot {style}")
    drawing.text((left + 10, 14), load_title(first.load), "note")
    left += 28 + _CHAR_PX * len(load_title(first.load))
    drawing.curve([(left, 10), (left + 26, 10)], "configured")
    drawing.text((left + 32, 14), "twice the vCPUs, twice the work; whiskers: 95 % interval within blocks", "tick")


def _vcpus_position(vcpus: int) -> float:
    return VcpusSetting(vcpus).position
