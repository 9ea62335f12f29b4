"""The window's menu: what can be done with files, where one can go, what there is to read; shortcuts stand beside."""

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from app.widgets.navigation_rail import NavigationRail
from scheduler import places

_KEYS = QKeySequence.StandardKey


class MenuActions(NamedTuple):
    """What the menu can have done: begin a sweep, ask, open a plan, go somewhere; settings, manual, words, about."""

    new_sweep: Callable[[], object]
    question: Callable[[], object]
    open_plan: Callable[[], object]
    go: Callable[[str], object]
    settings: Callable[[], object]
    manual: Callable[[], object]
    words: Callable[[], object]
    about: Callable[[], object]


class WindowMenu(QObject):
    """Fills the menu bar of a window.

    Args:
        window: The window.
        rail: Knows where one can go now.
        does: What the entries do.
    """

    def __init__(self, window: QMainWindow, rail: NavigationRail, does: MenuActions) -> None:
        super().__init__(window)
        self._window, self._rail, self._does = window, rail, does
        self._make_file()
        self._make_view()
        self._make_help()

    def _make_file(self) -> None:
        menu = self._window.menuBar().addMenu(self.tr("&File"))
        self._add_action(menu, self.tr("&New sweep"), QKeySequence(_KEYS.New), self._does.new_sweep)
        question = self.tr("Ask another &question\N{HORIZONTAL ELLIPSIS}")
        self._add_action(menu, question, QKeySequence("Ctrl+Shift+N"), self._does.question)
        plan = self.tr("&Open plan\N{HORIZONTAL ELLIPSIS}")
        self._add_action(menu, plan, QKeySequence(_KEYS.Open), self._does.open_plan)
        menu.addSeparator()
        self._add_action(menu, self.tr("S&ettings\N{HORIZONTAL ELLIPSIS}"), QKeySequence("Ctrl+,"), self._does.settings)
        menu.addSeparator()
        self._add_action(menu, self.tr("&Quit"), QKeySequence("Ctrl+Q"), self._window.close)

    def _make_view(self) -> None:
        menu = self._window.menuBar().addMenu(self.tr("&View"))
        places_of = {
            "home": (self.tr("&Home"), "Ctrl+H"),
            "live": (self.tr("&Running"), "Ctrl+R"),
            "result": (self.tr("R&esult"), "Ctrl+E"),
            "watch": (self.tr("&Watch"), "Ctrl+T"),
            "follow": (self.tr("&Follow"), "Ctrl+L"),
        }
        entries = {
            key: self._add_action(menu, text, QKeySequence(keys), self._make_opener(key))
            for key, (text, keys) in places_of.items()
        }
        menu.aboutToShow.connect(lambda: self._show_places(entries))
        menu.aboutToHide.connect(lambda: [entry.setEnabled(True) for entry in entries.values()])  # for their keys

    def _make_help(self) -> None:
        menu = self._window.menuBar().addMenu(self.tr("&Help"))
        self._add_action(menu, self.tr("&Manual"), QKeySequence("F1"), self._does.manual)
        self._add_action(menu, self.tr("&Words that DomTune uses"), QKeySequence("Shift+F1"), self._does.words)
        menu.addSeparator()
        self._add_action(menu, self.tr("Open the folder of the &log"), QKeySequence(), _open_log)
        self._add_action(menu, self.tr("&About DomTune"), QKeySequence(), self._does.about)

    def _make_opener(self, key: str) -> Callable[[], None]:
        """Return what goes to a place, if one can go there."""

        def go() -> None:
            if self._rail.button(key).isEnabled():
                self._does.go(key)

        return go

    def _show_places(self, entries: dict[str, QAction]) -> None:
        for key, entry in entries.items():
            entry.setEnabled(self._rail.button(key).isEnabled())

    def _add_action(self, menu: QMenu, text: str, keys: QKeySequence, then: Callable[[], object]) -> QAction:
        action = QAction(text, self._window)
        action.setShortcut(keys)
        action.triggered.connect(lambda _checked: then())
        menu.addAction(action)
        return action


def _open_log() -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(places.log_path().parent)))
