"""The host's CPUs as cells, coloured by who may run there; a cell in two colours is the one they compete for."""

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.theme.theme import Theme
from app.theme.tokens import CORNER, SPACE_S, Palette
from app.wizard.plan_texts import join_list
from scheduler.model.host_properties import HostProperties
from scheduler.model.split import GUEST, IO

CLIENTS = "clients"
_CELL = QSize(112, 76)
_SMALL = QSize(44, 36)
_MANY = 12  # with more, cells get small


def list_tenants(facts: HostProperties) -> list[tuple[str, ...]]:
    """Return for each CPU who may run there: `io`, `guest`, `clients`."""
    found: list[tuple[str, ...]] = []
    for cpu in range(facts.pcpus):
        roles = [str(domain.id) for domain in facts.domains if cpu in domain.cpus]
        found.append((*sorted(roles, key=(IO, GUEST).index), *([CLIENTS] if cpu in facts.client_cpus else [])))
    return found


def colour_of(tenant: str, palette: Palette) -> str:
    """Return a tenant's colour."""
    return {str(IO): palette.io, str(GUEST): palette.guest}.get(tenant, palette.edge)


class CpuCells(QWidget):
    """Cells in rows; hovering a cell says who runs there."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tenants: list[tuple[str, ...]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme.changed.connect(self.update)

    def show_facts(self, facts: HostProperties) -> None:
        """Show another host."""
        self._tenants = list_tenants(facts)
        self.setAccessibleName("; ".join(self._cell_text(cpu) for cpu in range(facts.pcpus)))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of one row."""
        return QSize(_CELL.width() * 4, self.heightForWidth(_CELL.width() * 4))

    def minimumSizeHint(self) -> QSize:
        """Return the size of one cell."""
        return self._cell_size

    def hasHeightForWidth(self) -> bool:
        """Rows wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all rows."""
        rows = -(-max(1, len(self._tenants)) // self._column_count(width))
        return rows * (self._cell_size.height() + SPACE_S) - SPACE_S

    @property
    def _cell_size(self) -> QSize:
        return _SMALL if len(self._tenants) > _MANY else _CELL

    def _column_count(self, width: int) -> int:
        return max(1, (width + SPACE_S) // (self._cell_size.width() + SPACE_S))

    def _cell_area(self, cpu: int) -> QRectF:
        row, column = divmod(cpu, self._column_count(self.width()))
        size = self._cell_size
        place = QPoint(column * (size.width() + SPACE_S), row * (size.height() + SPACE_S))
        return QRectF(place.x(), place.y(), size.width(), size.height()).adjusted(0.5, 0.5, -0.5, -0.5)

    def event(self, event: QEvent) -> bool:
        """Say who runs on the cell under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            under = [cpu for cpu in range(len(self._tenants)) if self._cell_area(cpu).contains(event.pos())]
            QToolTip.showText(event.globalPos(), self._cell_text(under[0]) if under else "", self)
            return True
        return super().event(event)

    def _cell_text(self, cpu: int) -> str:
        names = {IO: self.tr("the I/O domain"), GUEST: self.tr("the guest"), CLIENTS: self.tr("the clients")}
        who = join_list([names[tenant] for tenant in self._tenants[cpu]]) or self.tr("nobody of this sweep")
        return self.tr("CPU {n}: {who}").format(n=cpu, who=who)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the cells."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for cpu, roles in enumerate(self._tenants):
            self._draw_cell(painter, cpu, roles)

    def _draw_cell(self, painter: QPainter, cpu: int, roles: tuple[str, ...]) -> None:
        colours = self._theme.palette
        area = self._cell_area(cpu)
        shape = QPainterPath()
        shape.addRoundedRect(area, CORNER, CORNER)
        painter.fillPath(shape, QColor(colours.raised))
        painter.save()
        painter.setClipPath(shape)
        band = 8 if self._cell_size is _SMALL else 28
        for i, tenant in enumerate(roles):
            width = area.width() / len(roles)
            strip = QRectF(area.left() + i * width, area.bottom() - band, width, band)
            painter.fillRect(strip, QColor(colour_of(tenant, colours)))
        painter.restore()
        painter.setPen(QPen(QColor(colours.edge if roles else colours.line), 1))
        painter.drawPath(shape)
        painter.setPen(QColor(colours.text if roles else colours.dim))
        name = str(cpu) if self._cell_size is _SMALL else self.tr("CPU {n}").format(n=cpu)
        painter.drawText(area.adjusted(0, 0, 0, -band), Qt.AlignmentFlag.AlignCenter, name)
