"""Writing exports off the window's thread, under the name that the person chose."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.background import Background, Job
from app.panels.result_data import Finding
from scheduler.model.results import Recommendation

_SUFFIXES = {"csv": ".csv", "json": ".json", "html": ".html", "plan": ".toml", "bundle": ".zip"}


def _tr(text: str) -> str:
    return QCoreApplication.translate("exports", text)


def ask_target(parent: QWidget, finding: Finding, kind: str) -> Path | None:
    """Ask where to write; None when cancelled."""
    suffix = _SUFFIXES[kind]
    title = {
        "bundle": _tr("Export bundle"),
        "html": _tr("Save report"),
        "plan": _tr("Save plan"),
    }.get(kind, _tr("Export results"))
    start = f"domtune-{finding.results.run_id}{suffix}"
    name, _ = QFileDialog.getSaveFileName(parent, title, start, f"*{suffix}")
    if not name:
        return None
    path = Path(name)
    return path if path.suffix == suffix else path.with_name(path.name + suffix)


def write(kind: str, finding: Finding, answer: Recommendation, target: Path) -> Callable[[Job], tuple[Path, ...]]:
    """Return the work that writes one export of what is on the screen; it returns the files written."""
    results, spec = finding.shown(answer)

    def work(_: Job) -> tuple[Path, ...]:
        from scheduler.export.registry import exporters

        return exporters()[kind].write(results, spec, finding.run.facts, target, finding.ledger)

    return work


def start(background: Background, work: Callable[[Job], tuple[Path, ...]], say: Callable[[str, str, str], None]) -> Job:
    """Write in the background; then say where, or why not."""

    def done(paths: tuple[Path, ...]) -> None:
        say("good", _tr("Written: {paths}").format(paths=", ".join(map(str, paths))), "")

    def failed(error: Exception) -> None:
        hint = getattr(error, "hint", "") or _tr("Choose another folder, or free some space.")
        say("error", _tr("Nothing was exported: {why}").format(why=error), hint)

    return background.submit(work, done, failed)
