"""The one module that writes numbers, and the rule that no other module formats a figure for people."""

import ast
import re
from pathlib import Path

import pytest

from app import words
from scheduler.model import number_texts
from scheduler.model.number_texts import (
    duration,
    duration_range,
    error_percent,
    full,
    interval,
    percent,
    plus_minus,
    rate,
    short,
    signed_percent,
    significant,
)

ROOT = Path(__file__).resolve().parents[3]
_PLACES = (
    "app",
    *(f"scheduler/{part}" for part in ("commands", "export", "follow", "model", "papers", "plans", "run")),
)
_PLACES = (*_PLACES, *(f"scheduler/{part}" for part in ("shares", "stats", "store", "studies")))

_FREE = {
    "scheduler/model/number_texts.py": "the module itself",
    "app/live/axes.py": "numbers of an axis",
    "app/live/rank_plot.py": "numbers of an axis",
    "app/follow/ratio_axis.py": "numbers of an axis",
    "scheduler/export/report_figures.py": "percentages of CSS, numbers of an axis",
    "scheduler/export/html_report.py": "percentages of CSS",
    "scheduler/export/svg_chart.py": "coordinates of SVG",
    "scheduler/export/bundle_local.py": "a value of systemd",
    "scheduler/studies/overhead/words.py": "coefficients of correlation",
    "scheduler/follow/standing.py": "CPUs with two decimals",
    "scheduler/commands/try_word.py": "a clock",
    "scheduler/follow/windows.py": "a counter that is wrong",
    "scheduler/run/keeper.py": "seconds for a program",
}
"""Modules that may format a fraction or round a figure, with the reason."""


def _formats(tree: ast.AST) -> list[str]:
    specs = [node.format_spec for node in ast.walk(tree) if isinstance(node, ast.FormattedValue) and node.format_spec]
    return ["".join(str(part.value) for part in spec.values if isinstance(part, ast.Constant)) for spec in specs]


def test_no_other_module_formats_figures_for_people():
    """Seconds of a limit (`:.0f`), whole counts (`:,`) and values as typed (`:g`) are no measured figures."""
    found = {
        path.relative_to(ROOT).as_posix(): wrong
        for place in _PLACES
        for path in (ROOT / place).rglob("*.py")
        if (
            wrong := [
                spec for spec in _formats(ast.parse(path.read_text())) if re.search(r"[0-9]%$|[1-9]f$|,.*f$", spec)
            ]
        )
    }
    assert {path: specs for path, specs in found.items() if path not in _FREE} == {}


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.012345, "0.0123"), (7, "7.00"), (9.999, "10.0"), (123.4, "123"), (12_400, "12400"), (-7.0, "-7.00")],
)
def test_significant_keeps_three_digits(value, text):
    assert significant(value) == text


def test_window_and_command_line_write_a_rate_alike():
    assert rate(7000, "tuples/s") == words.rate(7000) == "7.00k tuples/s"
    assert short(7000) == words.short(7000) == "7k"
    assert full(11_834.2) == words.full(11_834.2) == "11,834"


@pytest.mark.parametrize("frac", [-0.749 / 100, 0.0949, 0.0951, 0.0996, -0.0996, 0.38, 0.00049, -0.00049, 0.0])
def test_window_and_command_line_round_a_percentage_alike(frac):
    def plain(text):
        return text.replace(words.MINUS, "-").replace(words.NARROW, " ")

    assert plain(words.percent(frac)) == percent(frac)
    assert plain(words.signed_percent(frac)) == signed_percent(frac)
    assert abs(float(percent(frac).removesuffix(" %")) - 100 * frac) <= (0.05 if abs(frac) < 0.0995 else 0.5) + 1e-9


def test_signed_percent_gives_zero_no_sign():
    assert {signed_percent(frac) for frac in (0.0, 0.0004, -0.0004)} == {"0 %"}


def test_interval_signs_its_high_end_where_the_low_end_is_negative():
    assert interval(0.05, 0.13) == "5 to 13 %"
    assert interval(-0.03, 0.01) == "-3 to +1 %"
    assert words.interval(-0.03, 0.01) == "\N{MINUS SIGN}3 to +1\N{NO-BREAK SPACE}%"


def test_interval_wider_than_a_hundred_percent_is_not_known():
    assert interval(-0.92, 16.4) == words.interval(-0.92, 16.4) == number_texts.NOT_KNOWN
    assert plus_minus(0.0, 2.0, 1.0) == "+/- 100 %"
    assert plus_minus(-3.0, 5.0, 0.9) == words.plus_minus(-3.0, 5.0, 0.9) == "(interval not known)"
    assert words.plus_minus(0.97, 1.03, 1.0) == "\N{PLUS-MINUS SIGN}\N{NO-BREAK SPACE}3\N{NO-BREAK SPACE}%"


def test_error_percent_never_reads_zero():
    assert [error_percent(frac) for frac in (0.000075, 0.176, 0.05)] == ["0.0075 %", "18 %", "5 %"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (45, "45 s"),
        (60, "1 min"),
        (200, "3 min 20 s"),
        (599.6, "10 min"),
        (7199, "2 h"),
        (7500, "2 h 5 min"),
        (86_400, "1 day"),
        (273_600, "3 days 4 h"),
    ],
)
def test_duration_has_two_units_at_most(seconds, text):
    assert duration(seconds) == words.duration(seconds) == text


def test_duration_range_names_a_common_unit_once():
    for written in (duration_range, words.duration_range):
        assert written(1080, 1260) == "18 to 21 min"
        assert written(2820, 11_880) == "47 min to 3 h 18 min"
        assert written(60, 61.4) == "1 min to 1 min 1 s"
        assert written(60, 60.2) == "1 min"
