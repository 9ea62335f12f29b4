"""CPU used by both domains over time: windows of 10 s, and the CPU allotted."""

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from app.plots.cpu_units import cpu_axis_title, cpu_cell_factor, cpu_header, format_cpu_use
from app.plots.curve_thinning import thin_curve
from app.plots.hover_plot import HoverPlot
from app.plots.pens import make_pen
from app.plots.plot_axes import PercentAxis
from app.plots.plot_legend import LegendEntry
from app.plots.sample_series import Floats, SampleSeries
from app.plots.time_axis import TimeAxis, time_text
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.series_style import domain_style
from app.widgets.table import TableData
from scheduler.model.observation_documents import ObservationWindow
from scheduler.model.split import GUEST, IO
from scheduler.translation import _

_LEAST_S = 300.0
_WINDOW_S = 10.0
_MARKS = 24  # per curve; more marks would merge
_MARK_PX = 9
_HEADROOM = 1.08
_DOMAINS = (IO, GUEST)


class CpuUsagePlot(HoverPlot):
    """Plot of CPU used per window of 10 s (lines) and CPU allotted (dashed).

    By weights, the dashed line is the CPU that the domain's weight guarantees.

    Attributes:
        windows: t_s, then CPUs: `io`, `guest`, `io_allowed`, `guest_allowed`, `others`; NaN for unknown values.
    """

    def __init__(self, theme: Theme) -> None:
        self._times = TimeAxis(theme)
        self.windows = _make_series()
        self._cpus, self._cpu_axis = 1, PercentAxis()
        super().__init__(theme, "", {"bottom": self._times, "left": self._cpu_axis})
        self._times.make_room()
        self.setAccessibleName(_("CPU used by both domains"))
        self.used = {domain: pg.PlotCurveItem() for domain in _DOMAINS}
        self.allowed = {domain: pg.PlotCurveItem() for domain in _DOMAINS}
        self.marks = {domain: pg.ScatterPlotItem(size=_MARK_PX, pxMode=True) for domain in _DOMAINS}
        for item in (*self.allowed.values(), *self.used.values(), *self.marks.values()):
            self.canvas.addItem(item, ignoreBounds=True)
        self.restyle(theme.palette)
        self.begin(1, simulated=False)

    def begin(self, cpus: int, *, simulated: bool) -> None:
        """Clear the plot; the shared CPUs are its full height.

        Args:
            cpus: Number of shared CPUs, >= 1.
            simulated: True for the time of a simulated machine.
        """
        self.windows, self._cpus = _make_series(), max(1, cpus)
        self._cpu_axis.set_cpus(self._cpus)
        self.canvas.setLabel("left", cpu_axis_title(self._cpus))
        self.canvas.setYRange(0.0, _HEADROOM * self._cpus, padding=0)
        self.canvas.setLabel("bottom", _("Simulated time") if simulated else _("Time"))
        self.draw()

    def take(self, window: ObservationWindow) -> None:
        """Add a window; `draw` shows the window."""
        used = (window.io_cpus, window.guest_cpus, window.io_allowed_cpus, window.guest_allowed_cpus)
        others_cpus = None if window.others_frac is None else window.others_frac * self._cpus
        values = (math.nan if cpus is None else cpus for cpus in (*used, others_cpus))
        self.windows.append(window.t_s, *values)

    def draw(self) -> None:
        """Draw all windows."""
        t_s = self.windows.column("t_s")
        for domain in _DOMAINS:
            self._draw_series(self.allowed[domain], t_s, self.windows.column(f"{domain}_allowed"))
            at, values = self._draw_series(self.used[domain], t_s, self.windows.column(domain))
            every = max(1, -(-len(at) // _MARKS))
            seen = np.isfinite(values[::every])
            self.marks[domain].setData(at[::every][seen], values[::every][seen])
        end_s = max(_LEAST_S, float(t_s[-1]) if len(t_s) else 0.0)
        self.canvas.setXRange(0.0, end_s, padding=0)
        self._times.set_spans((), end_s)
        self.settle()

    def _draw_series(self, curve: pg.PlotCurveItem, t_s: Floats, values: Floats) -> tuple[Floats, Floats]:
        at, thinned = thin_curve(t_s, values, gap_s=2.5 * _WINDOW_S)
        curve.setData(at, thinned, connect="finite")
        return at, thinned

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the domains and the dashed line."""
        styles = [domain_style(domain, palette) for domain in _DOMAINS]
        marks = [LegendEntry(style.symbol, style.colour, style.name) for style in styles]
        return [*marks, LegendEntry("dash", palette.dim, _("allotted"))]

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        super().restyle(palette)
        for domain in _DOMAINS:
            style = domain_style(domain, palette)
            self.used[domain].setPen(make_pen(style.colour, 2.0))
            self.allowed[domain].setPen(make_pen(style.colour, 1.2, Qt.PenStyle.DashLine))
            self.marks[domain].setSymbol(style.symbol)
            self.marks[domain].setBrush(pg.mkBrush(style.colour))
            self.marks[domain].setPen(make_pen(palette.raised, 1.0))

    def words_at(self, x: float, y: float) -> str:
        """Return the values of the window at a time.

        Args:
            x: Time, seconds since watching began.
            y: Unused.
        """
        del y
        row = self.windows.since(x)
        if row >= len(self.windows) or self.windows.column("t_s", row)[0] - x > _WINDOW_S:
            return ""
        lines = [f"<b>{time_text(x)}</b>"]
        for domain in _DOMAINS:
            used, may = (float(self.windows.column(name, row)[0]) for name in (domain, f"{domain}_allowed"))
            words = _("{domain}: {used} used of {may} allotted")
            name = domain_style(domain, self.theme.palette).name
            lines.append(words.format(domain=name, used=self._cpu_text(used), may=self._cpu_text(may)))
        others = float(self.windows.column("others", row)[0])
        if not math.isnan(others):
            lines.append(_("others used {others}").format(others=self._cpu_text(others)))
        return "<br>".join(lines)

    def _cpu_text(self, used_cpus: float) -> str:
        return format_cpu_use(None if math.isnan(used_cpus) else used_cpus, self._cpus)

    def table(self) -> TableData:
        """Return every window in full precision."""
        texts = (
            _("I/O domain used"),
            _("Guest used"),
            _("I/O domain allotted"),
            _("Guest allotted"),
            _("Others used"),
        )
        headers = (_("Until (s)"), *(cpu_header(text, self._cpus) for text in texts))
        factor = cpu_cell_factor(self._cpus)
        columns = [self.windows.column(name) * (1 if name == "t_s" else factor) for name in self.windows.names]
        rows = [
            tuple(None if math.isnan(value) else value for value in row)
            for row in zip(*(column.tolist() for column in columns), strict=True)
        ]
        return TableData(headers, rows)


def _make_series() -> SampleSeries:
    return SampleSeries("t_s", "io", "guest", "io_allowed", "guest_allowed", "others")
