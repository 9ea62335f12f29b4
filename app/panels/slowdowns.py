"""The slowdowns that an overhead study found, in the place of rates."""

import pyqtgraph as pg

from app.live.slowdown_plot import SlowdownPlot
from app.panels.finding_table import slowdowns_table
from app.panels.own_plot import OwnPlot
from app.widgets.buttons import tool
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import Table
from app.widgets.text import tip
from scheduler.model.findings import OverheadFinding


class Slowdowns(OwnPlot[OverheadFinding, SlowdownPlot]):
    """A plot with a switch between percent and milliseconds."""

    of = OverheadFinding

    def _new_plot(self, bare: pg.PlotItem) -> SlowdownPlot:
        return SlowdownPlot(self._theme, bare)

    def _dress(self, frame: PlotFrame, plot: SlowdownPlot) -> None:
        frame.set_title(frame.tr("How much longer it takes"))
        self.ms = tool(self._theme, frame.tr("In ms"), "clock", show_text=True, checkable=True)
        self.ms.setToolTip(tip(frame.tr("Show milliseconds in place of percent")))
        self.ms.toggled.connect(plot.show_ms)
        frame.corner.insertWidget(0, self.ms)

    def _show(self, plot: SlowdownPlot, finding: OverheadFinding) -> None:
        plot.show_finding(finding)

    def _table_of(self, finding: OverheadFinding) -> Table:
        return slowdowns_table(finding)
