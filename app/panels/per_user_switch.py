"""The button that shows what each single user gets; there where users were varied."""

from PySide6.QtWidgets import QToolButton

from app.live.split_throughput_plot import SplitThroughputPlot
from app.panels.study_titles import rates_title
from app.widgets.buttons import tool_button
from app.widgets.labels import tooltip_text
from app.widgets.plot_frame import PlotFrame
from scheduler.model.studies import CAPACITY


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
        self.button.setVisible(study == CAPACITY)
        self._update_heading()

    def _update_heading(self) -> None:
        on = self.button.isChecked()
        self._frame.heading.setText(self._frame.tr("What each user gets") if on else rates_title(self._study))
