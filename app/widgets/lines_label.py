"""A label of a few lines at most; what does not fit ends in an ellipsis, and the tooltip has all of it."""

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.widgets.labels import tooltip_text
from app.widgets.wrapped_label import insert_break_marks, remove_break_marks


class LinesLabel(QLabel):
    """Wrap a text into at most so many lines.

    Args:
        text: What it shows.
        role: Role of the style sheet.
        lines: Most lines, >= 1.
        fixed: Take room for all lines, however short the text: nothing around it moves when the text changes.
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
        self.setWordWrap(True)  # only then a label has a height for its width
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show another text."""
        if text == self.text():
            return
        super().setText(text)
        self.setToolTip(tooltip_text(text))
        self.setAccessibleName(text)
        self.updateGeometry()

    def shown_lines(self, width_px: int) -> list[str]:
        """Return the lines as they are drawn at a width."""
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
        """Ask for a few letters only."""
        count = self._lines if self._fixed else 1
        return QSize(self.fontMetrics().averageCharWidth() * 4, count * self.fontMetrics().lineSpacing())

    def sizeHint(self) -> QSize:
        """Return the height at the width that it has."""
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
