"""A command as the one string that sshd hands to the account's login shell, and its answer out of the noise.

The login shell may be sh, csh or fish and may print what it likes. So the string is understood alike by all of them,
and marks stand around what the command itself says.
"""

import base64
import os
import re
import secrets
import shlex
from collections.abc import Sequence

from scheduler.hosts.remote.shell import CommandResult
from scheduler.model.number_parsing import parse_whole_number

# Inside single quotes csh still looks at ! and ends at a new line; fish still looks at \.
_SAFE = re.compile(r"[^!\\\n\r\0]*")


def new_mark() -> str:
    """Return a word that no output holds by chance."""
    return f"domtune-{secrets.token_hex(8)}"


def wrap_command(argv: Sequence[str], mark: str) -> str:
    """Return the string for the login shell.

    Args:
        argv: Program and arguments, as data.
        mark: A word from `new_mark`.
    """
    line = shlex.join(argv)
    script = f"echo {mark}; echo {mark} >&2; LC_ALL=C {line}; echo {mark} $?"
    if _SAFE.fullmatch(script):
        return f"exec sh -c {shlex.quote(script)}"
    coded = base64.b64encode(script.encode()).decode()
    return f"exec sh -c 'eval \"$(echo {coded} | base64 -d)\"'"


def wrap_line(argv: Sequence[str], mark: str) -> str:
    """Return the line for a `sh` that reads its commands by the line; both outputs end with marks.

    Args:
        argv: Program and arguments, as data.
        mark: A word from `new_mark`; on standard error it comes last with a dot behind it.
    """
    script = f"echo {mark}; echo {mark} >&2; (LC_ALL=C {shlex.join(argv)}) </dev/null; echo {mark} $?"
    line = f"{script}; echo {mark}. >&2"
    if "\n" not in line and "\r" not in line:
        return line
    coded = base64.b64encode(os.fsencode(line)).decode()
    return f'eval "$(echo {coded} | base64 -d)"'


def extract_answer(out: str, err: str, mark: str) -> CommandResult | None:
    """Take the command's answer out of what ssh brought; None when the end of it never came."""
    _, began, rest = out.partition(f"{mark}\n")
    body, ended, code = rest.rpartition(f"{mark} ")
    number = parse_whole_number(code.strip(), most=255)
    if not began or not ended or number is None:
        return None
    _, _, said = err.partition(f"{mark}\n")
    return CommandResult(number, body, said)
