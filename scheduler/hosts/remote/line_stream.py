"""Child process whose lines a thread collects."""

import contextlib
import io
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import IO

from scheduler.children import DEVNULL, ChildProgram

_KEPT = 10_000  # lines; a caller that reads every second leaves fewer
_LONGEST = 65_536  # characters of a line; no expected line is longer
_ENDING_S = 2.0


class LineStream:
    """One running command.

    Args:
        argv: The command.
        env: Its environment.
    """

    def __init__(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        self._child = ChildProgram(argv, env, stdin=DEVNULL)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._lines: deque[tuple[float, str]] = deque(maxlen=_KEPT)
        self._reader: threading.Thread | None = None
        if isinstance(self._child.stdout, io.FileIO):
            out = io.TextIOWrapper(io.BufferedReader(self._child.stdout), errors="replace")
            self._reader = threading.Thread(target=self._collect_lines, args=(out,), name="line stream", daemon=True)
            self._reader.start()

    @property
    def ended(self) -> bool:
        return self._reader is None or not self._reader.is_alive()

    def take(self) -> list[tuple[float, str]]:
        with self._lock:
            lines = list(self._lines)
            self._lines.clear()
        return lines

    def close(self) -> None:
        self._closing.set()
        self._child.end(0.0, _ENDING_S, _ENDING_S)  # sudo ends at its next line, which has no reader
        if self._reader is not None:
            self._reader.join(_ENDING_S)

    def _collect_lines(self, out: IO[str]) -> None:
        with contextlib.suppress(ValueError), out:
            begun = False  # a line that is too long comes in pieces, and all of them are dropped
            while (piece := out.readline(_LONGEST)) and not self._closing.is_set():
                cut = len(piece) == _LONGEST and not piece.endswith("\n")
                if not begun and not cut:
                    with self._lock:
                        self._lines.append((time.monotonic(), piece.rstrip("\n")))
                begun = cut
