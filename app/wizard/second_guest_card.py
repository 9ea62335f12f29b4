"""What the second guest runs: the other one of two loads, or the same with users of its own; and where it runs.

Where the host has guests already, which of them it is, and its database; a password is asked for at the start.
"""

from functools import partial

from PySide6.QtCore import Signal

from app.load_texts import load_name
from app.widgets.card import Card
from app.widgets.labels import make_label
from app.widgets.side_by_side import SideBySide
from app.wizard.choice_field import ChoiceField
from app.wizard.field import FieldMessage, FormField
from app.wizard.wizard_state import WizardState

_GUESTS = 2


class SecondGuestCard(Card):
    """Hidden where there is one guest.

    Signals:
        changed: Something was typed or chosen; it is in the form already.

    Attributes:
        fields: Field of the form to the field on screen.
    """

    changed = Signal()

    def __init__(self, state: WizardState) -> None:
        super().__init__(self.tr("Second guest"))
        self._state = state
        self.load = ChoiceField(self.tr("Its load"), {})
        hint = self.tr("Empty: as many as its load has. More of them make an aggressive neighbour.")
        self.users = FormField(self.tr("Its users"), self.tr("at once"), hint, letters=8)
        self.domain = ChoiceField(self.tr("Its domain"), {})
        self.wrong_domain = FieldMessage()
        where = self.tr("Of the server that runs in the second guest; a password is asked for at the start.")
        self.database = FormField(self.tr("URL of its database"), hint=where)
        self.database.edit.setPlaceholderText("postgresql://USER@HOST:5432/NAME")
        self.fields: dict[str, FormField | FieldMessage] = {
            "neighbour_users": self.users,
            "neighbour_database": self.database,
            "guest_2_domain": self.wrong_domain,
        }
        self.who = make_label("", "dim", wrap=True)
        row = SideBySide(520)
        row.add(self.load, top=True)
        row.add(self.users, 2, top=True)
        self.there = SideBySide(520)
        self.there.add(self.domain, top=True)
        self.there.add(self.database, 2, top=True)
        for part in (row, self.there, self.wrong_domain, self.who):
            self.body.addWidget(part)
        for signal, name in (
            (self.load.chosen, "second"),
            (self.users.typed, "neighbour_users"),
            (self.domain.chosen, "guest_2_domain"),
            (self.database.typed, "neighbour_database"),
        ):
            signal.connect(partial(self._store_input, name))

    def fill(self) -> None:
        """Show the form's users of the second guest, and its database."""
        self.users.set_text(self._state.form.varied.neighbour_users)
        self.database.set_text(self._state.form.varied.neighbour_database)

    def refresh(self) -> None:
        """Offer the loads that are on; say which guest runs which."""
        form, spec = self._state.form, self._state.spec
        self.setVisible(form.kind.has_two_guests)
        on = [kind for kind, fields in form.loads.items() if fields.on]
        self.load.setVisible(len(on) == _GUESTS)
        combo = self.load.combo
        if on != [combo.itemData(row) for row in range(combo.count())]:
            combo.clear()
            for kind in on:
                combo.addItem(load_name(kind), kind)
        if on:
            self.load.set_value(form.varied.second if form.varied.second in on else on[-1])
        self._refresh_guests()
        both = spec.guest_loads if spec is not None and form.kind.has_two_guests else {}
        text = self.tr("The guest runs {first} with {n} users, the second guest {second} with {m}.")
        named = [(load_name(load.kind), load.users) for load in both.values()]
        self.who.setText(
            text.format(first=named[0][0], n=named[0][1], second=named[1][0], m=named[1][1]) if both else ""
        )
        self.who.setVisible(bool(both))

    def _refresh_guests(self) -> None:
        """Offer the host's guests that could be it, where there are some."""
        form, facts = self._state.form, self._state.facts
        self.there.setVisible(form.varied.names_second(form.facts))
        named = form.varied.second_domain(form.facts)
        names = [*facts.second_guest.names] if facts is not None else [named] if named else []
        combo = self.domain.combo
        if names != [combo.itemData(row) for row in range(combo.count())]:
            combo.clear()
            for name in names:
                combo.addItem(name, name)
        if named:
            self.domain.set_value(named)
        self.domain.setVisible(bool(names))

    def _store_input(self, name: str, text: str) -> None:
        """Put what was typed or chosen into the form."""
        setattr(self._state.form.varied, name, text)
        self.changed.emit()
