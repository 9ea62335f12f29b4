"""End of a run, as a sentence for notifications and for the program of --notify."""

import msgspec

from scheduler.model.documents import RunOutcome
from scheduler.model.observation_documents import FollowDone, FollowEnd, WatchResult
from scheduler.model.terminal_text import replace_controls
from scheduler.model.urls import redact_url
from scheduler.translation import _

SWEEP_END, WATCH_END, FOLLOW_END = "sweep", "watch", "follow"
"""Kinds of runs in the notice of their end."""


class RunEnd(msgspec.Struct, frozen=True):
    """End of a sweep, a watch or a follow.

    Attributes:
        kind: `sweep`, `watch` or `follow`.
        host: URL of the host.
        outcome: Outcome of the run.
        restored: True when the host is restored and verified.
        reason: Reason why the run did not complete; may be empty.
        busy: True when another process held the host, so that this run changed nothing.
    """

    kind: str
    host: str
    outcome: RunOutcome
    restored: bool
    reason: str = ""
    busy: bool = False

    @property
    def text(self) -> str:
        """One or two sentences: what ended, and whether the host is restored."""
        host, first_line = replace_controls(redact_url(self.host)), self.reason.partition("\n")[0]
        if not self.restored and not self.busy:
            return _(
                "The host {host} is not restored. Open DomTune and use Restore now, or run 'domtune restore'."
            ).format(host=host)
        reason = replace_controls(first_line).rstrip(".")
        texts = {SWEEP_END: _sweep_text, WATCH_END: _watch_text}
        return texts.get(self.kind, _follow_text)(self.outcome, host, reason)


def _sweep_text(outcome: RunOutcome, host: str, reason: str) -> str:
    if outcome is RunOutcome.COMPLETED:
        return _("The sweep of {host} is complete. The host is restored.").format(host=host)
    if outcome is RunOutcome.ABORTED:
        return _("The sweep of {host} was stopped. The host is restored.").format(host=host)
    return _("The sweep of {host} failed: {reason}.").format(host=host, reason=reason)


def _watch_text(outcome: RunOutcome, host: str, reason: str) -> str:
    if outcome is RunOutcome.COMPLETED:
        return _("Watching {host} is complete.").format(host=host)
    if outcome is RunOutcome.ABORTED:
        return _("Watching {host} was stopped.").format(host=host)
    return _("Watching {host} failed: {reason}.").format(host=host, reason=reason)


def _follow_text(outcome: RunOutcome, host: str, reason: str) -> str:
    if outcome is RunOutcome.COMPLETED:
        return _("Following {host} is complete. The host is restored.").format(host=host)
    if outcome is RunOutcome.ABORTED:
        return _("Following {host} was stopped. The host is restored.").format(host=host)
    return _("Following {host} failed: {reason}.").format(host=host, reason=reason)


def end_of_observation(host: str, last: WatchResult | FollowDone) -> RunEnd:
    """Return the end of a watch or a follow.

    Args:
        host: URL of the host.
        last: The last line.
    """
    outcome, restored, reason = outcome_of(last)
    if isinstance(last, WatchResult):
        return RunEnd(WATCH_END, host, outcome, restored, reason)
    return RunEnd(FOLLOW_END, host, outcome, restored, reason, busy=last.busy)


def outcome_of(last: WatchResult | FollowDone) -> tuple[RunOutcome, bool, str]:
    """Return the outcome of the run, True for a restored host, and the reason."""
    if isinstance(last, WatchResult):
        outcome = RunOutcome.ABORTED if last.stopped else RunOutcome.FAILED if last.ended else RunOutcome.COMPLETED
        return outcome, True, last.ended
    match last.end:
        case FollowEnd.TIME | FollowEnd.EVIDENCE:
            outcome = RunOutcome.COMPLETED
        case FollowEnd.USER | FollowEnd.DECLINED:
            outcome = RunOutcome.ABORTED
        case _:
            outcome = RunOutcome.FAILED
    return outcome, last.restored, last.error or last.reason
