"""Editor of splits: presets, axis, field for a new split, period of the quotas."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout

from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import link_button, secondary_button
from app.widgets.card import Card
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label
from app.widgets.side_by_side import SideBySide
from app.wizard.field import FieldMessage, FormField
from app.wizard.split_axis import SplitAxisWidget
from app.wizard.split_scale import PRESETS, split_position
from app.wizard.wizard_state import WizardState
from scheduler.model.problems import Problems
from scheduler.model.setting import parse_split_setting
from scheduler.translation import _


class SplitEditor(Card):
    """Editor of the form's splits.

    Signals:
        changed: The form was changed.
    """

    changed = Signal()

    def __init__(self, theme: Theme, state: WizardState) -> None:
        super().__init__()
        self._theme = theme
        self._state = state
        self._before: list[list[str]] = []  # splits that Ctrl+Z restores, the latest last
        self._undone: list[list[str]] = []
        self._dragged = False
        self.axis = SplitAxisWidget(theme)
        self.message = FieldMessage()
        self.new = FormField(_("&Add a split"), letters=16)
        self.new.edit.setPlaceholderText(_("for example 2:3"))
        self.add_button = secondary_button(theme, _("Add"), "plus")
        self.add_button.setAccessibleName(_("Add the typed split"))
        self.new.row.insertWidget(1, self.add_button)
        self.period = FormField(_("P&eriod of the quotas"), "ms", self._period_hint(), letters=8)
        set_glossary_tip(self.period.name, "quota")
        inputs = SideBySide(360)
        inputs.add(self.new, top=True)
        inputs.add(self.period, top=True)
        self.body.addLayout(self._make_preset_row())
        self.body.addWidget(self.axis)
        self.body.addWidget(make_label(self._usage_hint(), "dim", wrap=True))
        self.body.addWidget(self.message)
        self.body.addWidget(inputs)
        self.axis.added.connect(self.add)
        self.axis.removed.connect(self._remove_entry)
        self.axis.moved.connect(self._move_split)
        self.axis.dropped.connect(self._drop)
        self.axis.digit.connect(self._begin_to_type)
        self.new.typed.connect(lambda _: self.new.say(""))
        self.add_button.clicked.connect(self.add_typed)
        self.period.typed.connect(self._type_period)

    def refresh(self) -> None:
        """Show the form's splits and their mistakes."""
        form, messages = self._state.form, self._state.messages
        self.period.setVisible(form.takes_period and (bool(form.splits) or form.weighs_splits))
        self.none.setVisible(not form.weighs_splits)
        self.none.setEnabled(bool(form.splits))
        wrong = {text: messages[f"splits[{i}]"] for i, text in enumerate(form.splits) if f"splits[{i}]" in messages}
        self.axis.show_splits(form.splits, wrong)
        # A short period makes every uneven split wrong; the most uneven one needs the longest period.
        shown = sorted(wrong, key=lambda text: -round(abs(split_position(text)), 9))
        lines = [messages.get("splits", ""), *(wrong[text] for text in shown[:1])]
        if len(shown) > 1:
            lines.append(_("{n} more splits, marked red, have the same problem.").format(n=len(shown) - 1))
        self.message.say("\n".join(line for line in lines if line))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter add a typed split; elsewhere Enter opens the next page."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and self.new.edit.hasFocus() and self.new.edit.text().strip():
            self.add_typed()
        else:
            super().keyPressEvent(event)

    def take_typed(self) -> bool:
        """Add a typed split, if any; return False and show the mistake if there is one."""
        return not self.new.edit.text().strip() or self.add_typed()

    def add_typed(self) -> bool:
        """Add the typed split; return False and show the mistake if there is one."""
        problems = Problems()
        setting = problems.take(lambda: parse_split_setting(self.new.edit.text()), None, "split")
        self.new.say(problems.messages.get("split", ""))
        self.new.reveal()
        if setting is None:
            self.new.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            return False
        self.new.edit.clear()
        self.add(setting.label)
        return True

    def add(self, text: str) -> None:
        """Add a split unless the form has it."""
        if text not in self._state.form.splits:
            self._set_splits([*self._state.form.splits, text])
        self.axis.choose(text)

    def _make_preset_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(SPACE_S)
        row.addWidget(make_label(_("Presets"), "dim"))
        names = {
            "paper": _("The paper's nine"),
            "five": _("Five"),
            "middle": _("Fine around the middle"),
        }
        for key, name in names.items():
            button = link_button(self._theme, name)
            button.setToolTip(", ".join(PRESETS[key]))
            button.clicked.connect(lambda _, key=key: self._set_splits(list(PRESETS[key])))
            row.addWidget(button)
        self.none = link_button(self._theme, _("No splits: original settings"))
        self.none.clicked.connect(lambda: self._set_splits([]))
        row.addWidget(self.none)
        row.addStretch(1)
        return row

    def _type_period(self, text: str) -> None:
        self._state.form.texts["period_ms"] = text
        self.changed.emit()

    def _begin_to_type(self, digit: str) -> None:
        self.new.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.new.edit.setText(digit)

    def forget(self) -> None:
        """Clear the undo history: the form was replaced."""
        self._before, self._undone = [], []

    def undo(self) -> None:
        """Restore the splits before the last change."""
        self._step_history(self._before, self._undone)

    def redo(self) -> None:
        """Repeat the change that the last `undo` reverted."""
        self._step_history(self._undone, self._before)

    def _step_history(self, source: list[list[str]], target: list[list[str]]) -> None:
        if source:
            target.append(self._state.form.splits)
            self._state.form.splits = source.pop()
            self.changed.emit()

    def _move_split(self, old: str, new: str) -> None:
        """Move a split; a whole drag is one change."""
        kept, self._dragged = self._dragged, self.axis.is_dragging
        self._set_splits([new if text == old else text for text in self._state.form.splits], keep=not kept)

    def _drop(self) -> None:
        self._dragged = False

    def _remove_entry(self, text: str) -> None:
        self._set_splits([kept for kept in self._state.form.splits if kept != text])

    def _period_hint(self) -> str:
        return _(
            "A shorter period is smoother for the users, but switches more often. In a longer period, domains wait."
        )

    def _usage_hint(self) -> str:
        add = _("Click the scale to add a split. Drag a split to move it. Press its cross or Delete to remove it.")
        return " ".join((add, _("Ctrl+Z undoes a change.")))

    def _set_splits(self, splits: list[str], *, keep: bool = True) -> None:
        if splits == self._state.form.splits:
            return
        if keep:
            self._before.append(self._state.form.splits)
        self._undone = []
        self._state.form.splits = splits
        self.changed.emit()
