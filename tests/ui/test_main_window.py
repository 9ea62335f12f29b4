"""The window as a whole, against a real core on a made-up host."""

import os
import signal
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QDialog, QLineEdit, QMenu, QMessageBox, QWidget

from app.core_process import HostSecrets
from app.main_window import MainWindow
from app.pages.about_dialog import AboutDialog, version_report
from app.pages.manual import page_for
from app.pages.settings_dialog import SettingsDialog
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.document_reader import DocumentReader
from app.wizard.page_names import PAGES
from scheduler import places
from scheduler.background_runs import socket_folder
from scheduler.model.clients import ClientsSpec
from scheduler.model.documents import RunStarted
from scheduler.model.studies import CAPACITY
from scheduler.store.run_store import RunStore
from tests.data_maker import make_facts
from tests.ui.test_session import spec_for

_LIMIT_MS = 40_000


@pytest.fixture
def window(theme: Theme, home: Path, qtbot):
    made = MainWindow(theme, Settings())
    with qtbot.waitSignal(made.home.loaded, timeout=10_000):
        made.show()
    yield made
    if made.session is not None and made.session.active:
        os.kill(made.session.core_pid, signal.SIGKILL)
        qtbot.waitUntil(lambda: not made.session.active, timeout=_LIMIT_MS)
    qtbot.waitUntil(lambda: made.runner.idle, timeout=_LIMIT_MS)
    made.close()
    made.deleteLater()


def _measuring(window: MainWindow, home: Path, qtbot) -> None:
    window.begin(spec_for(home, measure_s=600), {})
    qtbot.waitUntil(lambda: any(places.journal_dir().glob("*.json")), timeout=_LIMIT_MS)


def _press_in_message(text: str, qtbot) -> None:
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
    box = QApplication.activeModalWidget()
    next(button for button in box.buttons() if text in button.text()).click()


def test_closing_while_a_sweep_runs_asks_and_can_be_refused(window: MainWindow, home: Path, qtbot):
    _measuring(window, home, qtbot)
    assert not window.close()
    _press_in_message("Cancel", qtbot)
    assert window.isVisible()
    assert window.session.active


def test_closing_while_a_sweep_runs_puts_the_host_back_first(window: MainWindow, home: Path, qtbot):
    _measuring(window, home, qtbot)
    assert not window.close()
    _press_in_message("Stop", qtbot)
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=_LIMIT_MS)
    assert window.session.restored
    assert not list(places.journal_dir().glob("*.json"))


def test_sweep_continues_in_the_background_and_the_next_window_shows_it(window: MainWindow, home: Path, theme, qtbot):
    _measuring(window, home, qtbot)
    qtbot.waitUntil(lambda: window.session.started is not None, timeout=_LIMIT_MS)
    pid, run_id = window.session.core_pid, window.session.run_id
    assert not window.close()
    _press_in_message("background", qtbot)
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=_LIMIT_MS)
    assert list(places.journal_dir().glob("*.json"))  # the host is still measured
    later = MainWindow(theme, Settings())
    later.show()
    qtbot.waitUntil(lambda: later.session is not None and later.session.run_id == run_id, timeout=_LIMIT_MS)
    assert (later.page, later.session.core_pid) == (later.live, pid)
    assert later.swept_host
    with qtbot.waitSignal(later.session.ended, timeout=_LIMIT_MS):
        later.session.abort()
    assert later.session.restored
    assert not list(places.journal_dir().glob("*.json"))
    assert not list(socket_folder().iterdir())
    qtbot.waitUntil(lambda: later.runner.idle, timeout=_LIMIT_MS)
    assert later.close()
    later.deleteLater()


def test_sweep_that_ends_while_closing_is_asked_lets_the_window_close(window: MainWindow, home: Path, qtbot):
    _measuring(window, home, qtbot)
    assert window.rail.button("live").text() == "Running"
    assert not window.close()
    with qtbot.waitSignal(window.session.ended):
        window.session.abort()
    assert window.isVisible()
    assert window.rail.button("live").text() == "Last sweep"
    _press_in_message("Stop", qtbot)
    assert not window.isVisible()


def test_one_sweep_runs_at_a_time(window: MainWindow, home: Path, qtbot):
    _measuring(window, home, qtbot)
    running = window.session
    window.begin(spec_for(home), {})
    window.new_sweep()
    assert window.session is running
    assert "running" in window.message.text.text()
    assert window.page is window.live


def test_host_left_changed_raises_the_banner_until_it_is_restored(window: MainWindow, home: Path, qtbot):
    _measuring(window, home, qtbot)
    os.kill(window.session.core_pid, signal.SIGSTOP)
    journal = next(places.journal_dir().glob("*.json"))
    kept = journal.read_bytes()
    os.kill(window.session.core_pid, signal.SIGKILL)
    with qtbot.waitSignal(window.session.ended, timeout=_LIMIT_MS):
        pass
    journal.write_bytes(kept)  # as if the machine had died before the outside restore
    with qtbot.waitSignal(window.banner.checked, timeout=_LIMIT_MS):
        window.banner.check()
    qtbot.waitUntil(lambda: window.banner.isVisible() and window.banner.restore_button.isEnabled(), timeout=_LIMIT_MS)
    assert str(home) in window.banner.text.text()
    window.banner.restore_button.click()
    qtbot.waitUntil(lambda: not window.banner.isVisible(), timeout=_LIMIT_MS)
    assert not journal.exists()


