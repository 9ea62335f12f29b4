"""The figure of what a guest reaches of native over its number of vCPUs, with its interval."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scheduler.export.report_figures import load_marker
from scheduler.export.svg_chart import LinearScale, SvgDrawing, axis_ticks
from scheduler.model.number_texts import format_interval, format_percent
from scheduler.model.reference_comparison import ReferenceRatio
from scheduler.model.sentence_texts import format_load_rate, load_title
from scheduler.model.setting import VcpusSetting

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _HEIGHT = 880.0, 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 14.0, 36.0, 46.0
_FLOOR = _HEIGHT - _BOTTOM
_CHAR_PX = 6.8
_WIDEST = 1.5  # times the highest ratio; a whisker beyond is cut


def reference_figures(natives: Sequence[ReferenceRatio]) -> "list[Markup]":
    """Draw each load by itself."""
    loads = dict.fromkeys(native.load for native in natives)
    return [_draw_load([native for native in natives if native.load == load]) for load in loads]


def _draw_load(natives: Sequence[ReferenceRatio]) -> "Markup":
    top = max(1.0, *(native.ratio for native in natives))
    high = max(1.0, *(min(native.ci95[1], _WIDEST * top) if native.ci95 else native.ratio for native in natives))
    rungs = axis_ticks(high * 1.02)
    x = LinearScale((_vcpus_position(natives[0]) - 0.25, _vcpus_position(natives[-1]) + 0.4), (_LEFT, _WIDTH - _RIGHT))
    y = LinearScale((0, rungs[-1]), (_FLOOR, _TOP))
    title = f"What {load_title(natives[0].load)} reaches of native, over vCPUs of the guest"
    drawing = SvgDrawing(_WIDTH, _HEIGHT, title)
    for rung in rungs:
        drawing.line((_LEFT, y(rung)), (_WIDTH - _RIGHT, y(rung)), "grid")
        drawing.text((_LEFT - 8, y(rung) + 4), format_percent(rung), "tick", "end")
    drawing.line((_LEFT, y(1.0)), (_WIDTH - _RIGHT, y(1.0)), "configured")
    shape, style = load_marker(natives[0].load)
    for native in natives:
        centre = x(_vcpus_position(native))
        _draw_mark(drawing, native, (centre, y), (shape, style))
        drawing.line((centre, _FLOOR), (centre, _FLOOR + 5), "grid")
        drawing.text((centre, _FLOOR + 18), str(native.vcpus), "tick", "middle")
    drawing.text((_WIDTH / 2, _HEIGHT - 4), "vCPUs of the guest, CPUs of the base (logarithmic)", "axis", "middle")
    _draw_legend(drawing, load_title(natives[0].load), (shape, style))
    return drawing.markup()


def _draw_mark(
    drawing: SvgDrawing, native: ReferenceRatio, place: tuple[float, LinearScale], look: tuple[str, str]
) -> None:
    """Draw one ratio; one that is within noise is hollow."""
    (centre, y), (shape, style) = place, look
    span = ""
    if native.ci95:
        drawing.whisker(centre, native.ci95, y, style)
        span = f" ({format_interval(*native.ci95)})"
    noise = "" if native.told_apart else ", within noise"
    made = " against ".join(
        format_load_rate(tps, native.load, native.unit) for tps in (native.guest_tps, native.base_tps)
    )
    tip = f"{native.vcpus}: {format_percent(native.ratio)} of native{span}{noise}; {made}"
    drawing.marker((centre, y(native.ratio)), shape, f"{'dot' if native.told_apart else 'promise'} {style}", tip)
    drawing.text((centre + 10, y(native.ratio) + 16), f"{format_percent(native.ratio)}{noise}", "tick")


def _draw_legend(drawing: SvgDrawing, load: str, look: tuple[str, str]) -> None:
    words = "of native on as many CPUs"
    drawing.text((4, 14), words, "axis")
    left = 4 + _CHAR_PX * (len(words) + 2)
    drawing.marker((left, 10), look[0], f"dot {look[1]}")
    drawing.text((left + 10, 14), load, "note")
    left += 28 + _CHAR_PX * len(load)
    drawing.text((left, 14), "whiskers: 95 % interval within blocks; hollow: within noise", "tick")


def _vcpus_position(native: ReferenceRatio) -> float:
    return VcpusSetting(native.vcpus).position
