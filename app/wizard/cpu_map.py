"""Map of a host's CPUs: the roles on each CPU, its load, and the chosen set.

A click or a drag adds CPUs to the set or removes them. The arrow keys move, Space adds or removes, Shift with an arrow
key extends.
"""

from collections.abc import Iterable
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.display_texts import format_percent, join_list
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.wizard.cpu_layout import CpuCell, CpuLayout, lay_out_cpus, list_host_cpus
from scheduler.model.host_properties import HostProperties
from scheduler.model.placement import HostCpu
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.split import GUEST, IO
from scheduler.translation import _

CLIENTS = "clients"
_TALL_PX = 60  # cells of this height show their load as text, too
_NUMBERED_PX = 24  # narrower cells have no number
_INSET_PX = 1.0
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


def list_tenants(facts: HostProperties) -> dict[int, tuple[str, ...]]:
    """Return the roles that may use each CPU by its number: `io`, `guest`, `clients`."""
    found: dict[int, tuple[str, ...]] = {}
    masks = {str(domain.id): frozenset(domain.cpus) for domain in facts.domains if domain.id in (IO, GUEST)}
    masks[CLIENTS] = frozenset(facts.client_cpus)
    for cpu in list_host_cpus(facts):
        found[cpu.number] = tuple(role for role in (IO, GUEST, CLIENTS) if cpu.number in masks.get(role, ()))
    return found


def colour_of(tenant: str, palette: Palette) -> str:
    """Return the colour of a role.

    Args:
        tenant: `io`, `guest` or `clients`.
        palette: Colours.
    """
    return {str(IO): palette.io, str(GUEST): palette.guest}.get(tenant, palette.edge)


class CellLook(NamedTuple):
    """Look of a cell.

    Attributes:
        roles: Roles that may use its CPUs.
        busy_frac: Mean load of its CPUs, 0..1; None while unknown.
        closed: True if its CPUs cannot be chosen.
    """

    roles: tuple[str, ...]
    busy_frac: float | None
    closed: bool


