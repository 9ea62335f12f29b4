"""Exports of the displayed result, written in the background under a chosen name."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.background import BackgroundWorker
from app.pages.export_question import ask_to_replace
from app.pages.result_data import ResultData
from app.widgets.save_dialog import ask_save_path
from scheduler import places
from scheduler.errors import FilesExist
from scheduler.model.observation_documents import WatchResult
from scheduler.model.results import Answer
from scheduler.model.run_paths import RUN_FILE, RUN_FILE_SUFFIX
from scheduler.store.observation_summary import ObservationRecord
from scheduler.store.run_store import RunStore

_SUFFIXES = {
    "csv": ".csv",
    "json": ".json",
    "html": ".html",
    "plan": ".toml",
    "bundle": ".zip",
    RUN_FILE: RUN_FILE_SUFFIX,
}


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


def _tr(text: str) -> str:
    return QCoreApplication.translate("exports", text)


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

        facts, exporter = finding.run.facts, list_exporters()[kind]
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

        return observation_exporters()[kind](record, path, may_replace)

    return ExportRequest(parent, kind, f"domtune-{record.run_id}", write)


def ask_target(asked: ExportRequest, then: Callable[[ExportTarget], None]) -> None:
    """Ask for the file name; the dialog does not block.

    Args:
        asked: Export to write.
        then: Called with the chosen file.
    """
    suffix = _SUFFIXES[asked.kind]
    title = {
        "bundle": _tr("Export configuration"),
        "html": _tr("Save report"),
        "plan": _tr("Save plan"),
        RUN_FILE: _tr("Save run file"),
    }.get(asked.kind, _tr("Export results"))
    name = f"{asked.name}{suffix}"
    ask_save_path(asked.parent, title, name, {suffix[1:]: title}, lambda path: then(_export_target(path, suffix)))


def _export_target(path: Path, suffix: str) -> ExportTarget:
    """Return the file to write, with its suffix.

    The file dialog asked about replacing only the typed name. A name that gets a suffix here may replace nothing yet.
    """
    if path.suffix == suffix:
        return ExportTarget(path, (path,))
    return ExportTarget(path.with_name(path.name + suffix), ())


def start_export(
    asked: ExportRequest, background: BackgroundWorker, target: ExportTarget, say: Callable[[str, str, str], None]
) -> None:
    """Write an export in the background, then report its files or the error.

    If other existing files would be replaced, the user is asked first.

    Args:
        asked: Export to write.
        background: Runs the work.
        target: File to write.
        say: Called with level, text and hint of the report.
    """

    def done(paths: tuple[Path, ...]) -> None:
        say("good", _tr("Saved: {paths}").format(paths=", ".join(map(str, paths))), "")

    def failed(error: Exception) -> None:
        if isinstance(error, FilesExist):
            more = ExportTarget(target.path, (*target.may_replace, *error.paths))
            ask_to_replace(asked.parent, error.paths, lambda: start_export(asked, background, more, say))
            return
        hint = getattr(error, "hint", "") or _tr("Choose another folder, or free some space.")
        say("error", _tr("The export failed: {why}").format(why=error), hint)

    background.submit(lambda _: asked.write(target.path, target.may_replace), done, failed)