def test_press_of_restore_is_not_lost_while_the_core_is_being_asked(window: MainWindow, home: Path, qtbot):
    (places.journal_dir()).mkdir(parents=True, exist_ok=True)
    (places.journal_dir() / "broken.json").write_text("{", encoding="utf-8")
    words = []
    start = window.runner.run_once
    window.runner.run_once = lambda given, **options: (words.append(given), start(given, **options))[1]
    window.banner.check()
    window.banner.restore()
    assert words == [["restore", "--list", "--json"]]
    qtbot.waitUntil(lambda: ["restore", "--json"] in words, timeout=_LIMIT_MS)
    qtbot.waitUntil(lambda: window.runner.idle and window.banner.restore_button.isEnabled(), timeout=_LIMIT_MS)


def test_everything_one_can_press_has_a_name_and_is_reached_by_the_keyboard(window: MainWindow):
    nameless = [
        part
        for part in window.findChildren(QWidget)
        if isinstance(part, QAbstractButton | QLineEdit | QComboBox)
        and part.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not (part.accessibleName() or (isinstance(part, QAbstractButton) and part.text()))
    ]
    unreachable = [
        part
        for part in window.findChildren(QAbstractButton)
        if part.text() and part.isVisibleTo(window) and not part.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert not nameless
    assert not unreachable


def test_tab_goes_round_the_window(window: MainWindow, qtbot):
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.home.first.card.setFocus()
    seen: list[QWidget] = []
    for _ in range(20):
        focused = QApplication.focusWidget()
        if focused in seen:
            break
        seen.append(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert window.home.first.card in seen
    assert window.rail.button("settings") in seen
    assert window.rail.button("help") in seen


def test_new_sweep_begins_with_the_keyboard_in_the_hosts_url(window: MainWindow, qtbot):
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.wizard.page_at(0).url.edit)


def test_ask_another_question_in_the_menu_goes_to_the_question_and_keeps_the_plan(window: MainWindow, qtbot):
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    control_shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(window, Qt.Key.Key_N, control_shift)
    question = window.wizard.page_at(0).question
    assert window.page is window.wizard
    question.cards[CAPACITY].click()
    window.wizard.go(3)
    qtbot.keyClick(window, Qt.Key.Key_N, control_shift)
    assert window.wizard.page is window.wizard.page_at(0)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is question.cards[CAPACITY])
    assert window.wizard.state.spec.kind.name == CAPACITY


def _close(dialog: QDialog, qtbot) -> None:
    gone: list[object] = []
    dialog.destroyed.connect(lambda: gone.append(None))
    dialog.reject()
    qtbot.waitUntil(lambda: bool(gone))


def test_shortcuts_open_their_dialogs_which_are_gone_when_they_close(window: MainWindow, qtbot):
    opened: list[str] = []
    for key, modifier in (
        (Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier),
        (Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier),
    ):
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        qtbot.keyClick(window, key, modifier)
        qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), QDialog))
        dialog = QApplication.activeModalWidget()
        opened.append(dialog.windowTitle())
        _close(dialog, qtbot)
    assert opened == ["Glossary", "Settings"]


def test_manual_opens_next_to_the_window_where_it_helps(window: MainWindow, qtbot):
    window.new_sweep("sim:")
    for key in PAGES:
        window.wizard.go(PAGES.index(key))
        window.show_manual()
        shown = Path(window._manual.list.currentItem().data(Qt.ItemDataRole.UserRole))
        assert shown == page_for(key).resolve()
    assert len([part for part in window.findChildren(DocumentReader) if part.isVisible()]) == 1
    assert QApplication.activeModalWidget() is None
    window._manual.close()
    qtbot.waitUntil(lambda: window._manual is None)


def test_menu_goes_where_the_rail_can_and_names_its_keys(window: MainWindow):
    entries = {action.text().replace("&", ""): action for action in window.findChildren(QAction) if action.text()}
    keys = {text: entries[text].shortcut().toString() for text in ("New sweep", "Home", "Manual", "Result", "Quit")}
    assert keys == {"New sweep": "Ctrl+N", "Home": "Ctrl+H", "Manual": "F1", "Result": "Ctrl+E", "Quit": "Ctrl+Q"}
    assert [menu.title() for menu in window.menuBar().findChildren(QMenu) if menu.title()] == [
        "&File",
        "&View",
        "&Help",
    ]
    view = window.menuBar().findChildren(QMenu)[1]
    view.aboutToShow.emit()
    assert [action.isEnabled() for action in view.actions()][:5] == [True, False, False, True, True]
    view.aboutToHide.emit()
    entries["Result"].trigger()
    assert window.page is window.home


