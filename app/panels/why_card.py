"""Why: the reasons as sentences, and per split what was the bottleneck, with its shares as small bars."""

import itertools
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from app.live.phrases import load_name, setting_name
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.card import Card
from app.widgets.series_style import domain_style, load_style
from app.widgets.split_bar import SplitTag
from app.widgets.text import hairline, label, selectable
from app.words import percent, typeset
from scheduler.model.results import Point, Recommendation
from scheduler.model.split import GUEST, IO

_BARS = QSize(110, 22)
_STILL_MS = 150


class ShareBars(QWidget):
    """Two bars, I/O domain above guest: filled is delivered, the frame is what was configured.

    Args:
        theme: Colours.
        point: Has both shares, fractions of one CPU.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, point: Point, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._point = point
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(self.words())
        self.setAccessibleName(self.words())
        theme.changed.connect(self.update)

    def words(self) -> str:
        """Return both shares as words."""
        parts: list[str] = []
        for domain in (IO, GUEST):
            got, wanted = self._point.delivered_share.get(domain), self._point.configured_share.get(domain)
            name = domain_style(domain, self._theme.palette).name
            words = self.tr("{name}: {got} delivered, {wanted} configured")
            parts.append(words.format(name=name, got=percent(got), wanted=percent(wanted)))
        return "\n".join(parts)

    def sizeHint(self) -> QSize:
        """Return the fixed size."""
        return _BARS

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = (_BARS.height() - 4) / 2
        for row, domain in enumerate((IO, GUEST)):
            box = QRectF(0.5, row * (height + 4) + 0.5, _BARS.width() - 1, height - 1)
            self._paint_bar(painter, box, domain)

    def _paint_bar(self, painter: QPainter, box: QRectF, domain: str) -> None:
        colour = QColor(domain_style(domain, self._theme.palette).colour)
        painter.fillRect(box, QColor(self._theme.palette.sunken))
        got = min(1.0, self._point.delivered_share.get(domain, 0.0))
        painter.fillRect(QRectF(box.left(), box.top(), box.width() * got, box.height()), colour)
        wanted = self._point.configured_share.get(domain)
        if wanted is not None:
            painter.setPen(QPen(QColor(self._theme.palette.text), 1, Qt.PenStyle.SolidLine))
            painter.drawRect(QRectF(box.left(), box.top(), box.width() * wanted, box.height()))


class WhyCard(Card):
    """The reasons, then one row per split and load.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self.set_title(self.tr("Why"))
        self._theme = theme
        self.reasons = selectable(label("", wrap=True))
        self.body.addWidget(self.reasons)
        self.body.addWidget(hairline())
        legend = self.tr("Bars: CPU delivered to the I/O domain (above) and the guest (below); framed: configured.")
        self.body.addWidget(label(legend, "dim", wrap=True))
        self._groups: list[QWidget] = []
        self._answer: Recommendation | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_STILL_MS)
        self._soon.timeout.connect(self._show_reasons)

    def show_answer(self, answer: Recommendation) -> None:
        """Show the reasons; other ones once the answer has stood still: so many lines are laid out in several ms."""
        self._answer = answer
        if self.reasons.text():
            self._soon.start()
        else:
            self._show_reasons()

    def _show_reasons(self) -> None:
        if self._answer is not None:
            lines = "\n".join(f"\N{BULLET} {reason}" for reason in self._answer.reasons)
            self.reasons.setText(typeset(lines))

    def filling(self, points: Sequence[Point]) -> list[tuple[str, Callable[[], None]]]:
        """Return names and pieces of the work of showing what limited each point of another run.

        The run's answer is to be shown between the call of this and the pieces.
        """
        self._soon.stop()
        self.reasons.clear()
        for group in self._groups:
            group.deleteLater()
        self._groups = []
        names = dict.fromkeys(setting_name(point.split) for point in points)
        tag_px = max((SplitTag(self._theme, name).sizeHint().width() for name in names), default=0)
        load_px = max((self.fontMetrics().horizontalAdvance(load_name(point.load)) for point in points), default=0)
        by_split = (tuple(group) for _, group in itertools.groupby(points, lambda point: point.split))
        return [(f"why {group[0].split}", partial(self._add_group, group, (tag_px, load_px))) for group in by_split]

    def _add_group(self, points: Sequence[Point], widths_px: Sequence[int]) -> None:
        """Add one split's rows in a widget of their own: shown as one, they are laid out once and not once each."""
        group = QWidget()
        self._groups.append(group)
        grid = QGridLayout(group)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_L)
        grid.setVerticalSpacing(SPACE_S)
        grid.setColumnStretch(3, 1)
        for column, width_px in enumerate(widths_px):
            grid.setColumnMinimumWidth(column, width_px)
        grid.addWidget(SplitTag(self._theme, setting_name(points[0].split)), 0, 0)
        for row, point in enumerate(points):
            grid.addWidget(label(load_name(point.load), load_style(point.load, self._theme.palette).role), row, 1)
            grid.addWidget(ShareBars(self._theme, point), row, 2)
            grid.addWidget(selectable(label(point.bottleneck_text or point.reason, wrap=True)), row, 3)
        self.body.addWidget(group)
