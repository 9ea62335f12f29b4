"""Step 4: loads, users, objective, databases and clients."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core_process import CommandRunner
from app.load_texts import load_name
from app.studies.overhead.overhead_texts import reference_default, reference_hint
from app.studies.text_registry import study_texts_of
from app.theme.theme import Theme
from app.theme.tokens import SPACE_XS
from app.widgets.card import Card
from app.widgets.card_columns import CardColumns
from app.widgets.dialog_layout import show_dialog
from app.widgets.labels import make_label
from app.widgets.side_by_side import SideBySide
from app.wizard.choice_field import ChoiceField
from app.wizard.clients_card import ClientsCard
from app.wizard.database_card import DatabaseCard
from app.wizard.field import FieldMessage, FormField
from app.wizard.load_card import LoadCard
from app.wizard.mixes_card import MixesCard
from app.wizard.objective_card import ObjectiveCard
from app.wizard.pattern_dialog import PatternDialog
from app.wizard.radio_choices import BESIDE_DOT_PX, RadioChoices
from app.wizard.study_keys_card import make_key_field
from app.wizard.varied_texts import names_second_guest, second_guest_domain
from app.wizard.wizard_page import WizardPage
from app.wizard.wizard_state import WizardState
from scheduler.model.databases import DATABASES, IO_METHOD
from scheduler.model.decision import SweepPurpose
from scheduler.model.load_kinds import LOAD_KINDS, PATTERN_PARAMETER, UNIT_PARAMETER
from scheduler.model.server_settings import study_server_settings
from scheduler.model.studies import STUDIES, build_study
from scheduler.translation import _

_GUESTS = 2


class SecondGuestCard(Card):
    """Card for the second guest; hidden for studies with one guest.

    Signals:
        changed: The form was changed.

    Attributes:
        fields: Field of the form to its widget.
    """

    changed = Signal()

    def __init__(self, state: WizardState) -> None:
        super().__init__(_("Second guest"))
        self._state = state
        self.load = ChoiceField(_("Its load"), {})
        hint = _("Optional. Default: the users of its load. More users disturb the first guest more.")
        self.users = FormField(_("Its users"), _("immediately"), hint, letters=8)
        self.domain = ChoiceField(_("Its domain"), {})
        self.wrong_domain = FieldMessage()
        where = _("URL of the server in the second guest. DomTune asks for the password at the start.")
        self.database = FormField(_("URL of its database"), hint=where)
        self.database.edit.setPlaceholderText("postgresql://USER@HOST:5432/NAME")
        self.fields: dict[str, FormField | FieldMessage] = {
            "second_users": self.users,
            "second_database": self.database,
            "domains.guest_2": self.wrong_domain,
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
            (self.users.typed, "second_users"),
            (self.domain.chosen, "domains.guest_2"),
            (self.database.typed, "second_database"),
        ):
            signal.connect(partial(self._store_input, name))

    def fill(self) -> None:
        """Show the form's users and database of the second guest."""
        self.users.set_text(self._state.form.texts["second_users"])
        self.database.set_text(self._state.form.texts["second_database"])

    def refresh(self) -> None:
        """Offer the loads that are on, and show the load of each guest."""
        form, spec = self._state.form, self._state.spec
        self.setVisible(form.kind.has_two_guests)
        on = [*form.loads_on]
        self.load.setVisible(len(on) == _GUESTS)
        combo = self.load.combo
        if on != [combo.itemData(row) for row in range(combo.count())]:
            combo.clear()
            for kind in on:
                combo.addItem(load_name(kind), kind)
        if on:
            second = form.texts["second"]
            self.load.set_value(second if second in on else on[-1])
        self._refresh_guests()
        both = spec.guest_loads if spec is not None and form.kind.has_two_guests else {}
        text = _("The guest runs {first} with {n} users. The second guest runs {second} with {m} users.")
        named = [(load_name(load.kind), load.users) for load in both.values()]
        self.who.setText(
            text.format(first=named[0][0], n=named[0][1], second=named[1][0], m=named[1][1]) if both else ""
        )
        self.who.setVisible(bool(both))

    def _refresh_guests(self) -> None:
        """Offer the host's domains that can be the second guest."""
        form, facts = self._state.form, self._state.facts
        self.there.setVisible(names_second_guest(form.texts, form.facts))
        named = second_guest_domain(form.texts, form.facts)
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
        """Store a typed or chosen value in the form."""
        self._state.form.texts[name] = text
        self.changed.emit()


