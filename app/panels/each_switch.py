"""The button that shows what each single user gets; there where users were varied."""

from PySide6.QtWidgets import QToolButton

from app.live.split_plot import SplitPlot
from app.panels.study_words import rates_title
from app.widgets.buttons import tool
from app.widgets.plot_frame import PlotFrame
from app.widgets.text import tip
from scheduler.model.studies import CAPACITY


class EachSwitch:
    """Off at first: what all of them get together says from how many on it is full.

    Args:
        plot: What draws it.
        frame: Around the plot; the button goes into its corner.
    """

    def __init__(self, plot: SplitPlot, frame: PlotFrame) -> None:
        self._frame = frame
        self._study = ""
        self.button: QToolButton = tool(plot.theme, frame.tr("Per user"), "users", show_text=True, checkable=True)
        self.button.setToolTip(tip(frame.tr("Show what each single user gets, in place of all of them together")))
        frame.corner.insertWidget(0, self.button)
        frame.heading.setWordWrap(True)  # in a small window there is no room for it beside three buttons and a table
        self.button.toggled.connect(plot.show_each)
        self.button.toggled.connect(self._name)
        self.button.hide()

    def show_study(self, study: str) -> None:
        """Be there for studies that vary users, switched off."""
        self._study = study
        self.button.setChecked(False)
        self.button.setVisible(study == CAPACITY)
        self._name()

    def _name(self) -> None:
        on = self.button.isChecked()
        self._frame.heading.setText(self._frame.tr("What each user gets") if on else rates_title(self._study))
