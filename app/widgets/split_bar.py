"""The small two-colour bar, I/O domain : guest, that stands beside every split: DomTune's sign."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_S, Palette
from app.widgets.text import label, tip
from scheduler.errors import SpecError
from scheduler.model.split import Split, parse_split

BAR_SIZE = QSize(44, 10)
_GAP_PX = 1.5


def as_split(value: Split | str | None) -> Split | None:
    """Return a split from its label; None for None, `baseline` and whatever is not a split."""
    if not isinstance(value, str):
        return value
    try:
        return parse_split(value)
    except SpecError:
        return None


def paint_split(painter: QPainter, area: QRectF, split: Split | None, palette: Palette) -> None:
    """Draw the bar into `area`; an even grey bar when there is no split (also for item delegates)."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    shape = QPainterPath()
    shape.addRoundedRect(area, area.height() / 3, area.height() / 3)
    painter.setClipPath(shape)
    if split is None:
        painter.fillRect(area, QColor(palette.line))
    else:
        # A tenth of the bar's height is the least that can be seen of a 1:100 split.
        left = max(area.height() / 5, min(area.width() * split.io_frac, area.width() - area.height() / 5))
        painter.fillRect(QRectF(area.left(), area.top(), left - _GAP_PX / 2, area.height()), QColor(palette.io))
        rest = QRectF(area.left() + left + _GAP_PX / 2, area.top(), area.width() - left - _GAP_PX / 2, area.height())
        painter.fillRect(rest, QColor(palette.guest))
    painter.restore()


class SplitBar(QWidget):
    """The bar alone.

    Args:
        theme: Colours.
        split: A split, its label, or None.
        size: Size in device-independent pixels.
        parent: Qt's parent.
    """

    def __init__(
        self, theme: Theme, split: Split | str | None = None, size: QSize = BAR_SIZE, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._split: Split | None = None
        self._size = size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_split(split)
        theme.changed.connect(self.update)

    @property
    def split(self) -> Split | None:
        """The split that is shown."""
        return self._split

    def set_split(self, split: Split | str | None) -> None:
        """Show another split."""
        self._split = as_split(split)
        if self._split is None:
            self.setAccessibleName(self.tr("no split"))
        else:
            words = self.tr("split {label}: I/O domain {io} %, guest {guest} %").format(
                label=self._split.label, io=round(self._split.io_frac * 100), guest=round(self._split.guest_frac * 100)
            )
            self.setAccessibleName(words)
            self.setToolTip(tip(words))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the fixed size."""
        return self._size

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar."""
        del event
        painter = QPainter(self)
        paint_split(painter, QRectF(0, 0, self._size.width(), self._size.height()), self._split, self._theme.palette)


class SplitTag(QWidget):
    """The bar with the split's label beside it, `[bar] 1:2`; `role` is the label's role."""

    def __init__(
        self, theme: Theme, split: Split | str | None = None, role: str = "strong", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.bar = SplitBar(theme, split)
        self.words: QLabel = label("", role)
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        box.addWidget(self.bar)
        box.addWidget(self.words)
        box.addStretch(1)
        self.set_split(split)

    def set_split(self, split: Split | str | None) -> None:
        """Show another split; a label that is not a split (`baseline`) is shown as it is, with a grey bar."""
        self.bar.set_split(split)
        known = self.bar.split
        self.words.setText(known.label if known else str(split or ""))
