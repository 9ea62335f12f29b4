"""What two guests cost each other, in the place of rates."""

import pyqtgraph as pg

from app.live.neighbour_plot import NeighbourPlot
from app.panels.neighbours_table import neighbours_table
from app.panels.own_plot import OwnPlot
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import Table
from scheduler.model.neighbours import IsolationFinding


class Neighbours(OwnPlot[IsolationFinding, NeighbourPlot]):
    """A plot of what each guest loses."""

    of = IsolationFinding

    def _new_plot(self, bare: pg.PlotItem) -> NeighbourPlot:
        return NeighbourPlot(self._theme, bare)

    def _dress(self, frame: PlotFrame, plot: NeighbourPlot) -> None:
        del plot
        frame.set_title(frame.tr("What a busy neighbour costs each guest"))

    def _show(self, plot: NeighbourPlot, finding: IsolationFinding) -> None:
        plot.show_finding(finding)

    def _table_of(self, finding: IsolationFinding) -> Table:
        return neighbours_table(finding)
