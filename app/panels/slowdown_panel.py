"""The slowdowns that an overhead study found, in the place of rates."""

import pyqtgraph as pg

from app.live.slowdown_plot import SlowdownPlot
from app.panels.finding_table import slowdowns_table
from app.panels.study_plot import StudyPlot
from app.widgets.buttons import tool_button
from app.widgets.labels import tooltip_text
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import TableData
from scheduler.model.study_findings import OverheadFinding


class SlowdownPanel(StudyPlot[OverheadFinding, SlowdownPlot]):
    """A plot with a switch between percent and milliseconds."""

    of = OverheadFinding

    def _new_plot(self, bare: pg.PlotItem) -> SlowdownPlot:
        return SlowdownPlot(self._theme, bare)

    def _decorate_frame(self, frame: PlotFrame, plot: SlowdownPlot) -> None:
        frame.set_title(frame.tr("How much longer it takes"))
        self.ms = tool_button(self._theme, frame.tr("In ms"), "clock", show_text=True, checkable=True)
        self.ms.setToolTip(tooltip_text(frame.tr("Show milliseconds in place of percent")))
        self.ms.toggled.connect(plot.show_ms)
        frame.corner.insertWidget(0, self.ms)

    def _show(self, plot: SlowdownPlot, finding: OverheadFinding) -> None:
        plot.show_finding(finding)

    def _table_of(self, finding: OverheadFinding) -> TableData:
        return slowdowns_table(finding)
