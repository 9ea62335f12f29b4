"""What the host said about itself, in the page where it was asked."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.card import Card
from app.widgets.fold_button import FoldButton
from app.widgets.labels import make_label, make_selectable
from app.widgets.message_bar import MessageBar
from app.widgets.simulated_ribbon import SimulatedRibbon
from app.wizard.findings_list import FindingsList
from app.wizard.host_properties import details_of, essentials_of
from scheduler.model.host_properties import HostProperties, VerifiedProperty
from scheduler.model.lock_owner import LockOwner

_ESSENTIAL = 3  # rows


class HostPropertiesCard(Card):
    """What matters before a sweep in three lines, then what is in the way; the rest folds out."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.heading.setWordWrap(True)  # the host's own words, as long as they may be
        self._ribbon = SimulatedRibbon(theme)
        self._busy = MessageBar(theme, closable=False)
        self.essentials = PropertiesGrid(_ESSENTIAL)
        self.findings = FindingsList(theme)
        self.details = PropertiesGrid()
        self.fold = FoldButton(theme, self.tr("Details of this host"), self.details)
        self.fold.toggled.connect(self._show_details)
        self._properties: Sequence[VerifiedProperty] = ()  # those of the details, made when somebody looks
        line = QHBoxLayout()
        line.addWidget(self.fold)
        line.addStretch(1)
        for part in (self._ribbon, self._busy, self.essentials, self.findings):
            self.body.addWidget(part)
        self.body.addLayout(line)
        self.body.addWidget(self.details)
        self.hide()

    def show_facts(self, facts: HostProperties | None, *, busy: LockOwner | None = None) -> None:
        """Show a host, and who keeps it busy, if somebody does; no facts hide the card."""
        if facts is None:
            self.hide()
            return
        self.set_title(facts.title)
        self._ribbon.setVisible(facts.simulated)
        if busy is None:
            self._busy.clear()
        else:
            self._busy.say("warning", *self._busy_words(busy))
        self.essentials.show_properties(essentials_of(facts))
        self._properties = details_of(facts)
        self._show_details()
        self.findings.show_findings(facts.findings)
        self.show()  # last: what comes into what is seen is laid out once for each

    def _show_details(self) -> None:
        if self.fold.isChecked():
            self.details.show_properties(self._properties)

    def _busy_words(self, busy: LockOwner) -> tuple[str, str]:
        if busy is LockOwner.FOLLOW:
            return (
                self.tr("This host is being followed, or that broke off and left it changed."),
                self.tr("End that, or restore the host from the banner, before you start this sweep."),
            )
        if busy is LockOwner.SWEEP:
            return (
                self.tr("This host is busy: a sweep is running on it, or an earlier one left it changed."),
                self.tr("Wait for that sweep, or restore the host from the banner, before you start this one."),
            )
        return (
            self.tr("This host is busy: another DomTune is at work on it, or an earlier one left it changed."),
            self.tr("Wait for that, or restore the host from the banner, before you start this sweep."),
        )


class PropertiesGrid(QWidget):
    """One row each: what it is about, how it really is, and where that can be looked at.

    Args:
        rows: So many are made at once, before anybody waits for them.
        parent: Qt's parent.
    """

    def __init__(self, rows: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_L)
        self._grid.setVerticalSpacing(SPACE_S)
        self._grid.setColumnStretch(1, 1)
        self._shown: Sequence[VerifiedProperty] = ()
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._make_rows(rows)

    def show_properties(self, truths: Sequence[VerifiedProperty]) -> None:
        """Show these instead."""
        if truths == self._shown:
            return
        self._shown = truths
        self._make_rows(len(truths))
        for name, value in self._rows[len(truths) :]:
            name.hide()
            value.hide()
        for truth, (name, value) in zip(truths, self._rows, strict=False):
            seen = self.tr("Read from {evidence}").format(evidence=truth.evidence) if truth.evidence else ""
            name.setText(truth.label)
            value.setText("\n".join(filter(None, (truth.value, seen))))
            value.setAccessibleName(truth.label)
            name.show()
            value.show()

    def _make_rows(self, rows: int) -> None:
        while len(self._rows) < rows:
            name, value = make_label("", "dim"), make_selectable(make_label("", wrap=True))
            self._grid.addWidget(name, len(self._rows), 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, len(self._rows), 1)
            self._rows.append((name, value))
