import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.pages.result_page import ResultPage
from app.settings import Settings
from app.theme.theme import Appearance, Theme
from app.wizard.wizard import Wizard
from tests.ui.stages import shown

RUNNER_LIMIT_MS = 40_000  # a command of the core that is still being started
PATIENCE_MS = 40_000  # for what takes milliseconds on a quiet computer


class PatientBot(QtBot):
    """pytest-qt's hands, which give up after 5 s unless told otherwise: the suite runs beside other work."""

    def waitUntil(self, callback, *, timeout=PATIENCE_MS):
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal, *, timeout=PATIENCE_MS, **more):
        return super().waitSignal(signal, timeout=timeout, **more)

    def waitExposed(self, widget, *, timeout=PATIENCE_MS):
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    return PatientBot(request)


@pytest.fixture(scope="module", autouse=True)
def _forked_cores(forked_cores: None) -> None:
    """The window starts a core for each question it asks; they need no start of Python."""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A DomTune of its own for each test; never the user's results, settings or undo records."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o755)
    monkeypatch.setenv("DOMTUNE_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _no_window_in_the_way():
    """What a failing test leaves on the screen must not take the pointer from the tests after it."""
    yield
    for window in QApplication.topLevelWidgets():
        window.hide()


@pytest.fixture(scope="session")
def _theme(qapp: QApplication) -> Theme:
    return Theme(qapp, Appearance.LIGHT)


@pytest.fixture
def theme(_theme: Theme):
    """The application's theme, light at the start of each test."""
    _theme.set_appearance(Appearance.LIGHT)
    yield _theme
    _theme.set_appearance(Appearance.LIGHT)


@pytest.fixture
def background():
    made = BackgroundWorker()
    yield made
    made.close()


def wait_for_commands(qtbot: QtBot, runner: CommandRunner) -> None:
    """Wait for the end of all commands; name those that do not end."""
    try:
        qtbot.waitUntil(lambda: runner.idle, timeout=RUNNER_LIMIT_MS)
    except qtbot.TimeoutError as error:
        left = [(one.words, one._child.pid, one._child.running, one.output[-200:]) for one in runner._find_running]
        raise AssertionError(f"commands that do not end (words, process, running, output): {left}") from error


@pytest.fixture
def runner(qtbot):
    made = CommandRunner()
    yield made
    wait_for_commands(qtbot, made)


@pytest.fixture
def page(theme: Theme, background: BackgroundWorker, runner: CommandRunner, qtbot):
    made = ResultPage(theme, background, runner)
    with shown(made, qtbot):
        yield made


@pytest.fixture
def new_wizard(theme: Theme, runner: CommandRunner, host: str, qtbot) -> Wizard:
    """A wizard of the test's own, shown, with the host that the module names in a fixture."""
    settings = Settings()
    settings.remember_host(host)
    made = Wizard(theme, settings, runner)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture(scope="module")
def _wizard(_theme: Theme, tmp_path_factory: pytest.TempPathFactory):
    """The wizard that the tests of a module share, with its settings and its runner of commands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOMTUNE_HOME", str(tmp_path_factory.mktemp("wizard")))
        settings, runner = Settings(), CommandRunner()
        made = Wizard(_theme, settings, runner)
    yield made, settings, runner
    made.close()
    made.deleteLater()


@pytest.fixture
def wizard(theme: Theme, _wizard: tuple[Wizard, Settings, CommandRunner], host: str, qtbot):
    """The module's wizard, shown at its beginning, with the host that the module names in a fixture."""
    made, settings, runner = _wizard
    settings.remember_host(host)
    made.begin_again()
    made.resize(1280, 800)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    yield made
    wait_for_commands(qtbot, runner)
    made.destroy()  # without a display, Qt gives the keyboard to a window only when it makes it
