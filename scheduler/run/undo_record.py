"""Undo record of a host as a value, and as sealed text that reveals damage."""

import hashlib
import shlex
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

import msgspec

from scheduler import places
from scheduler.errors import JournalCorrupt, JournalError, SchedulerError
from scheduler.model.lock_owner import LockOwner
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.translation import _

FORMAT = "domtune-undo/1"
_SUM_BYTES = 16


class UndoRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Original settings of a host, and the data to restore them.

    Attributes:
        host_url: URL of the host.
        host_id: Stable identity of the host.
        context: Data with which the adapter finds the same parameters again.
        originals: Domain to its original parameters, None for a domain that did not exist. `guest-vcpus` is included
            where the number is changed, `guest-2` where there is a second guest, `io-place` and the other placements
            where the domains are confined. In the order in which they are restored.
        armed_unix_s: Time of the record, seconds since 1970.
        pid: Process that wrote the record.
        ours: Domain to parameters that the process may have set, where values of other programs must stay; else empty.
        by: Kind of run that changed the host.
        format: Version of this record.
    """

    host_url: str
    host_id: str
    context: Mapping[str, str]
    originals: Mapping[DomainId, SchedParams | None]
    armed_unix_s: float
    pid: int
    ours: Mapping[DomainId, tuple[SchedParams, ...]] = {}
    by: LockOwner = LockOwner.SWEEP
    format: str = FORMAT


class _RecordFormat(msgspec.Struct, frozen=True):
    """Part of a record that every version can read."""

    format: str = ""


class _SealedRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record on disk.

    Attributes:
        format: Version of this record.
        blake2b: Checksum of the bytes of `undo`, hexadecimal.
        undo: The `UndoRecord`.
    """

    format: str
    blake2b: str
    undo: msgspec.Raw


def seal_record(undo: UndoRecord) -> bytes:
    """Return the text of a record, with its checksum."""
    body = msgspec.json.encode(undo)
    return msgspec.json.encode(_SealedRecord(format=undo.format, blake2b=_checksum(body), undo=msgspec.Raw(body)))


def unseal_record(record: bytes, path: Path) -> UndoRecord:
    """Return the record in a text.

    Args:
        record: The text.
        path: File of the text, for messages.

    Raises:
        JournalCorrupt: The text is damaged.
        JournalError: A newer version wrote the text.
    """
    try:
        written = msgspec.json.decode(record, type=_RecordFormat).format
        _refuse_newer(path, written)
        sealed = msgspec.json.decode(record, type=_SealedRecord)
        body = bytes(sealed.undo)
        if sealed.format != FORMAT or sealed.blake2b != _checksum(body):
            raise damaged_error(path, _("the record is damaged: wrong checksum"))
        undo = msgspec.json.decode(body, type=UndoRecord)
        if undo.format != written:
            raise damaged_error(
                path,
                _("the record is damaged: format {written} outside and {undo} inside").format(
                    written=written, undo=undo.format
                ),
            )
        return undo
    except (JournalError, MemoryError):
        raise
    except (ValueError, RecursionError, OverflowError, SchedulerError) as error:  # errors of msgspec are ValueErrors
        raise damaged_error(path, _("the record is damaged ({error})").format(error=error)) from error


def damaged_error(path: Path, why: str) -> JournalCorrupt:
    """Return the error for a damaged record.

    Args:
        path: File of the record.
        why: Kind of damage.
    """
    return JournalCorrupt(
        _(
            "the undo record {path} cannot be used: {why}; the file is kept, and the restore of "
            "its host is still pending"
        ).format(path=path, why=why),
        path,
        hint=_(
            "Look into that file for the host's original parameters and check the host by hand; "
            "then 'domtune restore --forget {unquote}'."
        ).format(unquote=shlex.quote(unquote(places.record_name(path)))),
    )


def _refuse_newer(path: Path, written: str) -> None:
    """Raise JournalError for a record of a newer version; leave the file as it is."""
    name, _unused, number = written.partition("/")
    known = name == FORMAT.partition("/")[0] and number.isascii() and number.isdecimal()
    if known and written != FORMAT:
        raise JournalError(
            _(
                "the undo record {path} was written by a newer DomTune ({written}, this one knows "
                "{format}); it was kept"
            ).format(path=path, written=written, format=FORMAT),
            hint=_("Restore with the version that swept this host."),
        )


def _checksum(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=_SUM_BYTES).hexdigest()