class CpuMap(QWidget):
    """Cells of all CPUs; the user's choice is emitted, and shown by `show_chosen`.

    Signals:
        chosen_by_user: The chosen CPUs, ascending (`tuple[int, ...]`); at least one.
    """

    chosen_by_user = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cpus: dict[int, HostCpu] = {}
        self._tenants: dict[int, tuple[str, ...]] = {}
        self._open: frozenset[int] = frozenset()
        self._chosen: frozenset[int] = frozenset()
        self._layout: CpuLayout | None = None
        self._layout_width = -1
        self._known_looks: list[CellLook] = []
        self._looks_of: CpuLayout | None = None
        self._current = 0
        self._adds: bool | None = None  # a drag adds cells, or removes them; None without a drag
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMouseTracking(True)
        theme.changed.connect(self.update)

    @property
    def chosen(self) -> tuple[int, ...]:
        """The chosen CPUs, ascending."""
        return tuple(sorted(self._chosen))

    def show_facts(self, facts: HostProperties) -> None:
        """Show the CPUs of a host; they can be chosen where DomTune can place its domains."""
        cpus = {cpu.number: cpu for cpu in list_host_cpus(facts)}
        if cpus != self._cpus:
            self._cpus, self._layout, self._current = cpus, None, 0
        self._tenants = list_tenants(facts)
        self._looks_of = None
        self._open = frozenset(facts.placement.choices if facts.placement.possible else ())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if self._open else Qt.FocusPolicy.NoFocus)
        keys = _("The arrow keys move, Space adds or removes a CPU, Shift with an arrow key extends.")
        self.setAccessibleDescription(keys if self._open else "")
        self._update_name()
        self.updateGeometry()
        self.update()

    def show_chosen(self, cpus: Iterable[int]) -> None:
        """Show these CPUs as the chosen set."""
        self._chosen = frozenset(cpus)
        self._update_name()
        self.update()

    def positions(self) -> CpuLayout:
        """Return the positions of all cells at the current width."""
        return self._positions_at(self.width())

    def sizeHint(self) -> QSize:
        """Return a comfortable width."""
        return QSize(600, self.heightForWidth(600))

    def minimumSizeHint(self) -> QSize:
        """Return the least width."""
        return QSize(160, 24)

    def hasHeightForWidth(self) -> bool:
        """Return True: rows wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all rows at a width."""
        return round(self._positions_at(width).height) + 2

    def _positions_at(self, width: int) -> CpuLayout:
        if self._layout is None or self._layout_width != width:
            self._layout, self._layout_width = lay_out_cpus(tuple(self._cpus.values()), max(1, width)), width
        return self._layout

    def event(self, event: QEvent) -> bool:
        """Show the roles on the CPU under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.positions().cell_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), "" if index is None else self.cell_text(index), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Add or remove the cell under the pointer, and begin a drag that does the same."""
        index = self.positions().cell_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or index is None:
            return
        self._current = index
        self._adds = not self._is_chosen(self.positions().cells[index])
        self._set_cells((index,), add=self._adds)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Add or remove the cells between the last one and the pointer."""
        index = self.positions().cell_at(event.position())
        if self._adds is None:
            hand = index is not None and self._open.intersection(self.positions().cells[index].cpus)
            self.setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor)
        elif index is not None and index != self._current:
            low, high = sorted((self._current, index))
            self._current = index
            self._set_cells(range(low, high + 1), add=self._adds)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag."""
        del event
        self._adds = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move to another cell, or add or remove cells."""
        positions, arrow = self.positions(), _ARROWS.get(Qt.Key(event.key()))
        if not positions.cells or not self._open:
            super().keyPressEvent(event)
        elif arrow:
            before, self._current = self._current, positions.neighbour(self._current, *arrow)
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                low, high = sorted((before, self._current))
                self._set_cells(range(low, high + 1), add=self._is_chosen(positions.cells[before]))
            self._update_name()
            self.update()
        elif event.key() == Qt.Key.Key_Space:
            self._set_cells((self._current,), add=not self._is_chosen(positions.cells[self._current]))
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Mark the cell that keys act upon."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Unmark the cell that keys act upon."""
        super().focusOutEvent(event)
        self.update()

    def _is_chosen(self, cell: CpuCell) -> bool:
        return not self._chosen.isdisjoint(cell.cpus)

    def _set_cells(self, indexes: Iterable[int], *, add: bool) -> None:
        """Add cells to the set or remove them; the last CPU stays."""
        cells = self.positions().cells
        cpus = {cpu for index in indexes for cpu in cells[index].cpus} & self._open
        wanted = (self._chosen & self._open) | cpus if add else (self._chosen & self._open) - cpus
        if wanted and wanted != self._chosen:
            self.show_chosen(wanted)
            self.chosen_by_user.emit(self.chosen)

    def _update_name(self) -> None:
        cells = self.positions().cells
        self._current = min(self._current, max(0, len(cells) - 1))
        name = _("CPUs of the host: {chosen} of {n} chosen.").format(
            chosen=format_cpu_list(self._chosen), n=len(self._cpus)
        )
        self.setAccessibleName(f"{name} {self.cell_text(self._current) if cells else ''}".strip())

    def cell_text(self, index: int) -> str:
        """Return place, roles, load and choice of a cell as text.

        Args:
            index: Index of the cell.
        """
        cell = self.positions().cells[index]
        first = self._cpus[cell.cpus[0]]
        title = (_("CPU {n}") if len(cell.cpus) == 1 else _("CPUs {n}")).format(n=format_cpu_list(cell.cpus))
        place = _("core {core}, socket {socket}, NUMA node {node}").format(
            core=first.core, socket=first.socket, node=first.node
        )
        names = {IO: _("the I/O domain"), GUEST: _("the guest"), CLIENTS: _("the clients")}
        roles = dict.fromkeys(role for cpu in cell.cpus for role in self._tenants.get(cpu, ()))
        who = join_list([names[role] for role in roles]) or _("no domain of this sweep")
        parts = [_("{cpu}: {who}").format(cpu=title, who=who), *([place] if len(self._cpus) > 1 else [])]
        busy_frac = self._busy_frac(cell)
        if busy_frac is not None:
            parts.append(_("{busy} busy").format(busy=format_percent(busy_frac)))
        if self._is_chosen(cell):
            parts.append(_("chosen"))
        elif self._open and self._open.isdisjoint(cell.cpus):
            parts.append(_("offline or in another CPU pool"))
        return ", ".join(parts)

    def _busy_frac(self, cell: CpuCell) -> float | None:
        known = [busy for cpu in cell.cpus if (busy := self._cpus[cpu].busy_frac) is not None]
        return sum(known) / len(known) if known else None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw captions, cells, cores and the focus.

        Rectangles of one colour are drawn together, because 512 cells one by one take too long.
        """
        del event
        painter, positions, palette = QPainter(self), self.positions(), self._theme.palette
        self._draw_captions(painter, positions, palette)
        painter.setPen(Qt.PenStyle.NoPen)
        for colour, areas in self._fill_areas(positions, palette).items():
            painter.setBrush(QColor(colour))
            painter.drawRects(areas)
        self._draw_frames(painter, positions, palette)
        if positions.cell_size.width() >= _NUMBERED_PX:
            for index, cell in enumerate(positions.cells):
                self._draw_number(painter, cell, self._looks()[index], palette)
        if self.hasFocus() and positions.cells:
            painter.setPen(QPen(QColor(palette.text), 2, Qt.PenStyle.DotLine))
            painter.drawRect(positions.cells[self._current].area.adjusted(-1, -1, 1, 1))

    def _looks(self) -> list[CellLook]:
        """Return roles and load of all cells, computed once per host and layout."""
        positions = self.positions()
        if self._looks_of is not positions:
            self._looks_of = positions
            self._known_looks = [self._look_of(cell) for cell in positions.cells]
        return self._known_looks

    def _look_of(self, cell: CpuCell) -> CellLook:
        roles = tuple(dict.fromkeys(role for cpu in cell.cpus for role in self._tenants.get(cpu, ())))
        closed = bool(self._open) and self._open.isdisjoint(cell.cpus)
        return CellLook(roles, self._busy_frac(cell), closed)

    def _fill_areas(self, positions: CpuLayout, palette: Palette) -> dict[str, list[QRectF]]:
        """Return the filled rectangles by colour: grounds, roles, then load."""
        grounds: dict[str, list[QRectF]] = {}
        bands: dict[str, list[QRectF]] = {}
        columns = list[QRectF]()
        for cell, look in zip(positions.cells, self._looks(), strict=True):
            left, top = cell.area.left() + _INSET_PX, cell.area.top() + _INSET_PX
            wide, high = cell.area.width() - 2 * _INSET_PX, cell.area.height() - 2 * _INSET_PX
            ground = palette.accent_soft if self._is_chosen(cell) else palette.sunken if look.closed else palette.raised
            grounds.setdefault(ground, []).append(QRectF(left, top, wide, high))
            band = max(4.0, high * 0.2)
            part = wide / max(1, len(look.roles))
            for place, role in enumerate(look.roles):
                strip = QRectF(left + place * part, top + high - band, part, band)
                bands.setdefault(colour_of(role, palette), []).append(strip)
            if look.busy_frac:
                column, tall = min(6.0, wide * 0.34), (high - band) * min(1.0, look.busy_frac)
                columns.append(QRectF(left + wide - column, top + high - band - tall, column, tall))
        return {**grounds, **bands, palette.dim: columns}

    def _draw_frames(self, painter: QPainter, positions: CpuLayout, palette: Palette) -> None:
        """Draw the frames of cells, cores and chosen cells."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(palette.line), 1))
        painter.drawRects([cell.area for cell in positions.cells])
        painter.setPen(QPen(QColor(palette.edge), 1))
        painter.drawRects(list(positions.cores or [cell.area for cell in positions.cells]))
        painter.setPen(QPen(QColor(palette.accent), 2))
        painter.drawRects([cell.area.adjusted(1, 1, -1, -1) for cell in positions.cells if self._is_chosen(cell)])

    def _draw_captions(self, painter: QPainter, positions: CpuLayout, palette: Palette) -> None:
        painter.setPen(QColor(palette.dim))
        for block in positions.blocks:
            if block.caption.height():
                alike = block.node == block.socket
                text = _("Node {node}: {cpus}") if alike else _("Node {node}, socket {socket}: {cpus}")
                text = text.format(node=block.node, socket=block.socket, cpus=format_cpu_list(block.cpus))
                text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(block.caption.width()))
                painter.drawText(block.caption, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, text)

    def _draw_number(self, painter: QPainter, cell: CpuCell, look: CellLook, palette: Palette) -> None:
        """Draw the numbers of a cell, and its load where the cell is tall."""
        tall = cell.area.height() >= _TALL_PX
        text = format_cpu_list(cell.cpus)
        if tall:
            text = _("CPU {n}").format(n=text)
        right_px = 7 if look.busy_frac else 2
        area = cell.area.adjusted(2, 0, -right_px, -max(4.0, cell.area.height() * 0.2))
        if tall and look.busy_frac is not None:
            busy = format_percent(look.busy_frac)
            words = _("{busy} busy").format(busy=busy)
            text = "\n".join((text, words if painter.fontMetrics().horizontalAdvance(words) <= area.width() else busy))
        painter.setPen(QColor(palette.text if look.roles and not look.closed else palette.dim))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
