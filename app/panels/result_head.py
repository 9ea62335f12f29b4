"""The answer: one large sentence and three short lines of evidence."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.display_texts import format_clock, typeset_text
from app.panels.evidence_texts import cost_line, gain_line, sure_line
from app.theme.icons import render_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_S
from app.widgets.buttons import link_button
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.headline_label import HeadlineLabel
from app.widgets.labels import make_label, make_selectable
from app.widgets.split_bar import SplitBar
from scheduler.model.results import Recommendation, Results
from scheduler.model.setting import split_of
from scheduler.model.split import Split
from scheduler.model.terminal_text import replace_controls

_BAR = QSize(88, 20)


class ResultHead(QWidget):
    """Show an answer; the bar of a split only where the decision orders it.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.about = make_label("", "dim", wrap=True)
        self.note = make_selectable(make_label("", "", wrap=True))
        self.edit = link_button(theme, self.tr("Name, tags and note\N{HORIZONTAL ELLIPSIS}"), "edit")
        self.sentence = HeadlineLabel()
        make_selectable(self.sentence)
        self.lines = [make_selectable(make_label("", "large", wrap=True)) for _ in range(3)]
        self._icons = [QLabel() for _ in self.lines]
        self._splits: tuple[Split, ...] = ()
        self._other = False
        self._bars: list[SplitBar] = []
        self._row = QHBoxLayout()
        self._row.setSpacing(SPACE_S)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        said = QHBoxLayout()
        said.addWidget(self.about, 1)
        said.addWidget(self.edit, 0, Qt.AlignmentFlag.AlignTop)
        box.addLayout(said)
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
        """Show which run it is, and what the person says of it."""
        names = (replace_controls(results.name), replace_controls(results.host_title))
        about = (*names, format_clock(results.started_unix_s), replace_controls(", ".join(results.tags)))
        self.about.setText(" \N{MIDDLE DOT} ".join(part for part in dict.fromkeys(about) if part))
        self._other = results.finding is not None  # a study whose answer has no gain, and no split to be sure of
        self.note.setText(results.note)
        self.note.setVisible(bool(results.note))

    def show_answer(self, answer: Recommendation) -> None:
        """Show this answer, in the words that exports and the command line use, too."""
        self.sentence.setText(typeset_text(answer.headline))
        told = ("", "", "") if self._other else (gain_line(answer), sure_line(answer), cost_line(answer))
        for icon, line, words in zip(self._icons, self.lines, told, strict=True):
            line.setText(words)
            for part in (icon, line):
                part.setVisible(not self._other)
        # A bar before the words is the split to take.
        splits = tuple(filter(None, (split_of(answer.decision.ordered),)))
        if splits == self._splits:
            return
        self._splits = splits
        self._provide_bars(len(splits))
        for bar, split in zip(self._bars, splits, strict=True):
            bar.set_split(split)

    def _provide_bars(self, count: int) -> None:
        """Keep the bars that there are: one that comes or goes lays out the whole page anew."""
        while len(self._bars) > count:
            bar = self._bars.pop()
            self._row.removeWidget(bar)
            bar.deleteLater()
        while len(self._bars) < count:
            self._bars.append(bar := SplitBar(self._theme, None, _BAR))
            self._row.addWidget(bar)
            bar.show()  # Qt would do it later: until then the sentence is measured as if it had all the width

    def _tint_icons(self) -> None:
        for icon, name in zip(self._icons, ("plot", "check", "split"), strict=True):
            icon.setPixmap(render_icon(name, self._theme.palette.accent_text, 18, self.devicePixelRatioF()))
