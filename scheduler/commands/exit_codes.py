"""Exit codes of the program, and their errors."""

import enum

from scheduler.errors import (
    HostBusy,
    HostNotUsable,
    JournalCorrupt,
    JournalUnreadable,
    RestoreFailed,
    SchedulerError,
    SpecError,
    SweepAborted,
)
from scheduler.model.documents import RunOutcome


class ExitCode(enum.IntEnum):
    """Exit code for the shell; `docs/reference/command-line.md` lists all of them."""

    DONE = 0  # completed; the host is restored and verified
    FAILED = 1  # failed; the host is restored and verified
    BAD_INPUT = 2  # invalid input; nothing was changed
    ABORTED = 3  # stopped by the user; the host is restored and verified
    NOT_RESTORED = 4  # the host is not restored, or its state is unknown
    NOT_USABLE = 5  # busy or not usable; nothing was changed


def exit_for_error(error: SchedulerError | None) -> ExitCode:
    """Return the exit code of an error; FAILED for None."""
    match error:
        case SpecError():
            return ExitCode.BAD_INPUT
        case SweepAborted():
            return ExitCode.ABORTED
        case RestoreFailed() | JournalCorrupt() | JournalUnreadable():
            return ExitCode.NOT_RESTORED
        case HostBusy() | HostNotUsable():
            return ExitCode.NOT_USABLE
        case _:
            return ExitCode.FAILED


def exit_for_run(outcome: RunOutcome, error: SchedulerError | None, *, restored: bool, busy: bool = False) -> ExitCode:
    """Return the exit code of a sweep that began.

    Args:
        outcome: Outcome of the run.
        error: Error that ended the run; None without an error.
        restored: True when the host is restored and verified.
        busy: True when another sweep held the host, so that nothing was changed.
    """
    if busy:
        return ExitCode.NOT_USABLE
    if not restored:
        return ExitCode.NOT_RESTORED
    if outcome is RunOutcome.COMPLETED:
        return ExitCode.DONE
    return ExitCode.ABORTED if outcome is RunOutcome.ABORTED else exit_for_error(error)
