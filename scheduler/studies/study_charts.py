"""Charts and tables of a study's results, from module `charts` of its package.

A study may have no such module.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, TypeVar, cast

from scheduler.model.chart import Chart
from scheduler.model.results import Answer, MeasuredPoint, Results
from scheduler.model.studies import STUDIES, StudyFinding
from scheduler.model.table import Column, Table
from scheduler.translation import _

Found_contra = TypeVar("Found_contra", contravariant=True)


class ChartModule(Protocol[Found_contra]):
    """Module `charts` of a study's package (its record names the package)."""

    def list_charts(self, finding: Found_contra, points: Sequence[MeasuredPoint]) -> tuple[Chart, ...]:
        """Return the charts, the most important first.

        Args:
            finding: The study's own finding.
            points: All measured points.
        """
        ...

    def list_tables(self, finding: Found_contra, points: Sequence[MeasuredPoint]) -> tuple[Table, ...]:
        """Return all figures; the first table has the figures of the first chart.

        Args:
            finding: The study's own finding.
            points: All measured points.
        """
        ...

    def brief_table(self, finding: Found_contra) -> Table:
        """Return a table of few columns that fits next to a chart.

        A study that recommends a split has none: the table next to its chart has the loss of each split.
        """
        ...


def study_charts(results: Results) -> tuple[Chart, ...]:
    """Return the charts of a study's results; none of the split study."""
    module = _chart_module(results.study)
    return module.list_charts(results.answer, results.points) if module else ()


def study_tables(results: Results) -> tuple[Table, ...]:
    """Return the tables of a study's results that have rows; none of the split study."""
    module = _chart_module(results.study)
    tables = module.list_tables(results.answer, results.points) if module else ()
    return tuple(table for table in tables if table.rows)


def study_brief_table(study: str, finding: StudyFinding) -> Table:
    """Return the table next to the chart, or the reasons of the finding as a table.

    Args:
        study: Name of the study.
        finding: Its finding.
    """
    if module := _chart_module(study):
        return module.brief_table(finding)
    return Table(title=_("Findings"), columns=(Column(_("Finding")),), rows=tuple((line,) for line in finding.reasons))


def _chart_module(study: str) -> ChartModule[Answer] | None:
    package = STUDIES[study].module
    if find_spec(f"{package}.charts") is None:
        return None
    return cast("ChartModule[Answer]", import_module(f"{package}.charts"))
