"""Program text of the guard: `guard.sh` and its restore frame in one sh file."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

HELPER = "/usr/local/sbin/domtune-guard"
"""Path at which a host's administrator installs the helper."""

_LINES_MARK = "# @LINES@\n"
_SETTINGS = "BASE=${1:?} FIRST=$PATH: STRICT='' && shift # settings; the installed helper has its own\n"
_PERMITTED = "permitted() { return 0; }                   # (the installed helper has its own)\n"


@dataclass(frozen=True, slots=True)
class HelperPlace:
    """Fixed absolute paths of an installed helper, which its caller must not choose.

    Attributes:
        base: Folder of the guard.
        programs: Programs that may change parameters.
        first: A folder and a colon before the system's PATH, for tests; else empty.
    """

    base: str = "/run/domtune"
    programs: tuple[str, ...] = ("/usr/sbin/xl", "/usr/sbin/xm")
    first: str = ""


def read_script(name: str) -> str:
    """Return the text of a shell file in this module's folder."""
    return files("scheduler.hosts.remote").joinpath(name).read_text(encoding="utf-8")


@cache
def build_program() -> str:
    """Return the guard for a root shell.

    Run as `sh FILE BASE WORD ...`, or on standard input of `sh -s -- BASE WORD ...`.
    """
    head, _, tail = read_script("guard_restore.sh").partition(_LINES_MARK)
    return read_script("guard.sh").replace("@RESTORE@\n", head).replace("@RESTORE_END@\n", tail)


def program_name() -> str:
    """Return the host's file name for this exact program text."""
    return f"guard-{hashlib.sha256(build_program().encode()).hexdigest()[:16]}.sh"


def helper_program(place: HelperPlace) -> str:
    """Return the guard to install for an account without root.

    The program has one fixed folder and makes only permitted changes.
    """
    settings = f"BASE={place.base} FIRST='{place.first}' STRICT=yes # fixed: callers must not choose\n"
    _, _, strict = read_script("guard_strict.sh").partition("# ---\n")
    strict = strict.replace("@PROGRAMS@", " ".join(place.programs))
    program = build_program()
    if not (_SETTINGS in program and _PERMITTED in program):
        raise ValueError("guard.sh has lost a line that the helper replaces")  # it would permit everything
    return program.replace(_SETTINGS, settings).replace(_PERMITTED, strict)
