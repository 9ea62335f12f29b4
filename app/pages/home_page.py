"""Home page: hosts on the left, sweeps on the right."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.pages.applied_bar import AppliedBars
from app.pages.first_start import LOCAL, FirstStart
from app.pages.host_column import HostColumn, SavedHost
from app.pages.sweep_actions import SweepActions
from app.pages.sweep_rows import SweepRow, read_rows
from app.pages.sweeps_list import SweepsList
from app.settings import Settings
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XXL
from app.widgets.buttons import tool_button
from app.widgets.labels import make_label
from app.widgets.message_bar import MessageBar
from app.widgets.offer_bar import OfferBar
from app.widgets.scroll_areas import make_scroll_area
from app.widgets.shortcuts import add_shortcut
from scheduler import places
from scheduler.model.command_answers import RestoreResult
from scheduler.model.terminal_text import replace_controls
from scheduler.model.urls import redact_url
from scheduler.translation import _


class SweepsColumn(QWidget):
    """Search field, list of sweeps and actions.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = QLineEdit()
        self.search.setPlaceholderText(_("Find by name, host, split, verdict, tag or note"))
        self.search.setAccessibleName(_("Find sweeps"))
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(340)
        self.list = SweepsList(theme)
        self.nothing = self._make_nothing()
        self.footer = SweepActions(theme, self.list)
        self.search.textChanged.connect(self._search_sweeps)
        top = QHBoxLayout()
        top.addWidget(make_label(_("Sweeps"), "title"))
        top.addStretch(1)
        top.addWidget(self.search, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        box.addLayout(top)
        box.addWidget(self.list, 1)
        box.addWidget(self.footer)

    def set_rows(self, rows: Sequence[SweepRow]) -> None:
        """Show other rows, and keep a single selected sweep selected."""
        selected = [row.run_id for row in self.list.selected_rows()]
        self.list.source.set_rows(rows)
        self._search_sweeps(self.search.text())
        if len(selected) == 1:
            self.list.select_run(selected[0])
        self.footer.show_rows(self.list.selected_rows())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the text for an empty list as large as the list."""
        if event.type() == QEvent.Type.Resize:
            self.nothing.resize(self.list.viewport().size())
        return super().eventFilter(watched, event)

    def _make_nothing(self) -> QLabel:
        made = make_label("", "dim", wrap=True, parent=self.list.viewport())
        made.setAlignment(Qt.AlignmentFlag.AlignCenter)
        made.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        made.hide()
        self.list.viewport().installEventFilter(self)
        return made

    def _search_sweeps(self, text: str) -> None:
        self.list.search(text)
        empty = bool(text.strip()) and self.list.model().rowCount() == 0
        words = _("Nothing found for \N{LEFT DOUBLE QUOTATION MARK}{text}\N{RIGHT DOUBLE QUOTATION MARK}.")
        more = _("All words must occur in a sweep's row, tags or note.")
        self.nothing.setText(f"{words.format(text=text.strip())}\n{more}")
        self.nothing.setVisible(empty)


_ROOMY_PX = 712
"""Minimum width for both columns: below, the list of sweeps could not show a whole row."""


class HomeColumns(QWidget):
    """Hosts and sweeps side by side, or with a switch in a narrow window.

    Args:
        theme: Colours.
        hosts: Left column.
        sweeps: Right column, shown first in a narrow window.
    """

    def __init__(self, theme: Theme, hosts: HostColumn, sweeps: SweepsColumn) -> None:
        super().__init__()
        self._hosts, self._sweeps = hosts, sweeps
        self.sweeps_button = tool_button(theme, _("Sweeps"), "sweep", show_text=True, checkable=True)
        self.hosts_button = tool_button(theme, _("Hosts"), "host", show_text=True, checkable=True)
        self._switch = QWidget()
        buttons = QHBoxLayout(self._switch)
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.setSpacing(SPACE_S)
        group = QButtonGroup(self)
        for button in (self.sweeps_button, self.hosts_button):
            group.addButton(button)
            buttons.addWidget(button)
        buttons.addStretch(1)
        self.sweeps_button.setChecked(True)
        group.buttonToggled.connect(self._arrange_columns)
        columns = QHBoxLayout()
        columns.setSpacing(SPACE_XXL)
        columns.addWidget(hosts)
        columns.addWidget(sweeps, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        box.addWidget(self._switch)
        box.addLayout(columns, 1)
        self._arrange_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show both columns if the width allows."""
        super().resizeEvent(event)
        self._arrange_columns()

    def _arrange_columns(self) -> None:
        roomy = self.width() >= _ROOMY_PX
        self._switch.setVisible(not roomy)
        self._hosts.fill_width(on=not roomy)
        self._hosts.setVisible(roomy or self.hosts_button.isChecked())
        self._sweeps.setVisible(roomy or self.sweeps_button.isChecked())


class DeletedBar(OfferBar):
    """Bar that offers to undo a deletion; hidden until `show_deleted`.

    Signals:
        undo: Ids of the runs to undelete.
    """

    undo = Signal(tuple)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "", "undo", parent)
        self.button.setText(_("Undo"))
        self._deletions: list[tuple[str, tuple[str, ...]]] = []  # of this session, the latest last
        self.taken.connect(self.request_undo)

    def show_deleted(self, text: str, run_ids: tuple[str, ...]) -> None:
        """Show the bar after a deletion.

        Args:
            text: Names the deleted sweeps.
            run_ids: Ids of the deleted runs.
        """
        self._deletions.append((text, run_ids))
        self.offer(text)

    def request_undo(self) -> None:
        """Undo the latest deletion of this session, also after the bar was dismissed."""
        if self._deletions and self.button.isEnabled():
            self.button.setEnabled(False)
            self.undo.emit(self._deletions[-1][1])

    def show_undone(self) -> None:
        """Offer the deletion before the undone one; hide the bar without one."""
        self._deletions.pop()
        if self._deletions:
            self.offer(self._deletions[-1][0])
        else:
            self.button.setEnabled(True)
            self.hide()


