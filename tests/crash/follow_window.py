"""The real window with a host that is followed in it: `python -m tests.crash.follow_window URL SEED`; a victim.

It agrees to what is asked, and prints the process that follows. Turns are given to the static split without a counter,
so that a seed with which it comes first has the host changed at once.
"""

import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.main_window import MainWindow
from app.observe.observation_request import ObservationRequest
from app.settings import Settings
from app.theme.theme import Theme


class Compared(ObservationRequest):
    @property
    def words(self) -> list[str]:
        return [*super().words[:1], "--account=50", *super().words[1:]]


def main() -> int:
    """Open the window, follow, and stay until killed."""
    application = QApplication(sys.argv[:1])
    window = MainWindow(Theme(application), Settings())
    window.show()
    asked = Compared(sys.argv[1], "1h", follows=True, static="1:2", seed=int(sys.argv[2]))
    QTimer.singleShot(0, window, lambda: follow(window, asked))
    return application.exec()


def follow(window: MainWindow, asked: ObservationRequest) -> None:
    """Do what a person does."""
    window.observe.open(asked)
    page = window.observe.page

    def agree() -> None:
        page.agree.check.click()
        page.agree.button.click()
        print(page.observer.run.pid, flush=True)

    page.observer.asking.connect(agree)
    page.observer.failed.connect(lambda error: print(f"failed: {error}", flush=True))
    page.observer.start(asked)


if __name__ == "__main__":
    sys.exit(main())
