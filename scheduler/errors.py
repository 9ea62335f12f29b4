"""Every error that DomTune raises on purpose, on one page.

::

    SchedulerError                 what happened, to what, with which numbers; `hint` says what to do
    +-- SpecError                  a plan or an input is wrong; nothing was touched   (`field`)
    |   +-- FilesExist             files of the user's would be replaced unasked      (`paths`)
    |   +-- SeveralErrors          several inputs are wrong                           (`errors`)
    +-- HostError                  the host did not do what it should
    |   +-- HostUnreachable        no answer within the time limit
    |   +-- HostNotUsable          it answers, but cannot be used as it is (rights, controllers, CPUs)
    |   |   +-- HostKeyUnknown     its ssh key was never accepted             (`fingerprint`)
    |   |   +-- HostKeyChanged     its ssh key is another one than before
    |   |   +-- LoginRefused       it wants a password, or another one
    |   +-- HostBusy               another process holds it                  (`holder`)
    |   +-- GuardFired             the dead-man's switch on the host took over (`restored`)
    |   +-- SplitNotHeld           under a split the host is too slow to be commanded
    |   +-- DomainGone             a domain ended or was replaced
    |   +-- DomainPaused           a domain is there, but its vCPUs do not run
    |   +-- ParameterRefused       outside the range that the host accepts
    |   +-- WriteNotTaken          a write was accepted, but reads back differently
    |   +-- ForeignValue           somebody else set a domain that was followed
    |   +-- RestoreFailed          originals that could not be put back          (`pending`)
    +-- LoadError                  the load or its database did not do what it should
    |   +-- DatabaseUnreachable    refused, timed out, wrong password, no such database
    |   +-- DatabaseUnsuitable     reached, but not to be used (too old, tables of another tool)
    |   +-- LoadDied               a user process ended by itself
    |   +-- ClientLost             one of the computers that make the load was lost; its trial is void
    |   +-- ClusterNotUsable       the Dask cluster cannot be reached, or not be used as it is
    |   +-- CheckFailed            the database does not hold what the users committed
    +-- SweepAborted               ended by the person before it began; nothing was touched
    +-- StoreError                 results could not be written or read
    |   +-- StoreCorrupt           the file was kept aside; a new one is used       (`kept_as`)
    +-- JournalError               the undo record could not be written or read
        +-- JournalUnreadable      nobody can tell whether a host is changed
        +-- JournalCorrupt         damaged; it stays where it is, and due           (`path`)

Every one of them may be shown to a user as it is: `str(error)` is a sentence, `error.hint` the next step.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

_MOST_NAMES = 5
_MOST_CHARS = 300
_MOST_ERRORS = 20  # as many as a terminal shows on one screen


class SchedulerError(Exception):
    """Something happened that a user can understand and act upon.

    Args:
        message: What happened, to what, with which numbers and units.
        hint: What to do about it; may be empty.

    Attributes:
        choices: Names of the domains, one of which must be named; empty where that is not what is wrong.
    """

    choices: tuple[str, ...] = ()

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def choose_from(self, names: Iterable[str]) -> Self:
        """Say which domains there are to choose from; returns the error."""
        self.choices = tuple(names)
        return self


class SpecError(SchedulerError):
    """An input is wrong; raised before anything is touched.

    Args:
        field: Where it stands, as a user would name it (`splits[2]`, `load[0].users`).
        message: The value, and the range that is allowed.
        hint: What to write instead.

    Attributes:
        line: Line of a file that has the mistake, from 1; 0 where no file has it or the line is not known.
    """

    line = 0

    def __init__(self, field: str, message: str, *, hint: str = "") -> None:
        super().__init__(f"{field}: {message}", hint=hint)
        self.field = field
        self.problem = message

    @property
    def sentences(self) -> str:
        """The mistake with its line and the hint, as one text; long values are cut."""
        line = f"line {self.line}, " if self.line else ""
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
        more = f"\n{left} more follow these." if left > 0 else ""
        super().__init__(errors[0].field, f"{errors[0].problem}", hint=errors[0].hint)
        self.args = (f"{source} has {len(errors)} mistakes:\n{shown}{more}",)
        self.hint = ""
        self.errors = tuple(errors)


class FilesExist(SpecError):
    """What is to be written would replace files that nobody named; nothing was written.

    Args:
        field: As of `SpecError`.
        paths: The files, at least one.
    """

    def __init__(self, field: str, paths: Sequence[Path]) -> None:
        names = ", ".join(map(str, paths[:_MOST_NAMES])) + (" ..." if len(paths) > _MOST_NAMES else "")
        files = "1 file is" if len(paths) == 1 else f"{len(paths)} files are"
        hint = "Name another place; on the command line --force replaces them."
        super().__init__(field, f"{files} there already: {names}", hint=hint)
        self.paths = tuple(paths)


class HostError(SchedulerError):
    """The host did not do what it should."""


class HostUnreachable(HostError):
    """The host gave no answer within the time limit."""


class HostNotUsable(HostError):
    """The host answers, but cannot be used as it is."""


class HostKeyUnknown(HostNotUsable):
    """A host shows an ssh key that nobody has accepted yet.

    Args:
        message: The host and its key.
        fingerprint: `SHA256:...` as ssh shows it; empty when it could not be fetched.
        hint: How to accept it.
    """

    def __init__(self, message: str, fingerprint: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.fingerprint = fingerprint


class HostKeyChanged(HostNotUsable):
    """A host shows another ssh key than the accepted one; nothing was sent to it."""


class LoginRefused(HostNotUsable):
    """A host wants a password and was given none, or not the right one."""


class SweepAborted(SchedulerError):
    """A person ended a sweep before it began; nothing was touched."""


class HostBusy(HostError):
    """Another process of DomTune's holds this host.

    Args:
        message: Who, and with which process.
        hint: What to do about it.
        holder: What that does, a value of `scheduler.model.lock_owner.LockOwner`; empty where nobody knows.
    """

    def __init__(self, message: str, *, hint: str = "", holder: str = "") -> None:
        super().__init__(message, hint=hint)
        self.holder = holder


class GuardFired(HostError):
    """The guard on the host fired or died: no further change goes through.

    Args:
        message: What happened to the guard, and whether the originals are back.
        restored: True when the host says that every original is back.
        hint: What to do about it.
    """

    def __init__(self, message: str, *, restored: bool, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.restored = restored


class SplitUnresponsive(HostError):
    """Under the split that is set, the host answers too slowly to be commanded; the split is to be left at once."""


class DomainGone(HostError):
    """A domain ended, or another one took its place."""


class DomainPaused(HostError):
    """A domain is there, but paused: a sweep ends, watching and following wait for it."""


class ParameterRefused(HostError):
    """A parameter lies outside the range that the host accepts."""


class WriteNotVerified(HostError):
    """A write was accepted, but the value reads back differently."""


class ForeignValue(HostError):
    """A domain that was followed has a value of somebody else's; it is left as it is."""


