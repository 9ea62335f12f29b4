"""Page that watches a host's own load without sending a load or writing anything."""

import time
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.display_texts import typeset_text
from app.observe.answer_card import WatchAnswerCard
from app.observe.host_load_page import HostLoadPage
from app.observe.host_watcher import HostWatcher
from app.observe.watch_plots import WatchPlots
from app.observe.watch_progress_card import WatchProgressCard
from app.observe.watch_request_card import WatchRequestCard
from app.pages import exports
from app.pages.apply_dialog import ApplyDialog
from app.pages.apply_target import HostTarget
from app.pages.export_question import ask_despite_doubt
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.dialog_layout import show_dialog
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label
from app.widgets.split_bar import parse_line_split
from scheduler.errors import SchedulerError
from scheduler.model.observation_documents import WatchResult, WatchStarted, WatchWindow
from scheduler.model.urls import redact_url


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

    def _show_progress(self, began: WatchStarted) -> None:
        self.ribbon.setVisible(began.simulated)
        self.pictures.begin(began)
        self.running.begin(began)
        self._show_only(self.running, self.pictures)

    def _take_update(self, window: WatchWindow) -> None:
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
        split = parse_line_split(answer.split) if answer is not None else None
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
            ask_despite_doubt(self, self.answer.split, typeset_text(self.answer.headline), ask)

    def _request_follow(self) -> None:
        self.follow_wanted.emit(self.watcher.asked, self.answer.split if self.answer is not None else "")

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
