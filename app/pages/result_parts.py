"""Parts of the result page and their layout."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QScrollArea, QToolButton, QVBoxLayout, QWidget

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.display_texts import format_percent, typeset_text
from app.load_texts import load_name
from app.pages.applied_bar import AppliedBar
from app.pages.decision_texts import ranks_of
from app.pages.measured_card import MeasuredCard
from app.pages.paper_card import PaperCard
from app.pages.replay_bar import ReplayBar
from app.pages.result_actions import ResultActions
from app.pages.result_head import ResultHead
from app.pages.study_titles import rates_title
from app.pages.weights_bar import WeightsBar
from app.pages.why_card import WhyCard
from app.plots.chart_plot import ChartPlot
from app.plots.live_texts import setting_cell
from app.plots.split_delegate import PercentDelegate, SplitDelegate
from app.plots.split_throughput_plot import SplitThroughputPlot
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M
from app.widgets.buttons import tool_button
from app.widgets.card import Card
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import tooltip_text
from app.widgets.message_bar import MessageBar
from app.widgets.plot_frame import PlotFrame
from app.widgets.shortcuts import add_shortcut
from app.widgets.simulated_ribbon import SimulatedRibbon
from app.widgets.table import Cell, TableData, TableView
from app.widgets.value_table import table_data
from scheduler.model.chart import Chart
from scheduler.model.queueing import QueueModel
from scheduler.model.results import Answer, Recommendation, RegretRow, Results
from scheduler.model.spec import RunSpec
from scheduler.model.studies import find_study
from scheduler.model.table import Table
from scheduler.studies.study_charts import study_brief_table, study_charts, study_tables
from scheduler.translation import _

_LEAST_PX = 240


class RegretCard(Card):
    """Table with a row per split, best first.

    The split that the decision orders is selected.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self._set_heading()
        self.table = TableView(_("Regret: cost of each split"))
        self._plain, self._splits = PercentDelegate(self.table), SplitDelegate(theme, self.table)
        self.table.setItemDelegate(self._plain)
        self.table.setItemDelegateForColumn(0, self._splits)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.heading.setWordWrap(True)  # the plot next to the table needs the width more
        self.table.share_width()
        self.setMinimumWidth(_LEAST_PX)
        self.body.addWidget(self.table)
        set_glossary_tip(self.heading, "regret")

    def _set_heading(self, ranks: str = "", tolerance: str = "") -> None:
        words = _(
            "Score: throughput of all loads together, in % of the best split. Loss: compared with the load's "
            "own best split. P(worse): probability that the split is worse than the best by more than {tolerance}."
        ).format(tolerance=tolerance or _("the tolerance"))
        self.set_title(_("Score and loss of each split, in %"), f"{ranks} {words}".strip())

    def show_result(self, spec: RunSpec, answer: Answer) -> None:
        """Show the figures of a recommendation, or the table of another study.

        Args:
            spec: The plan.
            answer: Its answer.
        """
        if answer.recommendation:
            self.show_answer(answer.recommendation, spec)
        elif answer.finding:
            self._show_table(study_brief_table(spec.kind.name, answer.finding))

    def _show_table(self, table: Table) -> None:
        self.table.setItemDelegateForColumn(0, self._plain)
        self.set_title(typeset_text(table.title), typeset_text(table.note))
        self.table.set_table(table_data(table))

    def ask_for_width(self, most_px: int) -> None:
        """Ask for the width of all columns, at most `most_px`; a narrower table scrolls."""
        around_px = self.sizeHint().width() - self.table.sizeHint().width()
        self.setMinimumWidth(max(_LEAST_PX, min(self.table.needs_px + around_px, most_px)))

    def show_answer(self, answer: Recommendation, spec: RunSpec) -> None:
        """Show ranks and figures of a recommendation.

        Args:
            answer: The recommendation.
            spec: The plan of the answer.
        """
        self._set_heading(ranks_of(answer), format_percent(answer.tolerance_frac))
        self.table.setItemDelegateForColumn(0, self._splits)
        self.table.set_table(self.table_of(answer, spec))
        self._select_ordered(answer)

    def _select_ordered(self, answer: Recommendation) -> None:
        """Select the split that the decision orders; without an order no row is selected."""
        self.table.clearSelection()
        ordered = answer.decision.ordered
        at = next((row for row, cells in enumerate(answer.regret) if cells.setting == ordered), None)
        if at is not None:
            self.table.select_row(at)

    def table_of(self, answer: Recommendation, spec: RunSpec) -> TableData:
        """Return the table of a recommendation, in percent.

        Args:
            answer: The recommendation.
            spec: The plan of the answer.
        """
        lost = {kind for row in answer.regret for kind in row.loss_frac}
        kinds = tuple(load.name for load in spec.loads if load.name in lost)
        losses = [_("{load} loss").format(load=load_name(kind)) for kind in kinds]
        reached, worse = _("Score"), _("P(worse)")
        headers = (_("Split"), reached, *losses, worse)
        tips = {name: _("Loss in %, compared with the best split of this load") for name in losses}
        tips[reached] = _("Throughput of all loads together, in % of the best split")
        text = _("Probability, in %, that the split is worse than {split} by more than {tolerance}")
        tips[worse] = text.format(split=answer.label, tolerance=format_percent(answer.tolerance_frac))
        return TableData(headers, [_regret_row(row, kinds) for row in answer.regret], tips)


