"""What limited each load at one setting, and the domains' shares as small bars."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from app.display_texts import format_percent
from app.live.live_texts import limit_word, setting_name
from app.load_texts import load_name
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.glossary_tips import set_term_tip
from app.widgets.labels import make_label, make_selectable, set_role, tooltip_text
from app.widgets.series_style import domain_style, limit_style, load_style
from app.widgets.split_bar import SplitTag
from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import split_of

_BARS = QSize(110, 22)


class ShareRowLayout(NamedTuple):
    """What the rows of all settings have in common, so that they line up and can be compared.

    Attributes:
        widths_px: The least widths of setting and load.
        bars: True where some of the settings have a split, whose bar stands before them.
        full_cpus: CPUs that a full bar of shares stands for.
        shared_cpus: CPUs of which parts are configured.
    """

    widths_px: Sequence[int] = ()
    bars: bool = True
    full_cpus: int = 1
    shared_cpus: int = 1


class ShareBars(QWidget):
    """A bar each, I/O domain above guests: filled is delivered, the frame is what was configured.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._point: MeasuredPoint | None = None
        self._look = ShareRowLayout()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_point(self, point: MeasuredPoint, look: ShareRowLayout | None = None) -> None:
        """Show the shares of a point; by default all are fractions of one CPU."""
        self._point, self._look = point, look or ShareRowLayout()
        words = "\n".join(self._share_text(point, domain) for domain in point.domains)
        self.setToolTip(tooltip_text(words))
        self.setAccessibleName(words)
        self.update()

    def _share_text(self, point: MeasuredPoint, domain: str) -> str:
        got, wanted = point.delivered_share.get(domain), point.configured_share.get(domain)
        name = domain_style(domain, self._theme.palette).name
        words = self.tr("{name}: {got} delivered, {wanted} configured")
        return words.format(name=name, got=format_percent(got), wanted=format_percent(wanted))

    def sizeHint(self) -> QSize:
        """Return the fixed size."""
        return _BARS

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars."""
        del event
        if self._point is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        domains = self._point.domains
        gap = 4 if len(domains) == 2 else 2
        height = (_BARS.height() - gap * (len(domains) - 1)) / len(domains)
        for row, domain in enumerate(domains):
            box = QRectF(0.5, row * (height + gap) + 0.5, _BARS.width() - 1, height - 1)
            self._paint_bar(painter, box, self._point, domain)

    def _paint_bar(self, painter: QPainter, box: QRectF, point: MeasuredPoint, domain: str) -> None:
        colour = QColor(domain_style(domain, self._theme.palette).colour)
        painter.fillRect(box, QColor(self._theme.palette.sunken))
        got = min(1.0, point.delivered_share.get(domain, 0.0) / self._look.full_cpus)
        painter.fillRect(QRectF(box.left(), box.top(), box.width() * got, box.height()), colour)
        wanted = point.configured_share.get(domain)
        if wanted is not None:
            painter.setPen(QPen(QColor(self._theme.palette.text), 1, Qt.PenStyle.SolidLine))
            wide = box.width() * wanted * self._look.shared_cpus / self._look.full_cpus
            painter.drawRect(QRectF(box.left(), box.top(), wide, box.height()))


class _ShareRow(NamedTuple):
    load: QLabel
    bars: ShareBars
    limit: QLabel


class SplitShares(QWidget):
    """One setting's rows, a row per load; shown for another run, it keeps what it has: making labels is what costs.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tag = SplitTag(theme)
        self._rows: list[_ShareRow] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_L)
        self._grid.setVerticalSpacing(SPACE_S)
        self._grid.setColumnStretch(3, 1)
        self._grid.addWidget(self._tag, 0, 0)

    def show_points(self, points: Sequence[MeasuredPoint], look: ShareRowLayout) -> None:
        """Show the points of one setting.

        Args:
            points: One per load, at least one.
            look: As the other settings' rows have it.
        """
        setting = points[0].setting
        self._tag.show_setting(setting_name(setting), split_of(setting), room=look.bars)
        for column, width_px in enumerate(look.widths_px):
            self._grid.setColumnMinimumWidth(column, width_px)
        self._provide_rows(len(points))
        for row, point in zip(self._rows, points, strict=True):
            set_role(row.load, load_style(point.load, self._theme.palette).role)
            row.load.setText(load_name(point.load))
            row.bars.show_point(point, look)
            self._show_limit(row.limit, point)

    def _show_limit(self, words: QLabel, point: MeasuredPoint) -> None:
        """Say in a word what limited it; the sentence with its figures to whoever points at it, or has it read."""
        if point.bottleneck_text:
            words.setText(limit_word(point.bottleneck))
            set_term_tip(words, words.text(), point.bottleneck_text)
            set_role(words, limit_style(point.bottleneck, self._theme.palette).role)
        else:
            words.setText(point.reason)
            words.setToolTip("")
            words.setAccessibleDescription("")
            set_role(words, "dim")

    def _provide_rows(self, count: int) -> None:
        while len(self._rows) > count:
            for part in self._rows.pop():
                self._grid.removeWidget(part)
                part.deleteLater()
        while len(self._rows) < count:
            row = _ShareRow(make_label(), ShareBars(self._theme), make_selectable(make_label(wrap=True)))
            for column, part in enumerate(row, 1):
                self._grid.addWidget(part, len(self._rows), column)
            self._rows.append(row)