class RestoreFailed(HostError):
    """Originals that could not be put back; the journal stays armed.

    Args:
        message: What is not as it was.
        pending: Domain to the reason why its original is not back.
        hint: What to do about it.
        left: Those of them that were left on purpose: somebody else has set them.
    """

    def __init__(self, message: str, pending: Mapping[str, str], *, hint: str = "", left: Iterable[str] = ()) -> None:
        super().__init__(message, hint=hint)
        self.pending = dict(pending)
        self.left = frozenset(left)


class LoadError(SchedulerError):
    """The load or its database did not do what it should."""


class DatabaseUnreachable(LoadError):
    """No connection: refused, timed out, wrong password, no such database."""


class DatabaseUnsuitable(LoadError):
    """The database answers, but must not or cannot be used."""


class LoadDied(LoadError):
    """A user process ended by itself."""


class ClientLost(LoadError):
    """One of the computers that make the load was lost, or its clock: what the trial measured is void."""


class MemberDied(ClientLost):
    """One of several loads that run together died: the trial is void, and all begin anew with the next."""


class ClusterNotUsable(LoadError):
    """The Dask cluster that is to make the load cannot be reached, or not be used as it is."""


class CheckFailed(LoadError):
    """The database does not hold what the users say they committed."""


class StoreError(SchedulerError):
    """Results could not be written or read."""


class StoreCorrupt(StoreError):
    """A results file is damaged; it was kept aside as `kept_as`."""

    def __init__(self, message: str, kept_as: Path, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.kept_as = kept_as


class JournalError(SchedulerError):
    """The undo record could not be written or read."""


class JournalUnreadable(JournalError):
    """A record, or the folder of records, cannot be looked into: nobody can tell whether a host is changed."""


class JournalCorrupt(JournalError):
    """An undo record is damaged, or is none; it stays where it is, and what it was to put back is still due.

    Args:
        message: What is wrong with it.
        path: The record.
        hint: What to do about it.
    """

    def __init__(self, message: str, path: Path, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path
