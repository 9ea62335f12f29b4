"""Base class of the wizard's pages: title, sentence and fields with mistakes."""

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
    """Page of one step.

    Args:
        key: Name of the page, one of `page_names.PAGES`.
        theme: Colours.
        state: State shared by the pages.
        title: Question of the page.
        lead: Sentence below the title; may be empty.

    Attributes:
        body: Layout for the page's parts.
        fields: Field of the form to the widget that shows its mistake.
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
        if not lead:  # a label without a parent would be a window that takes the focus
            self._lead.hide()
        outer.addLayout(head)
        self.body = QVBoxLayout()
        self.body.setSpacing(SPACE_L)
        outer.addLayout(self.body)
        outer.addStretch(1)
        self.setAccessibleName(title)

    def set_head(self, title: str = "", lead: str = "") -> None:
        """Show another title or sentence; empty texts restore the page's own.

        Args:
            title: Title.
            lead: Sentence below the title.
        """
        own_title, own_lead = self._own_head
        self._title.setText(title or own_title)
        self._lead.setText(lead or own_lead)
        self.setAccessibleName(title or own_title)

    def fill(self) -> None:
        """Show the form's text, after the whole form was replaced."""

    def refresh(self) -> None:
        """Show the consequences of the form, at each change while the page is displayed."""
        for name, field in self.fields.items():
            field.say(self.state.messages.get(name, ""))

    def on_page_shown(self) -> None:
        """Start work that belongs to the page; called when the page appears."""

    def take_focus(self) -> None:
        """Focus the input that a user would change first."""

    def ready(self) -> bool:
        """Return True if the page is complete; else show the first mistake."""
        wrong = self.state.messages_of(self.key)
        for name, field in self.fields.items():
            if name in wrong and isinstance(field, FormField):
                field.reveal()
                field.edit.setFocus(Qt.FocusReason.OtherFocusReason)
                break
        return not wrong


def make_scrolled_page(page: WizardPage, parent: QWidget) -> QScrollArea:
    """Return a scroll area with a page, centred in a wide window.

    Args:
        page: The page.
        parent: Parent of the area.
    """
    middle = QWidget()
    middle.setProperty("scrolled", "true")
    area = make_scroll_area(middle, parent=parent)
    box = QHBoxLayout(middle)
    box.setContentsMargins(0, 0, 0, 0)
    box.addStretch(1)
    box.addWidget(page, 1000)  # last: Qt styles a whole page again each time something around it gets a parent
    box.addStretch(1)
    return area
