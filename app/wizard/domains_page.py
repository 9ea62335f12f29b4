"""Step 2: the I/O domain, the guest and the CPUs that they share."""

from functools import partial

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolTip, QWidget

from app.theme.theme import Theme
from app.theme.tokens import CORNER, SPACE_L, SPACE_S, Palette
from app.widgets.buttons import secondary_button
from app.widgets.card import Card
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label
from app.widgets.side_by_side import SideBySide
from app.wizard.field import FormField
from app.wizard.plan_texts import cpus_text, domain_of, join_list
from app.wizard.wizard_page import WizardPage
from app.wizard.wizard_state import WizardState
from scheduler.model.host_properties import DomainProperties, HostProperties
from scheduler.model.split import GUEST, IO, DomainId

CLIENTS = "clients"
_CELL = QSize(112, 76)
_SMALL = QSize(44, 36)
_MANY = 12  # cells are small for more CPUs


def list_tenants(facts: HostProperties) -> list[tuple[str, ...]]:
    """Return the roles that may use each CPU: `io`, `guest`, `clients`."""
    found: list[tuple[str, ...]] = []
    for cpu in range(facts.pcpus):
        roles = [str(domain.id) for domain in facts.domains if cpu in domain.cpus]
        found.append((*sorted(roles, key=(IO, GUEST).index), *([CLIENTS] if cpu in facts.client_cpus else [])))
    return found


def colour_of(tenant: str, palette: Palette) -> str:
    """Return the colour of a role.

    Args:
        tenant: `io`, `guest` or `clients`.
        palette: Colours.
    """
    return {str(IO): palette.io, str(GUEST): palette.guest}.get(tenant, palette.edge)


class CpuCells(QWidget):
    """Cells of all CPUs in rows; a tooltip names the roles on a CPU."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tenants: list[tuple[str, ...]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme.changed.connect(self.update)

    def show_facts(self, facts: HostProperties) -> None:
        """Show the CPUs of a host."""
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
        """Return True: rows wrap."""
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
        """Show the roles on the CPU under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            under = [cpu for cpu in range(len(self._tenants)) if self._cell_area(cpu).contains(event.pos())]
            QToolTip.showText(event.globalPos(), self._cell_text(under[0]) if under else "", self)
            return True
        return super().event(event)

    def _cell_text(self, cpu: int) -> str:
        names = {IO: self.tr("the I/O domain"), GUEST: self.tr("the guest"), CLIENTS: self.tr("the clients")}
        who = join_list([names[tenant] for tenant in self._tenants[cpu]]) or self.tr("nothing in this sweep")
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


class ColourSwatch(QWidget):
    """Small square in the colour of a role."""

    def __init__(self, theme: Theme, tenant: str) -> None:
        super().__init__()
        self._theme = theme
        self._tenant = tenant
        self.setFixedSize(QSize(12, 12))
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the square."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(0, 0, 0, 0))
        painter.setBrush(QColor(colour_of(self._tenant, self._theme.palette)))
        painter.drawRoundedRect(self.rect(), 3, 3)


class DomainCard(Card):
    """Card of a role: its task, domain, vCPUs and CPUs, and a field for its name."""

    def __init__(self, theme: Theme, role: DomainId, does: str, field: FormField) -> None:
        super().__init__()
        self.who = make_label("", "lead", wrap=True)
        self.where = make_label("", "dim", wrap=True)
        head = QHBoxLayout()
        head.setSpacing(SPACE_S)
        head.addWidget(ColourSwatch(theme, role))
        head.addWidget(
            set_glossary_tip(make_label(self._role_title(role), "strong"), "io-domain" if role == IO else "guest")
        )
        head.addStretch(1)
        self.body.addLayout(head)
        self.body.addWidget(make_label(does, "dim", wrap=True))
        self.body.addWidget(self.who)
        self.body.addWidget(self.where)
        self.body.addWidget(field)
        self.body.addStretch(1)
        self.setAccessibleName(self._role_title(role))

    def show_domain(self, domain: DomainProperties, name: str) -> None:
        """Show the domain of the role.

        Args:
            domain: The host's own domain for the role.
            name: Name typed by the user; empty for the host's own.
        """
        self.who.setText(name or domain.name)
        self.where.setVisible(name in {"", domain.name})
        count = self.tr("1 vCPU") if domain.vcpus == 1 else self.tr("{n} vCPUs").format(n=domain.vcpus)
        self.where.setText(self.tr("{vcpus} on {cpus}").format(vcpus=count, cpus=cpus_text(domain.cpus)))

    def show_unknown(self) -> None:
        """Show a dash while the host has not answered."""
        self.who.setText("\N{EM DASH}")
        self.where.setText("")

    def _role_title(self, role: DomainId) -> str:
        return self.tr("I/O domain") if role == IO else self.tr("Guest")


