"""What the host said about itself, in the page where it was asked."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from app.glossary import term
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.card import Card
from app.widgets.message_bar import MessageBar
from app.widgets.simulated_ribbon import SimulatedRibbon
from app.widgets.text import hairline, label, selectable
from app.wizard.findings import FindingsList
from app.wizard.sentences import cpus, domain_of
from app.wizard.truths import truths_of
from scheduler.model.facts import HostFacts, Truth
from scheduler.model.split import GUEST, IO


class FactsCard(Card):
    """Title, domains, CPUs; what really holds there; what preflight found."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._ribbon = SimulatedRibbon(theme)
        self._busy = MessageBar(theme, closable=False)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(SPACE_L)
        self._grid.setVerticalSpacing(SPACE_S)
        self._grid.setColumnStretch(1, 1)
        self._values = {}
        for row, (key, name) in enumerate(self._names().items()):
            value = selectable(label("", wrap=True))
            value.setAccessibleName(name)
            self._values[key] = value
            self._grid.addWidget(label(name, "dim"), row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, row, 1)
        self.truths = QGridLayout()
        self.truths.setHorizontalSpacing(SPACE_L)
        self.truths.setVerticalSpacing(SPACE_S)
        self.truths.setColumnStretch(1, 1)
        self._shown: tuple[Truth, ...] = ()
        self.findings = FindingsList(theme)
        self.body.addWidget(self._ribbon)
        self.body.addWidget(self._busy)
        self.body.addLayout(self._grid)
        self.body.addWidget(hairline())
        self.body.addLayout(self.truths)
        self.body.addWidget(hairline())
        self.body.addWidget(self.findings)
        self.hide()

    def show_facts(self, facts: HostFacts | None, *, busy: bool = False) -> None:
        """Show a host; None hides the card."""
        self.setVisible(facts is not None)
        if facts is None:
            return
        self.set_title(facts.title)
        self._ribbon.setVisible(facts.simulated)
        if busy:
            self._busy.say(
                "warning",
                self.tr("This host is busy: a sweep is running on it, or an earlier one left it changed."),
                self.tr("Wait for that sweep, or restore the host from the banner, before you start this one."),
            )
        else:
            self._busy.clear()
        for key, text in self._texts(facts).items():
            self._values[key].setText(text)
        self._show_truths(truths_of(facts))
        self.findings.show_findings(facts.findings)

    def _show_truths(self, truths: tuple[Truth, ...]) -> None:
        """One row each: what it is about, how it really is, and where that can be looked at."""
        if truths == self._shown:
            return
        self._shown = truths
        while (item := self.truths.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for row, truth in enumerate(truths):
            value = selectable(label("\n".join(filter(None, (truth.value, truth.evidence))), wrap=True))
            value.setAccessibleName(truth.label)
            self.truths.addWidget(label(truth.label, "dim"), row, 0, Qt.AlignmentFlag.AlignTop)
            self.truths.addWidget(value, row, 1)
        names = (*self._names().values(), *(truth.label for truth in truths))
        width_px = max(self.fontMetrics().horizontalAdvance(name) for name in names)
        for grid in (self._grid, self.truths):
            grid.setColumnMinimumWidth(0, width_px)

    def _names(self) -> dict[str, str]:
        return {
            "cpus": self.tr("CPUs"),
            "domains": self.tr("Domains"),
            "versions": self.tr("Runs"),
        }

    def _texts(self, facts: HostFacts) -> dict[str, str]:
        contended = self.tr("{all} in all; the domains share {contended}").format(
            all=facts.pcpus, contended=cpus(facts.contended_cpus)
        )
        clients = self.tr(", the clients have {cpus}").format(cpus=cpus(facts.client_cpus)) if facts.client_cpus else ""
        io, guest = domain_of(facts, IO), domain_of(facts, GUEST)
        return {
            "cpus": contended + clients,
            "domains": f"{io.name} ({term('io-domain')[0]}), {guest.name} ({term('guest')[0].lower()})",
            "versions": ", ".join(f"{name} {number}" for name, number in facts.versions.items()),
        }
