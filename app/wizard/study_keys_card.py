"""Fields of the keys of one study, from their declarations."""

from functools import partial

from PySide6.QtCore import Qt, Signal

from app.widgets.card import Card
from app.wizard.field import FormField
from app.wizard.wizard_state import WizardState
from scheduler.model.parameters import Parameter
from scheduler.model.study_kind import StudyKind

_NUMBER_LETTERS, _LIST_LETTERS = 8, 24


def make_key_field(key: Parameter) -> FormField:
    """Return the field of a key; the placeholder is its default."""
    title, text, default = (words for words in (key.title, key.help, key.default_text))
    field = FormField(title, key.unit, text, letters=_LIST_LETTERS if key.many else _NUMBER_LETTERS)
    field.edit.setPlaceholderText(default or str(key.default or ""))
    return field


class StudyKeysCard(Card):
    """Card on the splits page of a study whose own keys decide the splits.

    Args:
        state: State of the wizard.
        kind: Record of the study.

    Signals:
        changed: The form was changed.

    Attributes:
        fields: Key to its field.
    """

    changed = Signal()

    def __init__(self, state: WizardState, kind: StudyKind) -> None:
        super().__init__()
        self._state = state
        self.fields = {key.name: make_key_field(key) for key in kind.keys}
        for name, field in self.fields.items():
            field.typed.connect(partial(self._store_input, name))
            self.body.addWidget(field)

    def fill(self) -> None:
        """Show the form's values."""
        for name, field in self.fields.items():
            field.set_text(self._state.form.texts[name])

    def refresh(self) -> None:
        """Show nothing more: the fields do not depend on the host."""

    def take_focus(self) -> None:
        """Focus the first field."""
        next(iter(self.fields.values())).edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _store_input(self, name: str, text: str) -> None:
        self._state.form.texts[name] = text
        self.changed.emit()
