"""Step 3: share or partition, and which splits."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QHeaderView

from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.buttons import link, secondary
from app.widgets.card import Card
from app.widgets.glossary import explain
from app.widgets.table import TableView
from app.widgets.text import label
from app.wizard.choice_card import ChoiceCard
from app.wizard.encoding_table import encoding_table
from app.wizard.field import Field, Message
from app.wizard.mode_pictures import draw_partition, draw_share
from app.wizard.page import Page, SideBySide
from app.wizard.reading import Reader
from app.wizard.split_axis import SplitAxis
from app.wizard.split_scale import PRESETS
from app.wizard.state import WizardState
from scheduler.model.setting import split_setting
from scheduler.model.spec import Mode

_ROW_PX = 30


class SplitsPage(Page):
    """Two modes as cards, splits as chips on their scale, and what each becomes."""

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
        self.modes = {
            Mode.PARTITION: ChoiceCard(
                theme,
                self.tr("&Partition"),
                self.tr("Each domain gets its share and never more; what one leaves stays idle. As in the 2007 paper."),
                draw_partition,
            ),
            Mode.SHARE: ChoiceCard(
                theme,
                self.tr("S&hare"),
                self.tr("Each domain is sure of its share, and may use what the other leaves."),
                draw_share,
            ),
        }
        self._group = QButtonGroup(self)
        row = SideBySide(520)
        for mode, card in self.modes.items():
            self._group.addButton(card)
            row.add(card)
            card.clicked.connect(lambda _, mode=mode: self._set_mode(mode))
        self.body.addWidget(row)
        self.body.addWidget(self._editor())
        self.body.addWidget(self._table_card())
        self.fill()

    def fill(self) -> None:
        """Show the form's mode, splits and period."""
        form = self.state.form
        self.modes[Mode(form.mode)].setChecked(True)
        self.period.set_text(form.period_ms)
        self._show_splits()

    def refresh(self) -> None:
        """Show what the splits become."""
        super().refresh()
        form = self.state.form
        self.period.setVisible(form.mode == Mode.PARTITION)
        wrong = [text for name, text in self.state.messages.items() if name.startswith("splits")]
        self.message.say("\n".join(dict.fromkeys(wrong)))
        rows = sorted(form.split_rows(), key=lambda row: row.setting.position if row.setting else 0.0)
        self.unknown.setVisible(self.state.facts is None)
        for part in (self.table, self.same):
            part.setVisible(self.state.facts is not None)
        if self.state.facts is not None:
            table, note = encoding_table(rows)
            self.table.set_table(table)
            self.same.setText(note)
            self.same.setVisible(bool(note))
            header = self.table.horizontalHeader().sizeHint().height()
            self.table.setFixedHeight(header + _ROW_PX * len(rows) + 4)

    def take_focus(self) -> None:
        """Begin with the mode."""
        self.modes[Mode(self.state.form.mode)].setFocus(Qt.FocusReason.OtherFocusReason)

    def ready(self) -> bool:
        """Take the split that is typed but not added yet."""
        if self.new.edit.text().strip() and not self.add_typed():
            return False
        return super().ready()

    def add_typed(self) -> bool:
        """Add the split that is typed; False, with a message, when it is none."""
        reader = Reader()
        text = self.new.edit.text()
        setting = reader.take("split", lambda: split_setting(text), None)
        if setting is None:
            self.new.say(reader.messages["split"])
            self.new.reveal()
            self.new.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            return False
        self.new.say("")
        self.new.edit.clear()
        self._add(setting.label)
        return True

    def _editor(self) -> Card:
        card = Card()
        self.axis = SplitAxis(self.theme)
        self.message = Message()
        self.new = Field(self.tr("&Add a split"), letters=10)
        self.new.edit.setPlaceholderText("2:3")
        self._add_button = secondary(self.theme, self.tr("Add"), "plus")
        self.new.row.insertWidget(1, self._add_button)
        self.period = Field(self.tr("P&eriod of the quotas"), "ms", letters=8)
        explain(self.period.name, "quota")
        presets = QHBoxLayout()
        presets.setSpacing(SPACE_S)
        presets.addWidget(label(self.tr("Presets"), "dim"))
        names = {
            "paper": self.tr("The paper's nine"),
            "five": self.tr("Five"),
            "middle": self.tr("Fine around the middle"),
        }
        for key, name in names.items():
            button = link(self.theme, name)
            button.clicked.connect(lambda _, key=key: self._set_splits(list(PRESETS[key])))
            presets.addWidget(button)
        presets.addStretch(1)
        inputs = QHBoxLayout()
        inputs.setSpacing(SPACE_L)
        inputs.addWidget(self.new, 1, Qt.AlignmentFlag.AlignTop)
        inputs.addWidget(self.period, 1, Qt.AlignmentFlag.AlignTop)
        card.body.addLayout(presets)
        card.body.addWidget(self.axis)
        card.body.addWidget(
            label(self.tr("Click the scale to add a split, drag a split to move it."), "dim", wrap=True)
        )
        card.body.addWidget(self.message)
        card.body.addLayout(inputs)
        self.fields["period_ms"] = self.period
        self._connect()
        return card

    def _connect(self) -> None:
        self.axis.added.connect(self._add)
        self.axis.removed.connect(self._remove)
        self.axis.moved.connect(self._move)
        self.axis.digit.connect(self._begin_to_type)
        self.new.edit.returnPressed.connect(self.add_typed)
        self.new.typed.connect(lambda _: self.new.say(""))
        self._add_button.clicked.connect(self.add_typed)
        self.period.typed.connect(self._type_period)

    def _table_card(self) -> Card:
        card = Card(self.tr("What each split becomes"))
        self.unknown = label(self.tr("Known once the host has been tested."), "dim", wrap=True)
        self.table = TableView(self.tr("What each split becomes"))
        self.table.verticalHeader().setDefaultSectionSize(_ROW_PX)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        card.body.addWidget(self.unknown)
        self.same = label("", "dim", wrap=True)
        card.body.addWidget(self.table)
        card.body.addWidget(self.same)
        return card

    def _set_mode(self, mode: Mode) -> None:
        self.state.form.mode = mode.value
        self.state.touch()

    def _type_period(self, text: str) -> None:
        self.state.form.period_ms = text
        self.state.touch()

    def _begin_to_type(self, digit: str) -> None:
        self.new.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.new.edit.setText(digit)

    def _add(self, text: str) -> None:
        if text not in self.state.form.splits:
            self._set_splits([*self.state.form.splits, text])
        self.axis.choose(text)

    def _move(self, old: str, new: str) -> None:
        self._set_splits([new if text == old else text for text in self.state.form.splits])

    def _remove(self, text: str) -> None:
        self._set_splits([kept for kept in self.state.form.splits if kept != text])

    def _set_splits(self, splits: list[str]) -> None:
        self.state.form.splits = splits
        self._show_splits()
        self.state.touch()

    def _show_splits(self) -> None:
        self.axis.show_splits(self.state.form.splits)
