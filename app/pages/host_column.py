"""Left column of the home page: card for a new sweep, and a card per known host."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core_process import CommandRunner
from app.pages.first_start import ANOTHER
from app.pages.host_card import HostCard
from app.pages.host_menu import HostMenu
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.buttons import link_button
from app.widgets.card import BigCard
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import make_label
from app.widgets.scroll_areas import make_scroll_area
from scheduler.model.command_answers import RestoreItem
from scheduler.translation import _

_WIDTH_PX = 300
_UNLIMITED_PX = 16_777_215  # QWIDGETSIZE_MAX, which PySide6 does not export


class SavedHost(NamedTuple):
    """Host in the list.

    Attributes:
        url: The host's URL.
        title: Displayed name of the host.
        last_used: Time of the last use as text; empty for never.
        looks: False for a host that is probed only on request.
    """

    url: str
    title: str
    last_used: str
    looks: bool


class HostColumn(QWidget):
    """Card for a new sweep, and the cards of the hosts below.

    Signals:
        sweep: URL of the host that the user wants to sweep; empty lets the wizard ask.
        question: The user wants to choose another study than a sweep of splits.
        lessons: The user wants to see the lessons.
        watch: URL of the host that the user wants to watch.
        restore: The user wants to restore all hosts with a pending restore.
        reverted: An applied split was reverted.
        renamed: URL of a host, and its new displayed name; empty for the host's own name.
        looked: URL of a host, and True if the window may probe the host at the start.
        removed: URL of a host to remove from the list.
    """

    sweep = Signal(str)
    question = Signal()
    lessons = Signal()
    watch = Signal(str)
    restore = Signal()
    reverted = Signal()
    renamed = Signal(str, str)
    looked = Signal(str, bool)
    removed = Signal(str)

    def __init__(self, theme: Theme, runner: CommandRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._runner = runner
        self._looked = False
        self._items: Sequence[RestoreItem] = ()
        self.cards: list[HostCard] = []
        self.fill_width(on=False)
        inner = QWidget()
        inner.setProperty("scrolled", "true")
        self._box = QVBoxLayout(inner)
        self._box.setContentsMargins(0, 0, SPACE_M, 0)  # space for the scroll bar
        self._box.setSpacing(SPACE_M)
        self._box.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        card = QHBoxLayout()
        card.setContentsMargins(0, 0, SPACE_M, 0)  # as wide as the hosts below
        what = _("Choose host, splits and loads. You see every step before anything is changed.")
        self.new_card = BigCard(theme, "sweep", _("New sweep"), what, strong=True)
        self.new_card.clicked.connect(lambda: self.sweep.emit(""))
        card.addWidget(self.new_card)
        box.addLayout(card)
        box.addWidget(self._make_links(theme))
        heading = QHBoxLayout()
        heading.setContentsMargins(0, 0, SPACE_M, 0)
        self.add_button = link_button(theme, _("Add host"), "plus")
        self.add_button.clicked.connect(lambda: self.sweep.emit(ANOTHER))
        heading.addWidget(make_label(_("Hosts"), "lead"))
        heading.addStretch(1)
        heading.addWidget(self.add_button)
        box.addLayout(heading)
        box.addWidget(make_scroll_area(inner), 1)

    def _make_links(self, theme: Theme) -> QWidget:
        """Return the row of links below the card."""
        self.question_button = link_button(theme, _("Ask another question\N{HORIZONTAL ELLIPSIS}"), "plot")
        self.question_button.clicked.connect(self.question)
        self.lessons_button = link_button(theme, _("Lessons"), "eye")
        self.lessons_button.clicked.connect(self.lessons)
        links = QWidget()
        row = FlowLayout(links)
        row.addWidget(self.question_button)
        row.addWidget(self.lessons_button)
        return links

    def fill_width(self, *, on: bool) -> None:
        """Use the whole width, or the fixed width of a column."""
        self.setMinimumWidth(_WIDTH_PX)
        self.setMaximumWidth(_UNLIMITED_PX if on else _WIDTH_PX)

    def show_hosts(self, hosts: list[SavedHost]) -> None:
        """Show a card for each host."""
        if [card.url for card in self.cards] == [host.url for host in hosts]:
            for card, host in zip(self.cards, hosts, strict=True):
                if card.title != host.title:
                    card.rename(host.title)
                card.show_used(host.last_used)
                card.looks = host.looks
            return
        for card in self.cards:
            card.deleteLater()
        self.cards = [
            HostCard(self._theme, self._runner, host.url, host.title, host.last_used, looks=host.looks)
            for host in hosts
        ]
        for place, card in enumerate(self.cards):
            self._connect_menu(card.menu, card.url)
            card.sweep.connect(self.sweep)
            card.watch.connect(self.watch)
            card.restore.connect(self.restore)
            card.reverted.connect(self.reverted)
            card.show_records(self._items)
            self._box.insertWidget(place, card)
        self._looked = False

    def _connect_menu(self, menu: HostMenu, url: str) -> None:
        menu.renamed.connect(lambda name: self.renamed.emit(url, name))
        menu.looked.connect(lambda looks: self.looked.emit(url, looks))
        menu.removed.connect(lambda: self.removed.emit(url))

    def look(self, *, again: bool = False) -> None:
        """Probe each host that the window may probe; a second time only with `again`."""
        if (again or not self._looked) and self.cards:
            self._looked = True
            for card in self.cards:
                if card.looks:
                    card.look()

    def look_at(self, url: str) -> None:
        """Probe one host again if the hosts have been probed before."""
        for card in self.cards:
            if card.url == url and self._looked:
                card.look()

    def show_records(self, items: Sequence[RestoreItem]) -> None:
        """Show the undo records on the hosts' cards."""
        self._items = items
        for card in self.cards:
            card.show_records(items)
