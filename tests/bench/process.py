"""Run a process of this program, and measure until it says that it is ready."""

import os
import re
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

_ROOT = Path(__file__).resolve().parents[2]
_READY = re.compile(rb"^ready ?(.*)\n", re.MULTILINE)


class ProcessCost(NamedTuple):
    """Time and memory of a process.

    Attributes:
        ready_s: Seconds by the clock from its start to its line `ready ...`; to its end without such a line.
        said: The rest of that line; empty without it.
        peak_mb: Largest resident memory, MB.
    """

    ready_s: float
    said: str
    peak_mb: float


def run_process(words: Sequence[str], environment: Mapping[str, str], limit_s: float) -> ProcessCost:
    """Run the interpreter with these words to its end.

    Args:
        words: Arguments of the interpreter.
        environment: Its environment variables.
        limit_s: Seconds after which it is killed.

    Raises:
        subprocess.CalledProcessError: It failed, or was killed.
    """
    began_s, lines, ready_s = time.perf_counter(), b"", 0.0
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            [sys.executable, *words], cwd=_ROOT, env=dict(environment), stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        assert process.stdout is not None
        while chunk := _read_until(process.stdout, began_s + limit_s):
            lines += chunk
            if _READY.search(lines) and not ready_s:
                ready_s = time.perf_counter() - began_s
        if chunk is None:
            process.kill()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise subprocess.CalledProcessError(process.returncode, process.args, lines[-500:], errors.read()[-500:])
    found = _READY.search(lines)
    return ProcessCost(
        ready_s or time.perf_counter() - began_s, found[1].decode() if found else "", usage.ru_maxrss / 1e3
    )


def _read_until(stream: IO[bytes], deadline_s: float) -> bytes | None:
    """Return what can be read, nothing at the end of the stream; None when the time is over before."""
    readable, _, _ = select.select([stream], [], [], max(0.0, deadline_s - time.perf_counter()))
    return os.read(stream.fileno(), 65_536) if readable else None
