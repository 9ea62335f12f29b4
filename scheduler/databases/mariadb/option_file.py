"""Password from a user's own settings: MYSQL_PWD, then ~/.my.cnf.

The file's `password` counts in the groups of clients. Rules: MariaDB's manual, "Configuring MariaDB with Option Files";
my_default.c and my_getopt.c. Such a file names no server: its password counts everywhere. Included files are not read.
"""

import os
import re
from pathlib import Path

from scheduler.databases.private_files import read_private_text

VARIABLE = "MYSQL_PWD"
_GROUPS = ("client", "client-server", "client-mariadb")
_GROUP = re.compile(r"\[([^]]*)\].*")
_PASSWORD = re.compile(r"password\s*=\s*(.*)", re.DOTALL)
_QUOTED = re.compile(r"""(["'])(.*)\1\s*(#.*)?""", re.DOTALL)
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "r": "\r", "s": " ", "\\": "\\", '"': '"', "'": "'"}
_ESCAPE = re.compile(r"""\\([btnrs\\"'])""")


def own_password() -> str:
    """Return the password; empty without one, or for a file that is not private."""
    return os.environ.get(VARIABLE, "") or _read_password(option_file_path())


def option_file_path() -> Path:
    """Return the path of the user's own option file."""
    return Path.home() / ".my.cnf"


def _read_password(path: Path) -> str:
    group, found = "", ""
    for raw in read_private_text(path).split("\n"):
        line = raw.strip()
        head = _GROUP.fullmatch(line)
        given = _PASSWORD.fullmatch(line)
        if head:
            group = head[1].strip()
        elif given and group in _GROUPS:
            found = _unquote_value(given[1])  # the last entry counts
    return found


def _unquote_value(text: str) -> str:
    quoted = _QUOTED.fullmatch(text)
    value = quoted[2] if quoted else text.partition("#")[0].rstrip()
    return _ESCAPE.sub(lambda match: _ESCAPES[match[1]], value)
