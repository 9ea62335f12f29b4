"""The real window with a sweep begun in it: `python -m tests.crash.window_driver PLAN`; a victim for crash trials."""

import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.main_window import MainWindow
from app.settings import Settings
from app.theme.theme import Theme
from scheduler.model.plan_file import read_plan_file


def main() -> int:
    """Open the window, begin, and stay until killed."""
    application = QApplication(sys.argv[:1])
    settings = Settings()
    window = MainWindow(Theme(application), settings)
    window.show()
    spec = read_plan_file(Path(sys.argv[1]))
    QTimer.singleShot(0, window, lambda: window.begin(spec, {}))
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
