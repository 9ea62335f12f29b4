"""Generator of docs/images/simulated-modes.svg: the built-in machine in two modes.

The modes are SEDF with caps and credit with weights.
"""

import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from scheduler.model.spec import PAPER_SPLITS, Mode
from scheduler.model.split import parse_split
from scheduler.shares.model_lookup import find_share_model
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.steady_state import SteadyStates

_PERIOD_US, _USERS = 20_000, 5
_WIDTH, _HEIGHT, _LEFT, _TOP, _PANEL = 760, 330, 60, 56, 300
_KINDS = {"osdb-ir": "IR", "osdb-oltp": "OLTP"}
_LINES = {
    ("sedf-xm", Mode.CAPS): ("SEDF, caps", "#b45309", ""),
    ("credit", Mode.WEIGHTS): ("credit, share (weights)", "#0f766e", "6 4"),
}
_Curve = Mapping[str, float]


def main() -> int:
    """Simulate and draw; print the path."""
    path = Path(__file__).resolve().parent.parent / "docs" / "images" / "simulated-modes.svg"
    path.write_text("\n".join(_picture()) + "\n", encoding="utf-8")
    print(path)
    return 0


def _picture() -> Iterator[str]:
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">'
    yield f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
    yield _text(_WIDTH / 2, 18, "Simulated: throughput by split, and what lends idle time", 14, anchor="middle")
    for place, (_, (name, colour, dash)) in enumerate(_LINES.items()):
        x = _LEFT + 170 + place * 180
        yield f'<path d="M{x - 28} 34h22" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        yield _text(x, 38, name, 11)
    steadies = SteadyStates(BUILT_IN_MACHINE)
    for place, kind in enumerate(_KINDS):
        yield from _panel(_LEFT + place * (_PANEL + 70), kind, steadies)
    yield "</svg>"


def _panel(left: float, kind: str, steadies: SteadyStates) -> Iterator[str]:
    curves = {line: _curve(steadies, kind, *line) for line in _LINES}
    top_tps = max(max(curve.values()) for curve in curves.values())
    bottom = _HEIGHT - 50
    yield _text(left + _PANEL / 2, _TOP + 4, _KINDS[kind], 12, anchor="middle")
    for part in (0.0, 0.5, 1.0):
        y = bottom - part * (bottom - _TOP - 14)
        yield f'<path d="M{left} {y:.1f}h{_PANEL}" stroke="#d4d4d4"/>'
        yield _text(left - 6, y + 4, f"{part * top_tps:.0f}", 10, anchor="end")
    for label in PAPER_SPLITS:
        low = label in {"1:2", "5:2"}
        yield _text(left + _x(label), bottom + (28 if low else 15), label, 10, anchor="middle")
    yield _text(left + _PANEL / 2, bottom + 44, "I/O domain : guest", 10, anchor="middle")
    yield _text(left - 44, _TOP + 4, "tuples/s", 10)
    for line, curve in curves.items():
        points = sorted((_x(label), tps) for label, tps in curve.items())
        spots = [(left + x, bottom - tps / top_tps * (bottom - _TOP - 14)) for x, tps in points]
        _, colour, dash = _LINES[line]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        yield f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in spots)


def _curve(steadies: SteadyStates, kind: str, scheduler: str, mode: Mode) -> _Curve:
    model = find_share_model(scheduler)
    return {
        label: steadies.at(model.encode(parse_split(label), mode, _PERIOD_US).params, kind, _USERS).tps
        for label in PAPER_SPLITS
    }


def _x(label: str) -> float:
    split = parse_split(label)
    return (math.log10(split.io / split.guest) + 1) / 2 * _PANEL


def _text(x: float, y: float, text: str, size: int, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="#222">{text}</text>'


if __name__ == "__main__":
    sys.exit(main())
