"""Step 5: the protocol, its trials and its claims."""

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QHBoxLayout, QVBoxLayout

from app.studies.text_registry import study_texts_of
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_XS
from app.widgets.buttons import link_button
from app.widgets.card import Card
from app.widgets.fold_button import FoldButton
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label
from app.widgets.side_by_side import SideBySide
from app.wizard.choice_card import ChoiceCard
from app.wizard.field import FieldMessage, FormField
from app.wizard.form_fields import WINDOWS, window_texts
from app.wizard.plan_texts import protocol_summary, time_needed
from app.wizard.sweep_form import SweepForm
from app.wizard.wizard_page import WizardPage
from app.wizard.wizard_state import WizardState
from scheduler.errors import SpecError
from scheduler.model.protocols import MOST_ADDED_SPLITS, PROTOCOLS
from scheduler.model.spec import RunSpec
from scheduler.model.studies import STUDIES
from scheduler.translation import _

_INDIFFERENCE = "objective.tolerance_frac"
_BESIDE_BOX_PX = 30  # where the words of a check box begin


class ProtocolPage(WizardPage):
    """Page with a card per protocol, and fields to adjust the protocol."""

    def __init__(self, theme: Theme, state: WizardState) -> None:
        super().__init__(
            "protocol",
            theme,
            state,
            _("Thoroughness"),
            _("More and longer trials distinguish splits that are closer together. The host is always restored."),
        )
        self._claims = self._own_claims()
        self.cards: dict[str, ChoiceCard] = {}
        self._make_parts()

    def _make_parts(self) -> None:
        """Make the cards of the protocols, then the fields that adjust them."""
        self._group = QButtonGroup(self)
        rows = SideBySide(700), SideBySide(700)  # adaptive protocols, and those of a fixed length
        for row in rows:
            self.body.addWidget(row)
        names = self._protocol_names()
        for name in dict.fromkeys(name for kind in STUDIES.values() for name in kind.protocols):
            self.cards[name] = card = ChoiceCard(self.theme, names[name], self._claims.get(name, ""))
            self._group.addButton(card)
            rows[0 if PROTOCOLS[name].adapts else 1].add(card)
            card.toggled.connect(lambda on, name=name: on and self._choose_protocol(name))
        self.details, self.inputs = Card(), dict[str, FormField]()
        self.adjust = FoldButton(self.theme, _("Ad&just"), self.details)
        head = QHBoxLayout()
        self.summary = make_label("", wrap=True)
        head.addWidget(self.adjust)
        head.addWidget(self.summary, 1)
        self.message = FieldMessage()
        self.fields["protocol"] = self.message
        self.body.addWidget(self.message)
        self.body.addLayout(self._make_refining_box())
        self.body.addLayout(head)
        self.body.addWidget(self.details)
        self._make_details()

    def _own_claims(self) -> dict[str, str]:
        return {
            "adaptive": _(
                "Measures every split once, then only the candidates, until the best is known. Distinguishes "
                "splits that differ by 2 %, in a fraction of the time of the 2007 paper."
            ),
            "quick": _(
                "Like adaptive, but stops earlier. In simulated sweeps, 98.9 % of its recommendations were right "
                "after 36 min, instead of 99.7 % after 43 min."
            ),
            "strict": _(
                "Like adaptive, but recommends a split only when every other split is certified as no "
                "better. Takes twice as long."
            ),
            "grid": _(
                "Measures every split equally often, with a few short trials. Finds splits that clearly "
                "differ, with their confidence. Splits too close to distinguish are called equally good."
            ),
            "replicate": _(
                "Ten trials of five minutes, like the 2007 paper. You can compare its table with yours, "
                "figure by figure. Splits that differ by a few percent may remain a tie."
            ),
            "calibrate": _(
                "Measures only the two outermost splits, once. Checks that splits take effect on this host "
                "under these loads before you spend hours. Recommends no split."
            ),
        }

    def _protocol_names(self) -> dict[str, str]:
        return {
            "adaptive": _("Adap&tive"),
            "quick": _("&Quick"),
            "strict": _("Strict"),
            "grid": _("&Grid"),
            "replicate": _("&Replicate"),
            "calibrate": _("C&alibrate"),
            "paired": _("Pa&ired"),
            "blocks": _("Bloc&ks"),
        }

    def fill(self) -> None:
        """Show the form's protocol with its windows."""
        form = self.state.form
        if form.protocol in self.cards:
            self.cards[form.protocol].setChecked(True)
        windows = form.windows[form.protocol]
        for name in WINDOWS:
            self.inputs[name].set_text(windows[name])
        self.inputs["seed"].set_text(form.texts["seed"])
        self.inputs[_INDIFFERENCE].set_text(form.texts[_INDIFFERENCE])
        self.refine.setChecked(form.refine)
        if self._is_adjusted(form) or form.texts[_INDIFFERENCE] != SweepForm().texts[_INDIFFERENCE]:
            self.adjust.setChecked(True)

    def take_focus(self) -> None:
        """Focus the chosen protocol."""
        card = self._group.checkedButton()
        if card is not None:
            card.setFocus(Qt.FocusReason.OtherFocusReason)

    def refresh(self) -> None:
        """Show the duration of each protocol, and the fields that the study needs."""
        super().refresh()
        form = self.state.form
        ahead = self.state.ahead
        for name, card in self.cards.items():
            card.setVisible(name in form.kind.protocols)
            spec = self._spec_with_protocol(name, ahead) if ahead is not None and name in form.kind.protocols else None
            card.set_lead(time_needed(spec) if spec else "")
        self.summary.setText(protocol_summary(self.state.ahead) if self.state.spec and self.state.ahead else "")
        adapts = PROTOCOLS[form.protocol].adapts
        self.inputs["limit_min"].setVisible(adapts)
        for part in (self.refine, self.refine_words):
            part.setVisible(adapts and form.can_refine)
        facts = self.state.facts
        restarts = adapts and (facts is None or facts.restarts_database)
        self.inputs["restart_settle_s"].setVisible(restarts and self._is_window_asked("restart_settle_s"))
        self.inputs["repeats"].setVisible(not adapts or self._is_window_asked("repeats"))
        self.inputs[_INDIFFERENCE].setVisible(form.weighs_splits)
        self._name_varied_inputs(adapts=adapts)
        self.reset.setEnabled(self._is_adjusted(self.state.form))
        if self.inputs.keys() & self.state.messages_of("protocol").keys():
            self.adjust.setChecked(True)

    def _is_window_asked(self, name: str) -> bool:
        """Return True for a window that the study uses, or that was changed."""
        form = self.state.form
        standard = window_texts(PROTOCOLS[form.protocol])
        return form.weighs_splits or form.windows[form.protocol][name] != standard[name]

    def _name_varied_inputs(self, *, adapts: bool) -> None:
        """Name fields and cards after the quantity that the study varies."""
        words = study_texts_of(self.state.form.study)
        lead = _("More and longer trials distinguish smaller differences from noise. The host is always restored.")
        self.set_head(lead=lead if words else "")
        claims = words.protocol_claims() if words else self._claims
        for name, card in self.cards.items():
            card.set_words(claims.get(name, ""))
        repeats, most = _("Tr&ials per split and load"), _("Most tr&ials per split and load")
        self.inputs["repeats"].rename(words.repeats_name() if words else most if adapts else repeats)
        split = _("Exc&luded after a change of the split")
        self.inputs["settle_s"].rename(words.settle_name() if words else split)

    def _make_refining_box(self) -> QVBoxLayout:
        """Return the box that offers to measure further splits in between."""
        words = _("Afterwards, up to {n} splits in between are measured if they may be better.")
        self.refine = QCheckBox(_("Refine: also measure splits in between"))
        self.refine_words = make_label(words.format(n=MOST_ADDED_SPLITS), "dim", wrap=True)
        self.refine_words.setIndent(_BESIDE_BOX_PX)
        self.refine.toggled.connect(self._store_refine)
        box = QVBoxLayout()
        box.setSpacing(SPACE_XS)
        box.addWidget(self.refine)
        box.addWidget(self.refine_words)
        return box

    def _make_details(self) -> None:
        names = {
            "repeats": (_("Tr&ials per split and load"), _("times")),
            "measure_s": (_("&Measured window"), _("s")),
            "settle_s": (_("Exc&luded after a change of the split"), _("s")),
            "load_settle_s": (_("Excluded after a change of the loa&d"), _("s")),
            "limit_min": (_("Time &for the decision (0: no limit)"), _("min")),
            "restart_settle_s": (_("Excluded after a restart of the data&base"), _("s (0: none)")),
            "seed": (_("Seed of the random ord&er"), ""),
            _INDIFFERENCE: (_("Tolerance: &up to this, equally good"), "%"),
        }
        for pair in (
            ("repeats", "measure_s"),
            ("settle_s", "load_settle_s"),
            ("limit_min", "restart_settle_s"),
            ("seed", _INDIFFERENCE),
        ):
            row = SideBySide(520)
            self.details.body.addWidget(row)
            for key in pair:
                name, unit = names[key]
                self.inputs[key] = self.fields[key] = FormField(name, unit, letters=8)
                row.add(self.inputs[key], top=True)
                self.inputs[key].typed.connect(lambda text, key=key: self._store_input(key, text))
        set_glossary_tip(self.inputs["repeats"].name, "trial")
        set_glossary_tip(self.inputs["settle_s"].name, "settling")
        set_glossary_tip(self.inputs["load_settle_s"].name, "settling")
        set_glossary_tip(self.inputs[_INDIFFERENCE].name, "tolerance")
        self.reset = link_button(self.theme, _("Reset to the &protocol's values"), "undo")
        self.reset.clicked.connect(self._reset_windows)
        foot = QHBoxLayout()
        foot.setSpacing(SPACE_L)
        foot.addWidget(self.reset)
        foot.addStretch(1)
        self.details.body.addLayout(foot)

    def _spec_with_protocol(self, name: str, ahead: RunSpec) -> RunSpec | None:
        """Return the plan with another protocol; None for a mistake."""
        protocol = self.state.form.read_protocol(name)
        try:
            return None if protocol is None else msgspec.structs.replace(ahead, protocol=protocol)
        except SpecError:  # the protocol does not support the objective
            return None

    def _is_adjusted(self, form: SweepForm) -> bool:
        return form.protocol in PROTOCOLS and form.windows[form.protocol] != window_texts(PROTOCOLS[form.protocol])

    def _choose_protocol(self, name: str) -> None:
        if self.state.form.protocol != name:
            self.state.form.protocol = name
            self._show_windows()

    def _show_windows(self) -> None:
        name = self.state.form.protocol
        for key in WINDOWS:
            self.inputs[key].set_text(self.state.form.windows[name][key])
        self.state.touch()

    def _store_refine(self, on: bool) -> None:  # noqa: FBT001 - a slot
        self.state.form.refine = on
        self.state.touch()

    def _store_input(self, key: str, text: str) -> None:
        form = self.state.form
        (form.texts if key in form.texts else form.windows[form.protocol])[key] = text
        self.state.touch()

    def _reset_windows(self) -> None:
        self.state.form.windows[self.state.form.protocol] = window_texts(PROTOCOLS[self.state.form.protocol])
        self._show_windows()
