"""Generator of the figures of docs/explanation/how-domtune-decides.md, from a simulated run with a fixed seed."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from scheduler.model.documents import TrialDone
from scheduler.model.setting import label_of
from scheduler.store.run_store import RunStore

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
PLAN = ROOT / "resources" / "plans" / "quick-simulated.toml"
_INK, _DIM, _GRID, _IO, _GUEST, _BASE = "#1f2937", "#6b7280", "#d4d4d4", "#0f766e", "#b45309", "#9ca3af"
_LOAD = "osdb-oltp"
_BLOCKS = 3


def main() -> int:
    """Simulate one run, draw three figures, print their paths."""
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.toml"
        plan.write_text("seed = 2007\n" + PLAN.read_text(encoding="utf-8"), encoding="utf-8")
        program = [sys.executable, "-m", "scheduler", "run", str(plan), "--json"]
        ran = subprocess.run(program, env=os.environ | {"DOMTUNE_HOME": folder}, check=True, capture_output=True)
        with RunStore(Path(folder) / "state" / "runs.sqlite3") as store:
            documents = store.documents(json.loads(ran.stdout)["run_id"])
            trials = [each for each in documents if isinstance(each, TrialDone) and each.load == _LOAD]
    points = [point for point in json.loads(ran.stdout)["points"] if point["load"] == _LOAD]
    figures = {
        "blocks.svg": _draw_blocks(trials),
        "race.svg": _draw_race(trials),
        "bottleneck.svg": _draw_bottleneck(points),
    }
    for name, lines in figures.items():
        (IMAGES / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(IMAGES / name)
    return 0


def _draw_blocks(trials: Sequence[TrialDone]) -> Iterator[str]:
    """Yield the trials of the first blocks in the order in which they ran, one row per block."""
    blocks = _blocks(trials)[:_BLOCKS]
    height = 40 + 44 * len(blocks)
    yield from _open(760, height)
    for row, block in enumerate(blocks):
        y = 30 + 44 * row
        yield _text(10, y + 20, f"block {row + 1}", 13)
        wide = 660 / max(len(block) for block in blocks)
        for place, trial in enumerate(block):
            label = _label(trial)
            colour = _BASE if label == "baseline" else _IO
            left = 80 + place * wide
            yield f'<rect x="{left:.1f}" y="{y}" width="{wide - 4:.1f}" height="30" rx="4" fill="{colour}"/>'
            yield _text(left + (wide - 4) / 2, y + 20, _short(label), 12, anchor="middle", colour="white")
    yield _text(80, 18, "time \N{RIGHTWARDS ARROW} (one trial per box; base: the original settings)", 12, colour=_DIM)
    yield "</svg>"


def _draw_race(trials: Sequence[TrialDone]) -> Iterator[str]:
    """Yield a grid of blocks and settings: a filled box for a setting that was measured in that block."""
    blocks = _blocks(trials)
    labels = sorted({_label(trial) for trial in trials}, key=_share)
    wide, top = 640 / len(blocks), 34
    yield from _open(760, top + 24 * len(labels) + 30)
    yield _text(90, 18, "blocks \N{RIGHTWARDS ARROW}", 12, colour=_DIM)
    for row, label in enumerate(labels):
        y = top + 24 * row
        yield _text(80, y + 14, _short(label), 12, anchor="end")
        for column, block in enumerate(blocks):
            in_race = any(_label(trial) == label for trial in block)
            colour = (_BASE if label == "baseline" else _IO) if in_race else "white"
            box = f'x="{90 + column * wide:.1f}" y="{y}" width="{wide - 3:.1f}" height="18" rx="3"'
            yield f'<rect {box} fill="{colour}" stroke="{_GRID}"/>'
    yield _text(90, top + 24 * len(labels) + 18, "filled: measured in this block (simulated run)", 12, colour=_DIM)
    yield "</svg>"


def _draw_bottleneck(points: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield CPU used next to CPU allotted of both domains, for a split on each side and one between."""
    shown = [point for name in ("1:5", "2:5", "1:1") for point in points if _point_label(point) == name]
    yield from _open(760, 60 + 84 * len(shown))
    scale = 520
    yield _text(120, 18, "share of one CPU: outline = allotted, filled = used (simulated run, OLTP)", 12, colour=_DIM)
    for row, point in enumerate(shown):
        y = 36 + 84 * row
        yield _text(10, y + 32, _point_label(point), 15)
        yield _text(10, y + 50, f"limit: {escape(point['bottleneck'])}", 11, colour=_DIM)
        for place, (role, name, colour) in enumerate((("io", "I/O domain", _IO), ("guest", "guest", _GUEST))):
            top = y + 30 * place
            allotted, used = point["allotted_share"][role], point["used_share"][role]
            yield f'<rect x="200" y="{top + 6}" width="{used * scale:.1f}" height="20" fill="{colour}"/>'
            yield (
                f'<rect x="200" y="{top + 6}" width="{allotted * scale:.1f}" height="20" fill="none" '
                f'stroke="{_INK}" stroke-width="1.5"/>'
            )
            yield _text(192, top + 21, name, 12, anchor="end")
            yield _text(206 + max(used, allotted) * scale, top + 21, f"{used:.0%} of {allotted:.0%}", 12, colour=_DIM)
    yield "</svg>"


def _blocks(trials: Sequence[TrialDone]) -> list[list[TrialDone]]:
    """Return the trials of each block, in the order in which they ran."""
    numbers = sorted({trial.block for trial in trials})
    return [_first_of_each([trial for trial in trials if trial.block == number]) for number in numbers]


def _first_of_each(trials: Sequence[TrialDone]) -> list[TrialDone]:
    """Return the first trial of each setting; a trial with stalls is measured once more."""
    return list({_label(trial): trial for trial in reversed(trials)}.values())[::-1]


def _label(trial: TrialDone) -> str:
    return label_of(trial.setting)


def _point_label(point: dict[str, Any]) -> str:
    parts = ((point["setting"] or {}).get("split") or {}).get("parts")
    return f"{parts['io']:g}:{parts['guest']:g}" if parts else "baseline"


def _short(label: str) -> str:
    return "base" if label == "baseline" else label


def _share(label: str) -> float:
    if label == "baseline":
        return -1.0
    io, guest = map(float, label.split(":"))
    return io / guest


def _open(width: int, height: int) -> Iterator[str]:
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">'
    yield f'<rect width="{width}" height="{height}" fill="white"/>'


def _text(x: float, y: float, text: str, size: int, *, anchor: str = "start", colour: str = _INK) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">'
        f"{escape(text, quote=False)}</text>"
    )


if __name__ == "__main__":
    raise SystemExit(main())
