"""The real window with a host that is followed in it: `python -m tests.crash.follow_window URL SEED`; a victim.

It agrees to what is asked, and prints the process that follows. Turns are given to the static split without a counter,
so that a seed with which it comes first has the host changed at once.
"""

import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.main_window import MainWindow
from app.observe.follow_request import FollowRequest
from app.settings import Settings
from app.theme.theme import Theme


class Compared(FollowRequest):
    @property
    def words(self) -> list[str]:
        return ["--account=50", *super().words]


def main() -> int:
    """Open the window, follow, and stay until killed."""
    application = QApplication(sys.argv[:1])
    window = MainWindow(Theme(application), Settings())
    window.show()
    asked = Compared(sys.argv[1], "1h", static="1:2", seed=int(sys.argv[2]))
    QTimer.singleShot(0, window, lambda: follow(window, asked))
    return application.exec()


def follow(window: MainWindow, asked: FollowRequest) -> None:
    """Do what a person does."""
    window.follow.open(asked)
    page = window.follow.page

    def agree() -> None:
        page.agree.check.click()
        page.agree.button.click()
        print(page.follower.run.pid, flush=True)

    page.follower.asking.connect(agree)
    page.follower.failed.connect(lambda error: print(f"failed: {error}", flush=True))
    page.follower.start(asked)


if __name__ == "__main__":
    sys.exit(main())
