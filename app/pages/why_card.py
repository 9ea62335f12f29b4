"""Card with the reasons of an answer, and the bottleneck of each split."""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from app.display_texts import typeset_text
from app.load_texts import load_name
from app.plots.cpu_units import format_cpu_use
from app.plots.live_texts import limit_word, setting_name
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.card import Card
from app.widgets.glossary_tips import set_glossary_tip, set_term_tip
from app.widgets.labels import make_hairline, make_label, make_selectable, set_role, tooltip_text
from app.widgets.series_style import domain_style, limit_style, load_style
from app.widgets.split_bar import SplitTag
from scheduler.model.queueing import QueueModel
from scheduler.model.results import Answer, MeasuredPoint
from scheduler.model.setting import split_of
from scheduler.translation import _

_BARS = QSize(110, 22)


class ShareRowLayout(NamedTuple):
    """Layout that the rows of all settings share, so that they line up.

    Attributes:
        widths_px: Minimum widths of setting and load.
        bars: True if some settings have a split, whose bar is drawn before them.
        full_cpus: CPUs of a full bar.
        shared_cpus: CPUs that the domains share, of which CPU is allotted.
    """

    widths_px: Sequence[int] = ()
    bars: bool = True
    full_cpus: int = 1
    shared_cpus: int = 1


class ShareBars(QWidget):
    """Bars of CPU used (filled) and allotted (framed), one per domain.

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
        """Show CPU used and allotted at a point.

        Args:
            point: Measured point.
            look: Layout shared with other rows; None for a full bar of one CPU.
        """
        self._point, self._look = point, look or ShareRowLayout()
        words = "\n".join(self._share_text(point, domain, self._look.shared_cpus) for domain in point.domains)
        self.setToolTip(tooltip_text(words))
        self.setAccessibleName(words)
        self.update()

    def _share_text(self, point: MeasuredPoint, domain: str, cpus: int) -> str:
        used, allotted = point.used_share.get(domain), point.allotted_share.get(domain)
        name = domain_style(domain, self._theme.palette).name
        words = _("{name}: {used} used, {allotted} allotted")
        allotted_cpus = None if allotted is None else allotted * cpus
        return words.format(name=name, used=format_cpu_use(used, cpus), allotted=format_cpu_use(allotted_cpus, cpus))

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
        used = min(1.0, point.used_share.get(domain, 0.0) / self._look.full_cpus)
        painter.fillRect(QRectF(box.left(), box.top(), box.width() * used, box.height()), colour)
        allotted = point.allotted_share.get(domain)
        if allotted is not None:
            painter.setPen(QPen(QColor(self._theme.palette.text), 1, Qt.PenStyle.SolidLine))
            wide = box.width() * allotted * self._look.shared_cpus / self._look.full_cpus
            painter.drawRect(QRectF(box.left(), box.top(), wide, box.height()))


class _ShareRow(NamedTuple):
    load: QLabel
    bars: ShareBars
    limit: QLabel


class SplitShares(QWidget):
    """Rows of one setting, a row per load.

    Rows are reused for the next run, because labels are slow to make.

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
            points: One per load; at least one.
            look: Layout shared with the rows of other settings.
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
        """Show the bottleneck in a word, with the full sentence as tooltip.

        Screen readers read the full sentence.
        """
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


_STILL_MS = 150
_BLUR = 0.08  # of a CPU: excess of counters that are read one after the other


