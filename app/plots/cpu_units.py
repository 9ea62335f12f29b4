"""Units of CPU use: percent of the shared CPU, or CPUs where several are shared."""

from collections.abc import Iterable, Mapping

import pyqtgraph as pg
from PySide6.QtCore import Qt

from app.display_texts import format_percent, typeset_text
from app.plots.pens import make_pen
from app.theme.tokens import Palette
from app.widgets.series_style import domain_style
from scheduler.model.host_properties import HostProperties
from scheduler.model.number_texts import format_table_number
from scheduler.model.split import DomainId
from scheduler.translation import _


def format_cpu_use(used_cpus: float | None, cpus: int) -> str:
    """Return CPU use as text: percent of a CPU, or CPUs where several are shared.

    Args:
        used_cpus: CPU used or allotted, CPUs; None for unknown.
        cpus: Number of shared CPUs, >= 1.
    """
    if used_cpus is None or cpus < 2:
        return format_percent(used_cpus)
    return typeset_text(_("{n} CPUs").format(n=format_table_number(used_cpus, 2)))


def cpu_axis_title(cpus: int) -> str:
    """Return the title of an axis of CPU use.

    Args:
        cpus: Number of shared CPUs, >= 1.
    """
    return _("CPU (%)") if cpus < 2 else _("CPUs")


def cpu_header(text: str, cpus: int) -> str:
    """Return a table's header with the unit of CPU use.

    Args:
        text: Header without unit.
        cpus: Number of shared CPUs, >= 1.
    """
    return f"{text} (%)" if cpus < 2 else f"{text} (CPUs)"


def cpu_cell_factor(cpus: int) -> float:
    """Return the factor from CPUs to the unit of a table.

    Args:
        cpus: Number of shared CPUs, >= 1.
    """
    return 100.0 if cpus < 2 else 1.0


def list_vcpu_limits(facts: HostProperties | None) -> dict[DomainId, int]:
    """Return the vCPUs of each domain that has fewer than the shared CPUs."""
    if facts is None:
        return {}
    return {domain.id: domain.vcpus for domain in facts.domains if domain.vcpus < len(facts.shared_cpus)}


class VcpuLimitLines:
    """Dotted lines at the vCPUs of domains with fewer vCPUs than CPUs.

    Args:
        canvas: Plot that gets the lines.
        domains: Domains that may have a line.
    """

    def __init__(self, canvas: pg.PlotWidget, domains: Iterable[DomainId]) -> None:
        self.lines = {domain: pg.InfiniteLine(angle=0, movable=False) for domain in domains}
        for line in self.lines.values():
            line.setVisible(False)
            canvas.addItem(line)

    def show(self, limits: Mapping[DomainId, int]) -> None:
        """Show the lines of domains with a limit.

        Args:
            limits: Domain to its number of vCPUs.
        """
        for domain, line in self.lines.items():
            line.setVisible(domain in limits)
            line.setValue(limits.get(domain, 0))

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        for domain, line in self.lines.items():
            line.setPen(make_pen(domain_style(domain, palette).colour, 1.2, Qt.PenStyle.DotLine))

    @property
    def shown(self) -> bool:
        """True when a line is shown."""
        return any(line.isVisible() for line in self.lines.values())
