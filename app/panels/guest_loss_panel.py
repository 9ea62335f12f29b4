"""What two guests cost each other, in the place of rates."""

import pyqtgraph as pg

from app.live.guest_loss_plot import GuestLossPlot
from app.panels.guest_loss_table import guest_loss_table
from app.panels.study_plot import StudyPlot
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import TableData
from scheduler.model.isolation_findings import IsolationFinding


class GuestLossPanel(StudyPlot[IsolationFinding, GuestLossPlot]):
    """A plot of what each guest loses."""

    of = IsolationFinding

    def _new_plot(self, bare: pg.PlotItem) -> GuestLossPlot:
        return GuestLossPlot(self._theme, bare)

    def _decorate_frame(self, frame: PlotFrame, plot: GuestLossPlot) -> None:
        del plot
        frame.set_title(frame.tr("What a busy neighbour costs each guest"))

    def _show(self, plot: GuestLossPlot, finding: IsolationFinding) -> None:
        plot.show_finding(finding)

    def _table_of(self, finding: IsolationFinding) -> TableData:
        return guest_loss_table(finding)