class WhyCard(Card):
    """Card with the reasons, and a row per split and load.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self.set_title(_("Why"))
        self._theme = theme
        self.groups = tuple(
            (make_label(title, "strong"), make_selectable(make_label("", wrap=True))) for title in self._group_titles()
        )
        for part in (part for group in self.groups for part in group):
            self.body.addWidget(part)
            part.hide()
        self.models = make_selectable(make_label("", wrap=True))
        self.models_title = make_label(_("Queueing model and measurement"), "dim")
        set_glossary_tip(self.models_title, "model")
        for part in (self.models_title, self.models):
            self.body.addWidget(part)
            part.hide()
        self.body.addWidget(make_hairline())
        self.body.addWidget(make_label(_("Bottleneck at each split"), "strong"))
        self.legend = make_label("", "dim", wrap=True)
        self._explain_bars(1)
        self.body.addWidget(self.legend)
        self._splits: list[SplitShares] = []
        self._answer: Answer | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_STILL_MS)
        self._soon.timeout.connect(self._show_last_answer)

    @property
    def reasons(self) -> list[str]:
        """Sentences on the card, in their order."""
        return [line for _, words in self.groups for line in words.text().split("\n") if line]

    def show_answer(self, answer: Answer) -> None:
        """Show the reasons of another answer once the slider rests.

        The layout of so many lines takes many milliseconds.
        """
        self._answer = answer
        self._soon.start()

    def show_models(self, models: Sequence[QueueModel]) -> None:
        """Show how well the queueing models agree with the measurement."""
        lines = [" ".join(model.sentences) or model.reason for model in models]
        self.models.setText(typeset_text("\n".join(f"\N{BULLET} {line}" for line in lines)))
        for part in (self.models_title, self.models):
            part.setVisible(bool(lines))

    def show_reasons(self, answer: Answer) -> None:
        """Show the reasons of an answer at once."""
        self._soon.stop()
        groups = _group_reasons(answer)
        several = sum(bool(group) for group in groups) > 1
        for row, group in enumerate(groups):
            self._show_words(row, group, several=several)

    def _show_last_answer(self) -> None:
        if self._answer is not None:
            self.show_reasons(self._answer)

    def _show_words(self, row: int, group: Sequence[str], *, several: bool) -> None:
        title, words = self.groups[row]
        words.setText(typeset_text("\n".join(f"\N{BULLET} {reason}" for reason in group)))
        words.setVisible(bool(group))
        title.setVisible(several and bool(group))

    def _group_titles(self) -> tuple[str, ...]:
        return _("Evidence"), _("Meaning"), _("Limits")

    def show_points(self, points: Sequence[MeasuredPoint], cpus: int = 1) -> None:
        """Show the bottleneck of each point of a run.

        Args:
            points: Points of the run.
            cpus: CPUs that the host's domains share, >= 1.
        """
        look = self._row_layout(points, cpus)
        self._explain_bars(look.full_cpus)
        by_split = [tuple(group) for _, group in itertools.groupby(points, lambda point: point.setting)]
        while len(self._splits) > len(by_split):
            self._splits.pop().deleteLater()
        for row, group in enumerate(by_split):
            self._show_split(row, group, look)

    def _row_layout(self, points: Sequence[MeasuredPoint], cpus: int) -> ShareRowLayout:
        """Return the common layout of rows for domains that share `cpus` CPUs."""
        settings = dict.fromkeys(point.setting for point in points)
        bars, tag, tags_px = any(map(split_of, settings)), SplitTag(self._theme), [0]
        for setting in settings:
            tag.show_setting(setting_name(setting), split_of(setting), room=bars)
            tags_px.append(tag.sizeHint().width())
        loads_px = [self.fontMetrics().horizontalAdvance(load_name(point.load)) for point in points]
        most = max((got for point in points for got in point.used_share.values()), default=0.0)
        return ShareRowLayout((max(tags_px), max(loads_px, default=0)), bars, max(cpus, math.ceil(most - _BLUR)), cpus)

    def _explain_bars(self, cpus: int) -> None:
        words = _(
            "Bars: CPU used by the I/O domain (above) and the guest (below; two guests have a bar each). "
            "Frames: CPU allotted. The word names the bottleneck. Point at it for the figures."
        )
        if cpus > 1:
            words = _("{words} A full bar is {n} CPUs.").format(words=words, n=cpus)
        self.legend.setText(words)

    def _show_split(self, row: int, points: Sequence[MeasuredPoint], look: ShareRowLayout) -> None:
        """Show the rows of one setting in a widget of their own.

        Such a widget is laid out once, instead of once per row.
        """
        if row < len(self._splits):
            self._splits[row].show_points(points, look)
            return
        made = SplitShares(self._theme)
        made.show_points(points, look)
        self._splits.append(made)
        self.body.addWidget(made)


def _group_reasons(answer: Answer) -> tuple[tuple[str, ...], ...]:
    """Return the reasons in three groups: evidence, meaning and limits."""
    return answer.reasons, answer.advice, answer.limit_sentences
