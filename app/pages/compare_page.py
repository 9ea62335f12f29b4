"""Page that compares runs with one of them, the base."""

from collections.abc import Sequence

from PySide6.QtWidgets import QFormLayout, QVBoxLayout, QWidget

from app.background import BackgroundWorker
from app.load_texts import load_name, unit_of_all
from app.pages.comparison import ComparedRun, comparison_sentences, decisions_table, different_hosts, points_table
from app.plots.compare_plot import ComparePlot
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_XL
from app.widgets.card import Card
from app.widgets.inputs import StillComboBox
from app.widgets.labels import make_label, make_selectable
from app.widgets.plot_frame import PlotFrame
from app.widgets.simulated_ribbon import SimulatedRibbon
from app.widgets.table import TableData, TableView
from scheduler.model.results import leading_points
from scheduler.translation import _

_ROW_PX = 30
_MOST_ROWS = 10  # of the table of decisions before it scrolls
_CHOICE_LETTERS = 30  # of a name; the open list shows it whole


class ComparePage(QWidget):
    """Page with the decisions, the plot and the figures of runs.

    Args:
        theme: Colours.
        background: Writes exported pictures and tables.
        parent: Qt's parent.
    """

    help_key = "result"

    def __init__(self, theme: Theme, background: BackgroundWorker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs: Sequence[ComparedRun] = ()
        self._kinds: Sequence[str] = ()
        self.base, self.load = StillComboBox(), StillComboBox()
        self.base.setAccessibleName(_("Base of the comparison"))
        self.load.setAccessibleName(_("Load of the plot"))
        for choice in (self.base, self.load):
            choice.setSizeAdjustPolicy(StillComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            choice.setMinimumContentsLength(_CHOICE_LETTERS)
            choice.currentIndexChanged.connect(self._refresh)
        self.sentences = make_selectable(make_label("", "large", wrap=True))
        self.table = TableView(_("Decisions of the runs"))
        self.plot = ComparePlot(theme)
        title = _("Throughput per split")
        self.frame = PlotFrame(background, title, self.plot, self._points)
        self.ribbon = SimulatedRibbon(theme)
        self._lay_out()

    def show_runs(self, runs: Sequence[ComparedRun]) -> None:
        """Show runs; the first one is the base.

        Args:
            runs: The runs, at least one.
        """
        self._runs = runs
        self._kinds = tuple(dict.fromkeys(kind for run in runs for kind in run.kinds))
        _fill_choice(self.base, [f"{number}  {run.name}" for number, run in enumerate(runs, 1)])
        _fill_choice(self.load, [load_name(kind) for kind in self._kinds])
        simulated = any(run.simulated for run in runs)
        self.ribbon.setVisible(simulated)
        self.frame.set_simulated(simulated)
        self._refresh()

    def _lay_out(self) -> None:
        choices = QFormLayout()
        choices.addRow(_("&Base:"), self.base)
        choices.addRow(_("&Load in the plot:"), self.load)
        decisions = Card(_("Decisions"), _("Throughput of each run against the base, over their common splits"))
        decisions.body.addWidget(self.table)
        box = QVBoxLayout(self)
        box.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        box.setSpacing(SPACE_M)
        box.addWidget(make_label(_("Compare"), "title"))
        box.addLayout(choices)
        box.addWidget(self.ribbon)
        box.addWidget(self.sentences)
        box.addWidget(decisions)
        box.addWidget(self.frame, 1)

    def _refresh(self) -> None:
        """Show the runs again for the chosen base and load."""
        if not self._runs:
            return
        base = max(0, self.base.currentIndex())
        kind = self._kinds[max(0, self.load.currentIndex())] if self._kinds else ""
        self.table.source.set_table(decisions_table(self._runs, base))
        rows = min(len(self._runs), _MOST_ROWS)
        self.table.setMinimumHeight(_ROW_PX * (rows + 2))
        self.table.setMaximumHeight(_ROW_PX * (rows + 2))
        points = [[point for point in leading_points(run.points) if point.load == kind] for run in self._runs]
        self.plot.show_runs(points, base)
        unit = unit_of_all(point for of_run in points for point in of_run)
        words = _("{unit}, means over trials with 95 % intervals; the base is solid, the others are dashed")
        self.frame.subtitle.setText(words.format(unit=unit))
        self.frame.subtitle.show()
        self.frame.refresh_table()
        self.sentences.setText("\n".join(self._sentences(base)))
        self.sentences.setVisible(bool(self.sentences.text()))

    def _sentences(self, base: int) -> list[str]:
        """Return the gain of a second run, or a warning about several hosts."""
        others = [run for at, run in enumerate(self._runs) if at != base]
        if len(others) == 1:
            return comparison_sentences(self._runs[base], others[0])
        count = sum(different_hosts(self._runs[base], run) for run in others)
        words = _("{n} of {all} runs are of other hosts than the base: compare their shapes, not their heights.")
        return [words.format(n=count, all=len(others))] if count else []

    def _points(self) -> TableData:
        return points_table(self._runs)


def _fill_choice(choice: StillComboBox, items: Sequence[str]) -> None:
    """Replace the items of a choice, without a signal; the first one is chosen."""
    choice.blockSignals(True)
    choice.clear()
    choice.addItems(list(items))
    choice.blockSignals(False)
