"""The page that watches: a host's own load, no load of ours, nothing written."""

import time
from collections.abc import Iterator, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.background import Background
from app.core_process import Runner
from app.panels import exports
from app.panels.apply_dialog import ApplyDialog
from app.panels.apply_target import HostTarget
from app.panels.export_question import ask_in_doubt
from app.settings import Settings
from app.theme.theme import Theme
from app.watch.answer_card import AnswerCard
from app.watch.ask_card import AskCard
from app.watch.page_in_turn import PageInTurn
from app.watch.pictures import Pictures
from app.watch.running_card import RunningCard
from app.watch.watcher import Watcher
from app.widgets.dialog import bring_up
from app.widgets.glossary import explain
from app.widgets.in_turn import Making
from app.widgets.text import label
from app.words import typeset
from scheduler.errors import SchedulerError
from scheduler.model.urls import shown
from scheduler.model.watching import WatchBegan, Watched, WatchWindow


class WatchPage(PageInTurn):
    """Asks for a host, shows what comes of it window by window, and says which split suits what runs there.

    Args:
        theme: Colours.
        settings: The hosts that were used before.
        runner: Starts the one-shot commands, and knows the hosts' passwords.
        background: Writes what is saved.
        now: False to make its parts one by one, a tick each.

    Signals:
        sweep_wanted: URL of a host that the person wants to sweep.
        follow_wanted: What was watched, an `Asked`, and the static split that was named, if one was.
        applied: A split was set on a host.
    """

    help_key = "watch"

    sweep_wanted = Signal(str)
    follow_wanted = Signal(object, str)
    applied = Signal()

    def __init__(
        self, theme: Theme, settings: Settings, runner: Runner, background: Background, *, now: bool = True
    ) -> None:
        words = self.tr(
            "Which split suits the load that runs there already? Counters are read every ten seconds. No load is sent, "
            "nothing is written, and it may run beside anything, a sweep included."
        )
        super().__init__(theme, explain(label(self.tr("Watch a host"), "display"), "watch"), words)
        self._settings, self._runner, self._background = settings, runner, background
        self.answer: Watched | None = None
        self._ended_unix_s = 0.0
        self.dialog: ApplyDialog | None = None
        self.watcher = Watcher(theme, settings, runner, self)
        self.making = Making(self._make(), self, now=now)

    def _make(self) -> Iterator[None]:
        theme = self._theme
        self.ask = AskCard(theme, self._settings)
        yield from self._make_first(self.ask)
        self.running = RunningCard(theme)
        self._add(self.running)
        yield
        self.card = AnswerCard(theme)
        yield from self.card.make()
        self._add(self.card)
        yield
        self.pictures = Pictures(theme, self._background)
        self.pictures.hide()
        yield from self.pictures.make()
        yield
        self.plot, self.frame = self.pictures.use, self.pictures.use_frame
        self._add(self.pictures, 1)
        self._connect()

    def offer(self, url: str = "") -> None:
        """Show a host to be watched, if its URL is given; while another one is watched that goes on."""
        if url:
            self._offer(lambda: self._show_offered(url), lambda: self._fill(url))

    def _show_offered(self, url: str) -> None:
        if not self.watcher.busy:
            self._again()
            self._fill(url)
        elif url != self.watcher.asked.url:
            text = self.tr("{host} is being watched; stop that first.").format(host=shown(self.watcher.asked.url))
            self.message.say("info", text)

    def _fill(self, url: str) -> None:
        self.ask.refresh(url)
        self.ask.button.setFocus()

    def _start(self) -> None:
        self.watcher.start(self.ask.asked)

    def _looking(self) -> None:
        self.message.clear()
        self.running.look_at(shown(self.watcher.asked.url))
        self._show_only(self.running)

    def _began(self, began: WatchBegan) -> None:
        self.ribbon.setVisible(began.simulated)
        self.pictures.begin(began)
        self.running.begin(began)
        self._show_only(self.running, self.pictures)

    def _take(self, window: WatchWindow) -> None:
        self.pictures.take(window)
        self.running.take(window)

    def _stop(self) -> None:
        self.running.end()
        self.watcher.stop()

    def _answered(self, answer: Watched) -> None:
        self.pictures.draw()
        self.answer, self._ended_unix_s = answer, time.time()
        self.card.show_answer(answer)
        self._show_only(self.card, self.pictures)

    def _again(self) -> None:
        """Ask once more; what was typed is still there."""
        self.message.clear()
        self.ribbon.hide()
        self._show_only(self.what, self.ask)
        self.ask.refresh()

    def _fail(self, error: SchedulerError) -> None:
        """Say it; everything that was typed stands there again, and what was seen is still there."""
        seen = [self.pictures] if self.pictures.isVisibleTo(self) else []
        self._again()
        self._show_only(self.what, self.ask, *seen)
        self.pictures.draw()
        if self.watcher.asked.database:
            self.ask.fold.setChecked(True)
        self.message.say_error(error)

    def _choose(self, names: Sequence[str]) -> None:
        self.ask.ask_for_guest(names)

    def _apply(self) -> None:
        answer = self.answer
        if answer is None:
            return
        target = HostTarget(answer.host, answer.title)
        more = self.watcher.asked.domains
        self.dialog = ApplyDialog(self._theme, self._runner, target, answer.split, self, more=more)
        self.dialog.applied.connect(lambda _: self.applied.emit())
        self.dialog.finished.connect(self._forget_dialog)
        bring_up(self.dialog)

    def _export(self) -> None:
        if self.answer is None:
            return
        asked = exports.of_watching(self, self.answer, self._ended_unix_s)

        def ask() -> None:
            exports.ask_target(asked, lambda target: exports.start(asked, self._background, target, self.message.say))

        if self.answer.ordered_split:
            ask()
        else:
            ask_in_doubt(self, self.answer.split, typeset(self.answer.headline), ask)

    def _follow(self) -> None:
        self.follow_wanted.emit(self.watcher.asked, self.answer.split if self.answer is not None else "")

    def _forget_dialog(self) -> None:
        self.dialog = None

    def _show_only(self, *parts: QWidget) -> None:
        for part in (self.what, self.ask, self.running, self.card, self.pictures):
            part.setVisible(part in parts)
        self._below.setVisible(self.pictures not in parts)

    def _connect(self) -> None:
        watcher = self.watcher
        self.running.stop.connect(self._stop)
        self.card.apply_wanted.connect(self._apply)
        self.card.export_wanted.connect(self._export)
        self.card.again_wanted.connect(self._again)
        self.card.sweep_wanted.connect(lambda: self.sweep_wanted.emit(watcher.asked.url))
        self.card.follow_wanted.connect(self._follow)
        watcher.looking.connect(self._looking)
        watcher.watching.connect(self.running.wait)
        watcher.began.connect(self._began)
        watcher.window.connect(self._take)
        watcher.answered.connect(self._answered)
        watcher.choose.connect(self._choose)
        watcher.failed.connect(self._fail)
        watcher.cancelled.connect(self._again)