def test_settings_apply_at_once_and_are_kept(theme: Theme, home: Path, qtbot):
    settings = Settings()
    dialog = SettingsDialog(theme, settings)
    qtbot.addWidget(dialog)
    dialog.appearance.setCurrentIndex(dialog.appearance.findData("dark"))
    dialog.users.setValue(9)
    dialog.window_s.setValue(20)
    assert theme.palette.dark
    assert (settings.appearance, settings.users, settings.measure_s) == ("dark", 9, 20)


def test_bug_report_holds_versions_and_no_secret(theme: Theme, qtbot, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    dialog = AboutDialog(theme)
    qtbot.addWidget(dialog)
    dialog.copy_button.click()
    text = QApplication.clipboard().text()
    assert text == version_report()
    assert "PySide6" in text
    assert "hunter2" not in text
    assert str(Path.home()) not in text


def test_nothing_is_out_of_reach_on_half_the_screen(window: MainWindow, home: Path, qtbot):
    """A screen of 1280x800 at 200 % scale."""
    window.new_sweep("local:")
    window.resize(640, 400)
    qtbot.waitUntil(lambda: window.size().toTuple() == (640, 400), timeout=30_000)
    rail = [window.rail.button(key) for key in ("home", "wizard", "live", "result", "watch", "settings", "help")]
    assert all(window.rail.rect().contains(button.geometry()) for button in rail)
    for place in ("home", "wizard"):
        window.go(place)
        qtbot.wait(50)
        shown = window.page
        assert shown.width() >= shown.minimumSizeHint().width()
        assert shown.height() >= shown.minimumSizeHint().height()


def test_continuing_asks_again_for_the_password_of_an_own_database(window: MainWindow, home: Path, qtbot):
    spec = spec_for(home)
    url = "postgresql://osdb@127.0.0.1:1/osdb"
    loads = tuple(msgspec.structs.replace(load, database=url) for load in spec.loads)
    spec = msgspec.structs.replace(spec, loads=loads)
    facts = make_facts(spec.host_url)
    with RunStore(places.store_path()) as store:
        store.append("run-1", RunStarted(t_s=0, run_id="run-1", spec=spec, facts=facts, wall_unix_s=1.8e9, trials=6))
    with qtbot.waitSignal(window.home.loaded, timeout=_LIMIT_MS):
        window.home.refresh()
    window.continue_run("run-1")
    qtbot.waitUntil(lambda: window.passwords.dialog is not None, timeout=_LIMIT_MS)
    assert list(window.passwords.dialog.edits) == [url]
    assert window.session is None
    window.passwords.dialog.edits[url].setText("hunter2")
    assert window.passwords.dialog.secrets() == {url: "hunter2"}
    window.passwords.dialog.accept()
    assert window.session.spec == spec
    qtbot.waitUntil(lambda: not window.session.active, timeout=_LIMIT_MS)
    assert not any(b"hunter2" in path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_password_of_a_host_goes_by_the_environment_and_nowhere_else():
    secrets = HostSecrets()
    secrets.keep("xl+ssh://root@a", "one")
    secrets.keep("xl+ssh://root@b", "two")
    secrets.keep("xapi://pool", "three")
    assert secrets.environment("probe", "xl+ssh://root@a")["DOMTUNE_SSH_PASSWORD"] == "one"
    assert secrets.environment("probe", "xl+ssh://root@b")["DOMTUNE_SSH_PASSWORD"] == "two"
    assert secrets.environment("probe", "xapi://pool")["DOMTUNE_XAPI_PASSWORD"] == "three"
    for url in ("xl+ssh://root@a", "xl+ssh://root@b", "xapi://pool"):
        secrets.keep(url, "")
    assert secrets.environment("probe", "xapi://pool") == {}


@pytest.mark.parametrize("other", ["xl+ssh://root@b", "xapi://b", "local:", "postgresql://root@b/osdb"])
def test_host_is_given_no_other_hosts_password(other: str):
    secrets = HostSecrets()
    secrets.keep("xl+ssh://root@a", "one")
    secrets.keep("xapi://pool", "two")
    assert secrets.environment("probe", other, "--json") == {}
    assert secrets.environment(other) == {}
    assert secrets.environment("probe", "xl+ssh://root@a?io=dom0") == {"DOMTUNE_SSH_PASSWORD": "one"}
    assert secrets.environment("restore", "--json") == {}
    assert secrets.environment("restore", "--json", "xl+ssh://root@a") == {"DOMTUNE_SSH_PASSWORD": "one"}


def test_window_asks_before_a_dask_scheduler_may_run_code(window: MainWindow, home: Path, qtbot):
    """Also for a run that is continued: its plan may come from somebody else."""
    spec = msgspec.structs.replace(spec_for(home), clients=ClientsSpec("tcp://127.0.0.1:1"))
    for begin in (lambda: window.begin(spec, {}), lambda: window._continue_run("a-run", spec)):
        begin()
        assert "can run code on this computer" in window.consent.informativeText()
        assert "not encrypted" in window.consent.informativeText()
        window.consent.defaultButton().click()
        assert window.session is None
    window.begin(spec, {})
    _press_in_message("Trust", qtbot)
    assert window.session.active
    with qtbot.waitSignal(window.session.ended, timeout=_LIMIT_MS):
        pass
