"""Editor of splits into whole CPUs, for dedicated CPUs."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout

from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import preset_button, secondary_button
from app.widgets.card import Card
from app.widgets.labels import make_label
from app.widgets.table import TableData
from app.wizard.dedicated_rows import DedicatedRows, WholeSplit, list_whole_counts, widest_gap_count
from app.wizard.field import FieldMessage
from app.wizard.split_rows import SplitRow
from app.wizard.wizard_state import WizardState
from scheduler.errors import SpecError
from scheduler.model.placement import count_whole_cpus, divide_cpus, preset_dedicated_splits
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.shares.share_model import HostMachine
from scheduler.translation import _

_MOST_ROWS = 16  # a preset with more rows would be hard to read


def read_whole_splits(rows: Sequence[SplitRow], machine: HostMachine) -> list[WholeSplit]:
    """Return the splits of the form as whole CPUs, in the order of the I/O domain's.

    Args:
        rows: Splits of the form.
        machine: The host's vCPUs and the number of shared CPUs.
    """
    vcpus = {role: machine.online(role) for role in (IO, GUEST)}
    found = list[WholeSplit]()
    for row in rows:
        io = _count_io(row, machine.cpus)
        clipped = _clipped_text({IO: io, GUEST: machine.cpus - io}, vcpus) if row.encoding and io else ""
        reason = row.message or (clipped if row.encoding and row.encoding.warnings else "")
        found.append(WholeSplit(row.text, io, machine.cpus, vcpus[IO], vcpus[GUEST], reason))
    return sorted(found, key=lambda split: split.io_cpus)


def _clipped_text(cpus: Mapping[DomainId, int], vcpus: Mapping[DomainId, int]) -> str:
    """Return a sentence per domain that has fewer vCPUs than CPUs."""
    texts = {
        IO: _("The I/O domain has {v} vCPUs: it can use {v} of its {n} CPUs."),
        GUEST: _("The guest has {v} vCPUs: it can use {v} of its {n} CPUs."),
    }
    short = [role for role in texts if vcpus[role] < cpus[role]]
    return " ".join(texts[role].format(v=vcpus[role], n=cpus[role]) for role in short)


def _count_io(row: SplitRow, cpus: int) -> int:
    try:
        return count_whole_cpus(cpus, row.setting.split)[IO] if row.setting else 0
    except SpecError:
        return 0


def placement_table(rows: Sequence[SplitRow], cpus: tuple[int, ...]) -> TableData:
    """Return a table with the CPUs of both domains at each split.

    Args:
        rows: Splits of the form.
        cpus: The shared CPUs, ascending.
    """
    found: list[tuple[str | None, ...]] = []
    for row in rows:
        try:
            parts = divide_cpus(cpus, row.setting.split) if row.setting else {}
        except SpecError:
            parts = {}
        texts = (format_cpu_list(parts[role]) if role in parts else None for role in (IO, GUEST))
        found.append((row.text, *texts))
    return TableData((_("Split"), _("CPUs of the I/O domain"), _("CPUs of the guest")), found)


class DedicatedEditor(Card):
    """Editor of the form's splits into whole CPUs.

    Signals:
        changed: The form was changed.
    """

    changed = Signal()

    def __init__(self, theme: Theme, state: WizardState) -> None:
        super().__init__()
        self._state = state
        self._splits: list[WholeSplit] = []
        self.rows = DedicatedRows(theme)
        self.message = FieldMessage()
        self.by_host = preset_button(theme, _("By the number of CPUs"))
        self.every = preset_button(theme, _("Every number"))
        self.add = secondary_button(theme, _("&Add a split"), "plus")
        row = QHBoxLayout()
        row.setSpacing(SPACE_S)
        row.addWidget(make_label(_("Presets"), "dim"))
        for button in (self.by_host, self.every):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.add)
        self.note = make_label("", "dim", wrap=True)
        self.body.addLayout(row)
        for part in (self.rows, self.note, self.message):
            self.body.addWidget(part)
        self.by_host.clicked.connect(lambda: self._store([]))
        self.every.clicked.connect(lambda: self._store_counts(list(list_whole_counts(self._cpus))))
        self.add.clicked.connect(self._add_split)
        self.rows.moved.connect(self._move_split)
        self.rows.removed.connect(self._remove_split)

    @property
    def _cpus(self) -> int:
        return self._state.form.machine.cpus

    def refresh(self) -> None:
        """Show the form's splits, with reasons where the host cannot use all CPUs."""
        form, cpus = self._state.form, self._cpus
        self._splits = read_whole_splits(form.split_rows(), form.machine) if cpus > 1 else []
        self.rows.show_splits(self._splits)
        self.rows.setVisible(bool(self._splits))
        self.by_host.setChecked(not form.whole_splits)
        self.by_host.setToolTip(", ".join(preset_dedicated_splits(cpus)) if cpus > 1 else "")
        counts = [split.io_cpus for split in self._splits]
        every = list(list_whole_counts(cpus))
        self.every.setVisible(1 < len(every) <= _MOST_ROWS)
        self.every.setChecked(bool(form.whole_splits) and counts == every)
        self.add.setEnabled(cpus > 1 and widest_gap_count(cpus, counts) is not None)
        known = self._state.facts is not None
        self.note.setText(self._usage_hint() if cpus > 1 or known else _("Known once the host has been tested."))
        self.message.say(self._state.messages.get("splits", "") or self._state.messages.get("cpus.set", ""))

    def _usage_hint(self) -> str:
        return _(
            "Drag the boundary between the CPUs of the I/O domain and the guest. Hatched CPUs cannot be used: the "
            "domain has fewer vCPUs."
        )

    def _move_split(self, index: int, count: int) -> None:
        counts = [split.io_cpus for split in self._splits]
        counts[index] = count
        self._store_counts(counts, chosen=count)

    def _remove_split(self, index: int) -> None:
        left = [split for at, split in enumerate(self._splits) if at != index]
        if left:  # without splits the number of CPUs would decide again
            self._store([split.label for split in left])

    def _add_split(self) -> None:
        counts = [split.io_cpus for split in self._splits]
        new = widest_gap_count(self._cpus, counts)
        if new is not None:
            self._store_counts([*counts, new], chosen=new)

    def _store_counts(self, counts: list[int], chosen: int | None = None) -> None:
        ordered = sorted(set(counts) - {0})
        self._store([f"{count}:{self._cpus - count}" for count in ordered])
        if chosen in ordered:
            self.rows.choose(ordered.index(chosen))

    def _store(self, splits: list[str]) -> None:
        self._state.form.whole_splits = splits
        self.changed.emit()
