"""Card with the map of the host's CPUs and the choice of the shared set."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import preset_button
from app.widgets.card import Card
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import make_label
from app.widgets.side_by_side import SideBySide
from app.wizard.cpu_choice import COUNT, OTHERS, SET, list_movable_guests, list_presets
from app.wizard.cpu_map import CLIENTS, CpuMap, colour_of
from app.wizard.field import FieldMessage, FormField
from app.wizard.plan_texts import cpus_text
from app.wizard.radio_choices import BESIDE_DOT_PX
from app.wizard.wizard_state import WizardState
from scheduler.model.host_properties import HostProperties
from scheduler.model.other_guests import AWAY, LEAVE
from scheduler.model.sentence_texts import encode_cpu_list, list_names
from scheduler.model.shared_set import AS_FOUND, AUTO, POOL
from scheduler.model.split import GUEST, IO
from scheduler.translation import _


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


class CpusCard(Card):
    """Card with map, presets, fields and a sentence about the shared CPUs.

    Attributes:
        fields: Key of the plan to its field.
        presets: Name of a preset to its button.
    """

    def __init__(self, theme: Theme, state: WizardState) -> None:
        super().__init__(_("CPUs"))
        self._theme = theme
        self._state = state
        self._texts: dict[str, dict[str, str]] = {}  # preset to the texts of its keys
        self._shown: HostProperties | None = None
        self.map = CpuMap(theme)
        self.sentence = make_label("", wrap=True)
        self.presets: dict[str, QPushButton] = {}
        self._preset_row = QWidget()
        self._preset_flow = FlowLayout(self._preset_row, SPACE_S)
        self.set = FormField(_("CPUs to sha&re"), hint=self._set_hint())
        self.count = FormField(_("At m&ost"), _("CPUs"), self._count_hint(), letters=8)
        self.away = QCheckBox(_("&Keep other guests off these CPUs while the sweep runs"))
        self.away_guests = make_label("", "dim", wrap=True)
        self.away_guests.setIndent(BESIDE_DOT_PX)
        self._away_message = FieldMessage()
        self.fields: dict[str, FormField | FieldMessage] = {
            SET: self.set,
            COUNT: self.count,
            OTHERS: self._away_message,
        }
        self._inputs = SideBySide(480)
        self._inputs.add(self.set, 2, top=True)
        self._inputs.add(self.count, 1, top=True)
        guests = (self.away, self.away_guests, self._away_message)
        for part in (self._make_legend(), self.map, self._preset_row, self._inputs, self.sentence, *guests):
            self.body.addWidget(part)
        self.away.clicked.connect(lambda away: self._store_texts({OTHERS: AWAY if away else LEAVE}))
        self.set.typed.connect(partial(state.store_text, SET))
        self.count.typed.connect(partial(state.store_text, COUNT))
        self.map.chosen_by_user.connect(self._store_cells)

    def fill(self) -> None:
        """Show the form's texts."""
        self.set.set_text(self._state.form.texts[SET])
        self.count.set_text(self._state.form.texts[COUNT])

    def refresh(self) -> None:
        """Show the host's CPUs and the shared set."""
        facts, placed = self._state.facts, self._state.placed
        if facts is None or placed is None:
            return
        if facts is not self._shown:
            self._shown = facts
            self.map.show_facts(facts)
            self._offer_presets(list_presets(facts))
        self.map.show_chosen(placed.shared_cpus)
        can_choose = facts.placement.possible and len(facts.placement.choices) > 1
        for part in (self._preset_row, self._inputs):
            part.setVisible(can_choose)
        now = {key: self._state.form.texts[key].strip() for key in (SET, COUNT)}
        for name, button in self.presets.items():
            button.setChecked(self._texts.get(name) == now)
        self.sentence.setText(self._describe_choice(facts, placed))
        self._refresh_guests(facts)

    def _refresh_guests(self, facts: HostProperties) -> None:
        """Show the other guests that can be kept off, and a choice that is refused."""
        form = self._state.form
        guests = list_movable_guests(facts, form.texts, form.dividing_modes)
        chosen = form.texts[OTHERS].strip() == AWAY
        self.away.setVisible(bool(guests) or chosen)
        self.away.setChecked(chosen)
        self.away_guests.setVisible(bool(guests))
        names = list_names(guest.name for guest in guests)
        text = _("They may run there now: {names}. DomTune restores their CPUs afterwards.").format(names=names)
        self.away_guests.setText(text)
        self.away.setAccessibleDescription(text if guests else "")

    def _offer_presets(self, texts: dict[str, dict[str, str]]) -> None:
        """Show a button for each preset of this host."""
        self._texts = texts
        for name in texts:
            if name not in self.presets:
                self.presets[name] = self._make_preset(name)
        for name, button in self.presets.items():
            button.setVisible(name in texts)

    def _make_preset(self, name: str) -> QPushButton:
        titles = {
            AUTO: _("Automatic"),
            "one": _("One CPU, as in the paper"),
            POOL: _("All"),
            AS_FOUND: _("Original placement"),
        }
        tips = {
            AUTO: _("Whole cores of one NUMA node, at most as many CPUs as the domains can use."),
            "one": _("Both domains share one CPU."),
            POOL: _("Every CPU that is open to both domains."),
            AS_FOUND: _("No domain is confined: the host is measured as it is found."),
        }
        node = _("NUMA node {n}").format(n=name.rpartition(" ")[2])
        button = preset_button(self._theme, titles.get(name, node))
        button.setToolTip(tips.get(name, _("CPUs of one NUMA node: memory is near.")))
        button.clicked.connect(lambda: self._store_preset(name))
        self._preset_flow.addWidget(button)
        return button

    def _store_preset(self, name: str) -> None:
        texts = self._texts[name]
        self._store_texts(texts | {OTHERS: LEAVE} if texts[SET] == AS_FOUND else texts)
        self.presets[name].setChecked(True)  # a click on the chosen preset keeps it

    def _store_cells(self, cpus: tuple[int, ...]) -> None:
        self._store_texts({SET: encode_cpu_list(cpus, ", "), COUNT: ""})

    def _store_texts(self, texts: Mapping[str, str]) -> None:
        self._state.form.texts.update(texts)
        self.fill()
        self._state.touch()

    def _describe_choice(self, facts: HostProperties, placed: HostProperties) -> str:
        """Return sentences about the shared CPUs and the clients."""
        if not placed.shared_cpus:
            shared = _("The domains have no CPU in common.")
        else:
            shared = _("Both domains share {cpus}: what one takes, the other lacks.").format(
                cpus=cpus_text(placed.shared_cpus)
            )
        parts = [shared]
        if placed.confined:
            parts.append(_("DomTune confines them there while the sweep runs, and restores their placement."))
        elif not facts.placement.possible and len(facts.shared_cpus) > 1:
            parts.append(_("They are not confined: {why}.").format(why=facts.placement.why.rstrip(".")))
        return " ".join((*parts, self._describe_clients(placed)))

    def _describe_clients(self, placed: HostProperties) -> str:
        if not placed.client_cpus:
            return _("The clients run on another computer.")
        if set(placed.client_cpus) & set(placed.shared_cpus):
            return _("The clients run there, too, and disturb the measurement.")
        text = _("The clients run apart from them, on {cpus}.")
        return text.format(cpus=cpus_text(placed.client_cpus))

    def _set_hint(self) -> str:
        return _("For example 0-7, 16-23. Or: auto, pool, node 0, as-found. Click or drag CPUs above to choose.")

    def _count_hint(self) -> str:
        return _("Optional. The lowest numbers are taken.")

    def _make_legend(self) -> QWidget:
        legend = QWidget()
        row = FlowLayout(legend, SPACE_S)
        names = {IO: _("I/O domain"), GUEST: _("Guest"), CLIENTS: _("Clients")}
        for tenant, name in names.items():
            part = QWidget()
            box = QHBoxLayout(part)
            box.setContentsMargins(0, 0, 0, 0)
            box.setSpacing(SPACE_S)
            box.addWidget(ColourSwatch(self._theme, tenant))
            box.addWidget(make_label(name, "dim"))
            row.addWidget(part)
        row.addWidget(make_label(_("Grey column: busy. Blue frame: shared in this sweep."), "dim"))
        return legend
