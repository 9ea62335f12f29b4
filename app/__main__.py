"""Entry point of `domtune`: the command line with a command, otherwise the window.

Run files open in the window. Without a screen, the command line imports them.
"""

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.display_check import HINT
from app.platforms import SCREEN_VARIABLES, no_window_reason
from scheduler.children import our_environment, python_module
from scheduler.model.run_paths import is_run_path
from scheduler.translation import _

if TYPE_CHECKING:
    from app.main_window import MainWindow


def main() -> int:
    """Start the command line or the window; return the exit code."""
    words = sys.argv[1:]
    files = words if all(map(is_run_path, words)) else []
    if not words or files:
        why = no_window_reason({name: os.environ[name] for name in SCREEN_VARIABLES if name in os.environ})
        if not why:
            from app.single_window import hand_over

            return 0 if hand_over(files) else _run_window(files)
        if not files:
            return _report_no_window(why)
    command, environment = python_module("scheduler", *words), our_environment()
    if sys.platform == "win32":  # exec on Windows releases the terminal too early
        return subprocess.call(command, env=environment)
    os.execve(command[0], command, environment)  # the command line never loads the window's libraries
    return 0  # not reached: execve does not return


def _report_no_window(why: str) -> int:
    sys.stderr.write(f"domtune: {why}\n{HINT}\n")
    return 2


def _log_to_file() -> None:
    """Log the window's warnings and uncaught exceptions to a file.

    The file is next to the core's log.
    """
    import logging

    from scheduler import places
    from scheduler.log_file import LogFile

    path = places.state_dir() / "window.log"
    root = logging.getLogger()
    root.addHandler(logging.StreamHandler())
    try:
        file = LogFile(path, 1_000_000, 1)
    except OSError as error:
        root.warning("the log in %s could not be opened: %s", path, error)
    else:
        file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        root.addHandler(file)
    # `_show_faults` replaces this hook when the window exists.
    sys.excepthook = lambda kind, error, trace: root.critical(_("a bug"), exc_info=(kind, error, trace))


def _show_faults(window: "MainWindow") -> None:
    """Show the window's uncaught exceptions and the crash of the previous window."""
    import logging

    from app.pages.fault_dialog import FaultPresenter
    from app.window_faults import FaultMonitor, read_previous_crash
    from scheduler import places

    teller, faults = FaultPresenter(window, lambda: window.swept_host), FaultMonitor(window)
    faults.met.connect(teller.tell)
    faults.watch()
    try:
        left = read_previous_crash(places.state_dir() / "window-crash.log")
    except OSError as error:
        logging.getLogger(__name__).warning("a crash of the window could not be recorded for its next start: %s", error)
    else:
        if left is not None:
            teller.tell_previous_crash(left)


def _run_window(files: list[str]) -> int:
    from PySide6.QtGui import QIcon
    from PySide6.QtWidgets import QApplication

    from app.settings import Settings
    from scheduler import translation

    settings = Settings()
    # Before the imports of modules whose constants are texts.
    translation.choose_language(settings.language or translation.read_language())

    from app.garbage_collector import GarbageCollector
    from app.main_window import MainWindow
    from app.qt_language import use_language
    from app.single_window import SingleWindow
    from app.theme.style_sheet import ICONS
    from app.theme.theme import Appearance, Theme

    _log_to_file()
    # The worker's thread may hold the interpreter for at most 1 ms at a time (default: 5 ms).
    sys.setswitchinterval(0.001)
    app = QApplication(sys.argv[:1])
    app.setApplicationName("DomTune")
    app.setDesktopFileName("domtune")
    app.setWindowIcon(QIcon(str(ICONS.parent / "domtune.svg")))
    use_language(app, translation.read_language())
    theme = Theme(app, Appearance(settings.appearance), settings.text_percent)
    window = MainWindow(theme, settings)
    window.fit_screen()
    GarbageCollector(app)
    _show_faults(window)
    window.show()
    single = SingleWindow(window)
    single.asked.connect(window.come_to_front)
    app.aboutToQuit.connect(single.close)
    window.opener.open([Path(file) for file in files])
    # Exclude permanent objects from garbage collection: a full collection takes most of a frame.
    gc.freeze()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
