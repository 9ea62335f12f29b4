"""Exporters by name. To add one: a module with a `write` function, and a line here."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from scheduler.errors import SpecError
from scheduler.export import bundle, csv_points, html_report, json_results, machine, plan
from scheduler.export.material import Ledger, Material
from scheduler.model.facts import HostFacts
from scheduler.model.results import Results
from scheduler.model.spec import RunSpec

Write = Callable[[Material, Path], tuple[Path, ...]]


class Exporter(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of export.

    Attributes:
        name: As the command line knows it.
        title: As a menu shows it.
        suffix: Of the file it writes; empty for a folder.
        writer: Does it.
        refusal: Returns why it is not possible for a sweep, empty when it is; None where it always is.
    """

    name: str
    title: str
    suffix: str
    writer: Write
    refusal: Callable[[Material], str] | None = None

    def refuses(self, results: Results, spec: RunSpec, facts: HostFacts) -> str:
        """Return why this export is not possible for these results; empty when it is."""
        return self.refusal(Material(results, spec, facts)) if self.refusal else ""

    def write(
        self, results: Results, spec: RunSpec, facts: HostFacts, target: Path, ledger: Ledger = ()
    ) -> tuple[Path, ...]:
        """Write the export and return the files written.

        Args:
            results: The sweep's results.
            spec: The sweep.
            facts: The host as found.
            target: File or folder; a file without a suffix gets the exporter's own.
            ledger: What the host was told; exports that show it leave it out when it is empty.

        Raises:
            SpecError: It is not possible for these results.
            OSError: The target could not be written.
        """
        reason = self.refuses(results, spec, facts)
        if reason:
            raise SpecError(self.name, reason, hint="Export the report, the CSV or the plan instead.")
        named = target if target.suffix or not self.suffix else target.with_name(target.name + self.suffix)
        named.parent.mkdir(parents=True, exist_ok=True)
        return self.writer(Material(results, spec, facts, ledger), named)


def exporters() -> Mapping[str, Exporter]:
    """Return all exporters by name, in the order of a menu."""
    kinds = (
        Exporter(name="html", title="Report, one page to send", suffix=".html", writer=html_report.write),
        Exporter(
            name="bundle",
            title="Scripts that apply, verify, roll back and keep the split",
            suffix="",
            writer=bundle.write,
            refusal=bundle.refuses,
        ),
        Exporter(name="csv", title="Points and visits as tables", suffix=".csv", writer=csv_points.write),
        Exporter(name="json", title="Results for programs", suffix=".json", writer=json_results.write),
        Exporter(
            name="machine",
            title="A simulated machine, to sweep again",
            suffix=".json",
            writer=machine.write,
            refusal=machine.refuses,
        ),
        Exporter(name="plan", title="The plan, to run again", suffix=".toml", writer=plan.write),
    )
    return {kind.name: kind for kind in kinds}
