"""Stored observations: their lines, and the answer that lists show."""

from collections.abc import Iterable

import msgspec

from scheduler.errors import StoreError
from scheduler.model.decision import SweepDecision
from scheduler.model.documents import Document, RunStopped
from scheduler.model.number_texts import format_duration, format_signed_percent
from scheduler.model.observation_documents import (
    FollowDone,
    FollowStarted,
    ObservationLine,
    ObservationStarted,
    WatchResult,
)
from scheduler.model.setting import SplitSetting
from scheduler.store.run_entries import AnswerSummary, RunOrigin
from scheduler.translation import _, ngettext


class ObservationRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One stored observation.

    Attributes:
        run_id: Its id.
        name: The user's name for it; may be empty.
        started: Its first line.
        lines: The lines between the first and the last.
        last: Its last line; None while it runs, and when it was interrupted.
        stopped: Outcome of the run and state of its host; None while it runs.
        origin: Origin of an imported observation; None for one of this computer.
    """

    run_id: str
    name: str
    started: ObservationStarted | FollowStarted
    lines: tuple[ObservationLine, ...]
    last: WatchResult | FollowDone | None
    stopped: RunStopped | None
    origin: RunOrigin | None = None

    @property
    def headline(self) -> str:
        """Result as a sentence; for an interrupted observation the reason."""
        return _headline(self.last, self.stopped)


def build_record(run_id: str, name: str, documents: Iterable[Document]) -> ObservationRecord:
    """Return the record of an observation.

    Args:
        run_id: Id of the run.
        name: The user's name for it; may be empty.
        documents: Its documents, the first line first.

    Raises:
        StoreError: The first document is missing, or begins a sweep.
    """
    first, *rest = documents
    if not isinstance(first, ObservationStarted):
        raise StoreError(_("run {run_id} is no observation").format(run_id=run_id))
    last, stopped = _find_end(rest)
    lines = tuple(line for line in rest if isinstance(line, ObservationLine) and line is not last)
    return ObservationRecord(run_id=run_id, name=name, started=first, lines=lines, last=last, stopped=stopped)


def summarise_observation(documents: Iterable[Document]) -> AnswerSummary:
    """Return the answer of an observation for lists."""
    last, stopped = _find_end(documents)
    return AnswerSummary(
        decision=_decide(last),
        headline=_headline(last, stopped),
        restored=stopped is not None and stopped.restored,
        interrupted=stopped is not None and stopped.interrupted,
        restored_unix_s=stopped.restored_unix_s if stopped is not None else 0.0,
        reason=stopped.reason if stopped is not None else "",
    )


def _find_end(documents: Iterable[Document]) -> tuple[WatchResult | FollowDone | None, RunStopped | None]:
    last, stopped = None, None
    for document in documents:
        if isinstance(document, WatchResult | FollowDone):
            last = document
        elif isinstance(document, RunStopped):
            stopped = document
    return last, stopped


def _decide(last: WatchResult | FollowDone | None) -> SweepDecision:
    """Return the decision of watching; following decides nothing."""
    if not isinstance(last, WatchResult) or last.split is None:
        return SweepDecision()
    known = last.gain_low_frac is not None and last.gain_high_frac is not None
    return SweepDecision(
        kind=last.decision,
        setting=SplitSetting(last.split),
        gain_frac=last.gain_frac,
        gain_ci95_frac=(last.gain_low_frac or 0.0, last.gain_high_frac or 0.0) if known else None,
    )


def _headline(last: WatchResult | FollowDone | None, stopped: RunStopped | None) -> str:
    match last:
        case WatchResult():
            return last.headline or last.error
        case FollowDone():
            return _follow_headline(last)
        case _:
            return stopped.reason if stopped is not None else ""


def _follow_headline(done: FollowDone) -> str:
    moves = ngettext("{n} change by the tuner", "{n} changes by the tuner", done.moves).format(n=done.moves)
    static = next((gain for gain in done.gains if gain.over == "static"), None)
    if static is None:
        return _("{moves} in {t_s}").format(moves=moves, t_s=format_duration(done.t_s))
    change, _unused, _unused = static.judged
    what = _("time per transaction") if static.is_of_time else "throughput"
    return _("{moves} in {t_s}; {change} {what} compared with the fixed split").format(
        moves=moves, t_s=format_duration(done.t_s), change=format_signed_percent(change), what=what
    )
