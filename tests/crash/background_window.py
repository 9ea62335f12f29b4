"""The real window: `python -m tests.crash.background_window [PLAN [detach]]`.

It begins a sweep, or shows the one in the background, and prints the core's process during the first trial. With
`detach` it closes then, and the sweep continues.
"""

import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from app.main_window import MainWindow
from app.settings import Settings
from app.theme.theme import Theme
from scheduler.model.documents import Document, TrialStarted
from scheduler.model.plan_file import read_plan_file

_POLL_MS = 50


def main() -> int:
    """Open the window and stay until killed or detached."""
    application = QApplication(sys.argv[:1])
    window = MainWindow(Theme(application), Settings())
    window.show()
    if len(sys.argv) > 1:
        spec = read_plan_file(Path(sys.argv[1]))
        QTimer.singleShot(0, window, lambda: window.begin(spec, {}))
    look = QTimer(window)
    look.timeout.connect(lambda: watch(window, look))
    look.start(_POLL_MS)
    return application.exec()


def watch(window: MainWindow, look: QTimer) -> None:
    """Report the first trial of the sweep once there is a sweep."""
    if window.session is None:
        return
    look.stop()
    reported: list[int] = []

    def report(document: Document) -> None:
        if isinstance(document, TrialStarted) and not reported:
            reported.append(window.session.core_pid)
            print(window.session.core_pid, flush=True)
            if "detach" in sys.argv:
                QTimer.singleShot(0, window, lambda: detach(window))

    window.session.document.connect(report)


def detach(window: MainWindow) -> None:
    """Close the window as a person does, and press the button in its question."""
    window.close()
    box = window.findChild(QMessageBox)
    next(button for button in box.buttons() if "background" in button.text()).click()


if __name__ == "__main__":
    sys.exit(main())
