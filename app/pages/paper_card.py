"""Card that compares a run with a paper: ranks, statements, methods."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from app.background import BackgroundWorker
from app.display_texts import typeset_text
from app.plots.rank_plot import RankPlot
from app.plots.split_delegate import PercentDelegate, SplitDelegate
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M
from app.widgets.card import Card
from app.widgets.fold_button import FoldButton
from app.widgets.labels import make_label, make_selectable, set_role
from app.widgets.plot_frame import PlotFrame
from app.widgets.scroll_areas import scroll_into_view
from scheduler.papers.claim_check import CheckedStatement
from scheduler.papers.claims import ClaimOutcome
from scheduler.papers.comparison import PaperComparison
from scheduler.translation import _

_PLOT_PX = 380
_ROLES = {ClaimOutcome.YES: "good", ClaimOutcome.NO: "warn", ClaimOutcome.OPEN: "dim"}


class ClaimRows(QWidget):
    """Grid with a row per statement of a paper: outcome, statement, figures.

    Args:
        parent: Qt's parent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[QLabel, QLabel, QLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_L)
        self._grid.setVerticalSpacing(SPACE_M)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(2, 1)

    def show_facts(self, facts: Sequence[CheckedStatement]) -> None:
        """Show a row for each statement."""
        for row, fact in enumerate(facts):
            self._show_row(row, fact)
        for unused in self._rows[len(facts) :]:
            for part in unused:
                part.hide()

    @property
    def words(self) -> list[tuple[str, ...]]:
        """Texts of the visible rows."""
        return [tuple(part.text() for part in row) for row in self._rows if not row[0].isHidden()]

    def _show_row(self, row: int, fact: CheckedStatement) -> None:
        if row == len(self._rows):
            made = (
                make_label("", "strong"),
                make_selectable(make_label("", wrap=True)),
                make_selectable(make_label("", "dim", wrap=True)),
            )
            for column, part in enumerate(made):
                self._grid.addWidget(part, row, column, Qt.AlignmentFlag.AlignTop)
            self._rows.append(made)
        holds, says, figures = self._rows[row]
        set_role(holds, _ROLES[fact.holds])
        holds.setText(self._outcome_text(fact.holds))
        section = _("Section {section}.").format(section=fact.where)
        says.setText(typeset_text(f"{fact.says}\n{section} {fact.reading}".rstrip()))
        figures.setText(typeset_text(fact.figures))
        for part in self._rows[row]:
            part.show()

    def _outcome_text(self, holds: ClaimOutcome) -> str:
        words = {
            ClaimOutcome.YES: _("\N{CHECK MARK} holds"),
            ClaimOutcome.NO: _("\N{MULTIPLICATION SIGN} does not hold"),
            ClaimOutcome.OPEN: _("? not decided"),
        }
        return words[holds]


class PaperCard(Card):
    """Card for runs that match a paper; hidden otherwise.

    The parts are made when the card is first unfolded.

    Args:
        theme: Colours.
        background: Writes saved pictures.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, background: BackgroundWorker, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self._theme, self._background = theme, background
        self._comparison: PaperComparison | None = None
        self.frame: PlotFrame | None = None
        self.facts: ClaimRows | None = None
        self.fold = FoldButton(theme, _("Ranks, statements, methods"))
        top = QHBoxLayout()
        top.addWidget(self.fold)
        top.addStretch(1)
        self.body.addLayout(top)
        self.remarks = make_selectable(make_label("", wrap=True))
        self._headings: list[QLabel] = []
        self.fold.toggled.connect(self._toggle_fold)
        self.fold.clicked.connect(self._reveal_frame)
        self.hide()

    def show_papers(self, besides: Sequence[PaperComparison]) -> None:
        """Compare a run with the first matching paper; hide the card if there is none."""
        self._comparison = besides[0] if besides else None
        self.setVisible(self._comparison is not None)
        if self._comparison is not None:
            title = _("Comparison with the paper: {paper}").format(paper=self._comparison.paper.citation)
            compared = _("Compares ranks and shares of the best, never absolute throughput.")
            self.set_title(title, f"{typeset_text(self._comparison.summary)} {compared}")
            self._toggle_fold(self.fold.isChecked())

    def _toggle_fold(self, shown: bool) -> None:  # noqa: FBT001 - Qt's slot
        if shown and self.frame is None:
            self._make_parts()
        if shown:
            self._fill_parts()
        self._set_shown(shown)

    def _make_parts(self) -> None:
        """Make the parts behind the fold."""
        plot = RankPlot(self._theme)
        self.frame = PlotFrame(self._background, _("Rank of each split"), plot, plot.table)
        self.frame.table.setItemDelegate(PercentDelegate(self.frame.table))
        self.frame.setFixedHeight(_PLOT_PX)
        self.facts = ClaimRows()
        words = (_("Statements of the paper, checked here"), _("Differences in method"))
        self._headings = [make_label(text, "strong", wrap=True) for text in words]
        for part in (self.frame, self._headings[0], self.facts, self._headings[1], self.remarks):
            part.hide()
            self.body.addWidget(part)

    def _fill_parts(self) -> None:
        if self._comparison is None or self.frame is None or self.facts is None:
            return
        plot = self.frame.plot
        if isinstance(plot, RankPlot):
            plot.show_ranks(self._comparison)
        self.frame.set_simulated(self._comparison.simulated)
        self.frame.heading.setText(self._comparison.what)
        splits = SplitDelegate(self._theme, self.frame.table) if self._comparison.has_splits else None
        self.frame.table.setItemDelegateForColumn(0, splits or PercentDelegate(self.frame.table))
        self.frame.refresh_table()
        self.facts.show_facts(self._comparison.facts)
        own = [line for line in (self._comparison.note, *self._comparison.remarks) if line]
        lines = [*own, *(row.sentence for row in self._comparison.differences)]
        self.remarks.setText(typeset_text("\n".join(f"\N{BULLET} {line}" for line in lines)))

    def _set_shown(self, shown: bool) -> None:  # noqa: FBT001 - state of the fold
        if self.frame is None or self.facts is None:
            return
        has_facts = bool(self._comparison and self._comparison.facts)
        for part in (self.frame, *self._headings, self.facts, self.remarks):
            part.setVisible(shown and (has_facts or part not in {self._headings[0], self.facts}))

    def _reveal_frame(self, shown: bool) -> None:  # noqa: FBT001 - Qt's slot
        """Scroll to the unfolded part after a click.

        Opening a run must not scroll the page.
        """
        if shown and self.frame is not None:
            scroll_into_view(self.frame)
