"""Label with a limited number of lines.

A longer text ends in an ellipsis; the tooltip holds the whole text.
"""

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.widgets.labels import tooltip_text
from app.widgets.wrapped_label import insert_break_marks, remove_break_marks


class LinesLabel(QLabel):
    """Label that wraps a text into a limited number of lines.

    Args:
        text: Text to show.
        role: Role in the style sheet.
        lines: Maximum number of lines, >= 1.
        fixed: Reserve the height of all lines, so that nothing moves when the text changes.
        parent: Qt's parent.
    """

    def __init__(
        self, text: str = "", role: str = "", *, lines: int = 2, fixed: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._lines, self._fixed = lines, fixed
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setWordWrap(True)  # a label without wrapping has no height for its width
        self.setText(text)

    def setText(self, text: str) -> None:
        """Set the text."""
        if text == self.text():
            return
        super().setText(text)
        self.setToolTip(tooltip_text(text))
        self.setAccessibleName(text)
        self.updateGeometry()

    def set_lines(self, lines: int) -> None:
        """Change the maximum number of lines, >= 1."""
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()
            self.update()

    def shown_lines(self, width_px: int) -> list[str]:
        """Return the lines that are drawn at a width in pixels."""
        text, metrics = insert_break_marks(self.text()), self.fontMetrics()
        layout = QTextLayout(text, self.font())
        layout.setTextOption(_wrap_option())
        starts: list[tuple[int, int]] = []
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, width_px))
            starts.append((line.textStart(), line.textLength()))
        layout.endLayout()
        whole = [text[start : start + length].strip() for start, length in starts[: self._lines]]
        if len(starts) > self._lines:
            rest = text[starts[self._lines - 1][0] :]
            shortened = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, width_px)
            whole[-1] = shortened if shortened != rest else f"{whole[-1]}\N{HORIZONTAL ELLIPSIS}"
        return [remove_break_marks(line) for line in whole]

    def heightForWidth(self, width: int) -> int:
        """Return the height at a width, pixels."""
        count = self._lines if self._fixed else max(1, len(self.shown_lines(width)))
        return count * self.fontMetrics().lineSpacing()

    def minimumSizeHint(self) -> QSize:
        """Return the width of a few letters."""
        count = self._lines if self._fixed else 1
        return QSize(self.fontMetrics().averageCharWidth() * 4, count * self.fontMetrics().lineSpacing())

    def sizeHint(self) -> QSize:
        """Return the height at the current width."""
        width = max(self.width(), self.minimumSizeHint().width())
        return QSize(width, self.heightForWidth(width))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines that fit."""
        del event
        painter, metrics = QPainter(self), self.fontMetrics()
        painter.setPen(self.palette().color(self.foregroundRole()))
        for number, line in enumerate(self.shown_lines(self.width())):
            painter.drawText(QPointF(0, number * metrics.lineSpacing() + metrics.ascent()), line)


def _wrap_option() -> QTextOption:
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    return option
