"""Executables that are a few words of shell: a thread of the test hears what they are told and says what they print.

A script calls dozens of them, and an interpreter for each was most of what its tests cost.
"""

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

_END = "\1"
_CLIENT = """#!/bin/sh
printf '%s\\0' "$$" {name} "$@" '{end}' >'{folder}/ask'
text=''
{{
    read -r whose code out err
    [ "$whose" = $$ ] || {{ echo "two tools at once: nobody can tell their answers apart" >&2 && exit 99; }}
    while [ "$out" -gt 0 ]; do
        IFS= read -r line && out=$((out - 1)) && text="$text$line
"
    done
    while [ "$err" -gt 0 ]; do
        IFS= read -r line && err=$((err - 1)) && printf '%s\\n' "$line" >&2
    done
}} <'{folder}/answer'
printf '%s' "$text"
exit "$code"
"""

# Name and words to exit code, output and complaints
Answer = Callable[[str, Sequence[str]], tuple[int, str, str]]


class Listener:
    """Executables in a folder, and the thread that answers for them.

    Args:
        folder: Where they are put.
        names: Theirs.
        answer: Called for each call, one after the other.
    """

    def __init__(self, folder: Path, names: Sequence[str], answer: Answer) -> None:
        self._answer = answer
        for name in names:
            program = folder / name
            program.write_text(_CLIENT.format(name=name, end=_END, folder=folder))
            program.chmod(0o755)
        self._ask, self._said = _pipe(folder / "ask"), _pipe(folder / "answer")
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def close(self) -> None:
        os.write(self._ask, f"{_END}\0".encode())
        self._thread.join()
        os.close(self._ask)
        os.close(self._said)

    def _listen(self) -> None:
        heard = b""
        while True:
            heard += os.read(self._ask, 65_536)
            *calls, heard = heard.split(f"{_END}\0".encode())
            for call in calls:
                if not call:
                    return
                whose, name, *words = call.decode().split("\0")[:-1]
                code, out, err = 1, "", "the double broke, see the test's own error\n"
                try:
                    code, out, err = self._answer(name, words)
                finally:  # whoever waits for an answer gets one
                    lines = [out.count("\n"), err.count("\n")]
                    os.write(self._said, f"{whose} {code} {lines[0]} {lines[1]}\n{out}{err}".encode())


def _pipe(path: Path) -> int:
    """Make a pipe with a name; open for both, so that neither side ever waits for the other to open it."""
    os.mkfifo(path)
    return os.open(path, os.O_RDWR)
