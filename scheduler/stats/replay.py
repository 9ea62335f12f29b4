"""Replay of a run: its results as they were at an earlier time.

The documents up to that time go through the functions that decide during and after a run, so a replay cannot disagree
with them.
"""

from collections.abc import Sequence

import msgspec

from scheduler.model.documents import Document, RunStarted, RunStopped, TrialDone
from scheduler.model.results import Results
from scheduler.stats.results import summarise_run
from scheduler.stats.stalls import first_of_each_trial
from scheduler.stats.study_answer import decide_so_far
from scheduler.translation import _


class RunMoment(msgspec.Struct, frozen=True, kw_only=True):
    """Results of a run as they were at a time.

    Attributes:
        t_s: The time, seconds since the run began.
        end_s: Time of the run's last document, seconds since the run began.
        trial: Number of trials that had ended, >= 0.
        trials: Number of all trials of the run, >= 0.
        final: True at the end of the run: the results are then the final ones.
        results: The results. Before the end, the headline is the interim decision. Outcome and restore are those of the
            whole run.
    """

    t_s: float
    end_s: float
    trial: int
    trials: int
    final: bool
    results: Results


def list_moments_s(documents: Sequence[Document]) -> list[float]:
    """Return the times at which the answer of a run may have changed.

    The times are in seconds since the run began, ascending. The first is the begin. The last is the end of the run,
    which replaces the end of the last trial.
    """
    times_s = sorted({document.t_s for document in documents if isinstance(document, TrialDone)})
    return [0.0, *times_s[:-1], find_end_s(documents)]


def find_end_s(documents: Sequence[Document]) -> float:
    """Return the time of the last document, in seconds since the run began."""
    return max((document.t_s for document in documents), default=0.0)


def select_until(documents: Sequence[Document], t_s: float) -> list[Document]:
    """Return the documents that existed at a time.

    Args:
        documents: All documents of a run.
        t_s: The time, seconds since the run began.
    """
    return [document for document in documents if document.t_s <= t_s or isinstance(document, RunStarted)]


def replay_run(documents: Sequence[Document], t_s: float) -> RunMoment:
    """Return the results of a run as they were at a time.

    Args:
        documents: All documents of a run; samples are not needed.
        t_s: The time, seconds since the run began; from the run's end on, the results are the final ones.

    Raises:
        StoreError: There is no `RunStarted` among the documents.
    """
    end_s = find_end_s(documents)
    known = select_until(documents, t_s)
    results, trials = summarise_run(known), _trials_of(known)
    final = t_s >= end_s
    if not final:
        started = next(document for document in known if isinstance(document, RunStarted))
        headline = decide_so_far(trials, started).text
        answer = msgspec.structs.replace(results.answer, headline=headline)
        results = _add_end(msgspec.structs.replace(results, answer=answer), documents)
    return RunMoment(
        t_s=min(t_s, end_s),
        end_s=end_s,
        trial=len(first_of_each_trial(trials)),
        trials=len(first_of_each_trial(_trials_of(documents))),
        final=final,
        results=results,
    )


def describe_moment(moment: RunMoment) -> str:
    """Return time and trial of a moment, and that it is not the end, as sentences."""
    if moment.final:
        return _("At minute {minute}, the end of the run: the final answer.").format(
            minute=_format_minute(moment.end_s)
        )
    return _(
        "As it was at minute {minute} of {minutes}, after {trial} of {trials} trials. This is not the final answer."
    ).format(
        minute=_format_minute(moment.t_s),
        minutes=_format_minute(moment.end_s),
        trial=moment.trial,
        trials=moment.trials,
    )


def moment_title(moment: RunMoment) -> str:
    """Return the words that mark a title: `as it was at minute 12`."""
    return _("as it was at minute {minute}").format(minute=_format_minute(moment.t_s))


def _format_minute(t_s: float) -> str:
    """Return a time in minutes with at most one decimal: `12`, `3.5`."""
    return f"{round(t_s / 60, 1):g}"


def _trials_of(documents: Sequence[Document]) -> list[TrialDone]:
    return [document for document in documents if isinstance(document, TrialDone)]


def _add_end(results: Results, documents: Sequence[Document]) -> Results:
    """Return results with the outcome of the whole run and the state of its host."""
    ends = [document for document in documents if isinstance(document, RunStopped)]
    if not ends:
        return results
    end = ends[-1]
    return msgspec.structs.replace(
        results,
        outcome=end.outcome,
        reason=end.reason,
        restored=end.restored,
        busy=end.busy,
        interrupted=end.interrupted,
        restored_unix_s=end.restored_unix_s,
    )
