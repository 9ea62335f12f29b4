"""Exports of the displayed result, written in the background under a chosen name."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from app.background import BackgroundWorker
from app.pages.export_question import ask_to_replace
from app.pages.result_data import ResultData
from app.widgets.message_bar import MessageBar
from app.widgets.open_path import show_written
from app.widgets.save_dialog import ask_save_path
from scheduler import places
from scheduler.errors import FilesExist
from scheduler.model.observation_documents import WatchResult
from scheduler.model.results import Answer
from scheduler.model.run_paths import RUN_FILE, RUN_FILE_SUFFIX
from scheduler.store.observation_summary import ObservationRecord
from scheduler.store.run_store import RunStore
from scheduler.translation import _

REPORT = "html"
_SUFFIXES = {
    "csv": (".csv",),
    "json": (".json",),
    REPORT: (".html", ".pdf"),
    "plan": (".toml",),
    "bundle": (".zip",),
    RUN_FILE: (RUN_FILE_SUFFIX,),
}
"""Possible suffixes of each export; the first one is the default."""


Write = Callable[[Path, Collection[Path]], tuple[Path, ...]]
"""Function that writes to a path and returns the written files; it may replace the given files."""


class ExportRequest(NamedTuple):
    """Export to write.

    Attributes:
        parent: Widget that asks for the file name.
        kind: Name of the exporter, a key of `_SUFFIXES`.
        name: Proposed file name without suffix.
        write: Writes the files.
    """

    parent: QWidget
    kind: str
    name: str
    write: Write


class ExportTarget(NamedTuple):
    """File to write.

    Attributes:
        path: File to write.
        may_replace: Existing files that the user agreed to replace.
    """

    path: Path
    may_replace: tuple[Path, ...]


def sweep_export(parent: QWidget, kind: str, finding: ResultData, answer: Answer) -> ExportRequest:
    """Return the export of a sweep with the displayed answer.

    Args:
        parent: Widget that asks for the file name.
        kind: Name of the exporter, a key of `_SUFFIXES`.
        finding: The run.
        answer: Displayed answer.
    """
    results, spec = finding.shown(answer)

    def write(path: Path, may_replace: Collection[Path]) -> tuple[Path, ...]:
        from scheduler.export.exporters import list_exporters

        facts, exporter = finding.run.facts, list_exporters()[_format_of(kind, path)]
        if exporter.of_one_split:
            exporter = exporter.for_split(answer.decision.setting)
        return exporter.write(results, spec, facts, path, finding.command_log, replacing=may_replace)

    return ExportRequest(parent, kind, f"domtune-{results.run_id}", write)


def run_file_export(parent: QWidget, kind: str, finding: ResultData, answer: Answer) -> ExportRequest:
    """Return the export of a sweep as a run file, with the displayed weights.

    Args:
        parent: Widget that asks for the file name.
        kind: `RUN_FILE`.
        finding: The run.
        answer: Displayed answer.
    """
    results, spec = finding.shown(answer)
    planned = dict(results.planned_weights)  # empty while the plan's weights are displayed
    return _run_file_request(parent, kind, results.run_id, planned, dict(spec.weights) if planned else None)


def answer_export(parent: QWidget, run_id: str) -> ExportRequest:
    """Return the export of the answer file of a lesson, which is the run file.

    Args:
        parent: Widget that asks for the file name.
        run_id: Id of the run.
    """
    return _run_file_request(parent, RUN_FILE, run_id, {}, None)


def _run_file_request(
    parent: QWidget, kind: str, run_id: str, planned: dict[str, float], shown: dict[str, float] | None
) -> ExportRequest:
    def write(path: Path, may_replace: Collection[Path]) -> tuple[Path, ...]:
        from scheduler.export.run_file_export import export_run_file

        with RunStore(places.store_path(), read_only=True) as store:
            return export_run_file(
                store, run_id, path, planned_weights=planned, shown_weights=shown, replacing=may_replace
            )

    return ExportRequest(parent, kind, f"domtune-{run_id}", write)


def watch_export(parent: QWidget, answer: WatchResult, ended_unix_s: float) -> ExportRequest:
    """Return the configuration export of the split that watching named.

    Args:
        parent: Widget that asks for the file name.
        answer: Result of watching.
        ended_unix_s: End of watching, seconds since 1970.
    """

    def write(path: Path, may_replace: Collection[Path]) -> tuple[Path, ...]:
        from scheduler.export import watched_split

        return watched_split.write_watched(answer, path, ended_unix_s, replacing=may_replace)

    label = answer.split.label if answer.split else ""
    return ExportRequest(parent, "bundle", f"domtune-watched-{label.replace(':', '-')}", write)


def observation_export(parent: QWidget, kind: str, record: ObservationRecord) -> ExportRequest:
    """Return the export of a stored observation.

    Args:
        parent: Widget that asks for the file name.
        kind: Name of the exporter, a key of `_SUFFIXES`.
        record: The observation.
    """
    if kind == RUN_FILE:
        return _run_file_request(parent, kind, record.run_id, {}, None)

    def write(path: Path, may_replace: Collection[Path]) -> tuple[Path, ...]:
        from scheduler.export.observation_export import observation_exporters

        return observation_exporters()[_format_of(kind, path)](record, path, may_replace)

    return ExportRequest(parent, kind, f"domtune-{record.run_id}", write)


def paper_page(finding: ResultData, answer: Answer) -> Callable[[], str]:
    """Return a function that makes the report for paper, with the displayed answer.

    Args:
        finding: The run.
        answer: Displayed answer.
    """
    results, spec = finding.shown(answer)

    def make() -> str:
        from scheduler.export.html_report import report_text
        from scheduler.export.material import ExportMaterial

        return report_text(ExportMaterial(results, spec, finding.run.facts, finding.command_log), on_paper=True)

    return make


def observation_paper_page(record: ObservationRecord) -> Callable[[], str]:
    """Return a function that makes the report of an observation for paper."""

    def make() -> str:
        from scheduler.export.observation_export import report_text

        return report_text(record, on_paper=True)

    return make


def ask_and_export(asked: ExportRequest, background: BackgroundWorker, message: MessageBar) -> None:
    """Ask for the file name, then write the export; the dialog does not block.

    Args:
        asked: Export to write.
        background: Runs the work.
        message: Place of the report.
    """
    suffixes = _SUFFIXES[asked.kind]
    title = {
        "bundle": _("Export configuration"),
        REPORT: _("Save report"),
        "plan": _("Save plan"),
        RUN_FILE: _("Save run file"),
    }.get(asked.kind, _("Export results"))
    formats = {suffix[1:]: title for suffix in suffixes}
    if asked.kind == REPORT:
        formats = {"html": _("Web page"), "pdf": _("PDF for print and sign-off")}
    name = f"{asked.name}{suffixes[0]}"

    def write(path: Path) -> None:
        _start_export(asked, background, _export_target(path, suffixes), message)

    ask_save_path(asked.parent, title, name, formats, write)


def _format_of(kind: str, path: Path) -> str:
    """Return the name of the exporter: a report is written as the suffix of its file."""
    return "pdf" if kind == REPORT and path.suffix == ".pdf" else kind


def _export_target(path: Path, suffixes: Sequence[str]) -> ExportTarget:
    """Return the file to write, with its suffix.

    The file dialog asked about replacing only the typed name. A name that gets a suffix here may replace nothing yet.
    """
    if path.suffix in suffixes:
        return ExportTarget(path, (path,))
    return ExportTarget(path.with_name(path.name + suffixes[0]), ())


def _start_export(
    asked: ExportRequest, background: BackgroundWorker, target: ExportTarget, message: MessageBar
) -> None:
    """Write an export in the background, then report its files or the error.

    If other existing files would be replaced, the user is asked first.

    Args:
        asked: Export to write.
        background: Runs the work.
        target: File to write.
        message: Place of the report.
    """

    def done(paths: tuple[Path, ...]) -> None:
        show_written(message, _("Saved: {paths}").format(paths=", ".join(map(str, paths))), paths)

    def failed(error: Exception) -> None:
        if isinstance(error, FilesExist):
            more = ExportTarget(target.path, (*target.may_replace, *error.paths))
            ask_to_replace(asked.parent, error.paths, lambda: _start_export(asked, background, more, message))
            return
        hint = getattr(error, "hint", "") or _("Choose another folder, or free some space.")
        message.say("error", _("The export failed: {why}").format(why=error), hint)

    background.submit(lambda _: asked.write(target.path, target.may_replace), done, failed)
