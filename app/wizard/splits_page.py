"""Step 3: the mode, the splits, and the parameters of each."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QKeySequence, QPainter, QPen, QShortcut
from PySide6.QtWidgets import QButtonGroup

from app.display_texts import format_confidence, format_error_percent, format_parameter
from app.studies.text_registry import study_texts_of
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.card import Card
from app.widgets.labels import make_label
from app.widgets.side_by_side import SideBySide
from app.widgets.table import Cell, TableData, TableView
from app.wizard.choice_card import ChoiceCard
from app.wizard.dedicated_editor import DedicatedEditor, placement_table
from app.wizard.field import FieldMessage
from app.wizard.scheduler_texts import scheduler_name
from app.wizard.split_editor import SplitEditor
from app.wizard.split_rows import SplitRow
from app.wizard.study_keys_card import StudyKeysCard
from app.wizard.varied_cards import GuestSplitsCard, VcpusCard
from app.wizard.wizard_page import WizardPage
from app.wizard.wizard_state import WizardState
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.model.studies import STUDIES
from scheduler.translation import _

_ROLES = (IO, GUEST)
_WHOLE_FRAC = 0.995  # above, the difference is only the rounding of slices


def encoding_table(rows: Sequence[SplitRow]) -> tuple[TableData, str]:
    """Return a table with the parameters of each split, and a sentence.

    The table has the parameters that differ between splits; the sentence has the others.
    """
    names = _parameter_names(rows)
    varying = [name for name in names if len(_parameter_values(rows, name)) > 1]
    same = [
        f"{name} {format_parameter(next(iter(_parameter_values(rows, name))))}" for name in names if name not in varying
    ]
    titles = {IO: _("I/O domain: {parameter}"), GUEST: _("Guest: {parameter}")}
    headers = (
        _("Split"),
        _("I/O domain"),
        *(titles[role].format(parameter=name) for name in varying for role in _ROLES),
        _("Rounding error"),
    )
    note = _("Equal for all splits: {parameters}.").format(parameters=", ".join(same)) if same else ""
    return TableData(headers, [_encoding_row(row, varying) for row in rows]), " ".join(
        filter(None, (_unused_cpu_text(rows), note))
    )


def _unused_cpu_text(rows: Sequence[SplitRow]) -> str:
    """Return a sentence about CPU left to the hypervisor; empty for none."""
    total_frac = min((row.encoding.total_frac for row in rows if row.encoding), default=1.0)
    text = _("Both domains together get at most {total} of the CPU. The hypervisor keeps the rest.")
    return text.format(total=_share_text(total_frac)) if total_frac < _WHOLE_FRAC else ""


def _parameter_names(rows: Sequence[SplitRow]) -> list[str]:
    found = [name for row in rows if row.encoding for role in _ROLES for name in row.encoding.params[role].rows]
    return list(dict.fromkeys(found))


def _parameter_values(rows: Sequence[SplitRow], name: str) -> set[str]:
    return {row.encoding.params[role].rows.get(name, "") for row in rows if row.encoding for role in _ROLES}


def _encoding_row(row: SplitRow, varying: Sequence[str]) -> tuple[Cell, ...]:
    if row.setting is None or row.encoding is None:
        return row.text, None, *(None for _ in varying for _ in _ROLES), None
    params = row.encoding.params
    values = (format_parameter(params[role].rows.get(name, "")) for name in varying for role in _ROLES)
    return row.text, _share_text(row.setting.split.io_frac), *values, _error_text(row.encoding.rounding_error_frac)


def _share_text(io_frac: float) -> str:
    """Return a share with as many digits as its rounding error needs."""
    return format_confidence(io_frac)


def _error_text(error_frac: float) -> str:
    return format_error_percent(error_frac) if error_frac else _("none")


_BARS = 4
_TIME_PX = 18  # height of the line below the bars
_IO_NEEDS = (0.34, 0.34, 0.10, 0.34)  # the I/O domain needs little CPU in the third moment
_IO_GETS = 1 / 3
_CPUS_DRAWN = 3


def draw_weights(painter: QPainter, area: QRectF, colours: Palette) -> None:
    """Draw moments of one CPU in which the guest uses the rest.

    Args:
        painter: Qt's painter.
        area: Area of the picture.
        colours: Palette.
    """
    for bar, io in zip(_bar_areas(area), _IO_NEEDS, strict=True):
        _draw_bar(painter, bar, io, 1 - io, colours)
    _name_time(painter, area, colours)


def draw_caps(painter: QPainter, area: QRectF, colours: Palette) -> None:
    """Draw moments of one CPU in which the rest stays idle.

    Args:
        painter: Qt's painter.
        area: Area of the picture.
        colours: Palette.
    """
    for bar, io in zip(_bar_areas(area), _IO_NEEDS, strict=True):
        _draw_bar(painter, bar, io, 1 - _IO_GETS, colours)
    _name_time(painter, area, colours)


def draw_dedicated(painter: QPainter, area: QRectF, colours: Palette) -> None:
    """Draw moments of three CPUs, of which the lowest is the I/O domain's.

    Args:
        painter: Qt's painter.
        area: Area of the picture.
        colours: Palette.
    """
    for bar, io in zip(_bar_areas(area), _IO_NEEDS, strict=True):
        _draw_bar(painter, bar, io, 1 - _IO_GETS, colours)
        painter.setPen(QPen(QColor(colours.raised), 3))
        for cell in (1, 2):
            y = bar.top() + bar.height() * cell / _CPUS_DRAWN
            painter.drawLine(QPointF(bar.left(), y), QPointF(bar.right(), y))
    _name_time(painter, area, colours)


def _bar_areas(area: QRectF) -> list[QRectF]:
    area, gap = area.adjusted(0, 0, 0, -_TIME_PX), 10
    width = min(64.0, (area.width() - (_BARS - 1) * gap) / _BARS)
    return [QRectF(area.left() + i * (width + gap), area.top(), width, area.height()) for i in range(_BARS)]


def _name_time(painter: QPainter, area: QRectF, colours: Palette) -> None:
    """Write below the bars that they are moments in time."""
    bars = _bar_areas(area)
    below = QRectF(bars[0].left(), area.bottom() - _TIME_PX + 2, bars[-1].right() - bars[0].left(), _TIME_PX)
    words = _("time \N{RIGHTWARDS ARROW}")
    painter.setPen(QColor(colours.dim))
    painter.drawText(below, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, words)


def _draw_bar(painter: QPainter, bar: QRectF, io: float, guest: float, colours: Palette) -> None:
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colours.idle))
    painter.drawRect(bar)
    top = QRectF(bar.left(), bar.top(), bar.width(), bar.height() * guest)
    bottom = QRectF(bar.left(), bar.bottom() - bar.height() * io, bar.width(), bar.height() * io)
    painter.fillRect(top, QColor(colours.guest))
    painter.fillRect(bottom, QColor(colours.io))
    idle = QRectF(bar.left(), top.bottom(), bar.width(), bottom.top() - top.bottom())
    if idle.height() > 1:
        painter.fillRect(idle, QBrush(QColor(colours.edge), Qt.BrushStyle.BDiagPattern))
    painter.setPen(QPen(QColor(colours.edge), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)
    painter.restore()


_ROW_PX = 30
_KEYS = QKeySequence.StandardKey


class SplitsPage(WizardPage):
    """Page with cards for the modes, the editor of splits, and a table of parameters."""

    def __init__(self, theme: Theme, state: WizardState) -> None:
        super().__init__(
            "splits",
            theme,
            state,
            _("Which splits?"),
            _("A split divides the CPU, written I/O domain : guest. For example, 1:2 gives the guest two thirds."),
        )
        self.others: dict[str, VcpusCard | GuestSplitsCard | StudyKeysCard] = {}
        self._make_parts()

    def _make_parts(self) -> None:
        """Make modes, splits and parameters, and the cards of other studies."""
        self._make_modes()
        self.editor = SplitEditor(self.theme, self.state)
        for key, step in ((_KEYS.Undo, self.editor.undo), (_KEYS.Redo, self.editor.redo)):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(step)
        self.editor.changed.connect(self.state.touch)
        self.dedicated = DedicatedEditor(self.theme, self.state)
        self.dedicated.changed.connect(self.state.touch)
        self.fields["period_ms"] = self.editor.period
        self.body.addWidget(self.editor)
        self.body.addWidget(self.dedicated)
        self._becomes = self._table_card()
        self.body.addWidget(self._becomes)
        for factor, make in (
            ("vcpus", lambda: VcpusCard(self.state)),
            ("guests", lambda: GuestSplitsCard(self.theme, self.state)),
            *((kind.name, partial(StudyKeysCard, self.state, kind)) for kind in STUDIES.values() if kind.mode),
        ):
            self.others[factor] = part = make()
            part.changed.connect(self.state.touch)
            self.fields.update({name: field for name, field in part.fields.items() if name not in self.fields})
            self.body.addWidget(part)

    def _make_modes(self) -> None:
        self.modes = {
            Mode.CAPS: ChoiceCard(
                self.theme,
                _("Ca&ps"),
                _("Each domain gets its share and never more. Unused CPU time stays idle, as in the 2007 paper."),
                draw_caps,
            ),
            Mode.WEIGHTS: ChoiceCard(
                self.theme,
                _("Wei&ghts"),
                _("Each domain is guaranteed its share, and may use CPU time that the other leaves."),
                draw_weights,
            ),
            Mode.DEDICATED: ChoiceCard(
                self.theme,
                _("&Dedicated CPUs"),
                _("Each domain has whole CPUs of its own: DomTune places it there while the sweep runs."),
                draw_dedicated,
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
        if chosen := self.modes.get(Mode(self.state.form.texts["mode"])):
            chosen.setChecked(True)
        self.editor.period.set_text(self.state.form.texts["period_ms"])
        self.editor.forget()
        self.editor.refresh()
        for part in self.others.values():
            part.fill()

    def refresh(self) -> None:
        """Show the parameters of the form's splits."""
        kind, own = self.state.form.kind, self._own_card
        self.fields["period_ms"] = own.period if isinstance(own, GuestSplitsCard) else self.editor.period
        super().refresh()
        words = study_texts_of(kind.name)
        self.set_head(*(words.splits_head() if words else ()))
        for part in self.others.values():
            part.setVisible(part is own)
        whole = self.state.form.mode is Mode.DEDICATED
        for part, shown in ((self._mode_row, True), (self.editor, not whole), (self.dedicated, whole)):
            part.setVisible(own is None and shown)
        self._becomes.setVisible(own is None)
        if own is not None:
            own.refresh()
            return
        divided = self.state.form.divides
        self._mode_row.setVisible(divided or words is None or whole)
        self._becomes.setVisible(divided or words is None)
        (self.dedicated if whole else self.editor).refresh()
        self._offer_modes()
        known = self.state.facts is not None
        self._unknown.setVisible(not known)
        for part in (self.table, self._same):
            part.setVisible(known)
        if known:
            self._show_rows()

    def take_focus(self) -> None:
        """Focus the mode, or without a choice of modes the first other input."""
        if self._own_card is not None:
            self._own_card.take_focus()
            return
        if self._mode_row.isHidden():
            (self.dedicated.rows if self.dedicated.isVisible() else self.editor.axis).setFocus(
                Qt.FocusReason.OtherFocusReason
            )
            return
        chosen = self.modes.get(Mode(self.state.form.texts["mode"]), self.modes[Mode.CAPS])
        chosen.setFocus(Qt.FocusReason.OtherFocusReason)

    def ready(self) -> bool:
        """Add a split that was typed only; return True if the page is complete."""
        return (self._own_card is not None or self.editor.take_typed()) and super().ready()

    @property
    def _own_card(self) -> VcpusCard | GuestSplitsCard | StudyKeysCard | None:
        """Card of a study whose plans name no splits of two domains; None for others."""
        kind = self.state.form.kind
        return self.others.get(kind.name if kind.mode else kind.factor)

    def _offer_modes(self) -> None:
        """Enable the modes of the host's scheduler, and show why weights are missing."""
        modes = self.state.form.modes
        self.modes[Mode.WEIGHTS].set_words("" if Mode.WEIGHTS in modes else self._no_weights())
        for mode in (Mode.CAPS, Mode.WEIGHTS):
            self.modes[mode].setEnabled(mode in modes)
        why = self._no_dedicated()
        self.modes[Mode.DEDICATED].set_words(why)
        self.modes[Mode.DEDICATED].setEnabled(not why)
        self.modes[Mode.DEDICATED].setVisible(self._has_several_cpus())

    def _has_several_cpus(self) -> bool:
        """Return True if dedicated CPUs are chosen, or possible with this many CPUs."""
        facts = self.state.facts
        several = facts is not None and (len(facts.placement.choices) > 1 or len(facts.shared_cpus) > 1)
        return several or self.state.form.mode is Mode.DEDICATED

    def _no_dedicated(self) -> str:
        """Return why domains cannot have CPUs of their own; empty if they can."""
        facts = self.state.facts
        if facts is None or facts.placement.possible:
            return ""
        return _("Not here: {why}.").format(why=facts.placement.why.rstrip("."))

    def _no_weights(self) -> str:
        text = _("Not available: {scheduler} has no weights. No domain can use CPU time that the other leaves.")
        return text.format(scheduler=scheduler_name(self.state.form.scheduler))

    def _table_card(self) -> Card:
        title = _("Parameters of each split")
        card = Card(title)
        self._unknown = make_label(_("Shown after you test the host."), "dim", wrap=True)
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
        if self.state.form.mode is Mode.DEDICATED and self.state.placed is not None:
            table, same = placement_table(rows, self.state.placed.shared_cpus), ""
        else:
            table, same = encoding_table(rows)
        self.table.set_table(table)
        self.table.setFixedHeight(self.table.horizontalHeader().sizeHint().height() + _ROW_PX * len(rows) + 4)
        self._same.setText(same)
        self._same.setVisible(bool(same))

    def _set_mode(self, mode: Mode) -> None:
        if self.state.form.texts["mode"] != mode.value:
            self.state.form.texts["mode"] = mode.value
            self.state.touch()
