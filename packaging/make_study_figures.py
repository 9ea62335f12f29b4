"""Generator of the figures of the study pages in docs/explanation, from simulated runs with a fixed seed."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
_SPLITS = ("1:10", "1:5", "2:5", "1:2", "1:1", "2:1", "5:2", "5:1", "10:1")
_CAPACITY = """
seed = 2007
host = "sim:?noise=none"
study = "capacity"
[[load]]
kind = "osdb-ir"
users = 32
"""
_SCALE_UP = """
seed = 2007
host = "sim:"
study = "scale-up"
vcpus = [1, 2, 3, 4]
[[load]]
kind = "order-entry"
users = 8
"""
_SWEEP = f"""
seed = 2007
host = "sim:"
mode = "caps"
splits = {json.dumps(_SPLITS)}
protocol = "grid"
repeats = 6
[[load]]
kind = "osdb-oltp"
users = 5
"""
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 760, 300, 60, 40, 250
_INK, _DIM, _GRID, _BAND, _COLOURS = "#1f2937", "#6b7280", "#d4d4d4", "#fef3c7", ("#0f766e", "#b45309")


class Line(NamedTuple):
    """A line of a chart: one value per place, with an interval where one was measured."""

    name: str
    values: Sequence[float]
    intervals: Sequence[Sequence[float] | None]


def main() -> int:
    """Simulate three runs, draw a figure of each, print their paths."""
    figures = {
        "capacity.svg": _capacity_figure(_run(_CAPACITY)),
        "scale-up.svg": _scale_up_figure(_run(_SCALE_UP)),
        "queueing-model.svg": _model_figure(_run(_SWEEP)),
    }
    for name, lines in figures.items():
        (IMAGES / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(IMAGES / name)
    return 0


def _run(plan: str) -> Mapping[str, Any]:
    """Return the results of a simulated run."""
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, "-m", "scheduler", "run", "-", "--json", "--quiet"]
        home = os.environ | {"DOMTUNE_HOME": folder}
        ran = subprocess.run(program, env=home, input=plan.encode(), check=True, capture_output=True)
        return json.loads(ran.stdout)


def _capacity_figure(results: Mapping[str, Any]) -> Iterator[str]:
    """Return throughput over users, with a band where the first number of 95 % is."""
    points = results["points"]
    users = [str(point["setting"]["users"]) for point in points]
    knee = results["answer"]["knees"][0]
    band = (users.index(str(knee["above"])), users.index(str(knee["most"])))
    line = Line("IR", [point["mean_tps"] for point in points], [point["ci95_tps"] for point in points])
    return _chart(
        "users; tuples/s (simulated without noise); band: the first number of users with 95 %", users, [line], band
    )


def _scale_up_figure(results: Mapping[str, Any]) -> Iterator[str]:
    """Return normalised throughput over vCPUs, next to the throughput that doubles with the vCPUs."""
    sizes = results["answer"]["sizes"]
    places = [str(size["vcpus"]) for size in sizes]
    measured = Line("order entry", [size["ratio"] for size in sizes], [size["ci95"] for size in sizes])
    ideal = Line("ideal", [float(size["vcpus"]) for size in sizes], [None] * len(sizes))
    return _chart("vCPUs; throughput as a multiple of one vCPU (simulated)", places, [measured, ideal])


def _model_figure(results: Mapping[str, Any]) -> Iterator[str]:
    """Return the measured throughput by split next to the prediction of the queueing model."""
    measured = {_split(point): point for point in results["points"]}
    predicted = {_split(point): point["predicted_tps"] for point in results["model"][0]["points"]}
    points = [measured[split] for split in _SPLITS]
    first = Line("OLTP, measured", [each["mean_tps"] for each in points], [each["ci95_tps"] for each in points])
    second = Line("queueing model", [predicted[split] for split in _SPLITS], [None] * len(_SPLITS))
    return _chart("split; tuples/s (simulated)", _SPLITS, [first, second])


def _split(point: Mapping[str, Any]) -> str:
    parts = ((point["setting"] or {}).get("split") or {}).get("parts")
    return f"{parts['io']:g}:{parts['guest']:g}" if parts else "baseline"


def _chart(title: str, places: Sequence[str], lines: Sequence[Line], band: Sequence[int] = ()) -> Iterator[str]:
    """Yield the lines of a chart with one column per place; `band` names two columns."""
    highs = [value for line in lines for value in line.values]
    highs += [interval[1] for line in lines for interval in line.intervals if interval]
    scale = (_BOTTOM - _TOP) / max(highs)
    wide = (_WIDTH - _LEFT - 140) / len(places)
    xs = [_LEFT + wide * (place + 0.5) for place in range(len(places))]
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">'
    yield f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
    if band:
        left, right = xs[band[0]], xs[band[1]]
        box = f'x="{left:.1f}" y="{_TOP}" width="{right - left:.1f}" height="{_BOTTOM - _TOP}"'
        yield f'<rect {box} fill="{_BAND}"/>'
    for part in (0.0, 0.5, 1.0):
        y = _BOTTOM - part * max(highs) * scale
        yield f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - 140}" stroke="{_GRID}"/>'
        yield _text(_LEFT - 6, y + 4, f"{part * max(highs):.3g}", "end", _DIM)
    for x, place in zip(xs, places, strict=True):
        yield _text(x, _BOTTOM + 18, place, "middle", _INK)
    yield _text(_LEFT, _BOTTOM + 40, title, "start", _DIM)
    for number, line in enumerate(lines):
        yield from _line(line, xs, scale, _COLOURS[number])
        yield _text(_WIDTH - 132, _TOP + 14 + 20 * number, line.name, "start", _COLOURS[number])
    yield "</svg>"


def _line(line: Line, xs: Sequence[float], scale: float, colour: str) -> Iterator[str]:
    """Yield one line of a chart: dots with intervals if measured, dashes if not."""
    ys = [_BOTTOM - value * scale for value in line.values]
    measured = any(line.intervals)
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
    dash = "" if measured else ' stroke-dasharray="6 4"'
    yield f'<polyline points="{corners}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
    for x, y, interval in zip(xs, ys, line.intervals, strict=True):
        if measured:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
        if interval:
            low, high = (_BOTTOM - end * scale for end in interval)
            yield f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="{colour}" stroke-width="1.5"/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="12" text-anchor="{anchor}" fill="{colour}">'
        f"{escape(text, quote=False)}</text>"
    )


if __name__ == "__main__":
    raise SystemExit(main())
