"""Page that follows a load: request, consent, live plots, and restore."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.display_texts import format_duration, shorten_name, typeset_text
from app.observe.follow_plots import FollowPlots
from app.observe.follow_progress_card import FollowProgressCard
from app.observe.follow_request import FollowRequest
from app.observe.follow_request_card import FollowRequestCard
from app.observe.follow_texts import (
    account_words,
    agreement_words,
    as_sentence,
    audit_words,
    end_words,
    result_words,
    sum_words,
)
from app.observe.host_follower import HostFollower
from app.observe.host_load_page import HostLoadPage
from app.settings import Settings
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.announcer import Announcer
from app.widgets.buttons import danger_button, primary_button, secondary_button
from app.widgets.card import Card
from app.widgets.flow_layout import FlowLayout
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label, make_selectable, set_role, tooltip_text
from app.widgets.scroll_areas import make_scroll_area
from app.widgets.split_bar import SplitTag
from scheduler.errors import SchedulerError
from scheduler.model.observation_documents import FollowDone, FollowEnd, FollowLine, FollowStarted
from scheduler.model.terminal_text import replace_controls
from scheduler.model.urls import redact_url


class FollowEndCard(Card):
    """Card with the end of following; hidden until then.

    Args:
        theme: Colours.

    Signals:
        restore_wanted: The user wants to restore the host.
        again_wanted: The user wants to follow again.
    """

    restore_wanted = Signal()
    again_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.announcer = Announcer(self)
        self.headline = make_selectable(make_label("", "title", wrap=True))
        self.why = make_selectable(make_label("", wrap=True))
        self.host = make_selectable(make_label("", "strong", wrap=True))
        self.hint = make_selectable(make_label("", wrap=True))
        self.summed = make_label("", "dim", wrap=True)
        self.audit = make_selectable(make_label("", "dim", wrap=True))
        self.brought = make_selectable(make_label("", wrap=True))
        self.remarks = make_selectable(make_label("", wrap=True))
        self.restore_button = danger_button(theme, self.tr("Restore now"), "restore")
        self.again_button = secondary_button(theme, self.tr("Follow again"), "play")
        self.restore_button.clicked.connect(self.restore_wanted)
        self.again_button.clicked.connect(self.again_wanted)
        for part in (
            self.headline,
            self.why,
            self.host,
            self.hint,
            self.brought,
            self.audit,
            self.remarks,
            self.summed,
        ):
            self.body.addWidget(part)
        row = QHBoxLayout()
        row.setSpacing(SPACE_M)
        row.addWidget(self.again_button)
        row.addStretch(1)
        row.addWidget(self.restore_button)
        self.body.addLayout(row)
        self.hide()

    def show_done(self, began: FollowStarted, done: FollowDone) -> None:
        """Show the end of following.

        Args:
            began: First line of the process.
            done: Last line of the process.
        """
        result = result_words(began, done)
        self.headline.setText(result or end_words(done))
        why = "" if done.end in (FollowEnd.TIME, FollowEnd.USER) and not done.error else as_sentence(done.reason)
        if result:
            why = f"{end_words(done)} {why}".rstrip()
        brought = account_words(began, done.gains, over=True)
        if done.gains:
            words = self.tr("Simulated: {gain}") if began.simulated else self.tr("Measured: {gain}")
            brought = [words.format(gain=gain) for gain in brought]
        self.host.setText(self._host_words(done))
        set_role(self.host, "good" if done.restored else "danger")
        remarks = "\n".join(f"\N{BULLET} {as_sentence(remark)}" for remark in done.remarks)
        parts = (
            (self.why, why),
            (self.hint, typeset_text(done.hint)),
            (self.brought, "\n".join(brought) if done.t_s else ""),
            (self.audit, audit_words(done)),
            (self.remarks, remarks),
            (self.summed, sum_words(done)),
        )
        for part, words in parts:
            part.setText(words)
            part.setVisible(bool(words))
        self.restore_button.setVisible(not (done.restored or done.busy))
        self.setAccessibleName(f"{self.headline.text()} {self.host.text()}")
        self.show()
        self.announcer.say(self.accessibleName())

    def show_restored(self) -> None:
        """Show that no restore is pending any more.

        The host was restored since then, or the user dismissed the undo record.
        """
        self.host.setText(self.tr("Since then nothing is left to be restored."))
        set_role(self.host, "good")
        self.hint.hide()
        self.restore_button.hide()

    def _host_words(self, done: FollowDone) -> str:
        if done.restored:
            return self.tr("The original settings of both domains are restored and verified.")
        if done.busy:
            return self.tr("Nothing was touched.")
        return self.tr("Some original settings are not restored.")


_LETTERS = 40


class AgreementCard(Card):
    """Card with the request for consent; hidden until there is a request.

    Args:
        theme: Colours.

    Signals:
        agreed: The user allows the changes.
        declined: The user does not allow the changes.
    """

    agreed = Signal()
    declined = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.headline = make_label("", "title", wrap=True)
        self.where = make_selectable(make_label("", "dim", wrap=True))
        self.low, self.high, self.found = (SplitTag(theme, None, "lead") for _ in range(3))
        self.words = make_selectable(make_label("", wrap=True))
        self.warnings = make_selectable(make_label("", "warn", wrap=True))
        self.check = QCheckBox()
        self.button = primary_button(theme, self.tr("Follow it"), "play")
        self.no = secondary_button(theme, self.tr("Do not follow"))
        self.check.toggled.connect(self.button.setEnabled)
        self.button.clicked.connect(self.agreed)
        self.no.clicked.connect(self.declined)
        for part in (self.headline, self.where, self._splits(), self.words, self.warnings, self.check):
            self.body.addWidget(part)
        foot = QHBoxLayout()
        foot.setSpacing(SPACE_M)
        foot.addStretch(1)
        foot.addWidget(self.no)
        foot.addWidget(self.button)
        self.body.addLayout(foot)
        self.hide()

    def ask(self, began: FollowStarted) -> None:
        """Show the intended changes and ask for consent."""
        words = self.tr("Follow this host for {time}?").format(time=format_duration(began.for_s))
        self.headline.setText(words)
        self.where.setText(f"{replace_controls(began.title)}\n{redact_url(began.host)}")
        self.low.set_split(began.range_low)
        self.high.set_split(began.range_high)
        self.found.set_split(began.split)
        self.words.setText("\n".join(f"\N{BULLET} {each}" for each in agreement_words(began)))
        self.warnings.setText(typeset_text("\n".join(began.warnings)))
        self.warnings.setVisible(bool(began.warnings))
        self.check.setText(
            self.tr("Any split from {low} to {high} may be set there at any time").format(
                low=began.range_low.label, high=began.range_high.label
            )
        )
        self.check.setChecked(False)
        self.button.setEnabled(False)
        self.button.setToolTip(
            tooltip_text(self.tr("Follow {host}").format(host=shorten_name(redact_url(began.host), _LETTERS)))
        )
        self.setAccessibleName(words)
        self.show()

    def _splits(self) -> QWidget:
        made = QWidget()
        row = FlowLayout(made)
        parts = (
            (self.tr("Found:"), self.found),
            (self.tr("May be set:"), self.low),
            (self.tr("to"), self.high),
        )
        for words, tag in parts:
            row.addWidget(make_label(words, "lead"))
            row.addWidget(tag)
            tag.setContentsMargins(0, 0, SPACE_M, 0)
        return made


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
