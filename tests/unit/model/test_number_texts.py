"""The one module that writes numbers, and the rule that no other module formats a figure for people."""

import ast
import re

import pytest

from app import display_texts
from scheduler.model import number_texts
from scheduler.model.number_texts import (
    format_duration,
    format_duration_range,
    format_error_percent,
    format_interval,
    format_percent,
    format_plus_minus,
    format_rate,
    format_short,
    format_signed_percent,
    format_significant,
    format_table_number,
)
from tests.product_sources import sources

_PLACES = (
    "app",
    *(f"scheduler/{part}" for part in ("commands", "export", "follow", "model", "papers", "plans", "run")),
)
_PLACES = (*_PLACES, *(f"scheduler/{part}" for part in ("shares", "stats", "store", "studies")))

_FREE = {
    "scheduler/model/number_texts.py": "the module itself",
    "app/plots/plot_axes.py": "numbers of an axis",
    "app/plots/rank_plot.py": "numbers of an axis",
    "app/observe/split_history_plot.py": "numbers of an axis",
    "scheduler/export/report_figures.py": "percentages of CSS, numbers of an axis",
    "scheduler/export/html_report.py": "percentages of CSS",
    "scheduler/export/svg_chart.py": "coordinates of SVG",
    "scheduler/export/bundle_local.py": "a value of systemd",
    "scheduler/studies/overhead/overhead_texts.py": "coefficients of correlation",
    "scheduler/follow/current_split.py": "CPUs with two decimals",
    "scheduler/commands/try_command.py": "a clock",
    "scheduler/follow/counter_windows.py": "a counter that is wrong",
    "scheduler/run/local_guard.py": "seconds for a program",
}
"""Modules that may format a fraction or round a figure, with the reason."""


def _formats(tree: ast.AST) -> list[str]:
    specs = [node.format_spec for node in ast.walk(tree) if isinstance(node, ast.FormattedValue) and node.format_spec]
    return ["".join(str(part.value) for part in spec.values if isinstance(part, ast.Constant)) for spec in specs]


def test_no_other_module_formats_figures_for_people():
    """Seconds of a limit (`:.0f`), whole counts (`:,`) and values as typed (`:g`) are no measured figures."""
    found = {
        name: wrong
        for name, tree in sources(*_PLACES, words=("f}", "%}"))
        if (wrong := [spec for spec in _formats(tree) if re.search(r"[0-9]%$|[1-9]f$|,.*f$", spec)])
    }
    assert {path: specs for path, specs in found.items() if path not in _FREE} == {}


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.012345, "0.0123"), (7, "7.00"), (9.999, "10.0"), (123.4, "123"), (12_400, "12400"), (-7.0, "-7.00")],
)
def test_significant_keeps_three_digits(value, text):
    assert format_significant(value) == text


def test_window_and_command_line_write_a_rate_alike():
    assert format_rate(7000, "tuples/s") == display_texts.format_rate(7000) == "7.00k tuples/s"
    assert format_short(7000) == display_texts.format_short(7000) == "7k"
    assert format_table_number(11_834.2) == display_texts.format_full(11_834.2) == "11,834"


@pytest.mark.parametrize("frac", [-0.749 / 100, 0.0949, 0.0951, 0.0996, -0.0996, 0.38, 0.00049, -0.00049, 0.0])
def test_window_and_command_line_round_a_percentage_alike(frac):
    def plain(text):
        return text.replace(display_texts.MINUS, "-").replace(display_texts.NARROW, " ")

    assert plain(display_texts.format_percent(frac)) == format_percent(frac)
    assert plain(display_texts.format_signed_percent(frac)) == format_signed_percent(frac)
    assert (
        abs(float(format_percent(frac).removesuffix(" %")) - 100 * frac) <= (0.05 if abs(frac) < 0.0995 else 0.5) + 1e-9
    )


def test_signed_percent_gives_zero_no_sign():
    assert {format_signed_percent(frac) for frac in (0.0, 0.0004, -0.0004)} == {"0 %"}


def test_interval_signs_its_high_end_where_the_low_end_is_negative():
    assert format_interval(0.05, 0.13) == "5 to 13 %"
    assert format_interval(-0.03, 0.01) == "-3 to +1 %"
    assert display_texts.format_interval(-0.03, 0.01) == "\N{MINUS SIGN}3 to +1\N{NO-BREAK SPACE}%"


def test_interval_wider_than_a_hundred_percent_is_not_known():
    assert format_interval(-0.92, 16.4) == display_texts.format_interval(-0.92, 16.4) == number_texts.NOT_KNOWN
    assert format_plus_minus(0.0, 2.0, 1.0) == "+/- 100 %"
    assert (
        format_plus_minus(-3.0, 5.0, 0.9) == display_texts.format_half_width(-3.0, 5.0, 0.9) == "(interval not known)"
    )
    assert (
        display_texts.format_half_width(0.97, 1.03, 1.0) == "\N{PLUS-MINUS SIGN}\N{NO-BREAK SPACE}3\N{NO-BREAK SPACE}%"
    )


def test_error_percent_never_reads_zero():
    assert [format_error_percent(frac) for frac in (0.000075, 0.176, 0.05)] == ["0.0075 %", "18 %", "5 %"]


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
    assert format_duration(seconds) == display_texts.format_duration(seconds) == text


def test_duration_range_names_a_common_unit_once():
    for written in (format_duration_range, display_texts.format_duration_range):
        assert written(1080, 1260) == "18 to 21 min"
        assert written(2820, 11_880) == "47 min to 3 h 18 min"
        assert written(60, 61.4) == "1 min to 1 min 1 s"
        assert written(60, 60.2) == "1 min"
