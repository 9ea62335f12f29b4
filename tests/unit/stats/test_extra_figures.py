"""Further figures as tables, and where they are shown."""

import msgspec
import pytest

from scheduler.model.named_figures import NamedFigure
from scheduler.stats.extra_figures import FiguresRow, build_figures_tables, value_text
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents, make_spec
from tests.settings import split_at


@pytest.fixture(scope="module")
def points():
    found = summarise_run(make_documents(spec=make_spec(splits=["1:3", "1:1"], kinds=["tpch"]), samples=False)).points
    time, faults = NamedFigure("Q1 time", 12.5, "ms"), NamedFigure("Q1 page faults", 3.0, "")
    return [
        msgspec.structs.replace(point, figures=(time, faults) if point.label == "1:3" else (time,)) for point in found
    ]


def test_table_has_a_row_per_figure_and_a_column_per_split(points):
    [table] = build_figures_tables(points)
    assert table.load == "tpch"
    assert set(table.settings) == {point.setting for point in points}
    time, faults = table.rows
    assert time == FiguresRow("Q1 time", "ms", (12.5,) * len(table.settings))
    assert dict(zip(table.settings, faults.values, strict=True)) == {
        setting: 3.0 if setting == split_at("1:3") else None for setting in table.settings
    }


def test_loads_without_such_figures_have_no_table():
    assert build_figures_tables(summarise_run(make_documents(samples=False)).points) == ()


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "ms", "\N{EN DASH}"),
        (0.0, "ms", "0"),
        (0.01234567, "ms", "0.01235"),
        (12.3456, "ms", "12.35"),
        (123456.7, "ms", "123,500"),
        (8192.0, "bytes", "8,192"),
        (2.5, "", "2.5"),
    ],
)
def test_figure_is_written_with_four_digits_and_whole_numbers_in_full(value, unit, text):
    assert value_text(value, unit) == text