def _regret_row(row: RegretRow, kinds: tuple[str, ...]) -> tuple[Cell, ...]:
    losses = [100 * row.loss_frac[kind] if kind in row.loss_frac else None for kind in kinds]
    return (setting_cell(row.setting), 100 * row.utility_frac, *losses, 100 * row.p_worse)


class StudyPlot:
    """Plot of a study in its frame, made when the first such study is shown.

    Args:
        theme: Colours.
        background: Writes saved pictures.
        row: Layout in which the frame comes first.
    """

    def __init__(self, theme: Theme, background: BackgroundWorker, row: QHBoxLayout) -> None:
        self._theme, self._background, self._row = theme, background, row
        self._height_px = 0
        self._moment = ""
        self._charts: tuple[Chart, ...] = ()
        self._tables: tuple[Table, ...] = ()
        self.plot: ChartPlot | None = None
        self.frame: PlotFrame | None = None
        self.view: QToolButton | None = None

    def show_results(self, results: Results, moment: str = "") -> bool:
        """Show the first chart of a study that replaces the plot of rates.

        Return False and hide the plot if the study has no such chart.

        Args:
            results: The results.
            moment: Words for the titles, when the results are those of an earlier time.
        """
        self._moment = moment
        charts = study_charts(results)
        self._charts = charts if charts and charts[0].leads else ()
        self._tables = study_tables(results) if self._charts else ()
        if not self._charts:
            if self.frame is not None:
                self.frame.hide()
            return False
        if self.frame is None:
            self._make_frame()
        if self.frame is None or self.view is None:
            return False
        views = [chart for chart in self._charts[1:] if chart.view]
        self.view.setVisible(bool(views))
        self.view.setChecked(False)
        if views:
            self.view.setText(typeset_text(views[0].view))
            self.view.setToolTip(tooltip_text(typeset_text(views[0].y.title)))
        self._show_view()
        self.frame.set_simulated(results.simulated)
        self.frame.refresh_table()
        self.frame.show()
        return True

    def set_height(self, height_px: int) -> None:
        """Set the height of the frame, in pixels; it also applies to a frame made later."""
        self._height_px = height_px
        if self.frame is not None:
            self.frame.setFixedHeight(height_px)

    def _make_frame(self) -> None:
        self.plot = ChartPlot(self._theme)
        self.frame = PlotFrame(self._background, "", self.plot, self._table)
        self.frame.heading.setWordWrap(True)
        self.view = tool_button(self._theme, "", "plot", show_text=True, checkable=True)
        self.view.toggled.connect(self._show_view)
        self.frame.corner.insertWidget(0, self.view)
        self.frame.hide()
        self.frame.setFixedHeight(self._height_px)
        self._row.insertWidget(0, self.frame, 4)

    def _show_view(self) -> None:
        if self.plot is None or self.frame is None or self.view is None or not self._charts:
            return
        chart = self._charts[1 if self.view.isChecked() else 0]
        self.frame.set_title(_add_moment(typeset_text(chart.title), self._moment))
        self.plot.show_chart(chart)

    def _table(self) -> TableData:
        """Return the study's first table."""
        return table_data(self._tables[0]) if self._tables else TableData(())


def _add_moment(title: str, moment: str) -> str:
    return f"{title}, {moment}" if moment else title