class PurposeCard(Card):
    """Card for the purpose of a sweep; hidden for studies that do not weigh splits.

    Signals:
        changed: The form was changed.

    Attributes:
        choices: Purpose to its button.
        fields: Field of the form to its widget.
    """

    changed = Signal()

    def __init__(self, state: WizardState) -> None:
        super().__init__(_("Purpose of the sweep"))
        self._state = state
        self._radio = RadioChoices(SweepPurpose)
        self._radio.show_words(self._choice_texts())
        self.choices = self._radio.buttons
        self.body.addWidget(self._radio)
        self.worth = FormField(_("Smallest gain worth a change"), _("%"), letters=8)
        self.worth.row.setContentsMargins(BESIDE_DOT_PX, 0, 0, 0)
        self.worth.name.setIndent(BESIDE_DOT_PX)
        self.body.addWidget(self.worth)
        self.fields = {"objective.worth_frac": self.worth}
        self._radio.chosen.connect(self._store_choice)
        self.worth.typed.connect(self._store_input)
        self.fill()

    def fill(self) -> None:
        """Show the form's purpose."""
        texts = self._state.form.texts
        self._radio.choose(texts["objective.purpose"])
        self.worth.set_text(texts["objective.worth_frac"])
        self._show_state()

    def refresh(self) -> None:
        """Show the choice if splits are weighed, and the smallest gain for an improvement."""
        self.setVisible(self._state.form.weighs_splits)
        self._show_state()

    def _show_state(self) -> None:
        texts = self._state.form.texts
        self.worth.setVisible(texts["objective.purpose"] == SweepPurpose.IMPROVE)
        self.worth.edit.setPlaceholderText(texts["objective.tolerance_frac"])

    def _choice_texts(self) -> dict[str, tuple[str, str]]:
        """Return title and meaning of each purpose."""
        pays = _("The result shows which split gains over the original settings, if any.")
        divided = _("The result shows the best split, and its cost compared with the original settings.")
        return {
            SweepPurpose.IMPROVE: (_("Change only if it pays"), pays),
            SweepPurpose.DIVIDE: (_("The CPU has to be divided"), divided),
        }

    def _store_choice(self, purpose: str) -> None:
        self._state.form.texts["objective.purpose"] = purpose
        self._show_state()
        self.changed.emit()

    def _store_input(self, text: str) -> None:
        self._state.form.texts["objective.worth_frac"] = text
        self.changed.emit()


class ServerField(QWidget):
    """Field for PostgreSQL's I/O method; hidden unless DomTune starts such a server.

    A reference database uses its own settings, so the field is hidden for it.

    Signals:
        changed: The form was changed.
    """

    changed = Signal()

    def __init__(self, state: WizardState) -> None:
        super().__init__()
        self._state = state
        names = {
            "sync": _("by each back end (sync)"),
            "worker": _("by I/O workers (worker)"),
        }
        self.way = ChoiceField(_("PostgreSQL reads"), names)
        self.means = make_label(_("PostgreSQL counts only reads by the back end itself for a query."), "dim", wrap=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_XS)
        box.addWidget(self.way)
        box.addWidget(self.means)
        self.way.chosen.connect(self._store_io_method)
        self.hide()

    def refresh(self) -> None:
        """Show the I/O method of the plan."""
        spec, asked = self._state.spec, bool(build_study(self._state.form.study, {}).server_settings)
        if spec is None or not asked:  # a mistake elsewhere keeps the field's state
            self.setVisible(asked and not self.isHidden())
            return
        self.setVisible(IO_METHOD in study_server_settings(spec.study, spec.host_url, spec.loads))
        for each in (each for each in DATABASES[spec.loads[0].engine].settings if each.name == IO_METHOD):
            self.way.set_value(spec.server.get(IO_METHOD, str(each.default)))

    def _store_io_method(self, value: str) -> None:
        form, spec = self._state.form, self._state.spec
        usual = study_server_settings(spec.study, spec.host_url, spec.loads) if spec is not None else {}
        if value == usual.get(IO_METHOD):
            form.texts.pop(f"server.{IO_METHOD}", None)
        else:
            form.texts[f"server.{IO_METHOD}"] = value
        self.changed.emit()


_CHANGING = SecondGuestCard, MixesCard, PurposeCard, ObjectiveCard, DatabaseCard, ServerField, ClientsCard
_CARD_PX = 274  # two cards and their spacing fit side by side from 560 on


