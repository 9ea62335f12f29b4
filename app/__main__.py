"""`domtune`: with words the command line, without them the window."""

import gc
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from app.display_check import HINT
from app.platforms import SCREEN_VARIABLES, no_window_reason
from scheduler.children import our_environment, python_module

if TYPE_CHECKING:
    from app.main_window import MainWindow


def main() -> int:
    """Start what was asked for; return the exit code."""
    words = sys.argv[1:]
    if not words:
        why = no_window_reason({name: os.environ[name] for name in SCREEN_VARIABLES if name in os.environ})
        return _report_no_window(why) if why else _run_window()
    command, environment = python_module("scheduler", *words), our_environment()
    if sys.platform == "win32":  # exec there gives the terminal back too early
        return subprocess.call(command, env=environment)
    os.execve(command[0], command, environment)  # becomes the core: the window's libraries are never loaded for it
    return 0  # never reached; execve does not return


def _report_no_window(why: str) -> int:
    sys.stderr.write(f"domtune: {why}\n{HINT}\n")
    return 2


def _log_to_file() -> None:
    """Keep the window's warnings, and what escapes from a slot, beside the core's log."""
    import logging

    from scheduler import places
    from scheduler.log_file import LogFile

    path = places.state_dir() / "window.log"
    root = logging.getLogger()
    root.addHandler(logging.StreamHandler())
    try:
        file = LogFile(path, 1_000_000, 1)
    except OSError as error:
        root.warning("no log is kept in %s: %s", path, error)
    else:
        file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        root.addHandler(file)
    # Until the window stands and tells its faults itself.
    sys.excepthook = lambda kind, error, trace: root.critical("a bug", exc_info=(kind, error, trace))


def _show_faults(window: "MainWindow") -> None:
    """Let the window tell its own faults, and what the one before it left."""
    import logging

    from app.panels.fault_dialog import FaultPresenter
    from app.window_faults import FaultMonitor, read_previous_crash
    from scheduler import places

    teller, faults = FaultPresenter(window, lambda: window.swept_host), FaultMonitor(window)
    faults.met.connect(teller.tell)
    faults.watch()
    try:
        left = read_previous_crash(places.state_dir() / "window-crash.log")
    except OSError as error:
        logging.getLogger(__name__).warning("a crash of the window could not be told at its next start: %s", error)
    else:
        if left is not None:
            teller.tell_previous_crash(left)


def _run_window() -> int:
    from PySide6.QtGui import QIcon
    from PySide6.QtWidgets import QApplication

    from app.garbage_collector import GarbageCollector
    from app.main_window import MainWindow
    from app.settings import Settings
    from app.theme.style_sheet import ICONS
    from app.theme.theme import Appearance, Theme

    _log_to_file()
    # The worker thread that reads results holds the interpreter for at most a millisecond at a time (default 5).
    sys.setswitchinterval(0.001)
    app = QApplication(sys.argv[:1])
    app.setApplicationName("DomTune")
    app.setDesktopFileName("domtune")
    app.setWindowIcon(QIcon(str(ICONS.parent / "domtune.svg")))
    settings = Settings()
    theme = Theme(app, Appearance(settings.appearance))
    window = MainWindow(theme, settings)
    window.fit_screen()
    GarbageCollector(app)
    _show_faults(window)
    window.show()
    # What lives as long as the window need not be looked through for garbage: a full round takes most of a frame.
    gc.freeze()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
