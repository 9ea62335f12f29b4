"""Wrapping of a command for any login shell, and extraction of its answer.

sshd passes the command as one string to the account's login shell. That shell may be sh, csh or fish, and may print
text of its own. So the string has the same meaning in all of them, and marks enclose the command's output.
"""

import base64
import os
import re
import secrets
import shlex
from collections.abc import Sequence

from scheduler.hosts.remote.shell import CommandResult
from scheduler.model.number_parsing import parse_whole_number

# Inside single quotes, csh interprets ! and ends at a new line; fish interprets \.
_SAFE = re.compile(r"[^!\\\n\r\0]*")


def new_mark() -> str:
    """Return a mark that no output contains by chance."""
    return f"domtune-{secrets.token_hex(8)}"


def wrap_command(argv: Sequence[str], mark: str) -> str:
    """Return the string for the login shell.

    Args:
        argv: Program and arguments.
        mark: A mark from `new_mark`.
    """
    line = shlex.join(argv)
    script = f"echo {mark}; echo {mark} >&2; LC_ALL=C {line}; echo {mark} $?"
    if _SAFE.fullmatch(script):
        return f"exec sh -c {shlex.quote(script)}"
    coded = base64.b64encode(script.encode()).decode()
    return f"exec sh -c 'eval \"$(echo {coded} | base64 -d)\"'"


def wrap_line(argv: Sequence[str], mark: str) -> str:
    """Return the line for a `sh` that reads line by line.

    Marks end both outputs.

    Args:
        argv: Program and arguments.
        mark: A mark from `new_mark`; on standard error the last mark is followed by a dot.
    """
    script = f"echo {mark}; echo {mark} >&2; (LC_ALL=C {shlex.join(argv)}) </dev/null; echo {mark} $?"
    line = f"{script}; echo {mark}. >&2"
    if "\n" not in line and "\r" not in line:
        return line
    coded = base64.b64encode(os.fsencode(line)).decode()
    return f'eval "$(echo {coded} | base64 -d)"'


def extract_answer(out: str, err: str, mark: str) -> CommandResult | None:
    """Return the command's answer from ssh's outputs; None without the end mark.

    Args:
        out: Standard output of ssh.
        err: Standard error of ssh.
        mark: The mark of the command.
    """
    _, began, rest = out.partition(f"{mark}\n")
    body, ended, code = rest.rpartition(f"{mark} ")
    number = parse_whole_number(code.strip(), most=255)
    if not began or not ended or number is None:
        return None
    _, _, said = err.partition(f"{mark}\n")
    return CommandResult(number, body, said)