class LoadsPage(WizardPage):
    """Page with the cards of the loads, then objective, databases and clients."""

    def __init__(self, theme: Theme, state: WizardState, runner: CommandRunner) -> None:
        super().__init__(
            "loads",
            theme,
            state,
            _("Which loads?"),
            _(
                "Each load runs at every split, one after the other. The result shows the best split for "
                "each load and for all."
            ),
        )
        self._runner = runner
        self._lasting: dict[str, FormField | FieldMessage] = {}
        self.cards: dict[str, LoadCard] = {}
        self._make_parts()

    def _make_parts(self) -> None:
        """Make the cards of the loads, then the fields for all loads."""
        self.neighbour = SecondGuestCard(self.state)
        self._add_part(self.neighbour)
        self._make_loads()
        self.mixes = MixesCard(self.theme, self.state)
        self.message = FieldMessage()
        self.weights = FieldMessage()
        self._make_numbers()
        self.purpose = PurposeCard(self.state)
        self.objective = ObjectiveCard(self.state)
        for part in (self.mixes, self.message, self.weights, *self.own.values(), self.purpose, self.objective):
            self._add_part(part)
        self.database = DatabaseCard(self.theme, self.state, self._runner)
        self._add_part(self.database)
        self.server = ServerField(self.state)
        for part in (self.base, self.server):
            self._add_part(part)
        self.clients = ClientsCard(self.theme, self.state, self._runner)
        self._add_part(self.clients)
        self._lasting = {
            "loads": self.message,
            "weights": self.weights,
            **self.clients.fields,
            "clients": self.clients.message,
            **self.purpose.fields,
            **self.objective.fields,
            **self.own,
            "base": self.base,
            **self.neighbour.fields,
        }

    def _make_loads(self) -> None:
        plain = {
            "users": _("Users"),
            "most": _("Most users"),
            "tuples": _("Rows"),
            "weight": _("Weight"),
            "probe": _("Also time single reads (probe reader)"),
        }
        names = {
            "users": _("&Users"),
            "most": _("Most &users"),
            "tuples": _("&Rows"),
            "weight": _("Wei&ght"),
            "probe": _("Also time single reads (&probe reader)"),
        }
        row = CardColumns(_CARD_PX)
        self.body.addWidget(row)
        for kind in LOAD_KINDS:
            self.cards[kind] = card = LoadCard(self.theme, self.state, kind, names)
            card.changed.connect(self.state.touch)
            card.tried.connect(self._try_pattern)
            row.add(card)
            names = plain

    def _make_numbers(self) -> None:
        keys = [key for study in STUDIES.values() if study.mode is None for key in study.keys]
        self.own = {key.name: make_key_field(key) for key in keys}
        for name, field in self.own.items():
            field.typed.connect(partial(self.state.store_text, name))
        self.base = FormField(_("Compare with the database"), hint=reference_hint())
        self.base.edit.setPlaceholderText(reference_default())
        self.base.typed.connect(partial(self.state.store_text, "base"))

    def _add_part(self, part: QWidget) -> None:
        """Add a part below the others, and report its changes."""
        if isinstance(part, _CHANGING):
            part.changed.connect(self.state.touch)
        self.body.addWidget(part)

    def fill(self) -> None:
        """Show the form's loads and databases."""
        for card in self.cards.values():
            card.fill()
        for name, field in self.own.items():
            field.set_text(self.state.form.texts[name])
        self.base.set_text(self.state.form.texts["base"])
        self.neighbour.fill()
        self.mixes.fill()
        self.purpose.fill()
        self.objective.fill()
        self.database.fill()
        self.clients.fill()

    def _try_pattern(self) -> None:
        card = next(card for card in self.cards.values() if card is self.sender())
        fields = self.state.form.loads[card.kind]
        unit = fields.get(UNIT_PARAMETER, "").strip() or LOAD_KINDS[card.kind].unit
        dialog = PatternDialog(self.theme, self._runner, fields.get(PATTERN_PARAMETER, ""), unit, self)
        dialog.chosen.connect(lambda text: card.set_parameter(PATTERN_PARAMETER, text))
        show_dialog(dialog)

    def take_focus(self) -> None:
        """Focus the first load."""
        next(iter(self.cards.values())).on.setFocus(Qt.FocusReason.OtherFocusReason)

    def refresh(self) -> None:
        """Show the mistakes and the effect of the weights."""
        for card in self.cards.values():
            card.refresh()
        self.mixes.refresh()
        of_loads = {name: field for card in self.cards.values() for name, field in card.fields.items()}
        self.fields = {**of_loads, **self._lasting, **self.mixes.fields}  # loads and mixes add fields
        super().refresh()
        words = study_texts_of(self.state.form.study)
        self.set_head(lead=words.loads_lead() if words else "")
        asked = {key.name for key in self.state.form.kind.keys}
        for name, field in self.own.items():
            field.setVisible(name in asked)
        self.base.setVisible(self.state.form.kind.compares_sides)
        self.server.refresh()
        self.neighbour.refresh()
        self.purpose.refresh()
        self.objective.refresh()
        self.database.refresh()
        self.clients.refresh()
