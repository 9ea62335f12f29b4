"""Writing exports off the window's thread, under the name that the person chose."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.background import BackgroundWorker
from app.panels.export_question import ask_to_replace
from app.panels.result_data import ResultData
from app.widgets.save_dialog import ask_save_path
from scheduler.errors import FilesExist
from scheduler.model.observation_documents import WatchResult
from scheduler.model.results import Recommendation

_SUFFIXES = {"csv": ".csv", "json": ".json", "html": ".html", "plan": ".toml", "bundle": ".zip"}


Write = Callable[[Path, Collection[Path]], tuple[Path, ...]]
"""Writes to a path, may replace these files, and returns what it wrote; called off the window's thread."""


class ExportRequest(NamedTuple):
    """An export of what is on the screen: the widget that asks for it, its kind, its file's name, what writes it."""

    parent: QWidget
    kind: str
    name: str
    write: Write


class ExportTarget(NamedTuple):
    """Where to write, and which files the person agreed to replace: the dialog asks for the name as it was typed."""

    path: Path
    may_replace: tuple[Path, ...]


def _tr(text: str) -> str:
    return QCoreApplication.translate("exports", text)


def sweep_export(parent: QWidget, kind: str, finding: ResultData, answer: Recommendation) -> ExportRequest:
    """Return the export of a sweep, with the answer that is on the screen."""
    results, spec = finding.shown(answer)

    def write(path: Path, may_replace: Collection[Path]) -> tuple[Path, ...]:
        from scheduler.export.exporters import list_exporters

        facts, exporter = finding.run.facts, list_exporters()[kind]
        if exporter.of_one_split:
            exporter = exporter.for_split(answer.decision.setting)
        return exporter.write(results, spec, facts, path, finding.ledger, replacing=may_replace)

    return ExportRequest(parent, kind, f"domtune-{results.run_id}", write)


def watch_export(parent: QWidget, answer: WatchResult, ended_unix_s: float) -> ExportRequest:
    """Return the configuration of the split that watching named."""

    def write(path: Path, may_replace: Collection[Path]) -> tuple[Path, ...]:
        from scheduler.export import watched_split

        return watched_split.write_watched(answer, path, ended_unix_s, replacing=may_replace)

    return ExportRequest(parent, "bundle", f"domtune-watched-{answer.split.replace(':', '-')}", write)


def ask_target(asked: ExportRequest, then: Callable[[ExportTarget], None]) -> None:
    """Ask where to write, then call `then`; nothing waits."""
    suffix = _SUFFIXES[asked.kind]
    title = {
        "bundle": _tr("Export configuration"),
        "html": _tr("Save report"),
        "plan": _tr("Save plan"),
    }.get(asked.kind, _tr("Export results"))
    name = f"{asked.name}{suffix}"
    ask_save_path(asked.parent, title, name, {suffix[1:]: title}, lambda path: then(_export_target(path, suffix)))


def _export_target(path: Path, suffix: str) -> ExportTarget:
    """Return the file: the dialog has asked about the name as it stands, and about no other."""
    if path.suffix == suffix:
        return ExportTarget(path, (path,))
    return ExportTarget(path.with_name(path.name + suffix), ())


def start_export(
    asked: ExportRequest, background: BackgroundWorker, target: ExportTarget, say: Callable[[str, str, str], None]
) -> None:
    """Write in the background; then say where, or why not. What would replace other files is asked for first."""

    def done(paths: tuple[Path, ...]) -> None:
        say("good", _tr("Written: {paths}").format(paths=", ".join(map(str, paths))), "")

    def failed(error: Exception) -> None:
        if isinstance(error, FilesExist):
            more = ExportTarget(target.path, (*target.may_replace, *error.paths))
            ask_to_replace(asked.parent, error.paths, lambda: start_export(asked, background, more, say))
            return
        hint = getattr(error, "hint", "") or _tr("Choose another folder, or free some space.")
        say("error", _tr("Nothing was exported: {why}").format(why=error), hint)

    background.submit(lambda _: asked.write(target.path, target.may_replace), done, failed)
