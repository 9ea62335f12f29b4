"""Cards: raised surfaces with a thin border."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.theme.icons import render_icon
from app.theme.theme import Theme
from app.theme.tokens import CORNER, SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from app.widgets.labels import make_label
from app.widgets.wrapped_label import WrappedLabel
from scheduler.model.terminal_text import replace_controls


class Card(QFrame):
    """Raised surface with a heading.

    Widgets go into `body`, small tools into `corner`.

    Args:
        title: Heading; empty for none.
        subtitle: Dim line under the heading; empty for none.
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
        self.heading.setWordWrap(False)  # headings are short; callers that show names turn wrapping on
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
        """Change the heading and the line under it.

        Args:
            title: Heading; empty hides it.
            subtitle: Dim line under the heading; empty hides it.
        """
        for part, text in ((self.heading, title), (self.subtitle, subtitle)):
            part.setText(replace_controls(text))
            part.setVisible(bool(text))
        self.setAccessibleName(replace_controls(title))


class BigCard(QAbstractButton):
    """Card that is one large button with an icon, a title and a short text.

    Args:
        theme: Colours.
        icon: Icon name.
        title: Action, starting with a verb.
        text: One or two sentences.
        strong: True for the main action of the page; fills the card with the soft accent colour.
        compact: True for one of many cards side by side: smaller title, icon and margins.
    """

    def __init__(
        self,
        theme: Theme,
        icon: str,
        title: str,
        text: str,
        *,
        strong: bool = False,
        compact: bool = False,
    ) -> None:
        super().__init__()
        self._theme = theme
        self._icon = icon
        self._strong = strong
        self._icon_px = 40 if strong else 20 if compact else 28
        self.setText(title)
        self.setAccessibleName(replace_controls(title))
        self.setAccessibleDescription(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        fits = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        fits.setHeightForWidth(True)  # the default policy of a button would cut wrapped text off
        self.setSizePolicy(fits)
        box = QHBoxLayout(self)
        edge = SPACE_M if compact else SPACE_XL
        box.setContentsMargins(edge, edge, edge, edge)
        box.setSpacing(SPACE_M if compact else SPACE_L)
        self._picture = QLabel()
        box.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(SPACE_XS)
        words.addWidget(make_label(title, "title" if strong else "strong" if compact else "lead", wrap=True))
        words.addWidget(make_label(text, "dim", wrap=True))
        words.addStretch(1)
        box.addLayout(words, 1)
        for child in self.findChildren(QLabel):
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.follow(self, self._tint_icon)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the surface, the border and the focus ring."""
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
        self._picture.setPixmap(
            render_icon(self._icon, self._theme.palette.accent_text, self._icon_px, self.devicePixelRatioF())
        )
        self.update()
