"""Errors that DomTune raises on purpose.

::

    SchedulerError                 what happened, to what, with which numbers; `hint` is the next step
    +-- SpecError                  a plan or an input is wrong; nothing was changed   (`field`)
    |   +-- FilesExist             the export would replace files of the user         (`paths`)
    |   +-- SeveralErrors          several inputs are wrong                           (`errors`)
    +-- HostError                  the host failed
    |   +-- HostUnreachable        no answer within the time limit
    |   +-- HostNotUsable          the host answers, but is not usable (rights, controllers, CPUs)
    |   |   +-- HostKeyUnknown     its ssh key was never accepted             (`fingerprint`)
    |   |   +-- HostKeyChanged     its ssh key differs from the accepted one
    |   |   +-- LoginRefused       the host wants a password, or another one
    |   +-- HostBusy               another process uses the host             (`holder`)
    |   +-- GuardFired             the guard on the host took over           (`restored`)
    |   +-- SplitUnresponsive      the host became unresponsive under a split
    |   +-- DomainGone             a domain ended or was replaced
    |   +-- DomainPaused           the vCPUs of a domain do not run
    |   +-- ParameterRefused       a parameter is outside the host's range
    |   +-- WriteNotVerified       a write was accepted, but reads back differently
    |   +-- ForeignValue           another program set a domain that was followed
    |   +-- RestoreFailed          original settings could not be restored   (`pending`)
    +-- LoadError                  the load or its database failed
    |   +-- DatabaseUnreachable    refused, timed out, wrong password, no such database
    |   +-- DatabaseUnsuitable     the database is not usable (too old, tables of another tool)
    |   +-- LoadDied               a user process ended by itself
    |   +-- ClientLost             a client computer was lost; its trial is discarded
    |   |   +-- MemberDied         one of several loads together ended; the trial is discarded
    |   +-- ClusterNotUsable       the Dask cluster is unreachable or not usable
    |   +-- CheckFailed            the database lacks commits that the users report
    +-- SweepAborted               the user ended the sweep before it began; nothing was changed
    +-- StoreError                 results could not be written or read
    |   +-- StoreCorrupt           the file was quarantined; a new one is used       (`kept_as`)
    +-- JournalError               the undo record could not be written or read
        +-- JournalUnreadable      undo records are unreadable: a host may be changed
        +-- JournalCorrupt         an undo record is damaged; a restore is pending   (`path`)

Each error may be shown to a user: `str(error)` is a sentence, and `error.hint` is the next step.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from scheduler.translation import _, ngettext

_MOST_NAMES = 5
_MOST_CHARS = 300
_MOST_ERRORS = 20  # as many as a terminal shows on one screen


class SchedulerError(Exception):
    """Base of all errors that a user can understand and act on.

    Args:
        message: What happened, to what, with numbers and units.
        hint: Next step; may be empty.

    Attributes:
        choices: Names of domains, one of which the user must name; empty for other errors.
    """

    choices: tuple[str, ...] = ()

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def choose_from(self, names: Iterable[str]) -> Self:
        """Store the names of domains to choose from; return the error."""
        self.choices = tuple(names)
        return self


class SpecError(SchedulerError):
    """Error in an input, raised before any change.

    Args:
        field: Field of the input in the user's terms (`splits[2]`, `load[0].users`).
        message: The value, and the allowed range.
        hint: Valid input; may be empty.

    Attributes:
        line: Line of the mistake in its file, from 1; 0 when unknown or without a file.
    """

    line = 0

    def __init__(self, field: str, message: str, *, hint: str = "") -> None:
        super().__init__(f"{field}: {message}", hint=hint)
        self.field = field
        self.problem = message

    @property
    def sentences(self) -> str:
        """The mistake with its line and the hint, as one text; long values are cut."""
        line = _("line {line}, ").format(line=self.line) if self.line else ""
        problem = self.problem if len(self.problem) <= _MOST_CHARS else f"{self.problem[:_MOST_CHARS]}..."
        return f"{line}{self.field[:_MOST_CHARS]}: {problem.removesuffix('.')}. {self.hint}".strip()


class SeveralErrors(SpecError):
    """Several inputs are wrong; raised before anything is touched.

    Args:
        source: Where they come from, for example a plan's path.
        errors: The mistakes, at least two.
    """

    def __init__(self, source: str, errors: Sequence[SpecError]) -> None:
        shown = "\n".join(f"{number}. {error.sentences}" for number, error in enumerate(errors[:_MOST_ERRORS], start=1))
        left = len(errors) - _MOST_ERRORS
        more = _("\n{left} more follow these.").format(left=left) if left > 0 else ""
        super().__init__(errors[0].field, f"{errors[0].problem}", hint=errors[0].hint)
        self.args = (
            _("{source} has {count} mistakes:\n{shown}{more}").format(
                source=source, count=len(errors), shown=shown, more=more
            ),
        )
        self.hint = ""
        self.errors = tuple(errors)


class FilesExist(SpecError):
    """Error when an export would replace files that the user did not name.

    Nothing was written.

    Args:
        field: Field as of `SpecError`.
        paths: The files, at least one.
    """

    def __init__(self, field: str, paths: Sequence[Path]) -> None:
        names = ", ".join(map(str, paths[:_MOST_NAMES])) + (" ..." if len(paths) > _MOST_NAMES else "")
        problem = ngettext("{n} file is there already: {names}", "{n} files are there already: {names}", len(paths))
        hint = _("Name another place; on the command line --force replaces them.")
        super().__init__(field, problem.format(n=len(paths), names=names), hint=hint)
        self.paths = tuple(paths)


class HostError(SchedulerError):
    """Base of errors of a host."""


class HostUnreachable(HostError):
    """Error when the host did not answer within the time limit."""


class HostNotUsable(HostError):
    """Error when the host answers, but is not usable in its present state."""


class HostKeyUnknown(HostNotUsable):
    """Error when the host shows an ssh key that was never accepted.

    Args:
        message: The host and its key.
        fingerprint: `SHA256:...` as ssh shows it; empty when it could not be fetched.
        hint: Instructions to accept the key.
    """

    def __init__(self, message: str, fingerprint: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.fingerprint = fingerprint


class HostKeyChanged(HostNotUsable):
    """Error when the host's ssh key differs from the accepted key.

    Nothing was sent to the host.
    """


class LoginRefused(HostNotUsable):
    """Error when the host wants a password, and none or a wrong one was given."""


class SweepAborted(SchedulerError):
    """Error when the user ended a sweep before its begin.

    Nothing was changed.
    """


class HostBusy(HostError):
    """Error when another process of DomTune uses this host.

    Args:
        message: The other process and its work.
        hint: Next step.
        holder: Work of the other process, a value of `scheduler.model.lock_owner.LockOwner`; empty when it is not
            known.
    """

    def __init__(self, message: str, *, hint: str = "", holder: str = "") -> None:
        super().__init__(message, hint=hint)
        self.holder = holder


class GuardFired(HostError):
    """Error when the guard on the host fired or died.

    No further change is possible.

    Args:
        message: Event of the guard, and whether the original settings are restored.
        restored: True when the host reports that all original settings are restored.
        hint: Next step.
    """

    def __init__(self, message: str, *, restored: bool, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.restored = restored


class SplitUnresponsive(HostError):
    """Error when the host became unresponsive under the present split.

    The split must be left at once.
    """


class DomainGone(HostError):
    """Error when a domain ended, or another domain took its place."""


class DomainPaused(HostError):
    """Error when a domain is paused.

    A sweep ends then, and watching and following wait for the domain.
    """


class ParameterRefused(HostError):
    """Error when a parameter is outside the range that the host accepts."""


class WriteNotVerified(HostError):
    """Error when a write was accepted, but the value reads back differently."""


class PlacementChanged(WriteNotVerified):
    """Error when another program placed a domain during a trial."""


class ForeignValue(HostError):
    """Error when another program set a domain after `follow` or `apply`.

    The other program's value is kept.
    """


class RestoreFailed(HostError):
    """Error when original settings could not be restored.

    The journal stays armed.

    Args:
        message: The settings that are not restored.
        pending: Reason by domain that is not restored.
        hint: Next step.
        left: Domains of `pending` that were not restored on purpose, since another program has set them.
    """

    def __init__(self, message: str, pending: Mapping[str, str], *, hint: str = "", left: Iterable[str] = ()) -> None:
        super().__init__(message, hint=hint)
        self.pending = dict(pending)
        self.left = frozenset(left)


class LoadError(SchedulerError):
    """Base of errors of a load or its database."""


class DatabaseUnreachable(LoadError):
    """Error when no connection is possible.

    The connection is refused or times out, or the password or the database's name is wrong.
    """


class DatabaseUnsuitable(LoadError):
    """Error when the database answers, but must not or cannot be used."""


class LoadDied(LoadError):
    """Error when a user process ended by itself."""


class ClientLost(LoadError):
    """Error when a client computer or its clock was lost.

    The trial is discarded.
    """


class MemberDied(ClientLost):
    """Error when one of several loads that run together ended.

    The trial is discarded. All loads start again with the next trial.
    """


class ClusterNotUsable(LoadError):
    """Error when the Dask cluster for the load is unreachable or not usable."""


class CheckFailed(LoadError):
    """Error when the database lacks transactions that the users report as committed."""


class StoreError(SchedulerError):
    """Error when results could not be written or read."""


class StoreCorrupt(StoreError):
    """Error when a results file is damaged; the file is quarantined as `kept_as`.

    Args:
        message: The file and its damage.
        kept_as: New path of the damaged file.
        hint: Next step.
    """

    def __init__(self, message: str, kept_as: Path, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.kept_as = kept_as


class JournalError(SchedulerError):
    """Error when the undo record could not be written or read."""


class JournalUnreadable(JournalError):
    """Error when undo records cannot be read, so that a host may be changed."""


class JournalCorrupt(JournalError):
    """Error when an undo record is damaged or is none.

    The record stays in its place, and the restore stays pending.

    Args:
        message: Damage of the record.
        path: The record.
        hint: Next step.
    """

    def __init__(self, message: str, path: Path, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path
