"""Opening of the file with all runs: create, check, or quarantine it."""

import contextlib
import os
import shlex
import sqlite3
import stat
import time
from collections.abc import Callable
from pathlib import Path

from scheduler.errors import StoreCorrupt, StoreError
from scheduler.files import UnfitFile, make_private_folder, open_regular, refuse_owner
from scheduler.store.file_integrity import (
    DamagedFile,
    StatementLimit,
    check_columns,
    check_header,
    check_pages,
    is_damage,
    refuse_code,
)
from scheduler.store.layout import FORMAT, create_tables
from scheduler.store.quarantine import FileIdentity, lock_shared, quarantine_file, read_file_identity
from scheduler.translation import _

DAMAGED_HINT = _("The next sweep quarantines the file and starts a new store.")
_BUSY_S = 5.0
_LOOK_S = 0.02
_TRIES = 3  # each time another process kept the file aside meanwhile
# What reading meets where SQLite can make no NAME-shm: a full disk, a folder that is read-only.
_NO_ROOM = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL})


class StoreFile:
    """An open file of runs.

    Attributes:
        db: The connection.
        seen: Identity of the file; None for readers.
        limit: Ends statements that take too long.
    """

    def __init__(self, db: sqlite3.Connection, seen: FileIdentity | None = None, lock: int | None = None) -> None:
        self.db = db
        self.seen = seen
        self._lock = lock
        self.limit = StatementLimit(db)

    def close(self) -> None:
        """Close the file; may be called twice."""
        self.db.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def open_store_file(path: Path, *, read_only: bool) -> StoreFile:
    """Open the file; create it, with its folder, when it is missing.

    Args:
        path: The file.
        read_only: True for readers, who get an empty file in memory for a missing one.

    Raises:
        StoreCorrupt: It was damaged and is quarantined; a second try creates a new file (never for readers).
        StoreError: It cannot be opened, is damaged (readers), or was written by a newer version.
    """
    try:
        return _open_for_reading(path) if read_only else _open_for_writing(path)
    except UnfitFile as error:
        hint = _("Move it away, or set DOMTUNE_HOME to a folder of your own.")
        raise StoreError(
            _("{filename} cannot hold results: {strerror}").format(filename=error.filename, strerror=error.strerror),
            hint=hint,
        ) from error
    except (sqlite3.Error, DamagedFile, UnicodeError) as error:
        if is_damage(error):
            raise StoreError(
                _("{path} is damaged: {error}").format(path=path, error=error), hint=DAMAGED_HINT
            ) from error
        raise StoreError(
            _("{path} cannot be opened: {error}").format(path=path, error=error),
            hint=_("Is the disk full or read-only?"),
        ) from error
    except OSError as error:
        raise StoreError(
            _("{path} cannot be opened or made: {strerror}").format(path=path, strerror=error.strerror)
        ) from error


def quarantine_store(path: Path, seen: FileIdentity | None, why: object) -> StoreCorrupt | None:
    """Quarantine a damaged file; return the error to raise.

    Args:
        path: The file.
        seen: Identity of the file that was found damaged.
        why: The damage.

    Returns:
        The error; None when another process has quarantined the file.

    Raises:
        StoreError: Another process writes to the file.
    """
    try:
        kept = quarantine_file(path, seen, why)
    except OSError as error:
        raise StoreError(
            _("{path} is damaged ({why}) and cannot be quarantined: {strerror}").format(
                path=path, why=why, strerror=error.strerror
            )
        ) from error
    if kept is None:
        return None
    hint = _("New runs are in {path}. To recover other runs: sqlite3 {kept} .recover").format(
        path=path, kept=shlex.quote(str(kept))
    )
    return StoreCorrupt(
        _("{path} is damaged ({why}); it was moved to {kept}, and a new store was started").format(
            path=path, why=why, kept=kept
        ),
        kept,
        hint=hint,
    )


