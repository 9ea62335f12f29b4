"""The real window, every dialog opened and closed again and again: `python -m tests.crash.dialog_driver ROUNDS`.

The page that compares runs follows, with other runs each time. After each closing Python's collector runs in the worker
thread, as it did by itself whenever that thread happened to allocate: what a closed dialog leaves must hold nothing of
Qt that is destroyed there. Prints one line per dialog and page.
"""

import gc
import sys
import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QDialog

from app.main_window import MainWindow
from app.pages.apply_dialog import ApplyDialog
from app.pages.comparison import read_sweeps
from app.pages.labels_dialog import LabelsDialog
from app.pages.manual import manual_sections
from app.pages.stop_dialog import StopDialog
from app.pages.sweep_rows import read_rows
from app.pages.window_frame import HOME
from app.plots.run_board import RunBoard
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.dialog_layout import show_dialog
from app.widgets.document_reader import DocumentReader
from app.widgets.password_dialog import PasswordDialog
from app.wizard.key_dialog import KeyChangedDialog, KeyDialog
from app.wizard.pattern_dialog import PatternDialog
from scheduler import places
from scheduler.model.command_answers import RestoreItem
from scheduler.model.run_labels import RunLabels
from scheduler.model.split import parse_split
from scheduler.store.result_cache import load_results
from scheduler.store.run_store import RunStore

TICK_MS = 5
LIMIT_S = 60.0


class Rounds(QObject):
    """Opens, closes, collects, step by step from the window's own event loop."""

    def __init__(self, window: MainWindow, rounds: int) -> None:
        super().__init__(window)
        self._window = window
        self._steps = self._all(rounds)
        self._ready: Callable[[], bool] = lambda: True
        self._since_s = time.monotonic()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)
        self._timer.start(TICK_MS)

    def _go_on(self) -> None:
        if not self._ready():
            if time.monotonic() - self._since_s > LIMIT_S:
                print("waited in vain", flush=True)
                QApplication.exit(3)
            return
        self._since_s = time.monotonic()
        try:
            self._ready = next(self._steps)
        except StopIteration:
            QApplication.exit(0)

    def _all(self, rounds: int) -> Iterator[Callable[[], bool]]:
        openers = _openers(self._window)
        for name, opener in openers.items():
            for _ in range(rounds):
                opener()
                yield lambda: isinstance(QApplication.activeModalWidget(), QDialog)
                yield from self._close()
            print(name, rounds, flush=True)
        yield from self._compare(rounds)
        print("compare", rounds, flush=True)

    def _compare(self, rounds: int) -> Iterator[Callable[[], bool]]:
        """Compare runs again and again with another base: each time the page drops the curves of the last one."""
        window, runs = self._window, read_sweeps(places.store_path(), read_rows(places.store_path()))
        for _ in range(rounds):
            window.show_comparison(runs)
            yield lambda: window.comparison is not None and window.comparison.isVisible()
            window.comparison.base.setCurrentIndex(1)
            yield from self._collect()
            window.show_comparison(runs[:1])
            window.go(HOME)
            yield lambda: not window.comparison.isVisible()
            yield from self._collect()

    def _close(self) -> Iterator[Callable[[], bool]]:
        dialog = QApplication.activeModalWidget()
        gone: list[object] = []
        dialog.destroyed.connect(lambda: gone.append(None))
        dialog.close()
        del dialog
        yield lambda: bool(gone)
        yield from self._collect()

    def _collect(self) -> Iterator[Callable[[], bool]]:
        collected: list[object] = []
        self._window.background.submit(lambda _: gc.collect(), collected.append, collected.append)
        yield lambda: bool(collected)


def _openers(window: MainWindow) -> dict[str, Callable[[], object]]:
    theme = window.theme
    with RunStore(places.store_path(), read_only=True) as store:
        results = load_results(store, store.runs()[0])
    item = RestoreItem(host="fake:", host_id="this", armed_unix_s=1.0, state="armed", text="made for a test")
    window.banner.show_items((item,))
    return {
        "settings": window.show_settings,
        "glossary": window.show_glossary,
        "about": window.show_about,
        "manual": lambda: show_dialog(DocumentReader("Manual", manual_sections(), window)),
        "originals": window.banner.show_originals,
        "question": lambda: window.ask_to_stop("fake:", lambda: None, lambda: None),
        "labels": lambda: show_dialog(LabelsDialog(theme, RunLabels(), "IR", window)),
        "pattern": lambda: show_dialog(PatternDialog(theme, window.runner, "(?P<rate>.*)", "requests/s", window)),
        "stop": lambda: show_dialog(StopDialog(theme, RunBoard(), window)),
        "apply": lambda: show_dialog(ApplyDialog(theme, window.runner, results, parse_split("1:1"), window)),
        "password": lambda: show_dialog(PasswordDialog(theme, "t", "why", ["postgresql://db"], "Go", parent=window)),
        "key": lambda: show_dialog(KeyDialog(theme, "xl+ssh://xen1", "AAAA", window)),
        "changed key": lambda: show_dialog(KeyChangedDialog(theme, "text", "hint", window)),
    }


def main() -> int:
    """Run as many rounds as asked for; return 0 when all went well."""
    app = QApplication(sys.argv[:1])
    window = MainWindow(Theme(app), Settings())
    window.show()
    Rounds(window, int(sys.argv[1]))
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