class PerUserSwitch:
    """Button that shows throughput per user.

    It is off at first, because only the total shows saturation.

    Args:
        plot: Plot of the throughput.
        frame: Frame of the plot; the button is in its corner.
    """

    def __init__(self, plot: SplitThroughputPlot, frame: PlotFrame) -> None:
        self._frame = frame
        self._study = self._moment = ""
        self.button: QToolButton = tool_button(plot.theme, _("Per user"), "users", show_text=True, checkable=True)
        self.button.setToolTip(tooltip_text(_("Show the throughput of a single user instead of all users")))
        frame.corner.insertWidget(0, self.button)
        frame.heading.setWordWrap(True)  # a small window has no space for one line next to three buttons
        self.button.toggled.connect(plot.show_each)
        self.button.toggled.connect(self._update_heading)
        self.button.hide()

    def show_study(self, study: str) -> None:
        """Show the button for studies that vary users, switched off."""
        self._study = study
        self.button.setChecked(False)
        self.button.setVisible(find_study(study).varies_users)
        self._update_heading()

    def mark_moment(self, moment: str) -> None:
        """Add words to the heading, and so to saved pictures; empty for the final results."""
        self._moment = moment
        self._update_heading()

    def _update_heading(self) -> None:
        on = self.button.isChecked()
        words = _("Throughput per user") if on else rates_title(self._study)
        self._frame.heading.setText(_add_moment(words, self._moment))


class ModelSwitch:
    """Button that shows the queueing model in the plot; off at first.

    Args:
        plot: Plot that draws the model.
        frame: Frame of the plot; the button is in its corner.
    """

    def __init__(self, plot: SplitThroughputPlot, frame: PlotFrame) -> None:
        self._plot = plot
        words = _("Model")
        self.button: QToolButton = tool_button(plot.theme, words, "plot", show_text=True, checkable=True)
        set_glossary_tip(self.button, "model")
        frame.corner.insertWidget(0, self.button)
        self.button.toggled.connect(plot.want_model)
        self.button.hide()

    def show_models(self, models: Sequence[QueueModel]) -> None:
        """Set the models of a run; without a curve the button is hidden."""
        self.button.setVisible(any(model.points for model in models))
        self._plot.set_model(models)


class ResultParts(QWidget):
    """Parts of the result page in their layout.

    Subclasses connect the parts and provide the plot's table in `_table`.

    Args:
        theme: Colours.
        background: Reads runs and writes exports.
        runner: Starts `apply` and `revert`.
        parent: Qt's parent.
    """

    def __init__(
        self, theme: Theme, background: BackgroundWorker, runner: CommandRunner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._background, self._runner = theme, background, runner
        self.ribbon = SimulatedRibbon(theme)
        self.message = MessageBar(theme)
        self.replay = ReplayBar(theme, background)
        self._inside = QWidget()
        self._inside.setProperty("scrolled", "true")
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        self._column.setSpacing(SPACE_L)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setAccessibleName(_("Result"))
        self.area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # hiding it costs a new layout
        self.area.setWidget(self._inside)
        self._make_parts()
        self.footer = ResultActions(theme)
        add_shortcut(self, QKeySequence.StandardKey.Save, self.footer.report.click)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.ribbon)
        box.addWidget(self.message)
        box.addWidget(self.replay)
        box.addWidget(self.area, 1)
        box.addWidget(self.footer)

    def _make_parts(self) -> None:
        """Make the parts from top to bottom."""
        theme = self._theme
        self.state = MessageBar(theme, closable=False)
        self.applied = AppliedBar(theme, self._runner)
        self.head = ResultHead(theme)
        for part in (self.state, self.applied, self.head):
            self._column.addWidget(part)
        self._make_middle()
        self.why = WhyCard(theme)
        self.papers = PaperCard(theme, self._background)
        self.measured = MeasuredCard(theme)
        for part in (self.why, self.papers, self.measured):
            self._column.addWidget(part)
        self._column.addStretch(1)

    def _make_middle(self) -> None:
        """Make the plot, the table next to the plot, and the plots of other studies."""
        self.plot = SplitThroughputPlot(self._theme)
        self.frame = PlotFrame(self._background, _("Throughput per split"), self.plot, self._table)
        self.model = ModelSwitch(self.plot, self.frame)
        self.each = PerUserSwitch(self.plot, self.frame)
        self.weights = WeightsBar(self._theme)
        self.frame.body.addWidget(self.weights)
        self.regret = RegretCard(self._theme)
        self._middle = QHBoxLayout()
        self._middle.setSpacing(SPACE_M)
        self._column.addLayout(self._middle)
        self._middle.addWidget(self.frame, 4)
        self._middle.addWidget(self.regret, 3)
        self.study = StudyPlot(self._theme, self._background, self._middle)

    def _table(self) -> TableData:
        raise NotImplementedError
