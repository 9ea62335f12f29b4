"""Page that watches a host's own load without sending a load or writing anything."""

import time
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.display_texts import capitalise_first, typeset_text
from app.observe.answer_card import WatchAnswerCard, label_of
from app.observe.host_load_page import HostLoadPage
from app.observe.host_observer import HostObserver
from app.observe.observation_run import WatchRun
from app.observe.request_card import RequestCard
from app.observe.watch_plots import WatchPlots
from app.observe.watch_progress_card import WatchProgressCard
from app.observe.watch_request import WatchRequest, find_input_errors
from app.pages import exports
from app.pages.apply_dialog import ApplyDialog
from app.pages.apply_target import HostTarget
from app.pages.export_question import ask_despite_doubt
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.buttons import primary_button
from app.widgets.dialog_layout import show_dialog
from app.widgets.fold_button import FoldButton
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label
from app.wizard.choice_field import ChoiceField
from app.wizard.field import FormField
from scheduler.errors import SchedulerError
from scheduler.model.observation_documents import ObservationStarted, ObservationWindow, WatchResult
from scheduler.model.urls import redact_url

_STANDARD = "1h"


class WatchRequestCard(RequestCard):
    """Form for a watch request; it does not connect to the host.

    Args:
        theme: Colours.
        settings: Settings with the used hosts.
    """

    def __init__(self, theme: Theme, settings: Settings) -> None:
        super().__init__(settings, self.tr("Empty: from PGPASSWORD or ~/.pgpass. Kept in memory only."))
        self.host, self.wrong = self.named.box, self.named.message
        self._make_fields()
        self.button = primary_button(theme, self.tr("Start watching"), "play")
        self.more = self._rows(((self.io, 1), (self.guest, 1)), ((self.database, 2), (self.password, 1)))
        self.fold = FoldButton(theme, self.tr("Domains and database"), self.more)
        self._lay_out()
        self.button.clicked.connect(self._press)
        for edit in (self.named.edit, self.io.edit, self.guest.edit, self.database.edit, self.password.edit):
            edit.returnPressed.connect(self._press)
        self.refresh()

    def _make_fields(self) -> None:
        spans = {
            "5m": self.tr("5 minutes"),
            "1h": self.tr("1 hour"),
            "8h": self.tr("8 hours: a working day"),
            "24h": self.tr("24 hours"),
            "7d": self.tr("7 days: for a timetable"),
        }
        self.span = ChoiceField(self.tr("For how long"), spans)
        self.span.set_value(_STANDARD)
        counted = self.tr("Empty: none. Else its transactions are counted: one statement that only reads, every 10 s.")
        self.database = FormField(self.tr("A PostgreSQL of yours"), hint=counted)
        self.database.edit.setPlaceholderText("postgresql://USER@HOST:5432/NAME")

    @property
    def asked(self) -> WatchRequest:
        """The request that was entered."""
        return WatchRequest(
            url=self.named.url,
            span=self.span.value,
            io=self.io.edit.text().strip(),
            guest=self.guest.edit.text().strip(),
            database=self.database.edit.text().strip(),
            password=self.password.edit.text(),
        )

    def ready(self) -> bool:
        """Return True when the input is valid; otherwise show the errors at their fields."""
        found = find_input_errors(self.asked)
        self.wrong.say(found.get("host", ""))
        self.database.say(found.get("database", ""))
        self.database.reveal()
        self.guest.say("")
        if "database" in found:
            self.fold.setChecked(True)
            self.database.edit.setFocus()
        if "host" in found:
            self.host.setFocus()
        return not found

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.addWidget(self.fold)
        foot.addStretch(1)
        foot.addWidget(self.button)
        self.body.addWidget(self._rows(((self.named, 3), (self.span, 1))))
        self.body.addWidget(self.more)
        self.body.addLayout(foot)


class HostWatcher(HostObserver[WatchRequest, WatchRun]):
    """Watcher of one host at a time.

    Args:
        theme: Theme of the dialogs for keys and passwords.
        settings: Settings that remember watched hosts.
        runner: Starts one-shot commands and holds the hosts' passwords.
        parent: Parent of the dialogs.

    Signals (in addition to those of `HostObserver`):
        watching: Access is granted; DomTune reads the counters.
        began: `ObservationStarted`.
        window: Each `ObservationWindow`.
        answered: `WatchResult` without an error; the last signal.
    """

    watching = Signal()
    began = Signal(object)
    window = Signal(object)
    answered = Signal(object)

    def __init__(self, theme: Theme, settings: Settings, runner: CommandRunner, parent: QWidget) -> None:
        super().__init__(WatchRequest("", ""), theme, settings, runner, parent)

    def _begin(self) -> None:
        text = self.tr("The watching process could not be started: {why}")
        run = self._start_run(lambda: WatchRun(self.asked.words, self._environment(), self), text)
        if run is None:
            return
        run.began.connect(self.began)
        run.window.connect(self.window)
        run.answered.connect(self._handle_answer)
        run.failed.connect(self._handle_failure)
        self.watching.emit()

    def _handle_answer(self, answer: WatchResult) -> None:
        if answer.error:
            self._handle_failure(SchedulerError(capitalise_first(answer.error), hint=answer.hint))
            return
        self._drop_run()
        self.answered.emit(answer)

    def _handle_failure(self, error: SchedulerError) -> None:
        self._drop_run()
        self.failed.emit(error)


