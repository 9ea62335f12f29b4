"""CPU allotted and CPU used per split.

A domain whose marks lie on its line uses all CPU allotted to it.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.plots.axis_positions import OnAxis, add_found_settings, axis_bounds, place_settings
from app.plots.cpu_units import VcpuLimitLines, cpu_axis_title, format_cpu_use, list_vcpu_limits
from app.plots.hover_plot import HoverPlot
from app.plots.pens import make_pen
from app.plots.plot_axes import PercentAxis, SplitTickAxis
from app.plots.plot_legend import LegendEntry
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.series_style import domain_style, load_style
from scheduler.model.host_properties import HostProperties
from scheduler.model.results import MeasuredPoint
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, GUEST_2, IO, ROLES, DomainId, list_roles
from scheduler.translation import _

_MARK_PX = 8
_INNER_PX = 5  # second guest; small enough to be visible inside the guest's hollow mark
_NEAR_PX = 16
_HEADROOM = 1.08
_SHIFT = 0.09


class SharePlot(HoverPlot):
    """Plot of CPU allotted (dashed lines) and CPU used (marks).

    Dotted lines are the vCPUs of domains with fewer than the shared CPUs.
    Marks are filled for the I/O domain, open for the guest and small for a second guest. A load has the same mark in
    every plot. Loads follow from left to right in their order.
    """

    def __init__(self, theme: Theme) -> None:
        self._axis = SplitTickAxis(theme)
        self._settings: Sequence[OnAxis] = ()
        self._kinds: tuple[str, ...] = ()
        self._domains: tuple[DomainId, ...] = (IO, GUEST)
        self._dashed = False
        self._cpus, self._cpu_axis = 1, PercentAxis()
        super().__init__(theme, "", {"bottom": self._axis, "left": self._cpu_axis})
        self.setAccessibleName(_("CPU allotted and used"))
        self.canvas.setLabel("left", cpu_axis_title(1))
        self.canvas.setLabel("bottom", _("Split, I/O domain : guest"))
        self.canvas.setYRange(0.0, _HEADROOM, padding=0)
        self.allotted = {domain: pg.PlotCurveItem() for domain in ROLES}
        self.used: dict[tuple[str, str], pg.ScatterPlotItem] = {}
        self.points: Mapping[tuple[str, str], MeasuredPoint] = {}
        for curve in self.allotted.values():
            self.canvas.addItem(curve, ignoreBounds=True)
        self.limits = VcpuLimitLines(self.canvas, ROLES)
        self.restyle(theme.palette)

    def set_sweep(self, spec: RunSpec, facts: HostProperties) -> None:
        """Prepare the axes and the loads of a sweep.

        Args:
            spec: Plan of the sweep.
            facts: Its host.
        """
        self._cpus = max(1, len(facts.shared_cpus))
        self._cpu_axis.set_cpus(self._cpus)
        self.canvas.setLabel("left", cpu_axis_title(self._cpus))
        self.limits.show(list_vcpu_limits(facts))
        for marks in self.used.values():
            self.canvas.removeItem(marks)
        self._settings = sorted(place_settings(spec.settings), key=lambda setting: setting.position)
        self._kinds = tuple(load.name for load in spec.loads)
        self._domains = list_roles(*(split.parts for split in spec.splits))
        sizes = [(domain, _INNER_PX if domain == GUEST_2 else _MARK_PX) for domain in self._domains]
        self.used = {(d, kind): pg.ScatterPlotItem(size=size_px) for d, size_px in sizes for kind in self._kinds}
        for marks in self.used.values():
            self.canvas.addItem(marks, ignoreBounds=True)
        self.canvas.setLabel("bottom", spec.kind.axis)
        self._axis.set_settings(self._settings)
        self.canvas.setXRange(*axis_bounds(self._settings, 0.08), padding=0)
        self.set_points({})
        self.restyle(self.theme.palette)

    def set_points(self, points: Mapping[tuple[str, str], MeasuredPoint]) -> None:
        """Show measured points by (label, load kind); add unplanned splits to the axis."""
        self.points = points
        settings = add_found_settings(self._settings, (point.setting for point in points.values()))
        if len(settings) > len(self._settings):
            self._settings = sorted(settings, key=lambda setting: setting.position)
            self._axis.set_settings(settings)
        got = [share for point in points.values() for share in point.used_share.values()]
        most = max([float(self._cpus), *got])  # a guest may use CPUs outside the shared set
        self.canvas.setYRange(0.0, _HEADROOM * most, padding=0)
        self._draw_allotted()
        for (domain, kind), marks in self.used.items():
            pairs = [
                (setting.position + self._load_shift(kind), points[setting.label, kind].used_share[domain])
                for setting in self._settings
                if (setting.label, kind) in points and domain in points[setting.label, kind].used_share
            ]
            marks.setData([x for x, _ in pairs], [share for _, share in pairs])

    def _draw_allotted(self) -> None:
        dashed = False
        for domain, curve in self.allotted.items():
            known = {s.position: self._allotted_share(s.label, domain) for s in self._settings}
            pairs = [(x, share) for x, share in known.items() if share is not None]
            if len(pairs) == 1:  # a single split has a short line
                pairs = [(pairs[0][0] + side * _SHIFT, pairs[0][1]) for side in (-1, 1)]
            curve.setData(np.array([x for x, _ in pairs]), np.array([share for _, share in pairs]))
            dashed = dashed or bool(pairs)
        if dashed != self._dashed:
            self._dashed = dashed
            self.show_legend(self.theme.palette)

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the domains, the dashed line if CPU is allotted, and the loads."""
        keys = {IO: "block", GUEST: "empty", GUEST_2: "small"}
        styles = [(keys[domain], domain_style(domain, palette)) for domain in self._domains]
        parts = [LegendEntry(key, style.colour, style.name) for key, style in styles]
        if self._dashed:
            parts.append(LegendEntry("dash", palette.dim, _("allotted")))
        if self.limits.shown:
            parts.append(LegendEntry("dots", palette.dim, _("vCPUs")))
        loads = [load_style(kind, palette) for kind in self._kinds]
        return [*parts, *(LegendEntry(style.symbol, palette.dim, style.name) for style in loads)]

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        super().restyle(palette)
        for domain, curve in self.allotted.items():
            dashes = Qt.PenStyle.DotLine if domain == GUEST_2 else Qt.PenStyle.DashLine  # guests' lines often coincide
            curve.setPen(make_pen(domain_style(domain, palette).colour, style=dashes))
        self.limits.restyle(palette)
        for (domain, kind), marks in self.used.items():
            colour = domain_style(domain, palette).colour
            marks.setSymbol(load_style(kind, palette).symbol)
            marks.setPen(pg.mkPen(colour, width=1.5))
            marks.setBrush(QColor(palette.raised if domain == GUEST else colour))

    def words_at(self, x: float, y: float) -> str:
        """Return the shares of the nearest split.

        Args:
            x: Position on the lower axis.
            y: Unused.
        """
        del y
        wide = self.view.viewPixelSize()[0]
        near = min(self._settings, key=lambda setting: abs(setting.position - x), default=None)
        if near is None or abs(near.position - x) > _NEAR_PX * wide:
            return ""
        lines = [f"<b>{near.label}</b>"]
        for kind in self._kinds:
            point = self.points.get((near.label, kind))
            if point is not None and point.used_share:
                name = load_style(kind, self.theme.palette).name
                shares = ", ".join(self._share_words(domain, near.label, point) for domain in self._domains)
                lines.append(f"{name}: {shares}")
        return "<br>".join(lines) if len(lines) > 1 else ""

    def _share_words(self, domain: str, label: str, point: MeasuredPoint) -> str:
        name = domain_style(domain, self.theme.palette).name
        used, allotted = point.used_share.get(domain), self._allotted_share(label, domain)
        return _("{domain}: {used} used of {allotted}").format(
            domain=name, used=format_cpu_use(used, self._cpus), allotted=format_cpu_use(allotted, self._cpus)
        )

    def _allotted_share(self, label: str, domain: str) -> float | None:
        """Return the CPU allotted at a split, CPUs; None for none."""
        for kind in self._kinds:
            point = self.points.get((label, kind))
            if point is not None and domain in point.allotted_share:
                return self._cpus * point.allotted_share[domain]
        return None

    def _load_shift(self, kind: str) -> float:
        return (self._kinds.index(kind) - (len(self._kinds) - 1) / 2) * _SHIFT
