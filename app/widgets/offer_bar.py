"""Bar that offers one action until the action is taken or dismissed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_S
from app.widgets.buttons import secondary_button, tool_button
from app.widgets.elided_label import ElidedLabel
from scheduler.translation import _


class OfferBar(QFrame):
    """Bar with a text and one action; hidden until `offer`.

    Args:
        theme: Colours.
        words: Label of the button.
        icon: Icon name of the button.
        parent: Qt's parent.

    Signals:
        taken: The button was pressed.
    """

    taken = Signal()

    def __init__(self, theme: Theme, words: str, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "bar-info")
        self.text = ElidedLabel("", "strong")
        self.button = secondary_button(theme, words, icon)
        self.dismiss = tool_button(theme, _("Dismiss"), "close")
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_L, SPACE_S, SPACE_M, SPACE_S)
        row.setSpacing(SPACE_M)
        row.addWidget(self.text, 1)
        row.addWidget(self.button)
        row.addWidget(self.dismiss)
        self.button.clicked.connect(self.taken)
        self.dismiss.clicked.connect(self.hide)
        self.hide()

    def offer(self, text: str) -> None:
        """Show the bar with a text about the event."""
        self.text.setText(text)
        self.button.setEnabled(True)
        self.show()
