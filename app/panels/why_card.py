"""Why: the reasons as sentences, and per split what was the bottleneck."""

import itertools
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.live.phrases import setting_name
from app.load_words import load_name
from app.panels.in_turn import InTurn
from app.panels.share_rows import SplitShares
from app.theme.theme import Theme
from app.widgets.card import Card
from app.widgets.glossary import explain
from app.widgets.split_bar import SplitTag
from app.widgets.text import hairline, label, selectable
from app.words import typeset
from scheduler.model.queueing import QueueModel
from scheduler.model.results import Point, Recommendation

_STILL_MS = 150


class WhyCard(Card):
    """The reasons, then one row per split and load.

    Args:
        theme: Colours.
        turns: Lays the groups of reasons out one by one: all at once take longer than a frame.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, turns: InTurn, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self._turns = turns
        self.set_title(self.tr("Why"))
        self._theme = theme
        self.groups = tuple((label(title, "strong"), selectable(label("", wrap=True))) for title in self._titles())
        for part in (part for group in self.groups for part in group):
            self.body.addWidget(part)
            part.hide()
        self.models = selectable(label("", wrap=True))
        self.models_title = label(self.tr("The queueing model beside the measurement"), "dim")
        explain(self.models_title, "model")
        for part in (self.models_title, self.models):
            self.body.addWidget(part)
            part.hide()
        self.body.addWidget(hairline())
        self.body.addWidget(label(self.tr("What the limit was"), "strong"))
        legend = self.tr(
            "Bars: CPU delivered to the I/O domain (above) and the guest (below; two have a bar each); framed: "
            "configured. The word is what was short; point at it for the figures."
        )
        self.body.addWidget(label(legend, "dim", wrap=True))
        self._splits: list[SplitShares] = []
        self._answer: Recommendation | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_STILL_MS)
        self._soon.timeout.connect(self._say_in_turn)

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
        self.models.setText(typeset("\n".join(f"\N{BULLET} {line}" for line in lines)))
        for part in (self.models_title, self.models):
            part.setVisible(bool(lines))

    def saying(self, answer: Recommendation) -> list[tuple[str, Callable[[], None]]]:
        """Return names and pieces of the work of showing an answer's reasons."""
        self._answer = answer
        groups = _grouped(answer)
        several = sum(bool(group) for group in groups) > 1
        return [
            (f"why, group {row}", partial(self._say, row, group, several=several)) for row, group in enumerate(groups)
        ]

    def _say_in_turn(self) -> None:
        if self._answer is not None:
            for name, fill in self.saying(self._answer):
                self._turns.want(name, fill)

    def _say(self, row: int, group: Sequence[str], *, several: bool) -> None:
        title, words = self.groups[row]
        words.setText(typeset("\n".join(f"\N{BULLET} {reason}" for reason in group)))
        words.setVisible(bool(group))
        title.setVisible(several and bool(group))

    def _titles(self) -> tuple[str, ...]:
        return self.tr("Evidence"), self.tr("What it means"), self.tr("Limits")

    def filling(self, points: Sequence[Point]) -> list[tuple[str, Callable[[], None]]]:
        """Return names and pieces of the work of showing what limited each point of another run.

        The run's answer is to be shown between the call of this and the pieces.
        """
        self._soon.stop()
        for row in range(len(self.groups)):
            self._say(row, (), several=False)
        names = dict.fromkeys(setting_name(point.split) for point in points)
        tag_px = max((SplitTag(self._theme, name).sizeHint().width() for name in names), default=0)
        load_px = max((self.fontMetrics().horizontalAdvance(load_name(point.load)) for point in points), default=0)
        by_split = [tuple(group) for _, group in itertools.groupby(points, lambda point: point.split)]
        while len(self._splits) > len(by_split):
            self._splits.pop().deleteLater()
        return [
            (f"why {group[0].split}", partial(self._show_split, row, group, (tag_px, load_px)))
            for row, group in enumerate(by_split)
        ]

    def _show_split(self, row: int, points: Sequence[Point], widths_px: Sequence[int]) -> None:
        """Show one split's rows, in a widget of their own: shown as one, they are laid out once and not once each."""
        if row < len(self._splits):
            self._splits[row].show_points(points, widths_px)
            return
        made = SplitShares(self._theme)
        made.show_points(points, widths_px)
        self._splits.append(made)
        self.body.addWidget(made)


def _grouped(answer: Recommendation) -> tuple[list[str], ...]:
    """Return the reasons as evidence, as what they mean, and as how far that holds."""
    told = {*answer.means, *answer.limits}
    evidence = [reason for reason in answer.reasons if reason not in told]
    return evidence, list(answer.means), list(answer.limits)
