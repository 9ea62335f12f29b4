"""A run's samples as arrays, read without building a document for each second."""

import sqlite3
from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LOADS = """
SELECT t_s, json_extract(body, '$.load'), json_extract(body, '$.throughput_tps'), json_extract(body, '$.settling')
FROM documents WHERE run_id = ? AND tag = 'LoadSample' ORDER BY seq
"""
_HOST = """
SELECT t_s,
       json_extract(body, '$.domains.io.user_frac') + json_extract(body, '$.domains.io.system_frac'),
       json_extract(body, '$.domains.guest.user_frac') + json_extract(body, '$.domains.guest.system_frac'),
       json_extract(body, '$.idle_frac'),
       json_extract(body, '$.domains.io.configured_frac'),
       json_extract(body, '$.domains.guest.configured_frac')
FROM documents WHERE run_id = ? AND tag = 'HostSample' ORDER BY seq
"""


class LoadSeries(msgspec.Struct, frozen=True):
    """One load over time, arrays of equal length.

    Attributes:
        t_s: End of each second, in the run's time.
        throughput_tps: Tuples per second.
        settling: True where the second was cut.
    """

    t_s: Floats
    throughput_tps: Floats
    settling: NDArray[np.bool_]


class RunSeries(msgspec.Struct, frozen=True):
    """Everything that is plotted over time; the host's arrays are of equal length, NaN where nothing is configured.

    Attributes:
        loads: Load kind to its series.
        t_s: Time of each host sample, in the run's time.
        io_frac: CPU of the I/O domain, fraction of one CPU.
        guest_frac: CPU of the guest.
        idle_frac: What neither used of the contended CPU.
        io_configured_frac: Configured share of the I/O domain.
        guest_configured_frac: Configured share of the guest.
    """

    loads: Mapping[str, LoadSeries]
    t_s: Floats
    io_frac: Floats
    guest_frac: Floats
    idle_frac: Floats
    io_configured_frac: Floats
    guest_configured_frac: Floats


def read_series(db: sqlite3.Connection, run_id: str) -> RunSeries:
    """Read one run; raises sqlite3.Error, ValueError, TypeError and OverflowError for rows of other types."""
    by_load: dict[str, list[tuple[float, float, bool]]] = {}
    for t_s, load, tps, settling in db.execute(_LOADS, (run_id,)):
        if not isinstance(load, str):
            raise TypeError(f"a sample of no load: {load!r}")
        by_load.setdefault(load, []).append((t_s, tps, bool(settling)))
    host = np.array([tuple(row) for row in db.execute(_HOST, (run_id,))], dtype=np.float64).reshape(-1, 6)
    return RunSeries({load: _load_series(rows) for load, rows in by_load.items()}, *host.T)


def _load_series(rows: list[tuple[float, float, bool]]) -> LoadSeries:
    t_s, tps, settling = zip(*rows, strict=True)
    return LoadSeries(np.array(t_s, dtype=np.float64), np.array(tps, dtype=np.float64), np.array(settling, dtype=bool))
