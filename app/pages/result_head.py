"""Head of the result page: the headline and three lines of evidence."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.display_texts import (
    format_clock,
    format_confidence,
    format_half_width,
    format_interval,
    format_percent,
    format_rate,
    format_signed_percent,
    typeset_text,
)
from app.load_texts import load_name, unit_of
from app.theme.icons import render_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_S
from app.widgets.buttons import link_button
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.headline_label import HeadlineLabel
from app.widgets.labels import make_label, make_selectable
from app.widgets.split_bar import SplitBar
from scheduler.model.decision import DecisionKind
from scheduler.model.objective import LIMITED, WEIGHTED, WORST_CASE
from scheduler.model.results import Answer, Recommendation, Results, SplitVerdict
from scheduler.model.setting import split_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import Split
from scheduler.model.terminal_text import replace_controls
from scheduler.translation import _

_CLAIMED_FRAC = 0.945  # rounds to 95 %, which needs enough trials
_SURE_FRAC = 0.995  # above, percents would have more digits than the model supports


def gain_line(answer: Recommendation) -> str:
    """Return the gain over the original settings as a sentence."""
    if answer.gain_frac is None:
        if answer.objective.name == LIMITED:
            return _("Gain unknown: the original settings violate the limit, or lack a load.")
        return _("Gain unknown: the original settings were not measured under every load.")
    texts = {
        WEIGHTED: _("{gain} throughput compared with the original settings"),
        WORST_CASE: _("{gain} for the load that suffers most, compared with the original settings"),
        LIMITED: _("{gain} {load} throughput compared with the original settings"),
    }
    words = texts[answer.objective.name].format(
        gain=format_signed_percent(answer.gain_frac), load=load_name(answer.objective.load)
    )
    if answer.gain_ci95_frac is None:
        return _("{words}; no interval: too few trials").format(words=words)
    return _("{words}; 95 % interval {span}").format(words=words, span=format_interval(*answer.gain_ci95_frac))


def sure_line(answer: Recommendation) -> str:
    """Return the confidence of the answer as a sentence."""
    tolerance = format_percent(answer.tolerance_frac)
    if not answer.label:
        return _("No result yet.")
    if answer.verdict is SplitVerdict.EQUIVALENT and answer.loss_bound_frac is not None:
        words = _("With 95 % confidence, {split} loses at most {loss} compared with any other split")
        return words.format(split=answer.label, loss=format_percent(answer.loss_bound_frac))
    if answer.confidence <= 0:
        return _("Confidence unknown: there is nothing to compare with.")
    sure = answer.confidence >= _SURE_FRAC
    much = _("more than 99 %") if sure else format_percent(answer.confidence)
    if answer.verdict is SplitVerdict.NONE and answer.decision.kind is not DecisionKind.STAY:
        return _uncertainty_text(answer).format(much=much, split=answer.label, tolerance=tolerance)
    return _("Confidence that no other split is better by more than {tolerance}: {much}").format(
        much=much, tolerance=tolerance
    )


def _uncertainty_text(answer: Recommendation) -> str:
    """Return why the confidence is too low, see `scheduler.stats.decision_threshold`."""
    if answer.confidence < answer.needed_confidence < 1:
        needed = format_confidence(answer.needed_confidence)
        words = _("Confidence that {split} is within {tolerance} of the best: {much} ({needed} needed)")
        return words.replace("{needed}", needed)
    if answer.confidence >= _CLAIMED_FRAC:
        return _("Confidence that {split} is within {tolerance} of the best: {much} (too few trials)")
    return _("Confidence that {split} is within {tolerance} of the best: {much} (too low)")


def cost_line(answer: Recommendation, spec: RunSpec) -> str:
    """Return each load's throughput and its loss against the load's own best split.

    Args:
        answer: The answer.
        spec: The plan.
    """
    row = next((row for row in answer.regret if row.label == answer.label), None)
    names = [load.name for load in spec.loads if load.name in answer.expected_tps]
    parts = [_load_cost(answer, row.loss_frac.get(name) if row else None, name) for name in names]
    return "; ".join(parts) if parts else _("No load was measured at every split.")


def _load_cost(answer: Recommendation, loss_frac: float | None, kind: str) -> str:
    tps = answer.expected_tps[kind]
    low_high = answer.ci95_tps.get(kind)
    half = f" {format_half_width(*low_high, tps)}" if low_high else ""
    words = f"{load_name(kind)} {format_rate(tps, unit_of([kind], answer.units))}{half}"
    if loss_frac is None:
        return words
    if loss_frac <= 0:
        return _("{words}, its best").format(words=words)
    return _("{words}, {loss} below its own best").format(words=words, loss=format_percent(loss_frac))


_BAR = QSize(88, 20)


class ResultHead(QWidget):
    """Headline with the run's name, note and evidence.

    The bar of a split is shown only if the decision orders that split.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.about = make_label("", "dim", wrap=True)
        self.note = make_selectable(make_label("", "", wrap=True))
        self.edit = link_button(theme, _("Name, tags and note\N{HORIZONTAL ELLIPSIS}"), "edit")
        self.replay = link_button(theme, _("Replay"), "clock")
        self.replay.setToolTip(_("Show the answer as it was at an earlier time of the run"))
        self.sentence = HeadlineLabel()
        make_selectable(self.sentence)
        self.lines = [make_selectable(make_label("", "large", wrap=True)) for _ in range(3)]
        self._icons = [QLabel() for _ in self.lines]
        self._splits: tuple[Split, ...] = ()
        self._bars: list[SplitBar] = []
        self._row = QHBoxLayout()
        self._row.setSpacing(SPACE_S)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        row = QHBoxLayout()
        row.addWidget(self.about, 1)
        for button in (self.replay, self.edit):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        box.addLayout(row)
        box.addWidget(self.note)
        top = QHBoxLayout()
        top.setSpacing(SPACE_L)
        top.addLayout(self._row)
        top.addWidget(self.sentence, 1)
        box.addLayout(top)
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_M)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (icon, line) in enumerate(zip(self._icons, self.lines, strict=True)):
            grid.addWidget(icon, row, 0)
            grid.addWidget(line, row, 1)
        box.addLayout(grid)
        set_glossary_tip(self.lines[0], "baseline")
        set_glossary_tip(self.lines[1], "confidence")
        set_glossary_tip(self.lines[2], "regret")
        theme.follow(self, self._tint_icons)

    def show_run(self, results: Results) -> None:
        """Show name, host, time, tags and note of a run."""
        names = (replace_controls(results.name), replace_controls(results.host_title))
        about = (*names, format_clock(results.started_unix_s), replace_controls(", ".join(results.tags)))
        self.about.setText(" \N{MIDDLE DOT} ".join(part for part in dict.fromkeys(about) if part))
        self.note.setText(results.note)
        self.note.setVisible(bool(results.note))

    def show_answer(self, answer: Answer, spec: RunSpec) -> None:
        """Show an answer to the plan; exports and command line use the same texts."""
        self.sentence.setText(typeset_text(answer.headline))
        split = answer.recommendation
        texts = (gain_line(split), sure_line(split), cost_line(split, spec)) if split else ("", "", "")
        for icon, line, words in zip(self._icons, self.lines, texts, strict=True):
            line.setText(words)
            for part in (icon, line):
                part.setVisible(split is not None)
        # A bar before the headline means: set this split.
        splits = tuple(filter(None, (split_of(answer.decision.ordered),)))
        if splits == self._splits:
            return
        self._splits = splits
        self._provide_bars(len(splits))
        for bar, split in zip(self._bars, splits, strict=True):
            bar.set_split(split)

    def _provide_bars(self, count: int) -> None:
        """Make or remove bars until there are `count`.

        Existing bars are kept, because each change lays out the whole page again.
        """
        while len(self._bars) > count:
            bar = self._bars.pop()
            self._row.removeWidget(bar)
            bar.deleteLater()
        while len(self._bars) < count:
            self._bars.append(bar := SplitBar(self._theme, None, _BAR))
            self._row.addWidget(bar)
            bar.show()  # Qt would show the bar later and give the headline the whole width until then

    def _tint_icons(self) -> None:
        for icon, name in zip(self._icons, ("plot", "check", "split"), strict=True):
            icon.setPixmap(render_icon(name, self._theme.palette.accent_text, 18, self.devicePixelRatioF()))
