"""Exporters by name.

A new exporter needs a module with a `write` function, and a line in `list_exporters`.
"""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import msgspec

from scheduler.errors import SpecError
from scheduler.export import bundle, csv_points, html_report, json_results, machine_export, pdf_report, plan_export
from scheduler.export.guarded_writing import write_guarded
from scheduler.export.material import CommandLog, ExportMaterial
from scheduler.model.host_properties import HostProperties
from scheduler.model.results import Results
from scheduler.model.spec import RunSpec
from scheduler.model.studies import Setting
from scheduler.translation import _

WriteExport = Callable[[ExportMaterial, Path], tuple[Path, ...]]


class ResultExporter(msgspec.Struct, frozen=True, kw_only=True):
    """Exporter of one kind.

    Attributes:
        name: Name on the command line.
        suffix: Suffix of the file; empty for a folder.
        writer: Function that writes the export.
        refusal: Function that returns the reason against an export, empty if possible; None when always possible.
        of_one_split: True when the export is of one split, so that the user can choose another.
        split: The chosen split; None for the split that the decision orders.
        anyway: True to take the split of a decision that orders no change.
    """

    name: str
    suffix: str
    writer: WriteExport
    refusal: Callable[[ExportMaterial], str] | None = None
    of_one_split: bool = False
    split: Setting | None = None
    anyway: bool = False

    def for_split(self, split: Setting | None, *, anyway: bool = False) -> "ResultExporter":
        """Return this exporter for one measured split.

        Args:
            split: The split; None for the split that the decision orders.
            anyway: True to take the split of a decision that orders no change.

        Raises:
            SpecError: The export is of all splits.
        """
        if (split or anyway) and not self.of_one_split:
            option, hint = "--split" if split else "--anyway", _("Leave it out: every split is in there.")
            raise SpecError(option, _("the export {value!r} is not of one split").format(value=self.name), hint=hint)
        return msgspec.structs.replace(self, split=split, anyway=anyway)

    def refuses(self, results: Results, spec: RunSpec, facts: HostProperties) -> str:
        """Return the reason against this export of the results; empty when possible.

        Args:
            results: Results of the sweep.
            spec: Specification of the sweep.
            facts: Properties of the host.
        """
        material = ExportMaterial(results, spec, facts, split=self.split, anyway=self.anyway)
        return self.refusal(material) if self.refusal else ""

    def write(
        self,
        results: Results,
        spec: RunSpec,
        facts: HostProperties,
        target: Path,
        command_log: CommandLog = (),
        *,
        replacing: Collection[Path] | None = (),
    ) -> tuple[Path, ...]:
        """Write the export and return the files written.

        Args:
            results: Results of the sweep.
            spec: Specification of the sweep.
            facts: Properties of the host during the sweep.
            target: File or folder; a file without a suffix takes the exporter's suffix.
            command_log: Commands run on the host; an export shows them only when there are any.
            replacing: Files that the user allows to replace; None for all.

        Raises:
            SpecError: The export is not possible, or would replace other files; nothing was written.
            OSError: The target could not be written.
        """
        if not target.name or target.name == "..":
            raise SpecError(
                "--out",
                _("{target} names no file or folder to make").format(target=target),
                hint=_("Name one, for example report."),
            )
        reason = self.refuses(results, spec, facts)
        if reason:
            raise SpecError(self.name, reason, hint=_("Export the report, the CSV or the plan instead."))
        named = target if target.suffix or not self.suffix else target.with_name(target.name + self.suffix)
        named.parent.mkdir(parents=True, exist_ok=True)
        material = ExportMaterial(results, spec, facts, command_log, self.split, self.anyway)
        return write_guarded(lambda path: self.writer(material, path), named, replacing)


def list_exporters() -> Mapping[str, ResultExporter]:
    """Return all exporters by name, in the order of a menu."""
    kinds = (
        ResultExporter(name="html", suffix=".html", writer=html_report.write_report),
        ResultExporter(name="pdf", suffix=".pdf", writer=pdf_report.write_pdf_report),
        ResultExporter(
            name="bundle",
            suffix="",
            writer=bundle.write_bundle,
            of_one_split=True,
            refusal=bundle.bundle_refusal,
        ),
        ResultExporter(name="csv", suffix=".csv", writer=csv_points.write_csv),
        ResultExporter(name="json", suffix=".json", writer=json_results.write_json),
        ResultExporter(
            name="machine",
            suffix=".json",
            writer=machine_export.write_machine,
            refusal=machine_export.machine_refusal,
        ),
        ResultExporter(name="plan", suffix=".toml", writer=plan_export.write_plan_export),
    )
    return {kind.name: kind for kind in kinds}
