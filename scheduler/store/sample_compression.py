"""Compression of the samples of ended runs, to about a tenth of their size."""

import itertools
import sqlite3
import zlib
from collections.abc import Iterator

from scheduler.model.documents import HostSample, LoadSample
from scheduler.model.observation_documents import ObservationWindow
from scheduler.store.run_rows import require_text
from scheduler.translation import _

PACKED_TAG = "Samples"
"""Tag of a row that holds consecutive samples, a JSON line each; its number is that of the last one."""

SAMPLE_TAGS = (LoadSample.__name__, HostSample.__name__, ObservationWindow.__name__, PACKED_TAG)
_MOST = 1_000  # samples in a row: it is read as a whole
_MOST_BYTES = 64 << 20  # a damaged row must not fill the memory


def pack_samples(db: sqlite3.Connection, run_id: str) -> None:
    """Compress a run's samples, in one short transaction for each row.

    Args:
        db: The connection.
        run_id: The run.

    Raises:
        sqlite3.Error: The file cannot be read or written.
    """
    found = db.execute("SELECT seq, t_s, tag, body FROM documents WHERE run_id = ? ORDER BY seq", (run_id,)).fetchall()
    for sampled, rows in itertools.groupby(
        found, key=lambda row: row["tag"] in SAMPLE_TAGS and row["tag"] != PACKED_TAG
    ):
        group = list(rows)
        for at in range(0, len(group), _MOST) if sampled else ():
            _replace_rows(db, run_id, group[at : at + _MOST])


def unpack_texts(body: object) -> Iterator[str]:
    """Yield the documents of a row.

    Raises:
        TypeError, ValueError, zlib.error: The row is damaged.
    """
    if not isinstance(body, bytes):
        yield require_text(body)
        return
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(body, _MOST_BYTES)
    if not unpacking.eof:
        raise ValueError(_("compressed samples are cut short or too long"))
    yield from text.decode().split("\n")


def _replace_rows(db: sqlite3.Connection, run_id: str, rows: list[sqlite3.Row]) -> None:
    if not all(isinstance(row["body"], str) for row in rows):
        return  # damaged: it is left as it is
    body = zlib.compress("\n".join(row["body"] for row in rows).encode())
    first, last = rows[0]["seq"], rows[-1]
    with db:
        db.execute("DELETE FROM documents WHERE run_id = ? AND seq BETWEEN ? AND ?", (run_id, first, last["seq"]))
        db.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", (run_id, last["seq"], last["t_s"], PACKED_TAG, body))
