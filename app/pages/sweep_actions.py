"""Actions for the selected sweeps: buttons below the list, menu and keys."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from app.pages.sweep_rows import SweepRow
from app.pages.sweeps_list import SweepsList
from app.theme.theme import Theme
from app.widgets.buttons import secondary_button
from app.widgets.dialog_layout import buttons_row
from app.widgets.elided_label import ElidedLabel
from scheduler.model.studies import find_study
from scheduler.translation import _


class SweepActions(QWidget):
    """Buttons below the list, with a hint about disabled ones.

    Args:
        theme: Colours.
        sweeps: List of sweeps.
        parent: Qt's parent.

    Signals:
        open_run: Id of the run to show.
        continue_run: Id of the run to continue.
        compare: List of at least two `SweepRow`s.
        edit: `SweepRow` whose name, tags or note the user wants to change.
        delete: List of `SweepRow`s.
    """

    open_run = Signal(str)
    continue_run = Signal(str)
    compare = Signal(list)
    edit = Signal(object)
    delete = Signal(list)

    def __init__(self, theme: Theme, sweeps: SweepsList, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._list = sweeps
        self.hint = ElidedLabel("", "dim")
        self.open_button = self._make_button(theme, _("Open"), "result", self._open_selected)
        self.continue_button = self._make_button(theme, _("Continue"), "play", self._continue_selected)
        self.compare_button = self._make_button(theme, _("Compare"), "compare", self._compare_selected)
        row = buttons_row(self.compare_button, self.continue_button, self.open_button)
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.hint, 1)
        box.addLayout(row)
        self._make_menu()
        sweeps.selected.connect(self.show_rows)
        sweeps.menu_wanted.connect(self._show_menu)
        self.show_rows([])

    def show_rows(self, rows: list[SweepRow]) -> None:
        """Enable the actions that are possible for the selected rows."""
        one = len(rows) == 1
        for offered, may in (
            ((self.open_button, self.open_action), one),
            ((self.continue_button, self.continue_action), one and rows[0].unfinished),
            ((self.compare_button, self.compare_action), len(rows) >= 2 and not _not_comparable_reason(rows)),
            ((self.edit_action,), one),
            ((self.delete_action,), bool(rows)),
        ):
            for part in offered:
                part.setEnabled(may)
        hints = {
            0: _("Select one sweep, or several to compare (Ctrl+click)."),
            1: _("Ctrl+click another sweep to compare. F2: name, Del: delete."),
        }
        more = _("{n} sweeps are selected. You can compare or delete them.").format(n=len(rows))
        self.hint.setText(_not_comparable_reason(rows) or hints.get(len(rows), more))
        self.compare_button.setToolTip(_("Select several sweeps (Ctrl+click) to compare them in one plot"))
        self.continue_button.setToolTip(_("Continue an unfinished sweep where it stopped"))

    def _make_menu(self) -> None:
        self.menu = QMenu(self)
        keys = QKeySequence.StandardKey
        self.open_action = self._add_action(_("&Open"), QKeySequence(), self._open_selected)
        self.continue_action = self._add_action(_("&Continue"), QKeySequence(), self._continue_selected)
        self.compare_action = self._add_action(_("Co&mpare"), QKeySequence(), self._compare_selected)
        self.menu.addSeparator()
        self.edit_action = self._add_action(
            _("&Name, tags and note\N{HORIZONTAL ELLIPSIS}"), QKeySequence("F2"), self._edit_selected
        )
        self.delete_action = self._add_action(_("&Delete"), QKeySequence(keys.Delete), self._delete_selected)

    def _add_action(self, words: str, keys: QKeySequence, then: object) -> QAction:
        action = QAction(words, self._list)
        action.setShortcut(keys)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(then)
        self._list.addAction(action)  # makes the action's keys work in the list
        self.menu.addAction(action)
        return action

    def _make_button(self, theme: Theme, words: str, icon: str, then: object) -> QPushButton:
        made = secondary_button(theme, words, icon)
        made.clicked.connect(then)
        return made

    def _show_menu(self, where: QPoint) -> None:
        self.menu.popup(where)

    def _open_selected(self) -> None:
        self.open_run.emit(self._list.selected_rows()[0].run_id)

    def _continue_selected(self) -> None:
        self.continue_run.emit(self._list.selected_rows()[0].run_id)

    def _compare_selected(self) -> None:
        self.compare.emit(self._list.selected_rows())

    def _edit_selected(self) -> None:
        self.edit.emit(self._list.selected_rows()[0])

    def _delete_selected(self) -> None:
        self.delete.emit(self._list.selected_rows())


def _not_comparable_reason(rows: Sequence[SweepRow]) -> str:
    """Return why rows cannot be compared; empty if they can, and for fewer than two."""
    if len(rows) < 2 or not any(row.observes or not find_study(row.newest.plan.study).recommends_split for row in rows):
        return ""
    return _("Only sweeps of splits can be compared.")
