"""Permanent removal of deleted runs, in small steps for a sweep that writes."""

import sqlite3

DELETED_KEPT_S = 30 * 86_400.0
"""For so long a deleted run can be taken back."""

_STEP = 2_000  # documents at once: some milliseconds, and a second's samples of a sweep wait for no more


def remove_deleted(db: sqlite3.Connection, before_unix_s: float) -> int:
    """Remove runs that were deleted before a time; return their number.

    A run's row is removed last. After an interruption the next call finds the run again.

    Args:
        db: The connection.
        before_unix_s: Runs that were deleted earlier are removed, seconds since 1970.

    Raises:
        sqlite3.Error: The file cannot be read or written.
    """
    found = db.execute("SELECT run_id FROM runs WHERE deleted_unix_s < ?", (before_unix_s,)).fetchall()
    for (run_id,) in found:
        (last,) = db.execute("SELECT max(seq) FROM documents WHERE run_id = ?", (run_id,)).fetchone()
        for seq in range(_STEP, (last or 0) + _STEP + 1, _STEP):
            with db:
                db.execute("DELETE FROM documents WHERE run_id = ? AND seq < ?", (run_id, seq))
        with db:
            db.execute("DELETE FROM results WHERE run_id = ?", (run_id,))
            db.execute("DELETE FROM runs WHERE run_id = ? AND deleted_unix_s < ?", (run_id, before_unix_s))
    return len(found)