def _open_for_reading(path: Path) -> StoreFile:
    if not path.exists():
        return StoreFile(_prepare_or_close(sqlite3.connect(":memory:"), _prepare_tables))
    _refuse_unfit(path)
    try:
        return StoreFile(_prepare_or_close(_connect_reader(path, "mode=ro"), _check_connection))
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in _NO_ROOM or _has_log(path):
            raise
        # No process writes to it, or there would be a log: read it as it is, without a file beside it.
        return StoreFile(_prepare_or_close(_connect_reader(path, "mode=ro&immutable=1"), _check_connection))


def _connect_reader(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=_BUSY_S)


def _has_log(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _open_for_writing(path: Path) -> StoreFile:
    for _unused in range(_TRIES):
        make_private_folder(path.parent)
        lock, seen = lock_shared(path), None
        try:
            _make_private(path)
            seen = read_file_identity(path)
            check_header(path)
            return StoreFile(_prepare_or_close(sqlite3.connect(path, timeout=_BUSY_S), _prepare_tables), seen, lock)
        except BaseException as error:
            os.close(lock)
            if not isinstance(error, Exception) or not is_damage(error):
                raise
            reported = quarantine_store(path, seen, error)
            if reported is not None:
                raise reported from error
    raise StoreError(
        _("{path} is damaged again and again").format(path=path),
        hint=_("Is the disk all right? Its own log may say more."),
    )


def _make_private(path: Path) -> None:
    """Make the file readable for this account only, even one that others could read."""
    with contextlib.suppress(FileExistsError):
        os.close(open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, follow=True))
    _refuse_unfit(path)
    status = path.stat()
    # By its name: to close a descriptor of it would drop the locks of every connection in this process (fcntl(2)).
    if hasattr(os, "geteuid") and status.st_uid == os.geteuid() and status.st_mode & 0o077:
        with contextlib.suppress(OSError):  # a file system without modes
            path.chmod(status.st_mode & 0o700)


def _refuse_unfit(path: Path) -> None:
    """Refuse a file that blocks SQLite or belongs to another account.

    Raises UnfitFile, OSError.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise UnfitFile(_("the path is not a regular file"), path)
    refuse_owner(status, path)


def _prepare_or_close(
    db: sqlite3.Connection, ready: Callable[[sqlite3.Connection], sqlite3.Connection]
) -> sqlite3.Connection:
    """Return the prepared connection, or close it: quarantine needs a closed file."""
    StatementLimit(db)
    try:
        return ready(db)
    except BaseException:
        db.close()
        raise


def _prepare_tables(db: sqlite3.Connection) -> sqlite3.Connection:
    _check_connection(db)
    check_pages(db)
    _use_log(db)
    db.execute("PRAGMA synchronous = NORMAL")  # WAL: a power cut may cost the last second, never the file
    create_tables(db)
    check_columns(db)
    return db


def _use_log(db: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; wait for processes that do the same to a new file.

    SQLite itself does not wait here while another connection is about to write. Two connections that wait for each
    other would wait for ever (sqlite3_busy_handler, "deadlock"). Raises sqlite3.Error.
    """
    end_s = time.monotonic() + _BUSY_S
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end_s:
                raise
            time.sleep(_LOOK_S)  # noqa: TID251 - bounded, and before anything is swept
        else:
            return


def _check_connection(db: sqlite3.Connection) -> sqlite3.Connection:
    db.execute("PRAGMA trusted_schema = OFF")
    db.row_factory = sqlite3.Row
    # Damaged text is an error of its own row, not of all that are read with it.
    db.text_factory = _decode_text
    refuse_code(db)
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > FORMAT:
        raise StoreError(
            _("the results were written by a newer DomTune (format {version}, this one knows {format})").format(
                version=version, format=FORMAT
            ),
            hint=_("Update DomTune, or set DOMTUNE_HOME to another folder."),
        )
    if 0 < version < FORMAT:
        raise DamagedFile(
            _("it has the format {version} of a version before the first release").format(version=version)
        )
    return db


def _decode_text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")
