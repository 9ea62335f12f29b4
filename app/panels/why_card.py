"""Why: the reasons as sentences, and per split what was the bottleneck."""

import itertools
import math
from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.display_texts import typeset_text
from app.live.live_texts import setting_name
from app.load_texts import load_name
from app.panels.share_rows import ShareRowLayout, SplitShares
from app.theme.theme import Theme
from app.widgets.card import Card
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_hairline, make_label, make_selectable
from app.widgets.split_bar import SplitTag
from scheduler.model.queueing import QueueModel
from scheduler.model.results import MeasuredPoint, Recommendation
from scheduler.model.setting import split_of

_STILL_MS = 150
_BLUR = 0.08  # of a CPU: what counters that are read one after the other say too much


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
        self.groups = tuple(
            (make_label(title, "strong"), make_selectable(make_label("", wrap=True))) for title in self._group_titles()
        )
        for part in (part for group in self.groups for part in group):
            self.body.addWidget(part)
            part.hide()
        self.models = make_selectable(make_label("", wrap=True))
        self.models_title = make_label(self.tr("The queueing model beside the measurement"), "dim")
        set_glossary_tip(self.models_title, "model")
        for part in (self.models_title, self.models):
            self.body.addWidget(part)
            part.hide()
        self.body.addWidget(make_hairline())
        self.body.addWidget(make_label(self.tr("What the limit was"), "strong"))
        self.legend = make_label("", "dim", wrap=True)
        self._explain_bars(1)
        self.body.addWidget(self.legend)
        self._splits: list[SplitShares] = []
        self._answer: Recommendation | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_STILL_MS)
        self._soon.timeout.connect(self._show_last_answer)

    @property
    def reasons(self) -> list[str]:
        """The sentences that are shown, in the order in which they are."""
        return [line for _, words in self.groups for line in words.text().split("\n") if line]

    def show_answer(self, answer: Recommendation) -> None:
        """Show the reasons of another answer, once it has stood still: so many lines are laid out in many ms."""
        self._answer = answer
        self._soon.start()

    def show_models(self, models: Sequence[QueueModel]) -> None:
        """Say how well the model agrees with the measurement, and where not."""
        lines = [" ".join(model.sentences) or model.reason for model in models]
        self.models.setText(typeset_text("\n".join(f"\N{BULLET} {line}" for line in lines)))
        for part in (self.models_title, self.models):
            part.setVisible(bool(lines))

    def show_reasons(self, answer: Recommendation) -> None:
        """Show the reasons of an answer now."""
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
        return self.tr("Evidence"), self.tr("What it means"), self.tr("Limits")

    def show_points(self, points: Sequence[MeasuredPoint], cpus: int = 1) -> None:
        """Show the limit of each point of another run.

        Args:
            points: Those of the run.
            cpus: Number of CPUs that the domains of its host share.
        """
        look = self._row_layout(points, cpus)
        self._explain_bars(look.full_cpus)
        by_split = [tuple(group) for _, group in itertools.groupby(points, lambda point: point.setting)]
        while len(self._splits) > len(by_split):
            self._splits.pop().deleteLater()
        for row, group in enumerate(by_split):
            self._show_split(row, group, look)

    def _row_layout(self, points: Sequence[MeasuredPoint], cpus: int) -> ShareRowLayout:
        """Return what the rows of these points have in common, on a host whose domains share so many CPUs."""
        settings = dict.fromkeys(point.setting for point in points)
        bars, tag, tags_px = any(map(split_of, settings)), SplitTag(self._theme), [0]
        for setting in settings:
            tag.show_setting(setting_name(setting), split_of(setting), room=bars)
            tags_px.append(tag.sizeHint().width())
        loads_px = [self.fontMetrics().horizontalAdvance(load_name(point.load)) for point in points]
        most = max((got for point in points for got in point.delivered_share.values()), default=0.0)
        return ShareRowLayout((max(tags_px), max(loads_px, default=0)), bars, max(cpus, math.ceil(most - _BLUR)), cpus)

    def _explain_bars(self, cpus: int) -> None:
        words = self.tr(
            "Bars: CPU delivered to the I/O domain (above) and the guest (below; two have a bar each); framed: "
            "configured. The word is what was short; point at it for the figures."
        )
        if cpus > 1:
            words = self.tr("{words} A full bar is {n} CPUs.").format(words=words, n=cpus)
        self.legend.setText(words)

    def _show_split(self, row: int, points: Sequence[MeasuredPoint], look: ShareRowLayout) -> None:
        """Show one setting's rows, in a widget of their own: shown as one, they are laid out once and not once each."""
        if row < len(self._splits):
            self._splits[row].show_points(points, look)
            return
        made = SplitShares(self._theme)
        made.show_points(points, look)
        self._splits.append(made)
        self.body.addWidget(made)


def _group_reasons(answer: Recommendation) -> tuple[list[str], ...]:
    """Return the reasons as evidence, as what they mean, and as how far that holds."""
    told = {*answer.means, *answer.limits}
    evidence = [reason for reason in answer.reasons if reason not in told]
    return evidence, list(answer.means), list(answer.limits)
