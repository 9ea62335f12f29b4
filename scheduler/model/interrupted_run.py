"""The last word of a run that could not say it itself: made by whoever looks after its host."""

from scheduler.model.documents import RunOutcome, RunStarted, RunStopped


def build_run_stopped(
    started: RunStarted | None, t_s: float, trial: int, *, restored: bool, put_back_unix_s: float
) -> RunStopped:
    """Return what is to be said of a run that broke off.

    Args:
        started: Its first document; None when there was not even that.
        t_s: Time of its latest document, seconds since it began.
        trial: Number of the latest trial that began, from 1; 0 when none did.
        restored: Whether its host reads back as found.
        put_back_unix_s: When the host was put back, seconds since 1970; 0 when there was nothing to put back.
    """
    return RunStopped(
        t_s=t_s,
        outcome=RunOutcome.FAILED,
        restored=restored,
        reason=_interruption_text(started, trial),
        broke_off=True,
        put_back_unix_s=put_back_unix_s,
    )


def _interruption_text(started: RunStarted | None, trial: int) -> str:
    """Return where a run broke off: `broke off at trial 13 of 32`; a plan that adapts has no number of trials."""
    if not trial:
        return "broke off at its start"
    if started is None or started.spec.adapts:
        return f"broke off at trial {trial}"
    return f"broke off at trial {trial} of {started.trials}"
