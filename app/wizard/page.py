"""What every page of the wizard has: a title, one sentence, and fields that know what is wrong with them."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_XL, SPACE_XS
from app.widgets.text import label
from app.wizard.field import Field, Message
from app.wizard.state import WizardState

WIDTH_PX = 960  # wider lines are hard to read


class Page(QWidget):
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
        self.fields: dict[str, Field | Message] = {}
        self.setProperty("scrolled", "true")
        self.setMaximumWidth(WIDTH_PX)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, SPACE_XL)
        outer.setSpacing(SPACE_L)
        head = QVBoxLayout()
        head.setSpacing(SPACE_XS)
        head.addWidget(label(title, "title", wrap=True))
        head.addWidget(label(lead, "dim", wrap=True))
        outer.addLayout(head)
        self.body = QVBoxLayout()
        self.body.setSpacing(SPACE_L)
        outer.addLayout(self.body)
        outer.addStretch(1)
        self.setAccessibleName(title)

    def fill(self) -> None:
        """Show the form's text; called when the whole form is another one."""

    def refresh(self) -> None:
        """Show what follows from the form; called at every change while the page is shown."""
        for name, field in self.fields.items():
            field.say(self.state.messages.get(name, ""))

    def entered(self) -> None:
        """Called when the page comes up."""

    def take_focus(self) -> None:
        """Give the keyboard to what one would change first."""

    def ready(self) -> bool:
        """Take what is half typed; False, and the first wrong field shown, when one cannot go on from here."""
        wrong = self.state.messages_of(self.key)
        for name, field in self.fields.items():
            if name in wrong and isinstance(field, Field):
                field.reveal()
                field.edit.setFocus(Qt.FocusReason.OtherFocusReason)
                break
        return not wrong


def scrolled(page: Page) -> QScrollArea:
    """Return a page that scrolls where it is higher than the window, in the middle where the window is wide."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    middle = QWidget()
    middle.setProperty("scrolled", "true")
    box = QHBoxLayout(middle)
    box.setContentsMargins(0, 0, 0, 0)
    box.addStretch(1)
    box.addWidget(page, 1000)
    box.addStretch(1)
    area.setWidget(middle)
    return area


class SideBySide(QWidget):
    """Things beside each other where there is room, else one below the other.

    Args:
        needs_px: Width from which on they stand beside each other.
        parent: Qt's parent.
    """

    def __init__(self, needs_px: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._needs_px = needs_px
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(SPACE_M)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def add(self, part: QWidget, stretch: int = 1, *, top: bool = False) -> None:
        """Put one more thing behind the others; as high as they are, or with its top where theirs is."""
        self._box.addWidget(part, stretch, Qt.AlignmentFlag.AlignTop if top else Qt.AlignmentFlag(0))

    def minimumSizeHint(self) -> QSize:
        """Ask for the width of the widest alone: below that they cannot stand below each other either."""
        parts = (self._box.itemAt(i) for i in range(self._box.count()))
        widest = max((part.minimumSize().width() for part in parts if part), default=0)
        return QSize(widest, self._box.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the direction that the width allows."""
        wide = event.size().width() >= self._needs_px
        wanted = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._box.direction() != wanted:
            self._box.setDirection(wanted)
            self.updateGeometry()
        super().resizeEvent(event)
