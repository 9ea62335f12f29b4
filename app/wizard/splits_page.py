"""Step 3: share or partition, which splits, and what each of them becomes."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QButtonGroup

from app.studies.text_registry import study_texts_of
from app.theme.theme import Theme
from app.widgets.card import Card
from app.widgets.labels import make_label
from app.widgets.side_by_side import SideBySide
from app.widgets.table import TableView
from app.wizard.choice_card import ChoiceCard
from app.wizard.encoding_table import encoding_table
from app.wizard.field import FieldMessage
from app.wizard.mode_pictures import draw_caps, draw_weights
from app.wizard.scheduler_texts import scheduler_name
from app.wizard.split_editor import SplitEditor
from app.wizard.varied_cards import ThreeSplitsCard, VcpusCard
from app.wizard.wizard_page import WizardPage
from app.wizard.wizard_state import WizardState
from scheduler.model.spec import Mode

_ROW_PX = 30
_KEYS = QKeySequence.StandardKey


class SplitsPage(WizardPage):
    """Two modes as cards, splits as chips on their scale, parameters as a table."""

    def __init__(self, theme: Theme, state: WizardState) -> None:
        super().__init__(
            "splits",
            theme,
            state,
            self.tr("Which splits?"),
            self.tr(
                "Each split is a way to divide the CPU, written I/O domain : guest. 1:2 gives the guest two thirds."
            ),
        )
        self.others: dict[str, VcpusCard | ThreeSplitsCard] = {}

    def make(self) -> Iterator[None]:
        """Make the modes, the splits, what they become, and what other studies ask for instead."""
        self._make_modes()
        yield
        self.editor = SplitEditor(self.theme, self.state)
        for key, step in ((_KEYS.Undo, self.editor.undo), (_KEYS.Redo, self.editor.redo)):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(step)
        self.editor.changed.connect(self.state.touch)
        self.fields["period_ms"] = self.editor.period
        self.body.addWidget(self.editor)
        yield
        self._becomes = self._table_card()
        self.body.addWidget(self._becomes)
        yield
        for factor, make in (
            ("vcpus", lambda: VcpusCard(self.state)),
            ("guests", lambda: ThreeSplitsCard(self.theme, self.state)),
        ):
            self.others[factor] = part = make()
            part.changed.connect(self.state.touch)
            self.fields.update({name: field for name, field in part.fields.items() if name not in self.fields})
            self.body.addWidget(part)
            yield

    def _make_modes(self) -> None:
        self.modes = {
            Mode.PARTITION: ChoiceCard(
                self.theme,
                self.tr("&Partition"),
                self.tr("Each domain gets its share and never more; what one leaves stays idle. As in the 2007 paper."),
                draw_caps,
            ),
            Mode.SHARE: ChoiceCard(
                self.theme,
                self.tr("Sha&re"),
                self.tr("Each domain is sure of its share, and may use what the other leaves."),
                draw_weights,
            ),
        }
        self._group = QButtonGroup(self)
        self._mode_row = row = SideBySide(520)
        for mode, card in self.modes.items():
            self._group.addButton(card)
            row.add(card)
            card.toggled.connect(lambda on, mode=mode: on and self._set_mode(mode))
        self.mode_message = FieldMessage()
        self.fields["mode"] = self.mode_message
        for part in (row, self.mode_message):
            self.body.addWidget(part)

    def fill(self) -> None:
        """Show the form's mode, splits and period."""
        self.modes[Mode(self.state.form.mode)].setChecked(True)
        self.editor.period.set_text(self.state.form.period_ms)
        self.editor.forget()
        self.editor.refresh()
        for part in self.others.values():
            part.fill()

    def refresh(self) -> None:
        """Show what the splits become."""
        kind, own = self.state.form.kind, self._own_card
        self.fields["period_ms"] = own.period if isinstance(own, ThreeSplitsCard) else self.editor.period
        super().refresh()
        words = study_texts_of(kind.name)
        self.set_head(*(words.splits_head() if words else ()))
        for part in self.others.values():
            part.setVisible(part is own)
        for part in (self._mode_row, self.editor, self._becomes):
            part.setVisible(own is None)
        if own is not None:
            own.refresh()
            return
        divided = bool(self.state.form.splits)  # else no mode is of any use
        for part in (self._mode_row, self._becomes):
            part.setVisible(divided or words is None)
        self.editor.refresh()
        self._offer_modes()
        known = self.state.facts is not None
        self._unknown.setVisible(not known)
        for part in (self.table, self._same):
            part.setVisible(known)
        if known:
            self._show_rows()

    def take_focus(self) -> None:
        """Begin with the mode; where none is asked for, with the splits, or with what is varied instead."""
        if self._own_card is not None:
            self._own_card.take_focus()
            return
        if self._mode_row.isHidden():
            self.editor.axis.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.modes[Mode(self.state.form.mode)].setFocus(Qt.FocusReason.OtherFocusReason)

    def ready(self) -> bool:
        """Take the split that is typed but not added yet."""
        return (self._own_card is not None or self.editor.take_typed()) and super().ready()

    @property
    def _own_card(self) -> VcpusCard | ThreeSplitsCard | None:
        """What stands here where the study has no splits of two."""
        return self.others.get(self.state.form.kind.factor)

    def _offer_modes(self) -> None:
        """Offer only the modes that the host's scheduler has; say of the other why not."""
        modes = self.state.form.modes
        self.modes[Mode.SHARE].set_words("" if Mode.SHARE in modes else self._no_weights())
        for mode, card in self.modes.items():
            card.setEnabled(mode in modes)

    def _no_weights(self) -> str:
        text = self.tr("Not here: {scheduler} has no weights, so no domain can use what the other leaves.")
        return text.format(scheduler=scheduler_name(self.state.form.scheduler))

    def _table_card(self) -> Card:
        title = self.tr("What each split becomes")
        card = Card(title)
        self._unknown = make_label(self.tr("Known once the host has been tested."), "dim", wrap=True)
        self._same = make_label("", "dim", wrap=True)
        self.table = TableView(title)
        self.table.verticalHeader().setDefaultSectionSize(_ROW_PX)
        self.table.share_width()
        for part in (self._unknown, self.table, self._same):
            card.body.addWidget(part)
        return card

    def _show_rows(self) -> None:
        rows = self.state.form.split_rows()
        rows.sort(key=lambda row: row.setting.position if row.setting else 0.0)
        table, same = encoding_table(rows)
        self.table.set_table(table)
        self.table.setFixedHeight(self.table.horizontalHeader().sizeHint().height() + _ROW_PX * len(rows) + 4)
        self._same.setText(same)

    def _set_mode(self, mode: Mode) -> None:
        if self.state.form.mode != mode.value:
            self.state.form.mode = mode.value
            self.state.touch()
