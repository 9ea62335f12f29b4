"""Card that asks for consent to confine the domains while the sweep runs."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox

from app.display_texts import join_list
from app.widgets.card import Card
from app.widgets.labels import make_label
from app.wizard.cpu_choice import OTHERS, SET, is_everywhere, place_host
from app.wizard.plan_texts import cpus_text, describe_away
from app.wizard.wizard_state import WizardState
from scheduler.model.host_properties import DomainProperties, HostProperties
from scheduler.model.other_guests import LEAVE
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.shared_set import AS_FOUND, AUTO
from scheduler.model.split import Mode
from scheduler.translation import _


def consent_sentences(facts: HostProperties, placed: HostProperties, mode: Mode) -> str:
    """Return the placement of all domains during the sweep, and now.

    Args:
        facts: The host with its original settings.
        placed: The host with the shared CPUs of the plan.
        mode: Mode of the plan.
    """
    cpus = cpus_text(placed.shared_cpus)
    target = _("CPUs of its own among {cpus}").format(cpus=cpus) if mode is Mode.DEDICATED else cpus
    parts = [
        _("{domain} on {cpus} (now: {now})").format(domain=domain.name, cpus=target, now=_current_text(domain, facts))
        for domain in facts.domains
    ]
    if away := describe_away(placed):
        parts.append(away)
    text = _("While the sweep runs: {parts}. Their placement is restored afterwards, also if this computer fails.")
    return text.format(parts=join_list(parts))


def _current_text(domain: DomainProperties, facts: HostProperties) -> str:
    return _("all CPUs") if is_everywhere(domain, facts) else format_cpu_list(domain.cpus)


class ConsentCard(Card):
    """Card with a tick for the confinement of the domains.

    Without the tick, the plan has `set = "as-found"`.

    Signals:
        changed: The user ticked or unticked; the form was changed.
    """

    changed = Signal()

    def __init__(self, state: WizardState) -> None:
        super().__init__(_("Placement"))
        self._state = state
        self._before = {SET: AUTO, OTHERS: LEAVE}  # texts of the plan before the tick was removed
        self.tick = QCheckBox(_("Con&fine both domains while the sweep runs"))
        self.words = make_label("", wrap=True)
        self.body.addWidget(self.tick)
        self.body.addWidget(self.words)
        self.tick.clicked.connect(self._store_consent)

    def refresh(self) -> None:
        """Show the card where the sweep confines the domains, or would with the tick."""
        form, facts = self._state.form, self._state.facts
        placed = self._place_with_consent()
        shown = facts is not None and placed is not None and placed.confined
        self.setVisible(shown)
        if facts is None or placed is None or not shown:
            return
        agreed = form.texts[SET].strip() != AS_FOUND
        self.tick.setChecked(agreed)
        self.words.setText(self._refusal_text(facts) if not agreed else consent_sentences(facts, placed, form.mode))

    def _place_with_consent(self) -> HostProperties | None:
        """Return the host with the shared CPUs of the plan with the tick."""
        form, facts = self._state.form, self._state.facts
        if facts is None or form.texts[SET].strip() != AS_FOUND:
            return self._state.placed
        return place_host(facts, form.texts | self._before, form.dividing_modes)

    def _refusal_text(self, facts: HostProperties) -> str:
        if self._state.form.mode is Mode.DEDICATED:
            return _("Dedicated CPUs need this: DomTune places each domain on CPUs of its own.")
        text = _(
            "The host is measured as it is found, on {cpus}. A split may not get its ratio where a domain may run "
            "elsewhere, too."
        )
        return text.format(cpus=cpus_text(facts.shared_cpus))

    def _store_consent(self, agreed: bool) -> None:  # noqa: FBT001 - a slot
        texts = self._state.form.texts
        if agreed:
            texts.update(self._before)
        else:
            self._before = {SET: texts[SET].strip() or AUTO, OTHERS: texts[OTHERS]}
            texts.update({SET: AS_FOUND, OTHERS: LEAVE})
        self._state.touch()
        self.changed.emit()
