"""The regret table: what every split costs each load; moves with the slider. Or what another study found."""

from PySide6.QtWidgets import QAbstractItemView, QWidget

from app.display_texts import format_percent, typeset_text
from app.live.live_texts import setting_cell
from app.live.split_delegate import PercentDelegate, SplitDelegate
from app.load_texts import load_name
from app.panels.decision_texts import ranks_of
from app.theme.theme import Theme
from app.widgets.card import Card
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.table import Cell, TableData, TableView
from app.widgets.value_table import table_data
from scheduler.model.results import Recommendation, RegretRow
from scheduler.model.study_findings import StudyFinding
from scheduler.studies.study_charts import study_brief_table

_LEAST_PX = 240


class RegretCard(Card):
    """One row per split, best first; the split that the decision orders is selected.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self._set_heading()
        self.table = TableView(self.tr("Regret: what each split costs"))
        self._plain, self._splits = PercentDelegate(self.table), SplitDelegate(theme, self.table)
        self.table.setItemDelegate(self._plain)
        self.table.setItemDelegateForColumn(0, self._splits)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.heading.setWordWrap(True)  # the plot beside it needs the room more
        self.table.share_width()
        self.setMinimumWidth(_LEAST_PX)
        self.body.addWidget(self.table)
        set_glossary_tip(self.heading, "regret")

    def _set_heading(self, ranks: str = "", zone: str = "") -> None:
        words = self.tr(
            "Reached: all loads together, 100 is the best. Loss: against the load's own best split. P(worse): "
            "probability that the split is worse by more than {zone}."
        ).format(zone=zone or self.tr("the tolerance"))
        self.set_title(self.tr("What each split reaches and costs, in %"), f"{ranks} {words}".strip())

    def show_result(self, study: str, finding: StudyFinding | None, answer: Recommendation) -> None:
        """Show the figures of an answer, or the table of another study.

        Args:
            study: Name of the study.
            finding: What it found; None of the split study.
            answer: The answer.
        """
        if finding is None:
            self.show_answer(answer)
            return
        self.table.setItemDelegateForColumn(0, self._plain)
        table = study_brief_table(study, finding)
        self.set_title(typeset_text(table.title), typeset_text(table.note))
        self.table.set_table(table_data(table))

    def ask_for_width(self, most_px: int) -> None:
        """Ask for the width that all columns need, at most `most_px`; in less the table scrolls."""
        around_px = self.sizeHint().width() - self.table.sizeHint().width()
        self.setMinimumWidth(max(_LEAST_PX, min(self.table.needs_px + around_px, most_px)))

    def show_answer(self, answer: Recommendation) -> None:
        """Show what this answer rests on, the ranks of its splits first."""
        self._set_heading(ranks_of(answer), format_percent(answer.indifference_frac))
        self.table.setItemDelegateForColumn(0, self._splits)
        self.table.set_table(self.table_of(answer))
        self._select_ordered(answer)

    def _select_ordered(self, answer: Recommendation) -> None:
        """Select the split that the decision orders; a selected row is a choice, so without an order there is none."""
        self.table.clearSelection()
        ordered = answer.decision.ordered
        at = next((row for row, cells in enumerate(answer.regret) if cells.setting == ordered), None)
        if at is not None:
            self.table.select_row(at)

    def table_of(self, answer: Recommendation) -> TableData:
        """Return the table; numbers in full, percent."""
        kinds = tuple(dict.fromkeys(kind for row in answer.regret for kind in row.loss_frac))
        losses = [self.tr("{load} loss").format(load=load_name(kind)) for kind in kinds]
        reached, worse = self.tr("Reached"), self.tr("P(worse)")
        headers = (self.tr("Split"), reached, *losses, worse)
        tips = {name: self.tr("Loss in % against the best split of this load") for name in losses}
        tips[reached] = self.tr("Throughput of all loads together, in % of the best split")
        text = self.tr("Probability, in %, that the split is worse than {split} by more than {zone}")
        tips[worse] = text.format(split=answer.label, zone=format_percent(answer.indifference_frac))
        return TableData(headers, [_regret_row(row, kinds) for row in answer.regret], tips)


def _regret_row(row: RegretRow, kinds: tuple[str, ...]) -> tuple[Cell, ...]:
    losses = [100 * row.loss_frac[kind] if kind in row.loss_frac else None for kind in kinds]
    return (setting_cell(row.setting), 100 * row.utility_frac, *losses, 100 * row.p_worse)
