"""Shortcuts of a page, and the table of all shortcuts of the window."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.widgets.table import TableData
from scheduler.translation import _

StandardKey = QKeySequence.StandardKey


def add_shortcut(page: QWidget, keys: QKeySequence | StandardKey | str, then: Callable[[], object]) -> None:
    """Add a shortcut that works while the keyboard focus is in a page.

    Args:
        page: The page.
        keys: The keys.
        then: Called when they are pressed.
    """
    shortcut = QShortcut(QKeySequence(keys), page)
    shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    shortcut.activated.connect(then)


def list_shortcuts(actions: Iterable[QAction]) -> TableData:
    """Return the table of keys and their effects.

    Args:
        actions: Actions of the menu; those without keys are left out.
    """
    menu = [(_spell(action.shortcut()), _name(action)) for action in actions if not action.shortcut().isEmpty()]
    pages = [(_spell(keys), text) for keys, text in _page_shortcuts()]
    return TableData((_("Keys"), _("Effect")), (*menu, *pages))


def _page_shortcuts() -> list[tuple[QKeySequence | StandardKey | str, str]]:
    """Return the keys of the pages with their effects."""
    return [
        (StandardKey.Find, _("Home: find a sweep")),
        ("F2", _("Home: name, tags and note of the selected sweep")),
        (StandardKey.Delete, _("Home: delete the selected sweeps")),
        (StandardKey.Undo, _("Home: undo the latest deletion of this session")),
        ("Space", _("Running: pause or resume")),
        (StandardKey.Save, _("Result: save the report")),
        (StandardKey.Copy, _("Tables and texts: copy the selection")),
        ("Alt", _("Wizard: underlined letters of its buttons and fields")),
    ]


def _spell(keys: QKeySequence | StandardKey | str) -> str:
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText) or str(keys)


def _name(action: QAction) -> str:
    return action.text().replace("&", "").removesuffix("\N{HORIZONTAL ELLIPSIS}")
