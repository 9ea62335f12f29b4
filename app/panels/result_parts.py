"""Lay out the parts of the result page."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QToolButton, QVBoxLayout, QWidget

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.live.split_throughput_plot import SplitThroughputPlot
from app.panels.applied_bar import AppliedBar
from app.panels.measured_card import MeasuredCard
from app.panels.paper_card import PaperCard
from app.panels.regret_card import RegretCard
from app.panels.result_actions import ResultActions
from app.panels.result_head import ResultHead
from app.panels.study_plot import StudyPlot
from app.panels.study_titles import rates_title
from app.panels.weights_bar import WeightsBar
from app.panels.why_card import WhyCard
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M
from app.widgets.buttons import tool_button
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import tooltip_text
from app.widgets.message_bar import MessageBar
from app.widgets.plot_frame import PlotFrame
from app.widgets.simulated_ribbon import SimulatedRibbon
from app.widgets.table import TableData
from scheduler.model.queueing import QueueModel
from scheduler.model.studies import find_study


class PerUserSwitch:
    """Off at first: what all of them get together says from how many on it is full.

    Args:
        plot: What draws it.
        frame: Around the plot; the button goes into its corner.
    """

    def __init__(self, plot: SplitThroughputPlot, frame: PlotFrame) -> None:
        self._frame = frame
        self._study = ""
        self.button: QToolButton = tool_button(
            plot.theme, frame.tr("Per user"), "users", show_text=True, checkable=True
        )
        self.button.setToolTip(
            tooltip_text(frame.tr("Show what each single user gets, in place of all of them together"))
        )
        frame.corner.insertWidget(0, self.button)
        frame.heading.setWordWrap(True)  # in a small window there is no room for it beside three buttons and a table
        self.button.toggled.connect(plot.show_each)
        self.button.toggled.connect(self._update_heading)
        self.button.hide()

    def show_study(self, study: str) -> None:
        """Be there for studies that vary users, switched off."""
        self._study = study
        self.button.setChecked(False)
        self.button.setVisible(find_study(study).varies_users)
        self._update_heading()

    def _update_heading(self) -> None:
        on = self.button.isChecked()
        self._frame.heading.setText(self._frame.tr("What each user gets") if on else rates_title(self._study))


class ModelSwitch:
    """Off at first: the measurement is what one came for.

    Args:
        plot: What draws the model.
        frame: Around the plot; the button goes into its corner.
    """

    def __init__(self, plot: SplitThroughputPlot, frame: PlotFrame) -> None:
        self._plot = plot
        words = frame.tr("Model")
        self.button: QToolButton = tool_button(plot.theme, words, "plot", show_text=True, checkable=True)
        set_glossary_tip(self.button, "model")
        frame.corner.insertWidget(0, self.button)
        self.button.toggled.connect(plot.want_model)
        self.button.hide()

    def show_models(self, models: Sequence[QueueModel]) -> None:
        """Take a run's models; without a curve there is nothing to switch."""
        self.button.setVisible(any(model.points for model in models))
        self._plot.set_model(models)


class ResultParts(QWidget):
    """The parts of the page in their places; subclasses connect them, and fill the plot's table in `_table`.

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
        self._inside = QWidget()
        self._inside.setProperty("scrolled", "true")
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        self._column.setSpacing(SPACE_L)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setAccessibleName(self.tr("Result"))
        self.area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # one that comes costs a new layout
        self.area.setWidget(self._inside)
        self._make_parts()
        self.footer = ResultActions(theme)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.ribbon)
        box.addWidget(self.message)
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
        self.beside = PaperCard(theme, self._background)
        self.measured = MeasuredCard(theme)
        for part in (self.why, self.beside, self.measured):
            self._column.addWidget(part)
        self._column.addStretch(1)

    def _make_middle(self) -> None:
        """Make the plot, the table next to the plot, and the plots that studies show in its place."""
        self.plot = SplitThroughputPlot(self._theme)
        self.frame = PlotFrame(self._background, self.tr("Throughput per split"), self.plot, self._table)
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
