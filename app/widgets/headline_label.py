"""Headline that uses a smaller size before it takes more lines."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.theme.tokens import SIZE_BODY_PT, SIZE_DISPLAY_PT, SIZE_LEAD_PT, SIZE_TITLE_PT
from app.widgets.labels import set_role
from app.widgets.wrapped_label import WrappedLabel, insert_break_marks

WIDE_PX = 900
"""Minimum width for at most two lines, pixels. A narrower label allows three lines in the smaller sizes."""

_SIZES = (("display", SIZE_DISPLAY_PT), ("title", SIZE_TITLE_PT), ("lead", SIZE_LEAD_PT))  # roles of the style sheet
_TALL_PX = 10_000
_MOST_WIDTHS = 30


class HeadlineLabel(WrappedLabel):
    """Label with a sentence in the largest size that fits the allowed lines.

    A sentence that fits in no size has the smallest size and as many lines as it needs.

    Args:
        parent: Qt's parent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        self._roles: dict[int, str] = {}  # by width
        super().__init__("", parent)
        self.setProperty("role", "display")

    def setText(self, text: str) -> None:
        """Set the sentence and choose its size."""
        self._roles.clear()
        super().setText(text)
        self._fit_size(self.width())

    def heightForWidth(self, width: int) -> int:
        """Return the height at a width, pixels, in the size for that width."""
        role = self._role_at(width)
        return super().heightForWidth(width) if role == self.property("role") else self._height_px(width, role)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the size for the width."""
        super().resizeEvent(event)
        self._fit_size(event.size().width())

    def lines_at(self, width: int) -> int:
        """Return the number of lines at a width in pixels."""
        return self._count_lines(width, self._role_at(width))

    def _fit_size(self, width: int) -> None:
        set_role(self, self._role_at(width))

    def _role_at(self, width: int) -> str:
        if width not in self._roles:
            if len(self._roles) > _MOST_WIDTHS:  # the user is resizing the window
                self._roles.clear()
            narrow = width < WIDE_PX
            most = {role: 3 if narrow and role != _SIZES[0][0] else 2 for role, _ in _SIZES}
            fitting = (role for role, lines in most.items() if self._count_lines(width, role) <= lines)
            self._roles[width] = next(fitting, _SIZES[-1][0])
        return self._roles[width]

    def _count_lines(self, width: int, role: str) -> int:
        return round(self._height_px(width, role) / QFontMetrics(self._role_font(role)).lineSpacing())

    def _height_px(self, width: int, role: str) -> int:
        box = QRect(0, 0, max(1, width), _TALL_PX)
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft
        return (
            QFontMetrics(self._role_font(role)).boundingRect(box, int(flags), insert_break_marks(self.text())).height()
        )

    def _role_font(self, role: str) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(dict(_SIZES)[role] * QApplication.font().pointSizeF() / SIZE_BODY_PT)
        font.setWeight(QFont.Weight.DemiBold)
        return font
