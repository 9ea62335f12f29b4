"""CPU usage of the domains over time, stacked, with idle time left blank."""

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.plots.cpu_units import VcpuLimitLines, cpu_axis_title, format_cpu_use, list_vcpu_limits
from app.plots.curve_thinning import GAP_S, bin_means, thin_curve
from app.plots.pens import make_pen
from app.plots.plot_axes import PercentAxis
from app.plots.plot_legend import LegendEntry
from app.plots.run_board import RunBoard
from app.plots.sample_series import Floats
from app.plots.time_plot import TimePlot, nearest_row
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.series_style import domain_style
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId
from scheduler.translation import _

_STACK_POINTS = 500
_HEADROOM = 1.08
_BLUR = 0.08  # of a CPU; counters read one after the other overstate the sum by up to this


class CpuPlot(TimePlot):
    """Stacked CPU usage of the domains; a dashed line is the I/O domain's share.

    Unused CPU stays blank. A dotted line is the I/O domain's number of vCPUs where it has fewer than the shared CPUs.

    Args:
        theme: Colours and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        self._domains: tuple[DomainId, ...] = (IO, GUEST)
        self._dashed = False
        self._axis, self._shared = PercentAxis(), 1
        super().__init__(theme, self._axis, strip=False)
        self.setAccessibleName(_("CPU of the domains"))
        self.canvas.setLabel("left", cpu_axis_title(1))
        self.all = pg.PlotCurveItem(fillLevel=0.0)
        self.second = pg.PlotCurveItem(fillLevel=0.0)  # sum of all three domains; `total` is the sum of the first two
        self.total = pg.PlotCurveItem(fillLevel=0.0)
        self.io = pg.PlotCurveItem(fillLevel=0.0)
        self.allotted = pg.PlotCurveItem()
        for curve in (self.all, self.second, self.total, self.io, self.allotted):
            self.canvas.addItem(curve, ignoreBounds=True)
        self.limits = VcpuLimitLines(self.canvas, (IO,))
        self._cpus = 1  # upper end of the axis
        self.canvas.setYRange(0.0, _HEADROOM, padding=0)
        self.restyle(theme.palette)

    def draw(self, board: RunBoard, start_s: float) -> None:
        """Draw the stack.

        Args:
            board: State of the run.
            start_s: First time shown, seconds since the run began.
        """
        self._show_unit(board)
        first = board.cpu.since(start_s)
        names = ("t_s", IO, GUEST, GUEST_2, f"{IO}_allotted")
        columns = tuple(board.cpu.column(name, first) for name in names)
        t_s, io, guest, second, allotted = bin_means(columns[0], columns[1:], _STACK_POINTS)
        close = slice(None) if self.is_close(board) else slice(0)  # over a long run, dashes merge into a grey band
        self._name_domains(board.domains, dashed=bool(np.isfinite(allotted[close]).any()))
        self._make_room(max(float(board.cpus), float(np.nanmax(io + guest + second, initial=1.0))))
        self.all.setData(*_ground_gaps(t_s, np.full_like(t_s, self._cpus)))
        if GUEST_2 in self._domains:
            self.second.setData(*_ground_gaps(t_s, io + guest + second))
        self.total.setData(*_ground_gaps(t_s, io + guest))
        self.io.setData(*_ground_gaps(t_s, io))
        self.allotted.setData(*thin_curve(t_s[close], allotted[close]), connect="finite")

    def _show_unit(self, board: RunBoard) -> None:
        """Show CPUs instead of percent where a run shares several CPUs."""
        if board.cpus != self._shared:
            self._shared = board.cpus
            self._axis.set_cpus(board.cpus)
            self.canvas.setLabel("left", cpu_axis_title(board.cpus))
            self.limits.show(list_vcpu_limits(board.run.facts if board.run else None))

    def _name_domains(self, domains: tuple[DomainId, ...], *, dashed: bool) -> None:
        """Update the legend for the domains of this run and for the dashed line."""
        if (domains, dashed) != (self._domains, self._dashed):
            self._domains, self._dashed = domains, dashed
            self.second.setVisible(GUEST_2 in domains)
            self.show_legend(self.theme.palette)

    def _make_room(self, most: float) -> None:
        """Scale the axis to the whole CPUs that the domains used together, at least one."""
        cpus = max(1, math.ceil(most - _BLUR))
        if cpus != self._cpus:
            self._cpus = cpus
            self.canvas.setYRange(0.0, _HEADROOM * cpus, padding=0)

    def figures_at(self, board: RunBoard, t_s: float) -> list[str]:
        """Return the CPU usage of each domain in the second nearest to a time.

        Args:
            board: State of the run.
            t_s: Time, seconds since the run began.
        """
        row = nearest_row(board.cpu, t_s)
        if row is None:
            return []
        found: list[str] = []
        for domain in board.domains:
            used_cpus = float(board.cpu.column(domain, row)[0])
            allotted_cpus = float(board.cpu.column(f"{domain}_allotted", row)[0])
            #: A domain and its CPU, for example: guest 30 % of 50 % allotted
            text = _("{domain} {used} of {allotted} allotted")
            if np.isnan(allotted_cpus):
                text = _("{domain} {used}")
            used, allotted = (format_cpu_use(each, board.cpus) for each in (used_cpus, allotted_cpus))
            name = domain_style(domain, self.theme.palette).name
            found.append(text.format(domain=name, used=used, allotted=allotted))
        idle_cpus = float(board.cpu.column("idle", row)[0])
        return [*found, _("idle {cpus}").format(cpus=format_cpu_use(idle_cpus, board.cpus))]

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the domains, idle, and the dashed line if CPU is allotted."""
        styles = [domain_style(domain, palette) for domain in self._domains]
        blocks = [LegendEntry("block", style.colour, style.name) for style in styles]
        idle = LegendEntry("empty", palette.edge, _("idle"))
        dashes = [LegendEntry("dash", palette.text, _("I/O allotted"))] if self._dashed else []
        dots = [LegendEntry("dots", blocks[0].colour, _("I/O vCPUs"))] if self.limits.shown else []
        return [*blocks, idle, *dashes, *dots]

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        super().restyle(palette)
        stack = ((self.second, GUEST_2), (self.total, GUEST), (self.io, IO))
        colours = [(curve, domain_style(domain, palette).colour) for curve, domain in stack]
        for curve, colour in ((self.all, palette.idle), *colours):
            curve.setBrush(QColor(colour))
            curve.setPen(pg.mkPen(None))
        self.allotted.setPen(make_pen(palette.text, 1.2, Qt.PenStyle.DashLine))
        self.limits.restyle(palette)


def _ground_gaps(t_s: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Lower an area to 0 on both sides of every gap."""
    if len(t_s) < 2:
        return t_s, values
    steps = np.diff(t_s)
    gaps = np.flatnonzero(steps > max(GAP_S, 2.5 * float(np.median(steps)))) + 1
    edges = np.repeat(gaps, 2)
    at = np.column_stack((t_s[gaps - 1], t_s[gaps])).ravel()
    return np.insert(t_s, edges, at), np.insert(values, edges, 0.0)
