"""Step 2: the I/O domain, the guest and the CPUs that they share."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout

from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.buttons import secondary_button
from app.widgets.card import Card
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label
from app.widgets.side_by_side import SideBySide
from app.wizard.cpus_card import ColourSwatch, CpusCard
from app.wizard.field import FormField
from app.wizard.plan_texts import cpus_text, domain_of
from app.wizard.wizard_page import WizardPage
from app.wizard.wizard_state import WizardState
from scheduler.model.host_properties import DomainProperties
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.translation import _


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
        count = _("1 vCPU") if domain.vcpus == 1 else _("{n} vCPUs").format(n=domain.vcpus)
        self.where.setText(_("{vcpus} on {cpus}").format(vcpus=count, cpus=cpus_text(domain.cpus)))

    def show_unknown(self) -> None:
        """Show a dash while the host has not answered."""
        self.who.setText("\N{EM DASH}")
        self.where.setText("")

    def _role_title(self, role: DomainId) -> str:
        return _("I/O domain") if role == IO else _("Guest")


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
            _("Which domains compete for the CPU?"),
            _(
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
        hint = _("Optional. Default: detected on the host.")
        self.io_name = FormField(_("Na&me of the I/O domain"), hint=hint)
        self.guest_name = FormField(_("Name of the &guest"), hint=hint)
        self.fields |= {"domains.io": self.io_name, "domains.guest": self.guest_name}
        io_does = _("All network and disk traffic of the guest passes through it.")
        guest_does = _("Runs the database that the load talks to.")
        self.io_card = DomainCard(self.theme, IO, io_does, self.io_name)
        self.guest_card = DomainCard(self.theme, GUEST, guest_does, self.guest_name)
        for card in (self.io_card, self.guest_card):
            pair.add(card)
        self.io_name.typed.connect(partial(self.state.store_text, "domains.io"))
        self.guest_name.typed.connect(partial(self.state.store_text, "domains.guest"))
        self.cpus = CpusCard(self.theme, self.state)
        self.fields |= self.cpus.fields
        self.body.addWidget(self.cpus)

    def fill(self) -> None:
        """Show the form's domain names."""
        self.io_name.set_text(self.state.form.texts["domains.io"])
        self.guest_name.set_text(self.state.form.texts["domains.guest"])
        self.cpus.fill()

    def refresh(self) -> None:
        """Show the host's domains and CPUs."""
        super().refresh()
        facts = self.state.facts
        choice = not self.state.form.brings_domains
        for field in (self.io_name, self.guest_name):
            field.setVisible(choice)
        self.unknown.setVisible(facts is None)
        why = _("The host did not answer: {why}. Test it again on the page Host.").format(
            why=self.state.trouble.rstrip(".")
        )
        untested = _("The domains are not known yet. Test the host first.")
        self.why_unknown.setText(why if self.state.trouble else untested)
        self.cpus.setVisible(facts is not None)
        if facts is None:
            self.io_card.show_unknown()
            self.guest_card.show_unknown()
            return
        form = self.state.form
        self.io_card.show_domain(domain_of(facts, IO), form.texts["domains.io"].strip())
        self.guest_card.show_domain(domain_of(facts, GUEST), form.texts["domains.guest"].strip())
        self.cpus.refresh()

    def _unknown_card(self) -> Card:
        card = Card()
        row = QHBoxLayout()
        row.setSpacing(SPACE_L)
        self.why_unknown = make_label("", wrap=True)
        row.addWidget(self.why_unknown, 1)
        test = secondary_button(self.theme, _("&Test the host"), "refresh")
        test.clicked.connect(self.test_wanted)
        row.addWidget(test)
        card.body.addLayout(row)
        return card
