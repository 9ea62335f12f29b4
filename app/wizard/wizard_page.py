"""Provide the base of the pages of the wizard: a title, one sentence, and fields that show what is wrong."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_XL, SPACE_XS
from app.widgets.labels import make_label
from app.widgets.scroll_areas import make_scroll_area
from app.wizard.field import FieldMessage, FormField
from app.wizard.wizard_state import WizardState

WIDTH_PX = 960  # wider lines are hard to read


class WizardPage(QWidget):
    """One step.

    Args:
        key: Its name in `form.PAGES`.
        theme: Colours.
        state: What the pages share.
        title: The question that it asks.
        lead: One sentence under it.

    Attributes:
        body: Where a page puts its things.
        fields: Field of the form to where its message is shown.
    """

    def __init__(self, key: str, theme: Theme, state: WizardState, title: str, lead: str) -> None:
        super().__init__()
        self.key = key
        self.theme = theme
        self.state = state
        self.fields: dict[str, FormField | FieldMessage] = {}
        self.setProperty("scrolled", "true")
        self.setMaximumWidth(WIDTH_PX)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, SPACE_XL)
        outer.setSpacing(SPACE_L)
        head = QVBoxLayout()
        head.setSpacing(SPACE_XS)
        self._title, self._lead = make_label(title, "title", wrap=True), make_label(lead, "dim", wrap=True)
        self._own_head = title, lead
        head.addWidget(self._title)
        head.addWidget(self._lead)
        if not lead:  # never shown here: without a parent it would be a window for a moment, and take the focus
            self._lead.hide()
        outer.addLayout(head)
        self.body = QVBoxLayout()
        self.body.setSpacing(SPACE_L)
        outer.addLayout(self.body)
        outer.addStretch(1)
        self.setAccessibleName(title)

    def set_head(self, title: str = "", lead: str = "") -> None:
        """Show another title or sentence; empty ones bring its own back."""
        own_title, own_lead = self._own_head
        self._title.setText(title or own_title)
        self._lead.setText(lead or own_lead)
        self.setAccessibleName(title or own_title)

    def fill(self) -> None:
        """Show the form's text; called when the whole form is another one."""

    def refresh(self) -> None:
        """Show what follows from the form; called at every change while the page is shown."""
        for name, field in self.fields.items():
            field.say(self.state.messages.get(name, ""))

    def on_page_shown(self) -> None:
        """Called when the page comes up."""

    def take_focus(self) -> None:
        """Give the keyboard to what one would change first."""

    def ready(self) -> bool:
        """Take what is half typed; False, and the first wrong field shown, when one cannot go on from here."""
        wrong = self.state.messages_of(self.key)
        for name, field in self.fields.items():
            if name in wrong and isinstance(field, FormField):
                field.reveal()
                field.edit.setFocus(Qt.FocusReason.OtherFocusReason)
                break
        return not wrong


def make_scrolled_page(page: WizardPage) -> QScrollArea:
    """Return a page that scrolls where it is higher than the window, in the middle where the window is wide."""
    middle = QWidget()
    middle.setProperty("scrolled", "true")
    box = QHBoxLayout(middle)
    box.setContentsMargins(0, 0, 0, 0)
    box.addStretch(1)
    box.addWidget(page, 1000)
    box.addStretch(1)
    return make_scroll_area(middle)
