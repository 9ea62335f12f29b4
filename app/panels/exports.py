"""Writing exports off the window's thread, under the name that the person chose."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.background import Background, Job
from app.panels.export_question import ask_to_replace
from app.panels.result_data import Finding
from app.widgets.save_dialog import ask_where
from scheduler.errors import FilesThere
from scheduler.model.results import Recommendation

_SUFFIXES = {"csv": ".csv", "json": ".json", "html": ".html", "plan": ".toml", "bundle": ".zip"}


class Asked(NamedTuple):
    """An export of what is on the screen: its kind, and the widget that asks for it."""

    parent: QWidget
    kind: str
    finding: Finding
    answer: Recommendation


class Target(NamedTuple):
    """Where to write, and which files the person agreed to replace: the dialog asks for the name as it was typed."""

    path: Path
    may_replace: tuple[Path, ...]


def _tr(text: str) -> str:
    return QCoreApplication.translate("exports", text)


def ask_target(asked: Asked, then: Callable[[Target], None]) -> None:
    """Ask where to write, then call `then`; nothing waits."""
    suffix = _SUFFIXES[asked.kind]
    title = {
        "bundle": _tr("Export configuration"),
        "html": _tr("Save report"),
        "plan": _tr("Save plan"),
    }.get(asked.kind, _tr("Export results"))
    name = f"domtune-{asked.finding.results.run_id}{suffix}"
    ask_where(asked.parent, title, name, {suffix[1:]: title}, lambda path: then(_target(path, suffix)))


def _target(path: Path, suffix: str) -> Target:
    """Return the file: the dialog has asked about the name as it stands, and about no other."""
    if path.suffix == suffix:
        return Target(path, (path,))
    return Target(path.with_name(path.name + suffix), ())


def start(asked: Asked, background: Background, target: Target, say: Callable[[str, str, str], None]) -> None:
    """Write in the background; then say where, or why not. What would replace other files is asked for first."""

    def done(paths: tuple[Path, ...]) -> None:
        say("good", _tr("Written: {paths}").format(paths=", ".join(map(str, paths))), "")

    def failed(error: Exception) -> None:
        if isinstance(error, FilesThere):
            more = Target(target.path, (*target.may_replace, *error.paths))
            ask_to_replace(asked.parent, error.paths, lambda: start(asked, background, more, say))
            return
        hint = getattr(error, "hint", "") or _tr("Choose another folder, or free some space.")
        say("error", _tr("Nothing was exported: {why}").format(why=error), hint)

    background.submit(_writing(asked, target), done, failed)


def _writing(asked: Asked, target: Target) -> Callable[[Job], tuple[Path, ...]]:
    results, spec = asked.finding.shown(asked.answer)

    def work(_: Job) -> tuple[Path, ...]:
        from scheduler.export.registry import exporters

        return exporters()[asked.kind].write(
            results, spec, asked.finding.run.facts, target.path, asked.finding.ledger, replacing=target.may_replace
        )

    return work