class DomainsPage(WizardPage):
    """Page with the two roles and a picture of the CPUs.

    Signals:
        test_wanted: The user wants to test the host.
    """

    test_wanted = Signal()

    def __init__(self, theme: Theme, state: WizardState) -> None:
        super().__init__(
            "domains",
            theme,
            state,
            self.tr("Which domains compete for the CPU?"),
            self.tr(
                "A sweep divides CPU time between two domains. One does the input and output, the other "
                "runs the database."
            ),
        )
        self._make_parts()

    def _make_parts(self) -> None:
        """Make the cards of the two roles, then the picture of the CPUs."""
        self.unknown = self._unknown_card()
        pair = SideBySide(560)
        for part in (self.unknown, pair):
            self.body.addWidget(part)
        hint = self.tr("Optional. Default: detected on the host.")
        self.io_name = FormField(self.tr("Na&me of the I/O domain"), hint=hint)
        self.guest_name = FormField(self.tr("Name of the &guest"), hint=hint)
        self.fields |= {"domains.io": self.io_name, "domains.guest": self.guest_name}
        io_does = self.tr("All network and disk traffic of the guest passes through it.")
        guest_does = self.tr("Runs the database that the load talks to.")
        self.io_card = DomainCard(self.theme, IO, io_does, self.io_name)
        self.guest_card = DomainCard(self.theme, GUEST, guest_does, self.guest_name)
        for card in (self.io_card, self.guest_card):
            pair.add(card)
        self.io_name.typed.connect(partial(self.state.store_text, "domains.io"))
        self.guest_name.typed.connect(partial(self.state.store_text, "domains.guest"))
        self.map = Card(self.tr("CPUs"))
        self.cells = CpuCells(self.theme)
        self.sentence = make_label("", wrap=True)
        self.map.body.addWidget(self.cells)
        self.map.body.addLayout(self._make_legend())
        self.map.body.addWidget(self.sentence)
        self.body.addWidget(self.map)

    def fill(self) -> None:
        """Show the form's domain names."""
        self.io_name.set_text(self.state.form.texts["domains.io"])
        self.guest_name.set_text(self.state.form.texts["domains.guest"])

    def refresh(self) -> None:
        """Show the host's domains and CPUs."""
        super().refresh()
        facts = self.state.facts
        choice = not self.state.form.brings_domains
        for field in (self.io_name, self.guest_name):
            field.setVisible(choice)
        self.unknown.setVisible(facts is None)
        why = self.tr("The host did not answer: {why}. Test it again on the page Host.").format(
            why=self.state.trouble.rstrip(".")
        )
        nobody = self.tr("The domains are not known yet. Test the host first.")
        self.why_unknown.setText(why if self.state.trouble else nobody)
        self.map.setVisible(facts is not None)
        if facts is None:
            self.io_card.show_unknown()
            self.guest_card.show_unknown()
            return
        form = self.state.form
        self.io_card.show_domain(domain_of(facts, IO), form.texts["domains.io"].strip())
        self.guest_card.show_domain(domain_of(facts, GUEST), form.texts["domains.guest"].strip())
        self.cells.show_facts(facts)
        self.sentence.setText(self._shared_cpus_text(facts))

    def _shared_cpus_text(self, facts: HostProperties) -> str:
        shared = self.tr("Both domains share {cpus}. CPU time that one domain uses is missing for the other.").format(
            cpus=cpus_text(facts.shared_cpus)
        )
        if not facts.client_cpus:
            clients = self.tr("The clients run on another computer.")
        elif set(facts.client_cpus) & set(facts.shared_cpus):
            clients = self.tr("The clients run on the same CPUs and disturb the measurement.")
        else:
            clients = self.tr("The clients run on CPUs of their own: {cpus}.").format(cpus=cpus_text(facts.client_cpus))
        return f"{shared} {clients}"

    def _unknown_card(self) -> Card:
        card = Card()
        row = QHBoxLayout()
        row.setSpacing(SPACE_L)
        self.why_unknown = make_label("", wrap=True)
        row.addWidget(self.why_unknown, 1)
        test = secondary_button(self.theme, self.tr("&Test the host"), "refresh")
        test.clicked.connect(self.test_wanted)
        row.addWidget(test)
        card.body.addLayout(row)
        return card

    def _make_legend(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(SPACE_S)
        names = {IO: self.tr("I/O domain"), GUEST: self.tr("Guest"), CLIENTS: self.tr("Clients")}
        for tenant, name in names.items():
            row.addWidget(ColourSwatch(self.theme, tenant))
            row.addWidget(make_label(name, "dim"))
            row.addSpacing(SPACE_S)
        row.addStretch(1)
        return row
