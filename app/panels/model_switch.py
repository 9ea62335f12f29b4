"""The button that draws the queueing model beneath the measured points; there where a run has one."""

from collections.abc import Sequence

from PySide6.QtWidgets import QToolButton

from app.live.split_throughput_plot import SplitThroughputPlot
from app.widgets.buttons import tool_button
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.plot_frame import PlotFrame
from scheduler.model.queueing import QueueModel


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
