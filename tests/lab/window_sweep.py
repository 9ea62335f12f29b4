"""A sweep that is started from the window's wizard, as a person does it: typed and clicked, then waited for."""

from pathlib import Path

from PySide6.QtWidgets import QPushButton

from app.main_window import MainWindow
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.wizard import Wizard
from scheduler.model.spec import Mode
from tests.ui.wizard.helpers import click, type_into

_LOOK_MS = 180_000  # an emulated Dom0 takes seconds for each question
_SWEEP_MS = 1_800_000


class WindowSweep:
    """The window, its wizard, one sweep.

    Args:
        theme: Colours.
        bot: pytest-qt's hands.
        pictures: Folder for what it looked like.
    """

    def __init__(self, theme: Theme, bot, pictures: Path) -> None:
        self._bot = bot
        self._pictures = pictures
        self.window = MainWindow(theme, Settings())
        self.window.resize(1280, 800)
        with bot.waitSignal(self.window.home.loaded, timeout=10_000):
            self.window.show()

    def sweep(self, host: str, database: str, windows: dict[str, int]) -> None:
        """Five splits with caps under IR, with the windows that are given; returns when it has ended."""
        self.window.new_sweep()
        wizard = self.window.wizard
        assert wizard is not None
        self._meet(wizard, host)
        splits, loads, protocol, review = map(wizard.page_at, range(2, 6))
        self._go_to(wizard, splits)
        click(self._bot, splits.modes[Mode.CAPS])
        [five] = [button for button in splits.editor.findChildren(QPushButton) if button.text() == "Five"]
        click(self._bot, five)
        self._go_to(wizard, loads)
        click(self._bot, loads.cards["osdb-oltp"].on)
        type_into(self._bot, loads.cards["osdb-ir"].inputs.by_name["tuples"].edit, "2000")
        type_into(self._bot, loads.cards["osdb-ir"].inputs.users.edit, "10")  # so that somebody always waits for Dom0
        click(self._bot, loads.database.own)
        type_into(self._bot, loads.database.rows["osdb-ir"].url.edit, database)
        self._go_to(wizard, protocol)
        click(self._bot, protocol.adjust)
        for name, value in windows.items():
            type_into(self._bot, protocol.inputs[name].edit, str(value))
        self._go_to(wizard, review)
        self._bot.waitUntil(lambda: review.answer is not None, timeout=_LOOK_MS)
        self.picture("review")
        assert review.answer.error == "", review.answer.error
        with self._bot.waitSignal(wizard.start):
            click(self._bot, wizard.footer.next)
        self.picture("password")
        self.window.passwords.dialog.accept()  # left empty: the person's own password goes to the server that is named
        self._bot.waitUntil(lambda: self.window.session is not None, timeout=_LOOK_MS)
        self._wait_for_its_end()

    def picture(self, name: str) -> None:
        self.window.grab().save(str(self._pictures / f"{name}.png"))

    def close(self) -> None:
        self._bot.waitUntil(lambda: self.window.runner.idle, timeout=_LOOK_MS)
        self.window.close()
        self.window.deleteLater()

    def _meet(self, wizard: Wizard, host: str) -> None:
        type_into(self._bot, wizard.page.url.edit, host)
        click(self._bot, wizard.page.test)
        self._bot.waitUntil(lambda: not wizard.page._probe.busy, timeout=_LOOK_MS)
        self.picture("host")
        assert wizard.state.facts is not None, wizard.page.message.text()

    def _go_to(self, wizard: Wizard, page: object) -> None:
        while wizard.page is not page:
            before = wizard.page
            click(self._bot, wizard.footer.next)
            assert wizard.page is not before, wizard.state.messages

    def _wait_for_its_end(self) -> None:
        session, seen = self.window.session, []
        session.document.connect(lambda document: seen.append(type(document).__name__))
        self._bot.waitUntil(lambda: seen.count("TrialDone") >= 3 or not session.active, timeout=_SWEEP_MS)
        self.picture("live")
        self._bot.waitUntil(lambda: not session.active, timeout=_SWEEP_MS)
        self._bot.wait(1_000)
        self.picture("ended")
