"""Exit codes, and how an error becomes one."""

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
    """What the shell learns; `docs/reference/command-line.md` lists them."""

    DONE = 0  # completed, and the host reads back as found
    FAILED = 1  # failed; the host reads back as found
    BAD_INPUT = 2  # nothing was touched
    ABORTED = 3  # stopped by the user; the host reads back as found
    NOT_RESTORED = 4  # the host does not read back as found, or nobody can tell
    NOT_USABLE = 5  # busy, or not usable as it is; nothing was touched


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
    """Return the exit code of a sweep that began; one that met another sweep has touched nothing."""
    if busy:
        return ExitCode.NOT_USABLE
    if not restored:
        return ExitCode.NOT_RESTORED
    if outcome is RunOutcome.COMPLETED:
        return ExitCode.DONE
    return ExitCode.ABORTED if outcome is RunOutcome.ABORTED else exit_for_error(error)
