"""Choice of a Python with libvirt's binding: this one, or the system's."""

import functools
import os
import sys
from pathlib import Path

from scheduler import places
from scheduler.children import find_program, run_and_capture
from scheduler.errors import HostNotUsable
from scheduler.files import path_exists
from scheduler.translation import _

PYTHON_VARIABLE = places.LIBVIRT_PYTHON
_SYSTEM = ("/usr/bin/python3", "/usr/local/bin/python3")
_LOOK_S = 20.0  # seconds for an interpreter's start on a busy machine

HINT = _(
    "Install libvirt's Python binding: 'apt-get install python3-libvirt' (Debian, Ubuntu), "
    "or 'dnf install python3-libvirt' (Fedora)."
)


def find_python() -> str:
    """Return the first interpreter that can import libvirt; raise HostNotUsable."""
    chosen = os.environ.get(PYTHON_VARIABLE, "")
    usual = (sys.executable, *_SYSTEM, find_program("python3"))
    candidates = [chosen] if chosen else list(dict.fromkeys(path for path in usual if path))
    reasons: list[str] = []
    for python in candidates:
        reason = find_import_error(python)
        if not reason:
            return python
        reasons.append(f"{python}: {reason}")
    raise HostNotUsable(
        _("no Python here can speak with libvirt ({reasons})").format(reasons="; ".join(reasons)), hint=HINT
    )


@functools.cache  # once per process: an interpreter's start takes longer than opening a connection
def find_import_error(python: str) -> str:
    """Return the reason why an interpreter cannot import libvirt; empty if it can."""
    if not path_exists(Path(python)):
        return _("not there")
    try:
        look = run_and_capture([python, "-I", "-c", "import libvirt"], _LOOK_S)
    except OSError as error:
        return str(error)
    lines = look.stderr.strip().splitlines()
    return (
        ""
        if look.returncode == 0
        else lines[-1]
        if lines
        else _("exit code {returncode}").format(returncode=look.returncode)
    )
