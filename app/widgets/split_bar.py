"""Split bar: the small bar in two colours that shows I/O domain : guest."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.display_texts import format_percent
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S, Palette
from app.widgets.labels import make_label, tooltip_text
from scheduler.model.split import GUEST, GUEST_2, IO, Split
from scheduler.translation import _

BAR_SIZE = QSize(44, 10)
_GAP_PX = 1.5


def paint_split(painter: QPainter, area: QRectF, split: Split | None, palette: Palette) -> None:
    """Draw a split bar; also for item delegates.

    Args:
        painter: Painter of the widget.
        area: Rectangle of the bar, pixels.
        split: Split to show; None for an even grey bar.
        palette: Current colours.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    shape = QPainterPath()
    shape.addRoundedRect(area, area.height() / 3, area.height() / 3)
    painter.setClipPath(shape)
    if split is None:
        painter.fillRect(area, QColor(palette.line))
    else:
        _paint_parts(painter, area, split, palette)
    painter.restore()


def _paint_parts(painter: QPainter, area: QRectF, split: Split, palette: Palette) -> None:
    # Narrowest visible part, as in a 1:100 split: a fifth of the bar's height.
    least, wide = area.height() / 5, area.width()
    io = max(least, min(wide * split.frac_of(IO), wide - least))
    ends = [(io, palette.io), (wide, palette.guest)]
    if GUEST_2 in split.parts:
        guest = max(io + least, min(wide * (1 - split.frac_of(GUEST_2)), wide - least))
        ends = [(io, palette.io), (guest, palette.guest), (wide, palette.guest_2)]
    begin = 0.0
    for end, colour in ends:
        left, right = begin + (_GAP_PX / 2 if begin else 0.0), end - (_GAP_PX / 2 if end < wide else 0.0)
        painter.fillRect(QRectF(area.left() + left, area.top(), right - left, area.height()), QColor(colour))
        begin = end


class SplitBar(QWidget):
    """Split bar without a label.

    Args:
        theme: Colours.
        split: The split; None for none.
        size: Size in device-independent pixels.
        parent: Qt's parent.
    """

    def __init__(
        self, theme: Theme, split: Split | None = None, size: QSize = BAR_SIZE, parent: QWidget | None = None
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
        """The current split."""
        return self._split

    def set_split(self, split: Split | None) -> None:
        """Set the split."""
        self._split = split
        words = self._accessible_text(self._split) if self._split is not None else ""
        self.setAccessibleName(words or _("no split"))
        self.setToolTip(tooltip_text(words) if words else "")
        self.update()

    def _accessible_text(self, split: Split) -> str:
        text, domains = _("split {label}: I/O domain {io}, guest {guest}"), {"io": IO, "guest": GUEST}
        if GUEST_2 in split.parts:
            text = _("split {label}: I/O domain {io}, guest {guest}, second guest {second}")
            domains = {**domains, "second": GUEST_2}
        percents = {name: format_percent(split.frac_of(domain)) for name, domain in domains.items()}
        return text.format(label=split.label, **percents)

    def sizeHint(self) -> QSize:
        """Return the fixed size."""
        return self._size

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar."""
        del event
        painter = QPainter(self)
        paint_split(painter, QRectF(0, 0, self._size.width(), self._size.height()), self._split, self._theme.palette)


class SplitTag(QWidget):
    """Split bar with the label of the split, `[bar] 1:2`.

    `role` is the role of the label.
    """

    def __init__(
        self, theme: Theme, split: Split | None = None, role: str = "strong", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.bar = SplitBar(theme, split)
        self.words: QLabel = make_label("", role)
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        box.addWidget(self.bar)
        box.addWidget(self.words)
        box.addStretch(1)
        self.set_split(split)

    def set_split(self, split: Split | None) -> None:
        """Set the split; None shows a grey bar without a label."""
        self.bar.set_split(split)
        self.words.setText(split.label if split else "")

    def show_setting(self, text: str, split: Split | None, *, room: bool) -> None:
        """Show a setting; hide the bar for a setting without a split.

        Args:
            text: Display name of the setting.
            split: Its split; None for none.
            room: Keep the space of a hidden bar.
        """
        self.bar.set_split(split)
        self.words.setText(text)
        kept = self.bar.sizePolicy()
        kept.setRetainSizeWhenHidden(room)
        self.bar.setSizePolicy(kept)
        self.bar.setVisible(self.bar.split is not None)
