"""Card of a host on the home page: name, scheduler, last use and current state."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout

from app.core_process import CommandRunner, OneShotCommand
from app.display_texts import format_clock
from app.pages.first_start import LOCAL
from app.pages.host_menu import HostMenu
from app.pages.lock_owner_texts import changed_host_words, lock_owner_words
from app.pages.restore_banner import PENDING_STATES
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import danger_button, link_button, secondary_button, tool_button
from app.widgets.card import Card
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import make_label, set_role, tooltip_text
from app.widgets.lines_label import LinesLabel
from app.widgets.status_dot import StatusDot
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import ApplyResult, HostProbe, RestoreItem
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.terminal_text import replace_controls
from scheduler.model.urls import redact_url
from scheduler.translation import _

_PROBE_S = 20.0
_REVERT_S = 60.0
# A restore keeps the write lock for a moment after its record; other processes keep it for hours.
_AGAIN_MS = (1_000, 4_000, 16_000)


class HostCard(Card):
    """Card of one host.

    Args:
        theme: Colours.
        runner: Starts `probe` and `revert`.
        url: The host's URL.
        title: Displayed name of the host.
        last_used: Time of the last use as text; empty for never.
        looks: False for a host that is probed only on request.

    Signals:
        sweep: URL of the host that the user wants to sweep.
        watch: URL of the host whose own load the user wants to watch.
        restore: The user wants to restore the host.
        reverted: An applied split was reverted.
    """

    sweep = Signal(str)
    watch = Signal(str)
    restore = Signal()
    reverted = Signal()

    def __init__(
        self, theme: Theme, runner: CommandRunner, url: str, title: str, last_used: str = "", *, looks: bool = True
    ) -> None:
        super().__init__()
        self._runner = runner
        self._asked: OneShotCommand | None = None
        self._held: RestoreItem | None = None
        self._outdated = False  # the running probe began before the host was free
        self._waits = iter(_AGAIN_MS)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self.look)
        self.host_id = ""
        self.url, self.title, self.looks = url, title, looks
        self._make_top(theme, title)
        self.kind = make_label("", "dim", wrap=True)
        self.kind.hide()
        self.address = ElidedLabel(url, "dim", Qt.TextElideMode.ElideMiddle)
        self.state = make_label(_("Not checked yet"), "dim", wrap=True)
        self.used = make_label("", "dim")
        self.show_used(last_used)
        self.applied = make_label("", "dim", wrap=True)
        self.applied.hide()
        for line in (self.kind, self.address, self.state, self.applied, self.used):
            self.body.addWidget(line)
        self.revert_button = link_button(theme, _("Revert applied split"), "undo")
        self.revert_button.hide()
        self.body.addWidget(self.revert_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.restore_button = danger_button(theme, _("Restore now"), "restore")
        self.restore_button.hide()
        self.sweep_button = secondary_button(theme, _("Sweep this host"), "sweep")
        self.watch_button = link_button(theme, _("Watch its load"), "eye")
        self.body.addSpacing(SPACE_S)
        for button in (self.restore_button, self.sweep_button, self.watch_button):
            self.body.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self.rename(title)
        self._connect_signals()

    def rename(self, title: str) -> None:
        """Set the displayed name, and show the URL below a name that differs from it."""
        self.title = title
        self.name.setText(replace_controls(title))
        self.address.setVisible(title != self.url)  # a label without a parent would be a window for a moment
        spoken = title if title != self.url else redact_url(self.url)
        self.menu.rename(spoken)
        look = _("Check {title} again").format(title=spoken)
        self.look_button.setAccessibleName(look)
        self.look_button.setToolTip(tooltip_text(look))
        self.setAccessibleName(_("Host {title}").format(title=spoken))
        self.revert_button.setAccessibleName(_("Revert the applied split on {host}").format(host=spoken))
        self.restore_button.setAccessibleName(_("Restore {host} now").format(host=spoken))
        self.sweep_button.setAccessibleName(_("Sweep {host}").format(host=spoken))
        self.watch_button.setAccessibleName(_("Watch {host}").format(host=spoken))

    def _connect_signals(self) -> None:
        self.look_button.clicked.connect(self.look)
        self.revert_button.clicked.connect(self._revert_split)
        self.restore_button.clicked.connect(self.restore)
        self.sweep_button.clicked.connect(lambda: self.sweep.emit(self.url))
        self.watch_button.clicked.connect(lambda: self.watch.emit(self.url))

    def _make_top(self, theme: Theme, title: str) -> None:
        """Make the first line: state, name, probe button and menu."""
        self.dot = StatusDot(theme)
        self.name = LinesLabel(title, "lead")
        top = QHBoxLayout()
        top.setSpacing(SPACE_S)
        top.addWidget(self.dot, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self.name, 1)
        self.look_button = tool_button(theme, _("Check {title} again").format(title=title), "refresh")
        tools = QHBoxLayout()
        tools.setSpacing(0)
        tools.addWidget(self.look_button, 0, Qt.AlignmentFlag.AlignTop)
        self.menu = HostMenu(theme, title, keeps=self.url == LOCAL, looks=self.looks)
        tools.addWidget(self.menu, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(tools)
        self.body.addLayout(top)

    def show_used(self, last_used: str) -> None:
        """Show the time of the last use; hide the line for an empty text."""
        self.used.setText(_("Last used {when}").format(when=last_used) if last_used else "")
        self.used.setVisible(bool(last_used))

    def show_records(self, items: Sequence[RestoreItem]) -> None:
        """Show a pending restore, or the process that uses the host.

        The host is probed again once it is free.

        Args:
            items: Undo records of all hosts.
        """
        mine = (item for item in items if item.host == self.url or (self.host_id and item.host_id == self.host_id))
        before, self._held = self._held, next((item for item in mine if item.state != "restored"), None)
        self._show_lock_owner()
        if before is not None and self._held is None:
            self._outdated, self._waits = self._asked is not None, iter(_AGAIN_MS)
            self.look()

    def _show_lock_owner(self) -> None:
        due = self._held is not None and self._held.state in PENDING_STATES
        self.restore_button.setVisible(due)
        self.sweep_button.setVisible(not due)
        if self._held is not None and due:
            self._show_words("bad", changed_host_words(self._held.by))
        elif self._held is not None:
            self._show_words("busy", lock_owner_words(self._held.by))

    def look(self) -> None:
        """Probe the host's properties and state; nothing is written."""
        if self._asked is None:
            self.state.setText(_("Checking\N{HORIZONTAL ELLIPSIS}"))
            set_role(self.state, "dim")
            self._asked = self._runner.run_once(["probe", self.url, "--json"], timeout_s=_PROBE_S)
            self._asked.finished.connect(self._answer)

    def _answer(self) -> None:
        asked, self._asked = self._asked, None
        if asked is None:
            return
        try:
            self._show_state(asked.read(HostProbe))
        except SchedulerError as error:
            self._show_words("bad", str(error))
        self._show_lock_owner()
        if self._outdated:
            self._outdated = False
            self.look()

    def _revert_split(self) -> None:
        if self._asked is None:
            self.revert_button.setEnabled(False)
            self.state.setText(_("Reverting the applied split\N{HORIZONTAL ELLIPSIS}"))
            self._asked = self._runner.run_once(["revert", self.url, "--json"], timeout_s=_REVERT_S, hosts=(self.url,))
            self._asked.finished.connect(self._show_reverted)

    def _show_reverted(self) -> None:
        asked, self._asked = self._asked, None
        self.revert_button.setEnabled(True)
        if asked is None:
            return
        try:
            answer = asked.read(ApplyResult)
        except SchedulerError as error:
            self._show_words("bad", str(error))
            return
        if answer.done:
            self.look()
            self.reverted.emit()
        else:
            self._show_words("bad", join_sentences(answer.error, answer.hint))

    def _show_applied(self, item: RestoreItem | None) -> None:
        """Show since when a split is applied, and offer to revert the split."""
        self.revert_button.setVisible(item is not None and item.state == "applied")
        self.applied.setVisible(item is not None)
        if item is None:
            return
        if item.state == "applied":
            words = _("Split applied {when}; sweeps use it as the baseline")
            self.applied.setText(words.format(when=format_clock(item.armed_unix_s)))
        else:
            self.applied.setText(_("Unknown whether a split is applied: {why}").format(why=item.text))

    def _show_state(self, answer: HostProbe) -> None:
        self._show_applied(answer.applied)
        self._look_again_if(answer.busy and self._held is None)
        if answer.facts is None:
            self._show_words("busy" if answer.busy else "bad", join_sentences(answer.error, answer.hint))
            return
        facts = answer.facts
        self.host_id = facts.host_id
        cpus = _("1 CPU") if facts.pcpus == 1 else _("{n} CPUs").format(n=facts.pcpus)
        if self.name.text() == self.url:
            self.name.setText(replace_controls(facts.title))
            self.address.show()
        title = "" if self.name.text() == replace_controls(facts.title) else replace_controls(facts.title)
        self.kind.setText(" \N{MIDDLE DOT} ".join(filter(None, (title, facts.scheduler, cpus))))
        self.kind.show()
        if answer.busy:
            self._show_words("busy", lock_owner_words(answer.held_by))
        else:
            self._show_words("good", _("Ready"))

    def _look_again_if(self, busy: bool) -> None:  # noqa: FBT001 - result of the probe
        """Probe again a few times while a process without a record uses the host."""
        wait_ms = next(self._waits, 0) if busy else 0
        if wait_ms:
            self._later.start(wait_ms)
        elif not busy:
            self._waits = iter(_AGAIN_MS)

    def _show_words(self, state: str, words: str) -> None:
        self.dot.show_state(state, words)
        self.state.setText(words)
        set_role(self.state, "danger" if state == "bad" else "dim")