class WatchPage(HostLoadPage):
    """Page with the request, live plots and the result, which names a split.

    Args:
        theme: Colours.
        settings: Settings with the used hosts.
        runner: Starts one-shot commands and holds the hosts' passwords.
        background: Worker that writes exported files.

    Signals:
        sweep_wanted: URL of the host that the user wants to sweep.
        follow_wanted: `WatchRequest` of the watched host, and the named split or an empty string.
        applied: A split was applied to a host.
    """

    help_key = "watch"

    sweep_wanted = Signal(str)
    follow_wanted = Signal(object, str)
    applied = Signal()

    def __init__(self, theme: Theme, settings: Settings, runner: CommandRunner, background: BackgroundWorker) -> None:
        words = self.tr(
            "Which split suits the load that runs there already? Counters are read every ten seconds. No load is sent, "
            "nothing is written, and it may run beside anything, a sweep included."
        )
        super().__init__(theme, set_glossary_tip(make_label(self.tr("Watch a host"), "display"), "watch"), words)
        self._theme, self._runner, self._background = theme, runner, background
        self.answer: WatchResult | None = None
        self._ended_unix_s = 0.0
        self.dialog: ApplyDialog | None = None
        self.watcher = HostWatcher(theme, settings, runner, self)
        self.ask = WatchRequestCard(theme, settings)
        self.running = WatchProgressCard(theme)
        self.card = WatchAnswerCard(theme)
        for part in (self.ask, self.running, self.card):
            self._add(part)
        self.pictures = WatchPlots(theme, background)
        self.pictures.hide()
        self.plot, self.frame = self.pictures.use, self.pictures.use_frame
        self._add(self.pictures, 1)
        self._connect_signals()

    def offer(self, url: str = "") -> None:
        """Prepare to watch a host; report a conflict if another host is being watched."""
        if not url:
            return
        if not self.watcher.busy:
            self._show_request()
            self.ask.refresh(url)
            self.ask.button.setFocus()
        elif url != self.watcher.asked.url:
            text = self.tr("{host} is being watched; stop that first.").format(host=redact_url(self.watcher.asked.url))
            self.message.say("info", text)

    def _start(self) -> None:
        self.watcher.start(self.ask.asked)

    def _show_looking(self) -> None:
        self.message.clear()
        self.running.look_at(redact_url(self.watcher.asked.url))
        self._show_only(self.running)

    def _show_progress(self, began: ObservationStarted) -> None:
        self.ribbon.setVisible(began.simulated)
        self.pictures.begin(began)
        self.running.begin(began)
        self._show_only(self.running, self.pictures)

    def _take_update(self, window: ObservationWindow) -> None:
        self.pictures.take(window)
        self.running.take(window)

    def _stop_watching(self) -> None:
        self.running.end()
        self.watcher.stop()

    def _show_answer(self, answer: WatchResult) -> None:
        self.pictures.draw()
        self.answer, self._ended_unix_s = answer, time.time()
        self.card.show_answer(answer)
        self._show_only(self.card, self.pictures)

    def _show_request(self) -> None:
        """Show the request with the previous input."""
        self.message.clear()
        self.ribbon.hide()
        self._show_only(self.what, self.ask)
        self.ask.refresh()

    def _show_failure(self, error: SchedulerError) -> None:
        """Show an error with the previous input and the plots so far."""
        seen = [self.pictures] if self.pictures.isVisibleTo(self) else []
        self._show_request()
        self._show_only(self.what, self.ask, *seen)
        self.pictures.draw()
        if self.watcher.asked.database:
            self.ask.fold.setChecked(True)
        self.message.show_error(error)

    def _ask_for_guest(self, names: Sequence[str]) -> None:
        self.ask.ask_for_guest(names)

    def _open_apply_dialog(self) -> None:
        answer = self.answer
        split = answer.split if answer is not None else None
        if answer is None or split is None:
            return
        target = HostTarget(answer.host, answer.title)
        more = self.watcher.asked.domains
        self.dialog = ApplyDialog(self._theme, self._runner, target, split, self, more=more)
        self.dialog.applied.connect(lambda _: self.applied.emit())
        self.dialog.finished.connect(self._drop_dialog)
        show_dialog(self.dialog)

    def _export_scripts(self) -> None:
        if self.answer is None:
            return
        asked = exports.watch_export(self, self.answer, self._ended_unix_s)

        def ask() -> None:
            exports.ask_target(
                asked, lambda target: exports.start_export(asked, self._background, target, self.message.say)
            )

        if self.answer.ordered_split:
            ask()
        else:
            ask_despite_doubt(self, label_of(self.answer.split), typeset_text(self.answer.headline), ask)

    def _request_follow(self) -> None:
        self.follow_wanted.emit(self.watcher.asked, label_of(self.answer.split) if self.answer is not None else "")

    def _drop_dialog(self) -> None:
        self.dialog = None

    def _show_only(self, *parts: QWidget) -> None:
        for part in (self.what, self.ask, self.running, self.card, self.pictures):
            part.setVisible(part in parts)
        self._below.setVisible(self.pictures not in parts)

    def _connect_signals(self) -> None:
        watcher = self.watcher
        self.ask.start.connect(self._start)
        self.running.stop.connect(self._stop_watching)
        self.card.apply_wanted.connect(self._open_apply_dialog)
        self.card.export_wanted.connect(self._export_scripts)
        self.card.again_wanted.connect(self._show_request)
        self.card.sweep_wanted.connect(lambda: self.sweep_wanted.emit(watcher.asked.url))
        self.card.follow_wanted.connect(self._request_follow)
        watcher.looking.connect(self._show_looking)
        watcher.watching.connect(self.running.wait)
        watcher.began.connect(self._show_progress)
        watcher.window.connect(self._take_update)
        watcher.answered.connect(self._show_answer)
        watcher.choose.connect(self._ask_for_guest)
        watcher.failed.connect(self._show_failure)
        watcher.cancelled.connect(self._show_request)
