"""Page that observes the load of a host: watches it, or follows it."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.display_texts import capitalise_first, typeset_text
from app.observe.answer_card import WatchAnswerCard, label_of
from app.observe.follow_cards import AgreementCard, FollowEndCard
from app.observe.host_observer import HostObserver
from app.observe.observation_plots import ObservationPlots
from app.observe.observation_request import ObservationRequest
from app.observe.progress_card import ObservationProgressCard
from app.observe.request_card import RequestCard
from app.observe.stored_exports import StoredExports, read_record
from app.pages import exports
from app.pages.apply_dialog import ApplyDialog
from app.pages.apply_target import HostTarget
from app.pages.export_question import ask_despite_doubt
from app.pages.origin_texts import origin_words
from app.settings import Settings
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_XL
from app.widgets.dialog_layout import show_dialog
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label
from app.widgets.message_bar import MessageBar
from app.widgets.scroll_areas import make_scroll_area
from app.widgets.simulated_ribbon import SimulatedRibbon
from scheduler.background_runs import FOLLOW, AttachedProgram
from scheduler.errors import SchedulerError
from scheduler.model.observation_documents import (
    FollowDone,
    FollowStarted,
    ObservationLine,
    ObservationStarted,
    WatchResult,
)
from scheduler.model.urls import redact_url
from scheduler.store.observation_summary import ObservationRecord
from scheduler.translation import _

_TURN_LINES = 200  # lines of a stored observation in one turn of the event loop
_SEEN_PX = 270  # minimum height of the plots: one plot


class ObservePage(QWidget):
    """Page with the request, the consent to follow, live plots, and the result.

    Args:
        theme: Colours.
        settings: Settings with the used hosts.
        runner: Starts one-shot commands and holds the hosts' passwords.
        background: Worker that writes exported files.

    Signals:
        sweep_wanted: URL of the host that the user wants to sweep.
        restore_wanted: The user wants to restore the remaining changes.
        applied: A split was applied to a host.
    """

    sweep_wanted = Signal(str)
    restore_wanted = Signal()
    applied = Signal()

    def __init__(self, theme: Theme, settings: Settings, runner: CommandRunner, background: BackgroundWorker) -> None:
        super().__init__()
        self._theme, self._runner, self._background = theme, runner, background
        self.answer: WatchResult | None = None
        self.done: FollowDone | None = None
        self._ended_unix_s = 0.0
        self.dialog: ApplyDialog | None = None
        self.observer = HostObserver(theme, settings, runner, self)
        self.ribbon = SimulatedRibbon(theme)
        self.heading = make_label("", "display")
        self.what = make_label("", "dim", wrap=True)
        self.message = MessageBar(theme)
        self.ask = RequestCard(theme, settings)
        self.agree = AgreementCard(theme)
        self.running = ObservationProgressCard(theme)
        self.card = WatchAnswerCard(theme)
        self.end = FollowEndCard(theme)
        self.pictures = ObservationPlots(theme, background)
        self.seen = make_scroll_area(self.pictures, _SEEN_PX)  # scrolls separately, so that Stop stays visible
        self.save = StoredExports(theme)
        self.record: ObservationRecord | None = None
        self._replaying: Iterator[ObservationLine] = iter(())
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._replay_turn)
        self._lay_out()
        self._connect_signals()
        self._name_mode(follows=False)

    @property
    def help_key(self) -> str:
        """Page of the manual for the mode."""
        return "follow" if self.ask.follows else "watch"

    def offer(self, asked: ObservationRequest | None = None) -> None:
        """Show a request; report a conflict if another host is being observed."""
        if asked is None:
            return
        if not self.observer.busy:
            self._show_request()
            self.ask.show_asked(asked)
            self.ask.button.setFocus()
        elif (asked.url, asked.follows) != (self.observer.asked.url, self.observer.asked.follows):
            busy = (
                _("{host} is being followed. Stop following first.")
                if self.observer.asked.follows
                else _("{host} is being watched. Stop watching first.")
            )
            self.message.say("info", busy.format(host=redact_url(self.observer.asked.url)))

    def offer_host(self, url: str, *, follows: bool = False) -> None:
        """Prepare to observe a host in one of the modes; keep what was entered.

        Args:
            url: URL of the host; empty for the one that was entered.
            follows: True to follow.
        """
        if not self.observer.busy:
            self._show_request()
            self.ask.set_mode(follows=follows)
            self.ask.refresh(url)
            self.ask.button.setFocus()
        elif url:
            self.offer(ObservationRequest(url, "", follows=follows))

    def attach(self, program: AttachedProgram) -> None:
        """Show an observation that runs in the background."""
        self._show_request()
        self.ask.set_mode(follows=program.kind == FOLLOW)
        self.observer.attach(program)
        self._show_only(self.running)
        self.running.wait()

    def show_stored(self, run_id: str) -> None:
        """Show a stored observation; report a conflict if a host is being observed."""
        if self.observer.busy:
            self.message.say("info", _("A host is being observed. Stop the observation first."))
            return
        self._show_request()
        self._background.submit(lambda _: read_record(run_id), self._replay, self._show_unreadable)

    def _show_unreadable(self, error: Exception) -> None:
        self.message.show_error(error if isinstance(error, SchedulerError) else SchedulerError(str(error)))

    def _replay(self, record: ObservationRecord) -> None:
        if self.observer.busy:  # the user has started an observation meanwhile
            return
        started = record.started
        follows = isinstance(started, FollowStarted)
        self.record, self.answer, self.done = record, None, None
        self.ask.set_mode(follows=follows)
        self.observer.asked = ObservationRequest(started.host, "", follows=follows)
        self.observer.terms = started if isinstance(started, FollowStarted) else None
        self._show_progress(started)
        self._show_only(self.seen)
        self._replaying = iter(record.lines)
        self._turn.start()

    def _replay_turn(self) -> None:
        """Take some lines; show the result after the last line."""
        lines = list(islice(self._replaying, _TURN_LINES))
        for line in lines:
            self.pictures.take(line)
        if not lines:
            self._turn.stop()
            self._show_record_end()

    def _show_record_end(self) -> None:
        record = self.record
        if record is None:
            return
        if isinstance(record.last, WatchResult):
            self._show_answer(record.last)
            self._ended_unix_s = record.started.wall_unix_s + record.last.t_s
        elif isinstance(record.last, FollowDone):
            self._show_end(record.last)
        else:
            self._draw_all()
            self._say_no_result(record)
        self.save.show()
        if record.origin is not None:
            self.message.say("info", *origin_words(record.origin))
            self.card.apply_button.hide()  # the split was found on a host of another computer
            self.end.restore_button.hide()

    def _say_no_result(self, record: ObservationRecord) -> None:
        stopped = record.stopped
        if stopped is None:
            self.message.say("info", _("The outcome of this observation is not recorded yet."))
            return
        restored = _("The original settings of the host are restored.")
        pending = _("The original settings of the host are not restored.")
        self.message.say("info", f"{capitalise_first(stopped.reason)}.", restored if stopped.restored else pending)

    def _export_record(self, kind: str) -> None:
        if self.record is None:
            return
        asked = exports.observation_export(self, kind, self.record)
        exports.ask_and_export(asked, self._background, self.message)

    def paper_page(self) -> Callable[[], str] | None:
        """Return a function that makes the report; None without a stored observation."""
        return exports.observation_paper_page(self.record) if self.record is not None else None

    def stop(self) -> None:
        """Stop observing; after following, the process restores the host."""
        self.running.end()
        self.observer.stop()

    def put_back(self) -> None:
        """Show that no restore is pending any more."""
        if self.done is not None and not (self.done.restored or self.done.busy):
            self.end.show_restored()

    def _start(self) -> None:
        self.observer.start(self.ask.asked)

    def _name_mode(self, *, follows: bool) -> None:
        self.heading.setText(_("Follow a load") if follows else _("Watch a host"))
        set_glossary_tip(self.heading, "follow" if follows else "watch")
        watching = _(
            "Estimate the split that suits the load already running on a host. Read-only: no load is "
            "generated and nothing is changed. Safe in production and during a sweep."
        )
        following = _(
            "For a load that changes: DomTune keeps the split near the best, within bounds that you choose. "
            "It restores the host at the end. Watch the host first: if one fixed split is enough, following "
            "gains nothing."
        )
        self.what.setText(following if follows else watching)

    def _show_looking(self) -> None:
        self.message.clear()
        self.done = None
        asked = self.observer.asked
        self.running.look_at(redact_url(asked.url), follows=asked.follows)
        self._show_only(self.running)
        self.running.stop_button.setFocus()

    def _show_reading(self) -> None:
        if not self.observer.asked.follows:
            self.running.wait()

    def _show_agreement(self, began: FollowStarted) -> None:
        self.ribbon.setVisible(began.simulated)
        self.agree.ask(began)
        self._show_only(self.agree)
        self.agree.check.setFocus()

    def _follow(self) -> None:
        began = self.observer.terms
        if began is not None and not self.observer.following:
            self._show_progress(began)
            self.running.stop_button.setFocus()
            self.observer.agree()

    def _show_progress(self, began: ObservationStarted) -> None:
        self.ribbon.setVisible(began.simulated)
        self.pictures.begin(began)
        self.running.begin(began)
        self._show_only(self.running, self.seen)

    def _take_update(self, line: ObservationLine) -> None:
        self.running.take(line)
        self.pictures.take(line)

    def _show_restoring(self, error: SchedulerError) -> None:
        self._draw_all()
        self.running.end(str(error))

    def _show_answer(self, answer: WatchResult) -> None:
        self._draw_all()
        self.answer, self._ended_unix_s = answer, time.time()
        self.card.show_answer(answer)
        self._show_only(self.card, self.seen)

    def _show_end(self, done: FollowDone) -> None:
        self._draw_all()
        self.done = done
        if self.observer.terms is not None:
            self.end.show_done(self.observer.terms, done)
        self._show_only(self.end, *([self.seen] if done.t_s else ()))
        self.end.again_button.setFocus()

    def _show_request(self) -> None:
        """Show the request with the previous input."""
        self._turn.stop()
        self.record = None
        self.message.clear()
        self.ribbon.hide()
        self._show_only(self.what, self.ask)
        self.ask.refresh()

    def _show_failure(self, error: SchedulerError) -> None:
        """Show an error with the previous input and the plots so far."""
        seen = [self.seen] if self.seen.isVisibleTo(self) else []
        self._show_request()
        self._show_only(self.what, self.ask, *seen)
        self._draw_all()
        if self.observer.asked.database or self.observer.asked.guest:
            self.ask.fold.setChecked(True)
        self.message.show_error(error)

    def _draw_all(self) -> None:
        self.pictures.draw()
        self.running.refresh()

    def _ask_for_guest(self, names: Sequence[str]) -> None:
        self.ask.ask_for_guest(names)

    def _open_apply_dialog(self) -> None:
        answer = self.answer
        if answer is None or answer.split is None:
            return
        target = HostTarget(answer.host, answer.title)
        more = self.observer.asked.domains
        self.dialog = ApplyDialog(self._theme, self._runner, target, answer.split, self, more=more)
        self.dialog.applied.connect(lambda _: self.applied.emit())
        self.dialog.finished.connect(self._drop_dialog)
        show_dialog(self.dialog)

    def _drop_dialog(self) -> None:
        self.dialog = None

    def _export_scripts(self) -> None:
        if self.answer is None:
            return
        asked = exports.watch_export(self, self.answer, self._ended_unix_s)

        def ask() -> None:
            exports.ask_and_export(asked, self._background, self.message)

        if self.answer.ordered_split:
            ask()
        else:
            ask_despite_doubt(self, label_of(self.answer.split), typeset_text(self.answer.headline), ask)

    def _offer_follow(self) -> None:
        """Offer to follow the watched host, compared with the named split."""
        static = label_of(self.answer.split) if self.answer is not None else ""
        self.offer(replace(self.observer.asked, follows=True, static=static))

    def _show_only(self, *parts: QWidget) -> None:
        for part in (self.what, self.ask, self.agree, self.running, self.card, self.end, self.seen, self.save):
            part.setVisible(part in parts)
        self.heading.setVisible(not (self.ask.follows and self.seen in parts))  # the plots need the space
        self._below.setVisible(self.seen not in parts)

    def _lay_out(self) -> None:
        self._below = QWidget()  # fills the space of hidden plots
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, SPACE_XL)
        column.setSpacing(SPACE_L)
        cards = (self.ask, self.agree, self.running, self.card, self.end, self.save)
        for part in (self.ribbon, self.heading, self.what, self.message, *cards):
            column.addWidget(part)
        column.addWidget(self.seen, 1)
        column.addWidget(self._below, 1)
        self.seen.hide()
        self.save.hide()

    def _connect_signals(self) -> None:
        observer = self.observer
        self.save.wanted.connect(self._export_record)
        self.ask.start.connect(self._start)
        self.ask.mode_changed.connect(lambda follows: self._name_mode(follows=follows))
        self.agree.agreed.connect(self._follow)
        self.agree.declined.connect(observer.stop)
        self.running.stop.connect(self.stop)
        self.card.apply_wanted.connect(self._open_apply_dialog)
        self.card.export_wanted.connect(self._export_scripts)
        self.card.again_wanted.connect(self._show_request)
        self.card.sweep_wanted.connect(lambda: self.sweep_wanted.emit(observer.asked.url))
        self.card.follow_wanted.connect(self._offer_follow)
        self.end.again_wanted.connect(self._show_request)
        self.end.restore_wanted.connect(self.restore_wanted)
        observer.looking.connect(self._show_looking)
        observer.reading.connect(self._show_reading)
        observer.asking.connect(self._show_agreement)
        observer.began.connect(self._show_progress)
        observer.line_received.connect(self._take_update)
        observer.rescuing.connect(self._show_restoring)
        observer.answered.connect(self._show_answer)
        observer.ended.connect(self._show_end)
        observer.choose.connect(self._ask_for_guest)
        observer.failed.connect(self._show_failure)
        observer.cancelled.connect(self._show_request)
        self.pictures.drawn.timeout.connect(self.running.refresh)
