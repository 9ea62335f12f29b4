"""Card for one choice among a few, with picture, name, text and dot."""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from app.theme.theme import Theme
from app.theme.tokens import CORNER, SPACE_L, SPACE_M, SPACE_S, SPACE_XS, Palette
from app.widgets.labels import make_label

Picture = Callable[[QPainter, QRectF, Palette], None]

_DOT_PX = 16
_PICTURE_PX = 60


class ChoiceCard(QAbstractButton):
    """Checkable card for an exclusive `QButtonGroup`.

    Arrow keys move between the cards.

    Args:
        theme: Colours.
        name: Name of the choice, with a mnemonic.
        text: Meaning of the choice, one or two sentences.
        picture: Draws a small picture into a strip at the top; None for none.
        compact: True for one of many cards side by side: smaller text and margins.
        parent: Qt's parent.

    Attributes:
        lead: Line in stronger text between name and text; hidden while empty.
    """

    def __init__(
        self,
        theme: Theme,
        name: str,
        text: str,
        picture: Picture | None = None,
        *,
        compact: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._picture = picture
        self.setCheckable(True)
        self.setText(name)
        self.setAccessibleName(name.replace("&", ""))
        self.setAccessibleDescription(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._box = QVBoxLayout(self)
        edge = SPACE_M if compact else SPACE_L
        top = edge + (_PICTURE_PX + SPACE_S if picture else 0)
        self._box.setContentsMargins(edge, top, edge, edge)
        self._box.setSpacing(SPACE_XS)
        self._name = make_label(name.replace("&", ""), "strong" if compact else "lead", wrap=compact)
        self._name.setContentsMargins(_DOT_PX + SPACE_S, 0, 0, 0)
        self.lead = make_label("", "strong", wrap=True)
        self.lead.hide()
        self._text = text
        self.words = make_label(text, "dim", wrap=True)
        for part in (self._name, self.lead, self.words):
            self._box.addWidget(part)
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._box.addStretch(1)
        theme.changed.connect(self.update)

    def set_lead(self, text: str) -> None:
        """Show a line in stronger text; hide it for an empty text."""
        self.lead.setText(text)
        self.lead.setVisible(bool(text))
        self.setAccessibleDescription(f"{text} {self.words.text()}".strip())

    def set_words(self, text: str = "") -> None:
        """Show another text below the name; an empty text restores the card's own."""
        self.words.setText(text or self._text)
        self.setAccessibleDescription(f"{self.lead.text()} {self.words.text()}".strip())

    def sizeHint(self) -> QSize:
        """Return the size that the text needs."""
        return self._box.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the minimum size of the text."""
        return self._box.minimumSize()

    def hasHeightForWidth(self) -> bool:
        """Return True: text wraps."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height that the text needs at a width."""
        return self._box.totalHeightForWidth(width)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw surface, ring, picture and dot."""
        del event
        colours = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_surface(painter, colours)
        if self._picture:
            strip = QRectF(SPACE_L, SPACE_L, self.width() - 2 * SPACE_L, _PICTURE_PX)
            self._picture(painter, strip, colours)
        self._draw_dot(painter, colours)

    def _draw_surface(self, painter: QPainter, colours: Palette) -> None:
        fill = colours.accent_soft if self.isChecked() else colours.hover if self.underMouse() else colours.raised
        fill = fill if self.isEnabled() else colours.sunken
        ring = colours.accent if self.hasFocus() or self.isChecked() else colours.line
        painter.setPen(QPen(QColor(ring), 2 if self.hasFocus() else 1))
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), CORNER, CORNER)

    def _draw_dot(self, painter: QPainter, colours: Palette) -> None:
        middle = QPointF(self._name.x() + _DOT_PX / 2, self._name.y() + self._name.fontMetrics().height() / 2)
        painter.setPen(QPen(QColor(colours.accent if self.isChecked() else colours.edge), 1.5))
        painter.setBrush(QColor(colours.raised))
        painter.drawEllipse(middle, _DOT_PX / 2 - 1, _DOT_PX / 2 - 1)
        if self.isChecked():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.accent))
            painter.drawEllipse(middle, 4, 4)