_FIRST, _USUAL = 1, 2


class HomePage(QWidget):
    """Home page of the window.

    Signals:
        new_sweep: URL of the host to sweep; empty lets the wizard ask.
        open_run: Id of the run to show.
        continue_run: Id of an interrupted run.
        compare: List of `ComparedRun`s, read from the store.
        restore: The user wants to restore all hosts with a pending restore.
        reverted: An applied split was reverted.
        silent: Ids of the runs without a recorded end, after each change.
        loaded: The list was read and is shown, or could not be read.
    """

    new_sweep = Signal(str)
    open_run = Signal(str)
    continue_run = Signal(str)
    compare = Signal(list)
    restore = Signal()
    reverted = Signal()
    silent = Signal(object)
    loaded = Signal()

    def __init__(self, theme: Theme, settings: Settings, runner: CommandRunner, background: BackgroundWorker) -> None:
        super().__init__()
        self._theme = theme
        self._settings = settings
        self._background = background
        self._applied: frozenset[str] = frozenset()  # records at the last probe of the hosts
        self._silent: frozenset[str] = frozenset()
        self._removed = ""  # host that was just removed from the list
        self._named: dict[str, str] = {}  # host URL to displayed name
        self.message = MessageBar(theme)
        self.applied = AppliedBars(theme, runner)
        self.applied.reverted.connect(self._tell_reverted)
        self._pages = QStackedWidget()
        self.first = FirstStart(theme)
        self.first.new_sweep.connect(self.new_sweep)
        self.hosts = HostColumn(theme, runner)
        self.hosts.sweep.connect(self.new_sweep)
        self.hosts.restore.connect(self.restore)
        self.hosts.reverted.connect(self.reverted)
        self.hosts.renamed.connect(self._rename_host)
        self.hosts.looked.connect(settings.look_at_host)
        self.hosts.removed.connect(self._remove_host)
        self._pages.addWidget(QWidget())  # an empty page, so that nothing flashes while the list is read
        self._pages.addWidget(make_scroll_area(self.first))
        self._pages.addWidget(self._make_usual())
        box = QVBoxLayout(self)
        box.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        box.setSpacing(SPACE_M)
        self.deleted = DeletedBar(theme)
        add_shortcut(self, QKeySequence.StandardKey.Find, self._find_sweep)
        add_shortcut(self, QKeySequence.StandardKey.Undo, self.deleted.request_undo)
        self.draft = OfferBar(theme, _("Continue editing"), "edit")
        box.addWidget(self.message)
        box.addWidget(self.deleted)
        box.addWidget(self.applied)
        box.addWidget(self.draft)
        box.addWidget(self._pages, 1)

    @property
    def ready(self) -> bool:
        """True once the list of sweeps was read."""
        return self._pages.currentIndex() != 0

    def row_of(self, run_id: str) -> SweepRow | None:
        """Return the list's row for a run; None if the run is not in the list."""
        return next((row for row in self.list.source.rows if run_id in row.run_ids), None)

    def title_of(self, run_id: str) -> str:
        """Return the plan's name of a listed run, or its host; empty for an unlisted run."""
        row = self.row_of(run_id)
        return replace_controls(row.newest.plan.name or redact_url(row.newest.plan.host_url)) if row is not None else ""

    def offer_draft(self, host: str, when: str) -> None:
        """Offer to continue with a plan that was not started.

        Args:
            host: The plan's host URL.
            when: Time of the last change, as text.
        """
        text = _("You have an unfinished plan for a sweep of {host} ({when}).")
        self.draft.offer(text.format(host=redact_url(host), when=when))

    def _find_sweep(self) -> None:
        """Focus the search field, also where a narrow window shows the hosts."""
        self.columns.sweeps_button.setChecked(True)
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def show_first(self) -> None:
        """Show the page for a store without sweeps."""
        self._pages.setCurrentIndex(_FIRST)

    def refresh(self) -> None:
        """Read the list of sweeps again in the background."""
        path = places.store_path()
        self._background.submit(lambda _: read_rows(path), self._show_rows, self._show_failure)

    def take_news(self, answer: RestoreResult) -> None:
        """Show undo records and applied splits on the hosts' cards and bars."""
        self.hosts.show_records(answer.items)
        self.applied.show_records(answer.applied, self._named)
        self._look_at_hosts()

    def showEvent(self, event: QShowEvent) -> None:
        """Probe the hosts that were not probed yet."""
        super().showEvent(event)
        self._look_at_hosts()

    def _make_usual(self) -> QWidget:
        self.sweeps = SweepsColumn(self._theme)
        self.search, self.list = self.sweeps.search, self.sweeps.list
        self.list.opened.connect(self.open_run)
        self.sweeps.footer.open_run.connect(self.open_run)
        self.sweeps.footer.continue_run.connect(self.continue_run)
        self.sweeps.footer.compare.connect(self._compare_rows)
        self.columns = HomeColumns(self._theme, self.hosts, self.sweeps)
        return self.columns

    def _compare_rows(self, rows: Sequence[SweepRow]) -> None:
        """Read sweeps in the background, then emit `compare`."""
        from app.pages.comparison import read_sweeps

        path = places.store_path()
        self._background.submit(lambda _: read_sweeps(path, rows), self.compare.emit, self.message.show_error)

    def _show_rows(self, rows: list[SweepRow]) -> None:
        self.message.clear()
        if self._removed:
            text = _("{host} is no longer in the list. Its sweeps are kept. The next sweep adds the host again.")
            self.message.say("info", text.format(host=self._removed))
            self._removed = ""
        self.sweeps.set_rows(rows)
        self._show_hosts(rows)
        self._pages.setCurrentIndex(_USUAL if rows else _FIRST)
        if rows and self.isVisible():
            self._look_at_hosts()
        self.loaded.emit()
        silent = frozenset(row.run_id for row in rows if row.newest.outcome is None)
        if silent != self._silent:
            self._silent = silent
            self.silent.emit(silent)

    def _tell_reverted(self, words: str) -> None:
        self.message.say("good", words)
        self.reverted.emit()

    def _show_failure(self, error: Exception) -> None:
        self._pages.setCurrentIndex(_FIRST)
        self.message.show_error(error)
        self.loaded.emit()

    def _show_hosts(self, rows: list[SweepRow]) -> None:
        last_used: dict[str, tuple[str, str]] = {}
        for row in rows:  # the host of an imported run is of another computer, and must not be probed from here
            if not row.imported and row.newest.plan.host_url not in last_used:
                last_used[row.newest.plan.host_url] = row.host, row.when
        left_out = frozenset(self._settings.removed_hosts) - {LOCAL}
        urls = [url for url in dict.fromkeys((*self._settings.recent_hosts, *last_used, LOCAL)) if url not in left_out]
        found = {LOCAL: (_("This computer"), "")} | last_used
        names, alone = self._settings.host_names, self._settings.hosts_left_alone
        hosts = [
            SavedHost(url, names.get(url) or title, used, url not in alone)
            for url in urls
            for title, used in (found.get(url, (url, "")),)
        ]
        self._named = {host.url: host.title for host in hosts}
        self.hosts.show_hosts(hosts)

    def _rename_host(self, url: str, name: str) -> None:
        self._settings.name_host(url, name)
        self.refresh()

    def _remove_host(self, url: str) -> None:
        """Remove a host from the list; its sweeps stay.

        The next sweep of the host adds the host again.
        """
        self._settings.remove_host(url)
        self._removed = redact_url(url)
        self.refresh()

    def _look_at_hosts(self) -> None:
        if self._pages.currentIndex() != _USUAL:
            return
        applied = _applied_records()
        self.hosts.look(again=applied != self._applied)
        self._applied = applied


def _applied_records() -> frozenset[str]:
    """Return the file names of the records of applied splits.

    Empty if the folder cannot be read: the core reports the reason.
    """
    try:
        return frozenset(path.name for path in places.list_records(places.applied_dir()))
    except OSError:
        return frozenset()
