"""The real window, asked what it says: `python -m tests.crash.truth_driver FOLDER [PLAN]`; a victim, and a witness.

With a plan it begins that sweep. Whenever FOLDER holds a file `ask`, it looks at Home, the newest sweep's result page
and the live page, writes what they say into `said.json` beside three pictures, and removes the file; for a file
`restore` it presses Restore now.
"""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.main_window import MainWindow
from app.settings import Settings
from app.theme.theme import Theme
from scheduler.model.plan_file import read_plan_file

TICK_MS = 50
SETTLE_TICKS = 10  # for what follows by itself


class Witness(QObject):
    """Carries out what is asked for, step by step from the window's own event loop."""

    def __init__(self, window: MainWindow, folder: Path) -> None:
        super().__init__(window)
        self._window, self._folder = window, folder
        self._steps: Iterator[Callable[[], bool]] = iter(())
        self._ready: Callable[[], bool] = lambda: True
        self._quiet = 0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)
        self._timer.start(TICK_MS)

    def _go_on(self) -> None:
        if not self._ready():
            return
        step = next(self._steps, None)
        if step is not None:
            self._quiet, self._ready = 0, step
            return
        self._ready = lambda: True
        for name, what in (("restore", self._restore), ("ask", self._tell)):
            if (self._folder / name).exists():
                self._steps = what(name)
                return

    def _settled(self) -> bool:
        """True when nothing has been going on for a while: no sweep, no command, nothing being read."""
        session = self._window.session
        reading = any(not job.cancelled for job in self._window.background._jobs)
        busy = reading or not self._window.runner.idle or (session is not None and session.active)
        self._quiet = 0 if busy else self._quiet + 1
        return self._quiet > SETTLE_TICKS

    def _restore(self, name: str) -> Iterator[Callable[[], bool]]:
        yield self._settled
        self._window.banner.restore_button.click()
        yield self._settled
        (self._folder / name).unlink()

    def _tell(self, name: str) -> Iterator[Callable[[], bool]]:
        window = self._window
        yield self._settled
        window.go("home")
        window.home.refresh()
        yield self._settled
        said: dict[str, object] = {
            "banner": window.banner.text.text() if window.banner.isVisible() else "",
            "cards": {card.url: [card.dot.state, card.state.text()] for card in window.home.hosts.cards},
            "row": "",
        }
        self._picture("home")
        rows = window.home.list.source.rows
        if rows:
            said["row"] = f"{rows[0].verdict}; {rows[0].remark}"
            window.show_result(rows[0].run_id)
            yield lambda: window.result is not None and window.result.complete
            yield self._settled
            bar = window.result.state
            said["result"] = [bar.property("look"), bar.text.text(), bar.hint.text()] if bar.isVisible() else []
            self._picture("result")
        if window.live is not None:
            window.go("live")
            yield self._settled
            strip = window.live.strip
            buttons = (strip.pause, strip.stop, strip.restore, strip.go_on, strip.result)
            said["live"] = [strip.state.text(), strip.detail.text(), strip.left.isVisible()]
            said["offered"] = [button.text() for button in buttons if button.isVisible()]
            self._picture("live")
        fresh = self._folder / "said.new"
        fresh.write_text(json.dumps(said))
        fresh.rename(self._folder / "said.json")
        (self._folder / name).unlink()

    def _picture(self, page: str) -> None:
        name = f"{page}-due" if self._window.banner.isVisible() else page
        self._window.grab().save(str(self._folder / f"{name}.png"))


def main() -> int:
    """Open the window, begin if there is a plan, and stay until killed."""
    application = QApplication(sys.argv[:1])
    window = MainWindow(Theme(application), Settings())
    window.show()
    Witness(window, Path(sys.argv[1]))
    if len(sys.argv) > 2:
        spec = read_plan_file(Path(sys.argv[2]))
        QTimer.singleShot(0, window, lambda: window.begin(spec, {}))
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
