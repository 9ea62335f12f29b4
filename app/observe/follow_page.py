"""Page that follows a load: request, consent, live plots, and restore."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.observe.agreement_card import AgreementCard
from app.observe.end_card import FollowEndCard
from app.observe.follow_plots import FollowPlots
from app.observe.follow_progress_card import FollowProgressCard
from app.observe.follow_request import FollowRequest
from app.observe.follow_request_card import FollowRequestCard
from app.observe.host_follower import HostFollower
from app.observe.host_load_page import HostLoadPage
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label
from app.widgets.scroll_areas import make_scroll_area
from scheduler.errors import SchedulerError
from scheduler.model.observation_documents import FollowDone, FollowLine, FollowStarted
from scheduler.model.urls import redact_url

_SEEN_PX = 270  # minimum height of the plots: one plot


class FollowPage(HostLoadPage):
    """Page that requests a host, asks for consent, follows the host and shows the end.

    Args:
        theme: Colours.
        settings: Settings with the used hosts.
        runner: Starts one-shot commands and holds the hosts' passwords.
        background: Worker that writes exported files.

    Signals:
        restore_wanted: The user wants to restore the remaining changes.
    """

    help_key = "follow"

    restore_wanted = Signal()

    def __init__(self, theme: Theme, settings: Settings, runner: CommandRunner, background: BackgroundWorker) -> None:
        words = self.tr(
            "For a load that changes: the split is kept near the best of the moment, within bounds that you name, and "
            "the host is restored at the end. Watch first: where one split does, following gains nothing."
        )
        super().__init__(theme, set_glossary_tip(make_label(self.tr("Follow a load"), "display"), "follow"), words)
        self.done: FollowDone | None = None
        self.follower = HostFollower(theme, settings, runner, self)
        self.ask = FollowRequestCard(theme, settings)
        self.agree = AgreementCard(theme)
        self.running = FollowProgressCard(theme)
        self.end = FollowEndCard(theme)
        for part in (self.ask, self.agree, self.running, self.end):
            self._add(part)
        self.pictures = FollowPlots(theme, background)
        self.seen = make_scroll_area(self.pictures, _SEEN_PX)  # scrolls separately, so that Stop stays visible
        self.seen.hide()
        self._add(self.seen, 1)
        self._connect_signals()

    def offer(self, asked: FollowRequest | None = None) -> None:
        """Show a request; report a conflict if another host is being followed."""
        if asked is None:
            return
        if not self.follower.busy:
            self._show_request()
            self.ask.show_asked(asked)
            self.ask.button.setFocus()
        elif asked.url != self.follower.asked.url:
            text = self.tr("{host} is being followed; stop that first.").format(
                host=redact_url(self.follower.asked.url)
            )
            self.message.say("info", text)

    def _start(self) -> None:
        self.follower.start(self.ask.asked)

    def put_back(self) -> None:
        """Show that no restore is pending any more."""
        if self.done is not None and not (self.done.restored or self.done.busy):
            self.end.show_restored()

    def _show_looking(self) -> None:
        self.message.clear()
        self.done = None
        self.running.look_at(redact_url(self.follower.asked.url))
        self._show_only(self.running)
        self.running.stop_button.setFocus()

    def _show_agreement(self, began: FollowStarted) -> None:
        self.ribbon.setVisible(began.simulated)
        self.agree.ask(began)
        self._show_only(self.agree)
        self.agree.check.setFocus()

    def _begin_following(self) -> None:
        began = self.follower.began
        if began is None or self.follower.following:
            return
        self.pictures.begin(began)
        self.running.begin(began)
        self._show_only(self.running, self.seen)
        self.running.stop_button.setFocus()
        self.follower.agree()

    def _take_update(self, told: FollowLine) -> None:
        self.running.take(told)
        self.pictures.take(told)

    def give_back(self) -> None:
        """Stop following, which restores the host."""
        self.running.end()
        self.follower.stop()

    def _show_restoring(self, error: SchedulerError) -> None:
        self.pictures.draw()
        self.running.refresh()
        self.running.end(str(error))

    def _show_end(self, done: FollowDone) -> None:
        self.pictures.draw()
        self.done = done
        if self.follower.began is not None:
            self.end.show_done(self.follower.began, done)
        self._show_only(self.end, *([self.seen] if done.t_s else ()))
        self.end.again_button.setFocus()

    def _show_request(self) -> None:
        """Show the request with the previous input."""
        self.message.clear()
        self.ribbon.hide()
        self._show_only(self.what, self.ask)
        self.ask.refresh()

    def _show_failure(self, error: SchedulerError) -> None:
        """Show an error with the previous input."""
        self._show_request()
        if self.follower.asked.database or self.follower.asked.guest:
            self.ask.fold.setChecked(True)
        self.message.show_error(error)

    def _ask_for_guest(self, names: Sequence[str]) -> None:
        self.ask.ask_for_guest(names)

    def _show_only(self, *parts: QWidget) -> None:
        for part in (self.what, self.ask, self.agree, self.running, self.end, self.seen):
            part.setVisible(part in parts)
        for part in (self.heading, self._below):  # the plots need the space
            part.setVisible(self.seen not in parts)

    def _connect_signals(self) -> None:
        follower = self.follower
        self.ask.start.connect(self._start)
        self.agree.agreed.connect(self._begin_following)
        self.agree.declined.connect(follower.stop)
        self.running.stop.connect(self.give_back)
        self.end.again_wanted.connect(self._show_request)
        self.end.restore_wanted.connect(self.restore_wanted)
        follower.looking.connect(self._show_looking)
        follower.asking.connect(self._show_agreement)
        follower.told.connect(self._take_update)
        follower.rescuing.connect(self._show_restoring)
        follower.ended.connect(self._show_end)
        follower.choose.connect(self._ask_for_guest)
        follower.failed.connect(self._show_failure)
        follower.cancelled.connect(self._show_request)
        self.pictures.drawn.timeout.connect(self.running.refresh)
