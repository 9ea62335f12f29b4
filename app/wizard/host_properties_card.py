"""Card with the properties of a probed host."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from app.glossary import glossary_term
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.card import Card
from app.widgets.fold_button import FoldButton
from app.widgets.labels import make_label, make_selectable
from app.widgets.message_bar import MessageBar
from app.widgets.simulated_ribbon import SimulatedRibbon
from app.wizard.findings_list import FindingsList
from app.wizard.plan_texts import cpus_text, domain_of
from app.wizard.scheduler_texts import changes_sentence, scheduler_name
from scheduler.model.host_properties import HostProperties, VerifiedProperty
from scheduler.model.lock_owner import LockOwner
from scheduler.model.split import GUEST, IO
from scheduler.translation import _


def essentials_of(facts: HostProperties) -> tuple[VerifiedProperty, ...]:
    """Return the shared CPUs, the scheduler and the changes of a sweep."""
    settings = ", ".join(f"{name} {value}" for name, value in facts.scheduler_settings.items())
    return (
        VerifiedProperty(_("Shared CPUs"), _shared_text(facts)),
        VerifiedProperty(_("Scheduler"), ", ".join(filter(None, (scheduler_name(facts.scheduler), settings)))),
        VerifiedProperty(_("A sweep changes"), f"{changes_sentence(facts.scheduler)} {_effect_time_text(facts)}"),
    )


def details_of(facts: HostProperties) -> tuple[VerifiedProperty, ...]:
    """Return versions, verified properties and legal values of a host."""
    versions = ", ".join(f"{name} {number}" for name, number in facts.versions.items())
    rows = (
        VerifiedProperty(_("Runs"), versions),
        *facts.verified_properties,
        VerifiedProperty(_("Legal values"), _legal_values_text(facts.scheduler)),
    )
    return tuple(row for row in rows if row.value)


def _shared_text(facts: HostProperties) -> str:
    io, guest = domain_of(facts, IO), domain_of(facts, GUEST)
    text = _("{cpus} of {all}, shared by {io} ({io_domain}) and {guest} ({role}).").format(
        cpus=cpus_text(facts.shared_cpus),
        all=facts.pcpus,
        io=io.name,
        io_domain=glossary_term("io-domain")[0],
        guest=guest.name,
        role=glossary_term("guest")[0].lower(),
    )
    if not facts.client_cpus:
        return text
    return " ".join((text, _("The clients run on {cpus}.").format(cpus=cpus_text(facts.client_cpus))))


def _legal_values_text(scheduler: str) -> str:
    if scheduler in {"credit", "credit2"}:
        return _("Weight: 1 to 65535. Cap: percent of one CPU, 0 for none.")
    if scheduler == "rtds":
        return _("For each vCPU, in microseconds: a budget up to the period. No CPU time beyond the budget.")
    if scheduler.startswith("sedf"):
        return _("The slice is at most the period. All slices together stay below the CPU's time.")
    if scheduler.endswith("-v1"):
        return _("cpu.shares: 2 to 262144. Quota: at least 1 ms per period, \N{MINUS SIGN}1 for none.")
    if scheduler.endswith("-v2"):
        return _("cpu.weight: 1 to 10000. Quota: at least 1 ms per period, 'max' for none.")
    return ""


def _effect_time_text(facts: HostProperties) -> str:
    if facts.simulated:
        return _("Immediately, in the simulation only.")
    if facts.url.startswith("xapi:"):
        return _("By xl: immediately, until the guest restarts. By XAPI: from the guest's next start, and kept.")
    if facts.scheduler.startswith("cgroup"):
        return _("Immediately, for the sweep only. A restart of the computer removes it in any case.")
    return _("Immediately, until the domain or the host restarts.")


_ESSENTIAL = 3  # rows made in advance


class HostPropertiesCard(Card):
    """Card with three lines about a host, preflight findings, and folded details."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.heading.setWordWrap(True)  # the host's title may be long
        self._ribbon = SimulatedRibbon(theme)
        self._busy = MessageBar(theme, closable=False)
        self.essentials = PropertiesGrid(_ESSENTIAL)
        self.findings = FindingsList(theme)
        self.details = PropertiesGrid()
        self.fold = FoldButton(theme, _("Details of this host"), self.details)
        self.fold.toggled.connect(self._show_details)
        self._properties: Sequence[VerifiedProperty] = ()  # details, shown when unfolded
        line = QHBoxLayout()
        line.addWidget(self.fold)
        line.addStretch(1)
        for part in (self._ribbon, self._busy, self.essentials, self.findings):
            self.body.addWidget(part)
        self.body.addLayout(line)
        self.body.addWidget(self.details)
        self.hide()

    def show_facts(self, facts: HostProperties | None, *, busy: LockOwner | None = None) -> None:
        """Show a host.

        Args:
            facts: The host; None hides the card.
            busy: Process that uses the host; None for a free host.
        """
        if facts is None:
            self.hide()
            return
        self.set_title(facts.title)
        self._ribbon.setVisible(facts.simulated)
        if busy is None:
            self._busy.clear()
        else:
            self._busy.say("warning", *self._busy_words(busy))
        self.essentials.show_properties(essentials_of(facts))
        self._properties = details_of(facts)
        self._show_details()
        self.findings.show_findings(facts.findings)
        self.show()  # last, because each part added to a visible card causes a new layout

    def _show_details(self) -> None:
        if self.fold.isChecked():
            self.details.show_properties(self._properties)

    def _busy_words(self, busy: LockOwner) -> tuple[str, str]:
        if busy is LockOwner.FOLLOW:
            return (
                _("Following is active on this host, or was interrupted and left the host changed."),
                _("Stop following, or restore the host from the banner, before you start this sweep."),
            )
        if busy is LockOwner.SWEEP:
            return (
                _("This host is busy. A sweep is running on it, or an earlier sweep left it changed."),
                _("Wait for that sweep, or restore the host from the banner. Then start this sweep."),
            )
        return (
            _("This host is busy. Another DomTune is using it, or an earlier one left it changed."),
            _("Wait until the host is free, or restore it from the banner. Then start this sweep."),
        )


class PropertiesGrid(QWidget):
    """Grid with a row per property: name, value and evidence.

    Args:
        rows: Rows to make in advance.
        parent: Qt's parent.
    """

    def __init__(self, rows: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_L)
        self._grid.setVerticalSpacing(SPACE_S)
        self._grid.setColumnStretch(1, 1)
        self._shown: Sequence[VerifiedProperty] = ()
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._make_rows(rows)

    def show_properties(self, verified_properties: Sequence[VerifiedProperty]) -> None:
        """Show these properties instead of the current ones."""
        if verified_properties == self._shown:
            return
        self._shown = verified_properties
        self._make_rows(len(verified_properties))
        for name, value in self._rows[len(verified_properties) :]:
            name.hide()
            value.hide()
        for property_, (name, value) in zip(verified_properties, self._rows, strict=False):
            seen = _("Read from {evidence}").format(evidence=property_.evidence) if property_.evidence else ""
            name.setText(property_.label)
            value.setText("\n".join(filter(None, (property_.value, seen))))
            value.setAccessibleName(property_.label)
            name.show()
            value.show()

    def _make_rows(self, rows: int) -> None:
        while len(self._rows) < rows:
            name, value = make_label("", "dim"), make_selectable(make_label("", wrap=True))
            self._grid.addWidget(name, len(self._rows), 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, len(self._rows), 1)
            self._rows.append((name, value))
