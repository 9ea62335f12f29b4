"""The sweeps that are kept, in the window: found, named, deleted and taken back; against the real command line."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QDialog

from app.main_window import MainWindow
from app.pages.labels_dialog import LabelsDialog
from app.pages.result_data import read_run
from app.settings import Settings
from app.theme.theme import Theme
from scheduler import places
from scheduler.model.documents import RunOutcome, RunStarted, RunStopped
from scheduler.model.run_labels import RunLabels
from scheduler.store.run_removal import DELETED_KEPT_S
from scheduler.store.run_store import RunStore
from tests.ui.test_home_page import EQUIVALENT, FACTS, RECOMMEND, put_sweep
from tests.volume import few


@pytest.fixture
def window(theme: Theme, home: Path, qtbot):
    made = MainWindow(theme, Settings())
    with qtbot.waitSignals([made.home.loaded, made.banner.checked]):
        made.show()
    yield made
    end(made, qtbot)


def end(window: MainWindow, qtbot) -> None:
    qtbot.waitUntil(lambda: window.runner.idle)
    window.close()
    window.deleteLater()


def listed(window: MainWindow) -> list[str]:
    return [row.name for row in window.home.list.source.rows]


def refresh(window: MainWindow, qtbot) -> None:
    with qtbot.waitSignal(window.home.loaded):
        window.home.refresh()


def select(window: MainWindow, number: int) -> None:
    window.home.list.setCurrentIndex(window.home.list.model().index(number, 0))
    window.activateWindow()
    window.home.list.setFocus()


def press(window: MainWindow, key: Qt.Key, qtbot) -> None:
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.home.list)
    qtbot.keyClick(window.home.list, key)


def put_continued(earlier: str, run_id: str, later_s: float, outcome: RunOutcome | None = None) -> None:
    """Store a run that goes on with another."""
    with RunStore(places.store_path()) as store:
        started = next(line for line in store.documents(earlier) if isinstance(line, RunStarted))
        wall_unix_s = started.wall_unix_s + later_s
        store.append(
            run_id, msgspec.structs.replace(started, run_id=run_id, continues=earlier, wall_unix_s=wall_unix_s)
        )
        if outcome is not None:
            store.append(run_id, RunStopped(t_s=1, outcome=outcome, restored=True))


def test_deleted_sweep_goes_at_the_delete_key_and_comes_back_at_undo(window: MainWindow, qtbot):
    put_sweep("done", 0, RunOutcome.COMPLETED, RECOMMEND)
    put_sweep("other", 1, RunOutcome.COMPLETED, EQUIVALENT)
    refresh(window, qtbot)
    select(window, 1)
    press(window, Qt.Key.Key_Delete, qtbot)
    qtbot.waitUntil(lambda: listed(window) == ["other"])
    assert window.home.deleted.isVisible()
    assert "done" in window.home.deleted.text.text()
    window.home.deleted.button.click()
    qtbot.waitUntil(lambda: listed(window) == ["other", "done"])
    assert not window.home.deleted.isVisible()


def test_deletions_of_the_session_are_undone_one_by_one_by_key(window: MainWindow, qtbot):
    put_sweep("done", 0, RunOutcome.COMPLETED, RECOMMEND)
    put_sweep("other", 1, RunOutcome.COMPLETED, EQUIVALENT)
    put_sweep("third", 2, RunOutcome.COMPLETED, EQUIVALENT)
    refresh(window, qtbot)
    for left in (["third", "other"], ["third"]):
        select(window, len(left))
        press(window, Qt.Key.Key_Delete, qtbot)
        qtbot.waitUntil(lambda left=left: listed(window) == left)
    window.home.deleted.dismiss.click()
    for back in (["third", "other"], ["third", "other", "done"]):
        qtbot.keyClick(window.home.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda back=back: listed(window) == back)
    assert not window.home.deleted.isVisible()
    window.home.deleted.request_undo()  # without a deletion it does nothing
    qtbot.keyClick(window.home.list, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.home.search.hasFocus()


def test_last_sweep_can_be_reverted_too(window: MainWindow, qtbot):
    put_sweep("done", 0, RunOutcome.COMPLETED, RECOMMEND)
    refresh(window, qtbot)
    select(window, 0)
    window.home.sweeps.footer.delete_action.trigger()
    qtbot.waitUntil(window.home.first.isVisible)
    window.home.deleted.button.click()
    qtbot.waitUntil(lambda: listed(window) == ["done"])


def test_sweep_whose_host_is_to_be_restored_is_not_deleted_and_why(window: MainWindow, qtbot):
    put_sweep("broken", 0, None)
    refresh(window, qtbot)
    places.journal_dir().mkdir(parents=True, mode=0o700)
    (places.journal_dir() / f"{FACTS.host_id}.json").write_text("{", encoding="utf-8")
    select(window, 0)
    window.home.sweeps.footer.delete_action.trigger()
    qtbot.waitUntil(window.message.isVisible)
    assert "is still to be restored" in window.message.text.text()
    assert listed(window) == ["broken"]
    assert not window.home.deleted.isVisible()


def test_f2_names_a_sweep_and_the_search_finds_it_by_tag_and_note(window: MainWindow, qtbot):
    put_sweep("done", 0, RunOutcome.COMPLETED, RECOMMEND)
    put_sweep("other", 1, RunOutcome.COMPLETED, EQUIVALENT)
    refresh(window, qtbot)
    select(window, 1)
    press(window, Qt.Key.Key_F2, qtbot)
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), LabelsDialog))
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, LabelsDialog)
    assert dialog.name.placeholderText() == "done"
    dialog.name.setText("Ticket 4711")
    dialog.tags.setText("a, -x")
    dialog.save.click()
    assert dialog.wrong.isVisible(), "a tag that cannot be kept is said, and nothing typed is lost"
    dialog.tags.setText("lab, lab, before move,")
    dialog.note.setPlainText("-- quiet\nweekend")
    dialog.save.click()
    qtbot.waitUntil(lambda: listed(window) == ["other", "Ticket 4711"])
    for text in ("before move", "weekend lab", "4711"):
        window.home.search.setText(text)
        assert window.home.list.model().rowCount() == 1, text
    assert window.home.list.source.rows[1].labels == RunLabels(
        title="Ticket 4711", tags=("lab", "before move"), note="-- quiet\nweekend"
    )


def test_result_page_shows_name_tags_and_note_and_changes_them(window: MainWindow, qtbot):
    run_id = put_sweep("done", 0, RunOutcome.COMPLETED, RECOMMEND)
    refresh(window, qtbot)
    window.show_result(run_id)
    qtbot.waitUntil(lambda: window.result.complete)
    window.result.head.edit.click()
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), QDialog))
    dialog = QApplication.activeModalWidget()
    dialog.name.setText("Ticket")
    dialog.tags.setText("lab")
    dialog.note.setPlainText("before the move")
    dialog.save.click()
    qtbot.waitUntil(lambda: "Ticket" in window.result.head.about.text() and window.result.complete)
    assert "lab" in window.result.head.about.text()
    assert window.result.head.note.text() == "before the move"
    results, _ = window.result.finding.shown(window.result.answer)
    assert (results.name, results.tags, results.note) == ("Ticket", ("lab",), "before the move")


def test_runs_that_go_on_with_each_other_are_one_row(window: MainWindow, qtbot):
    first = put_sweep("long", 0, RunOutcome.ABORTED)
    put_sweep("between", 1, RunOutcome.COMPLETED, RECOMMEND)
    put_continued(first, "again", 7200, RunOutcome.ABORTED)
    put_continued("again", "third", 9000, RunOutcome.ABORTED)
    refresh(window, qtbot)
    rows = window.home.list.source.rows
    assert [row.run_ids for row in rows] == [("third", "again", first), ("run-1",)]
    assert "continued 2 times" in rows[0].text
    assert window.home.row_of(first) == rows[0]
    findings = {
        run_id: read_run(run_id)(window.background.submit(lambda _: 0, lambda _: None, lambda _: None))
        for run_id in rows[0].run_ids
    }
    assert {run_id: finding.continued for run_id, finding in findings.items()} == {
        "third": False,
        "again": True,
        first: True,
    }
    for run_id, finding in findings.items():
        window.show_result(run_id)
        qtbot.waitUntil(lambda: window.result.complete)
        assert window.result.footer.go_on.isHidden() == finding.continued
    select(window, 0)
    window.home.sweeps.footer.delete_action.trigger()
    qtbot.waitUntil(lambda: listed(window) == ["between"])
    window.home.deleted.button.click()
    qtbot.waitUntil(lambda: window.home.list.source.rows[0].run_ids == ("third", "again", first))


def test_search_finds_what_a_row_shows_and_reports_when_there_is_nothing(window: MainWindow, qtbot):
    put_sweep("", 0, RunOutcome.COMPLETED, RECOMMEND)
    with RunStore(places.store_path()) as store:
        started = next(line for line in store.documents("run-0") if isinstance(line, RunStarted))
        facts = msgspec.structs.replace(started.facts, simulated=True, title="Fake host")
        store.append("sim-1", msgspec.structs.replace(started, run_id="sim-1", facts=facts))
        store.append("sim-1", RunStopped(t_s=9, outcome=RunOutcome.COMPLETED, restored=True))
    refresh(window, qtbot)
    column = window.home.sweeps
    for text, found in (("simulated", 1), ("fake sim", 1), ("IR+OLTP, 3 splits, caps", 2), ("(?", 0)):
        column.search.setText(text)
        assert column.list.model().rowCount() == found, text
        assert column.nothing.isVisible() == (found == 0)
    assert "(?" in column.nothing.text()
    column.search.clear()
    assert not column.nothing.isVisible()


def test_right_click_offers_what_can_be_done_with_that_row(window: MainWindow, qtbot):
    put_sweep("done", 0, RunOutcome.COMPLETED, RECOMMEND)
    put_sweep("broken", 1, None)
    refresh(window, qtbot)
    sweeps, actions = window.home.list, window.home.sweeps.footer
    at = sweeps.visualRect(sweeps.model().index(0, 0)).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, sweeps.viewport().mapToGlobal(at))
    QApplication.sendEvent(sweeps.viewport(), event)
    qtbot.waitUntil(actions.menu.isVisible)
    assert [row.name for row in sweeps.selected_rows()] == ["broken"]
    offered = {action.text().replace("&", ""): action.isEnabled() for action in actions.menu.actions() if action.text()}
    assert offered == {
        "Open": True,
        "Continue": True,
        "Compare": False,
        "Name, tags and note\N{HORIZONTAL ELLIPSIS}": True,
        "Delete": True,
    }
    actions.menu.close()
    sweeps.clearSelection()
    assert "Ctrl+click" in actions.hint.text()
    assert not actions.delete_action.isEnabled()


@pytest.mark.parametrize("width", few([700], [1024, 1280]))
def test_date_of_a_row_is_never_shortened(theme: Theme, window: MainWindow, qtbot, width, monkeypatch):
    with RunStore(places.store_path()) as store:
        facts = msgspec.structs.replace(FACTS, title="Simulated: a Xen host with one CPU, an I/O domain and a guest")
        started = next(line for line in store.documents(put_sweep("x" * 80, 0, None)) if isinstance(line, RunStarted))
        store.append("long", msgspec.structs.replace(started, run_id="long", facts=facts))
    refresh(window, qtbot)
    window.resize(width, 600)
    drawn: list[str] = []
    delegate = window.home.list.itemDelegate()

    class Spy:
        def __init__(self, painter):
            self._painter = painter

        def __getattr__(self, name):
            return getattr(self._painter, name)

        def drawText(self, area, flags, text):  # noqa: N802 - Qt's name
            drawn.append(text)

    lines = type(delegate)._two_lines
    monkeypatch.setattr(type(delegate), "_two_lines", lambda self, painter, *rest: lines(self, Spy(painter), *rest))
    window.home.list.viewport().grab()
    dates = {row.date for row in window.home.list.source.rows}
    assert all(any(text.startswith(date) for text in drawn) for date in dates), drawn


def test_what_was_deleted_long_ago_is_removed_at_the_next_start(theme: Theme, home: Path, qtbot):
    put_sweep("old", 0, RunOutcome.COMPLETED, RECOMMEND)
    put_sweep("new", 1, RunOutcome.COMPLETED, RECOMMEND)
    with RunStore(places.store_path()) as store:
        store.set_deleted("run-0", 1.0)
        store.set_deleted("run-1", 4e9 - DELETED_KEPT_S)
    made = MainWindow(theme, Settings())
    with qtbot.waitSignals([made.home.loaded, made.banner.checked]):
        made.show()

    def kept() -> list[str]:
        with RunStore(places.store_path(), read_only=True) as store:
            return [row.run_id for row in store.deleted_runs()]

    qtbot.waitUntil(lambda: kept() == ["run-1"])
    end(made, qtbot)
