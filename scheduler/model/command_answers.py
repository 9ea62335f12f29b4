"""Answers of the one-shot commands with `--json`; the window reads these."""

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
        hint: Value to write instead.
    """

    field: str
    line: int = 0
    problem: str
    hint: str = ""


def list_mistakes(error: SchedulerError) -> tuple[InputMistake, ...]:
    """Return the mistakes of an input; empty where no input is wrong."""
    found = error.errors if isinstance(error, SeveralErrors) else (error,)
    return tuple(
        InputMistake(field=each.field, line=each.line, problem=each.problem, hint=each.hint)
        for each in found
        if isinstance(each, SpecError)
    )


class CommandRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """Answer with `--json` of any command that failed before its own answer.

    Attributes:
        error: Description of the failure; never empty.
        hint: Advice; may be empty.
        mistakes: Each mistake in the plan or on the command line.
    """

    error: str
    hint: str = ""
    mistakes: tuple[InputMistake, ...] = ()


class HostProblem(enum.StrEnum):
    """Problem that a person has to solve before a host can be probed."""

    NONE = ""
    KEY_UNKNOWN = "key-unknown"
    KEY_CHANGED = "key-changed"
    LOGIN = "login"
    DOMAINS = "domains"


class RestoreItem(msgspec.Struct, frozen=True, kw_only=True):
    """One undo record, or one record of `apply`.

    Attributes:
        host: URL of the host.
        host_id: Identity of the host.
        armed_unix_s: Time of writing, seconds since 1970.
        state: `armed`, `restored`, `running` (a live process holds the host), `failed` or `corrupt`; `applied` for a
            split that `apply` set.
        text: Result, or reason of the failure.
        would_write: Domain to its original settings, which are, were or would be restored.
        restored_unix_s: Time of the restore just now, seconds since 1970; 0 for none.
        by: Command that changed the host; of `running`, the command that holds it. Empty where unknown.
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
        facts: The host properties; None when the host cannot be reached or used.
        error: Reason why the host cannot be used; empty for none.
        hint: Advice; may be empty.
        busy: True when another process or an armed undo record holds the host.
        problem: Problem that a person has to solve before the host can be probed.
        fingerprint: Fingerprint of the key or certificate that the host shows; for `key-unknown`.
        choices: Domains, one of which has to be named as the guest; for `domains`.
        applied: Record of the applied split, which `revert` would restore; None for none.
        held_by: Command that holds the host; empty for none, or where unknown.
        refused: Reason why a sweep of splits is refused on this host, with advice; empty when a sweep could start.
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
    """Commands of one setting on the host.

    Attributes:
        setting: Label, or `baseline`, or `restore`.
        commands: Lines that can be typed by hand, in the order in which they will be issued.
        achieved: Split of the rounded parameters; empty for baseline and restore.
        rounding_error_frac: Relative difference of that ratio from the requested one, >= 0; 0.01 for 1 %.
    """

    setting: str
    commands: tuple[str, ...]
    achieved: str = ""
    rounding_error_frac: float = 0.0


class DryRun(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `run PLAN --dry-run`.

    Attributes:
        facts: The host properties; None when the host cannot be used.
        findings: Findings of preflight, worst first.
        commands: The baseline, one row per setting in the order of the plan, then restore.
        trials: Number of trials; of an adaptive plan, those that are certain.
        adapts: True for an adaptive plan.
        best_s: Shortest duration, seconds.
        usual_s: Usual duration, seconds.
        worst_s: Longest duration, seconds.
        error: Reason why the sweep cannot start; empty when it can.
        hint: Advice; may be empty.
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
    """One parameter that is, was or will be changed.

    Values are texts for people, for example `none` for no limit.
    """

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
        commands: Commands that were or would be issued.
        done: False for a dry run or a failure.
        advice: Decision of the run as text, with the gain or cost of the split; empty where a host was named.
        remark: Remark that the parameters differ from the measured ones; empty when they are the same.
        error: Description of the failure; empty for none.
        hint: Advice; may be empty.
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
        applied: Hosts with an applied split, which stays: no restore is pending for these.
        recorded_runs: Ids of the interrupted runs whose hosts the store now records as restored and verified.
    """

    clean: bool
    items: tuple[RestoreItem, ...] = ()
    applied: tuple[RestoreItem, ...] = ()
    recorded_runs: tuple[str, ...] = ()


class DismissedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One undo record that is no longer pending.

    Attributes:
        kept_as: File name of the dismissed record; empty when the record was only examined.
        text: Description of the record: complete, or its fault.
        armed_unix_s: Time of writing, seconds since 1970; 0 when unknown.
        would_write: Domain to the original settings of the record; empty when unknown.
    """

    kept_as: str
    text: str
    armed_unix_s: float = 0.0
    would_write: Mapping[str, str] = {}


class DismissResult(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `restore --forget HOST`.

    Attributes:
        host_id: Identity of the host.
        records: Records that were found and are kept under another name.
        standing: Control groups of DomTune that exist on this computer, with their processes; for `local:`.
        done: False when nothing was renamed.
        error: Description of the failure; empty for none.
        hint: Advice; may be empty.
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
        host: Name of the host for people.
        fingerprint: Of the key that the host shows, `SHA256:...`; of its certificate, 32 pairs of hexadecimal digits.
        kind: For example `ED25519`; `TLS` for a certificate.
        kept_in: File in which the key was saved; empty when the key was only shown.
    """

    host: str
    fingerprint: str
    kind: str
    kept_in: str = ""


class ImportedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a run file.

    Attributes:
        file: Path of the file.
        run_id: Id of the run in the store.
        already: True when the store had the same run before.
    """

    file: str
    run_id: str
    already: bool = False


class RefusedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file that was not imported.

    Attributes:
        file: Path of the file.
        error: Reason, as a sentence.
        hint: Advice; may be empty.
    """

    file: str
    error: str
    hint: str = ""


class ImportAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `import`.

    Attributes:
        runs: Runs of the run files, in the order of the files.
        results: Paths of files with results, which are shown and not stored.
        refused: Files that were refused.
    """

    runs: tuple[ImportedRun, ...] = ()
    results: tuple[str, ...] = ()
    refused: tuple[RefusedFile, ...] = ()
