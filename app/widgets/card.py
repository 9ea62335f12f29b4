"""Cards: raised surfaces with a hairline; one kind holds things, the other is one big button."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.theme.icons import render_icon
from app.theme.theme import Theme
from app.theme.tokens import CORNER, SPACE_L, SPACE_S, SPACE_XL, SPACE_XS
from app.widgets.labels import make_label
from app.widgets.wrapped_label import WrappedLabel
from scheduler.model.terminal_text import replace_controls


class Card(QFrame):
    """A raised surface; put things into `body`, small tools into `corner`.

    Args:
        title: Heading; none when empty.
        subtitle: One dim line under it.
        parent: Qt's parent.
    """

    def __init__(self, title: str = "", subtitle: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "card")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        outer.setSpacing(SPACE_S)
        self.corner = QHBoxLayout()
        self.corner.setSpacing(SPACE_XS)
        self.heading = WrappedLabel(title)
        self.heading.setProperty("role", "lead")
        self.heading.setWordWrap(False)  # of a few words; who shows names lets them wrap
        self.subtitle = make_label(subtitle, "dim", wrap=True)
        top = QHBoxLayout()
        top.addWidget(self.heading, 1)
        top.addLayout(self.corner)
        outer.addLayout(top)
        outer.addWidget(self.subtitle)
        self.heading.setVisible(bool(title))
        self.subtitle.setVisible(bool(subtitle))
        self.body = QVBoxLayout()
        self.body.setSpacing(SPACE_S)
        outer.addLayout(self.body, 1)
        if title:
            self.setAccessibleName(replace_controls(title))

    def set_title(self, title: str, subtitle: str = "") -> None:
        """Change heading and the line under it; empty hides them."""
        for part, text in ((self.heading, title), (self.subtitle, subtitle)):
            part.setText(replace_controls(text))
            part.setVisible(bool(text))
        self.setAccessibleName(replace_controls(title))


class BigCard(QAbstractButton):
    """A card that is one big button: icon, title, a few words; Enter and Space press it.

    Args:
        theme: Colours.
        icon: Name of the icon.
        title: What it does, a verb first.
        text: One or two sentences.
        strong: True for the page's main action: filled with the soft accent.
        parent: Qt's parent.
    """

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, *, strong: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self._strong = strong
        self.setText(title)
        self.setAccessibleName(replace_controls(title))
        self.setAccessibleDescription(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        fits = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        fits.setHeightForWidth(True)  # a button's own policy would cut wrapped words off
        self.setSizePolicy(fits)
        box = QHBoxLayout(self)
        box.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, SPACE_XL)
        box.setSpacing(SPACE_L)
        self._picture = QLabel()
        box.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(SPACE_XS)
        words.addWidget(make_label(title, "title" if strong else "lead", wrap=True))
        words.addWidget(make_label(text, "dim", wrap=True))
        words.addStretch(1)
        box.addLayout(words, 1)
        for child in self.findChildren(QLabel):
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.follow(self, self._tint_icon)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw surface, border and focus ring."""
        del event
        colours = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focus = self.hasFocus()
        fill = colours.accent_soft if self._strong or self.isDown() else colours.raised
        if self.underMouse() and not self._strong:
            fill = colours.hover
        ring = colours.accent if focus or self.underMouse() or self._strong else colours.line
        painter.setPen(QPen(QColor(ring), 2 if focus else 1))
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), CORNER, CORNER)

    def _tint_icon(self) -> None:
        size = 40 if self._strong else 28
        self._picture.setPixmap(
            render_icon(self._icon, self._theme.palette.accent_text, size, self.devicePixelRatioF())
        )
        self.update()
