"""What the one-shot commands answer with `--json`; the window reads these."""

import enum
from collections.abc import Mapping

import msgspec

from scheduler.errors import SchedulerError, SeveralErrors, SpecError
from scheduler.model.host_properties import HostProperties, PreflightFinding
from scheduler.model.lock_owner import LockOwner


class InputMistake(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake in a plan or on the command line.

    Attributes:
        field: Path of the key, for example `load[0].users`, or the option.
        line: Line of the plan file, from 1; 0 where it is not known.
        problem: The value, and the allowed values.
        hint: What to write instead.
    """

    field: str
    line: int = 0
    problem: str
    hint: str = ""


def list_mistakes(error: SchedulerError) -> tuple[InputMistake, ...]:
    """Return the mistakes of an input; none where no input is wrong."""
    found = error.errors if isinstance(error, SeveralErrors) else (error,)
    return tuple(
        InputMistake(field=each.field, line=each.line, problem=each.problem, hint=each.hint)
        for each in found
        if isinstance(each, SpecError)
    )


class CommandRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of any word with `--json` that ended before it had one of its own.

    Attributes:
        error: What went wrong; never empty.
        hint: What to do about it.
        mistakes: Each mistake in the plan or on the command line.
    """

    error: str
    hint: str = ""
    mistakes: tuple[InputMistake, ...] = ()


class HostProblem(enum.StrEnum):
    """What a person has to decide or to give before a host can be looked at."""

    NONE = ""
    KEY_UNKNOWN = "key-unknown"
    KEY_CHANGED = "key-changed"
    LOGIN = "login"
    DOMAINS = "domains"


class RestoreItem(msgspec.Struct, frozen=True, kw_only=True):
    """One undo record, or one of `apply`.

    Attributes:
        host: URL of the host.
        host_id: Identity of the host.
        armed_unix_s: When it was written, seconds since 1970.
        state: `armed`, `restored`, `running` (a live process holds it), `failed` or `corrupt`; `applied` for a split
            that `apply` set.
        text: What happened, or why not.
        would_write: Domain to the original that is, was or would be put back.
        restored_unix_s: When it was put back just now, seconds since 1970; 0 when it was not.
        by: Who changed the host; of `running`, who holds it. Empty where nobody knows.
    """

    host: str
    host_id: str
    armed_unix_s: float
    state: str
    text: str = ""
    would_write: Mapping[str, str] = {}
    restored_unix_s: float = 0.0
    by: LockOwner = LockOwner.UNKNOWN


class HostProbe(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `probe URL`.

    Attributes:
        facts: The host; None when it cannot be reached or used.
        error: Why not; empty when all is well.
        hint: What to do about it.
        busy: True when another process or an armed undo record holds the host.
        problem: What a person has to do before the host can be looked at.
        fingerprint: Of the key or certificate that the host shows; for `key-unknown`.
        choices: Domains, one of which has to be named as the guest; for `domains`.
        applied: What `revert` would put back; None where no split is applied.
        held_by: Who keeps it busy; empty where nobody does, or nobody knows.
        refused: Reason why a sweep of splits is refused on this host, and what to do; empty when it could start.
    """

    facts: HostProperties | None = None
    error: str = ""
    hint: str = ""
    busy: bool = False
    problem: HostProblem = HostProblem.NONE
    fingerprint: str = ""
    choices: tuple[str, ...] = ()
    applied: RestoreItem | None = None
    held_by: LockOwner = LockOwner.UNKNOWN
    refused: str = ""


class SettingCommands(msgspec.Struct, frozen=True, kw_only=True):
    """What one setting means on the host.

    Attributes:
        setting: Label, or `baseline`, or `restore`.
        commands: Lines that can be typed by hand, in the order in which they will be issued.
        achieved: The split that the rounded parameters really mean; empty for baseline and restore.
        rounding_error_frac: How far that ratio is from the one asked for, >= 0; 0.01 for 1 %.
    """

    setting: str
    commands: tuple[str, ...]
    achieved: str = ""
    rounding_error_frac: float = 0.0


class DryRun(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `run PLAN --dry-run`.

    Attributes:
        facts: The host; None when it cannot be used.
        findings: Preflight, worst first.
        commands: The baseline, one row per setting in the order of the plan, then restore.
        trials: Number of trials; of a plan that adapts, those that are certain.
        adapts: True when the plan decides as it goes.
        best_s: Best duration, seconds.
        usual_s: About how long it usually takes, seconds.
        worst_s: Worst duration, seconds.
        error: Why the sweep cannot start; empty when it can.
        hint: What to do about it.
        mistakes: Each mistake in the plan.
    """

    facts: HostProperties | None = None
    findings: tuple[PreflightFinding, ...] = ()
    commands: tuple[SettingCommands, ...] = ()
    trials: int = 0
    adapts: bool = False
    best_s: float = 0.0
    usual_s: float = 0.0
    worst_s: float = 0.0
    error: str = ""
    hint: str = ""
    mistakes: tuple[InputMistake, ...] = ()


class ParameterChange(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter that is, was or will be changed; values as people read them (`none` for no limit)."""

    domain: str
    parameter: str
    before: str
    after: str
    read_back: str = ""


class ApplyResult(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `apply` and `revert`.

    Attributes:
        host: The host's URL.
        split: The split applied; empty after a revert.
        changes: One row per parameter.
        commands: What was or would be issued.
        done: False for a dry run or a failure.
        advice: Decision of the run in words, with what the split gains or costs; empty where a host was named.
        remark: That the parameters are not those that were measured; empty when they are.
        error: What went wrong; empty when nothing did.
        hint: What to do about it.
    """

    host: str = ""
    split: str = ""
    changes: tuple[ParameterChange, ...] = ()
    commands: tuple[str, ...] = ()
    done: bool = False
    advice: str = ""
    remark: str = ""
    error: str = ""
    hint: str = ""


class RestoreResult(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `restore`.

    Attributes:
        clean: True when nothing is left to restore.
        items: The undo records.
        applied: Hosts with an applied split, which stays: nothing that is due.
        told: Ids of the runs without a last word of which the store now knows that their host is as found.
    """

    clean: bool
    items: tuple[RestoreItem, ...] = ()
    applied: tuple[RestoreItem, ...] = ()
    told: tuple[str, ...] = ()


class DismissedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One record that is no longer due.

    Attributes:
        kept_as: Where it is kept; empty when it was only looked at.
        text: What it is: whole, or what is wrong with it.
        armed_unix_s: When it was written, seconds since 1970; 0 when that cannot be told.
        would_write: Domain to the original that it would have put back; empty when that cannot be told.
    """

    kept_as: str
    text: str
    armed_unix_s: float = 0.0
    would_write: Mapping[str, str] = {}


class DismissResult(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `restore --forget HOST`.

    Attributes:
        host_id: Identity of the host.
        records: What was found, and is kept under another name.
        standing: Control groups of DomTune's that stand on this computer, and what is in them; for `local:`.
        done: False when nothing was renamed.
        error: What went wrong; empty when nothing did.
        hint: What to do about it.
    """

    host_id: str = ""
    records: tuple[DismissedRecord, ...] = ()
    standing: tuple[str, ...] = ()
    done: bool = False
    error: str = ""
    hint: str = ""


class DatabaseCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `check-database`."""

    fine: bool
    text: str
    hint: str = ""
    versions: Mapping[str, str] = {}


class ClientsCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `check-clients`."""

    fine: bool
    text: str
    hint: str = ""
    versions: Mapping[str, str] = {}


class TrustResult(msgspec.Struct, frozen=True):
    """Answer of `trust`.

    Attributes:
        host: As people write it.
        fingerprint: Of the key that the host shows, `SHA256:...`; of its certificate, 32 pairs of hexadecimal digits.
        kind: For example `ED25519`; `TLS` for a certificate.
        kept_in: The file that the key was kept in; empty when it was only shown.
    """

    host: str
    fingerprint: str
    kind: str
    kept_in: str = ""
