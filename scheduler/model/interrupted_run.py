"""Last document of an interrupted run, made by the process that restores its host."""

from scheduler.model.documents import RunOutcome, RunStarted, RunStopped
from scheduler.model.number_texts import format_duration
from scheduler.model.observation_documents import ObservationStarted
from scheduler.translation import _


def build_run_stopped(
    started: RunStarted | ObservationStarted | None, t_s: float, trial: int, *, restored: bool, restored_unix_s: float
) -> RunStopped:
    """Return the last document of an interrupted run.

    Args:
        started: First document of the run; None when there is none.
        t_s: Time of its latest document, seconds since the start of the run.
        trial: Number of the latest trial that began, from 1; 0 for none.
        restored: True when its host is restored and verified.
        restored_unix_s: Time of the restore, seconds since 1970; 0 when there was nothing to restore.
    """
    return RunStopped(
        t_s=t_s,
        outcome=RunOutcome.FAILED,
        restored=restored,
        reason=_("interrupted after {t_s}").format(t_s=format_duration(t_s))
        if isinstance(started, ObservationStarted)
        else _interruption_text(started, trial),
        interrupted=True,
        restored_unix_s=restored_unix_s,
    )


def _interruption_text(started: RunStarted | None, trial: int) -> str:
    """Return the point of the interruption: `interrupted at trial 13 of 32`.

    An adaptive plan has no total number of trials.
    """
    if not trial:
        return _("interrupted at its start")
    if started is None or started.spec.adapts:
        return _("interrupted at trial {trial}").format(trial=trial)
    return _("interrupted at trial {trial} of {trials}").format(trial=trial, trials=started.trials)
