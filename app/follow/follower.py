"""Asks a host whether it lets us in, then follows it: the page's hands, without anything of how it looks."""

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core_process import Runner
from app.follow.asked import Asked
from app.follow.follow_run import FollowRun
from app.follow.rescue import Rescue
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.host_entry import HostEntry
from app.wizard.question import Question
from app.words import capital
from scheduler.errors import SchedulerError
from scheduler.model.following import FollowBegan, FollowDone, FollowEnd, FollowLine, FollowMove, FollowWindow
from scheduler.model.probe import Probe

_PROBE_S = 180.0  # as the wizard's: XAPI may hold a login back for 120 s


class Follower(QObject):
    """One host at a time.

    Args:
        theme: Of the dialogs that ask for a key or a password.
        settings: Remembers the host once it is looked at.
        runner: Starts the one-shot commands, and knows the hosts' passwords.
        parent: The widget that the dialogs belong to.

    Signals:
        looking: A host is asked whether it lets us in, then looked at; nothing is written.
        asking: `FollowBegan`: `agree` or `stop` is waited for.
        told: Each line but first and last.
        rescuing: A SchedulerError: the process is gone, and the host is put back from outside; `ended` follows.
        ended: `FollowDone`, of what was agreed to; nothing follows.
        choose: Names of domains, one of which has to be the guest.
        failed: A SchedulerError that says why nothing was begun; nothing follows.
        cancelled: The person said no, or ended it before anything was written; nothing follows.

    Attributes:
        asked: What it was told last.
        began: What was asked about; None before.
        run: The process that follows; None when none does.
        entry: What a host may want first.
    """

    looking = Signal()
    asking = Signal(object)
    told = Signal(object)
    rescuing = Signal(object)
    ended = Signal(object)
    choose = Signal(object)
    failed = Signal(object)
    cancelled = Signal()

    def __init__(self, theme: Theme, settings: Settings, runner: Runner, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings, self._runner = settings, runner
        self.asked = Asked("", "")
        self.began: FollowBegan | None = None
        self.run: FollowRun | None = None
        self._sum = FollowDone()  # what can be said where the process cannot
        self._probe: Question[Probe] = Question(runner, Probe, _PROBE_S, self)
        self._probe.answered.connect(self._probed)
        self._probe.failed.connect(self.failed)
        self._rescue = Rescue(runner, self)
        self._rescue.done.connect(self._rescued)
        self.entry = HostEntry(theme, runner, parent)
        self.entry.again.connect(lambda: self.start(self.asked))
        self.entry.failed.connect(self.failed)

    @property
    def busy(self) -> bool:
        """True while a host is asked, or followed."""
        return self.run is not None or self._probe.busy

    @property
    def following(self) -> bool:
        """True while the host may be changed by us."""
        return self.run is not None and self.run.agreed

    def start(self, asked: Asked) -> None:
        """Look whether the host lets us in, then at what it does; nothing is written before `agree`."""
        if not self.busy:
            self.asked = asked
            self._probe.ask("probe", "--json", *asked.domains, "--", asked.url)
            self.looking.emit()

    def agree(self) -> None:
        """Follow it."""
        if self.run is not None:
            self._sum = FollowDone(host=self.asked.url)
            self.run.agree()

    def stop(self) -> None:
        """End it now; a host that was changed is given back first."""
        if self._probe.busy:
            self._probe.cancel()
            self.cancelled.emit()
        elif self.run is not None:
            self.run.stop()

    def close(self) -> None:
        """Let go of whatever runs: a process that follows hears of it, and gives the host back."""
        self._probe.cancel()
        if self.run is not None:
            self.run.let_go()
            self.run = None

    def _probed(self, answer: Probe) -> None:
        """Look; why a host that somebody holds cannot be followed, the core says."""
        if answer.facts is not None or answer.busy:
            self._begin()
            return
        self.failed.emit(SchedulerError(capital(answer.error), hint=answer.hint))
        if answer.choices:
            self.choose.emit(answer.choices)
        self.entry.meet(self.asked.url, answer)

    def _begin(self) -> None:
        words = self.asked.words
        environment = {**self._runner.secrets.environment(*words), **self.asked.environment}
        try:
            self.run = run = FollowRun(words, environment, self)
        except OSError as error:
            text = self.tr("The following process could not be started: {why}").format(why=error.strerror)
            self.failed.emit(SchedulerError(text, hint=self.tr("Nothing was touched.")))
            return
        self._settings.remember_host(self.asked.url)
        self.began = None
        run.asking.connect(self._ask)
        run.told.connect(self._take)
        run.ended.connect(self._ended)
        run.died.connect(self._died)

    def _ask(self, began: FollowBegan) -> None:
        self.began = began
        self.asking.emit(began)

    def _take(self, line: FollowLine) -> None:
        match line:
            case FollowWindow():
                self._sum = msgspec.structs.replace(self._sum, t_s=line.t_s)
            case FollowMove(io_used_frac=used) if used is not None:  # else it was a change of turns
                self._sum = msgspec.structs.replace(self._sum, moves=self._sum.moves + 1)
            case _:
                pass
        self.told.emit(line)

    def _ended(self, done: FollowDone) -> None:
        agreed = self._forget()
        if agreed:
            self.ended.emit(done)
        elif done.end is FollowEnd.DECLINED:
            self.cancelled.emit()
        else:
            self.failed.emit(SchedulerError(capital(done.error), hint=done.hint))

    def _died(self, error: SchedulerError) -> None:
        if not self.following or self.began is None:
            self._forget()
            self.failed.emit(error)
            return
        self._sum = msgspec.structs.replace(self._sum, end=FollowEnd.FAILED, reason=str(error))
        self.rescuing.emit(error)
        self._rescue.put_back(self.asked.url, self.began.host_id)

    def _rescued(self, restored: bool, why: str) -> None:  # noqa: FBT001 - a signal's
        self._forget()
        hint = self.tr("Its own settings are kept; use Restore now.")
        done = msgspec.structs.replace(self._sum, restored=restored, error=why, hint="" if restored else hint)
        self.ended.emit(done)

    def _forget(self) -> bool:
        """Drop the process; return whether it was agreed to."""
        run, self.run = self.run, None
        if run is not None:
            run.deleteLater()
        return run is not None and run.agreed
