"""The account that a server runs as: it refuses to run as root."""

import os
import pwd
import stat
from pathlib import Path

import msgspec

from scheduler.errors import HostNotUsable
from scheduler.files import path_exists

_LAST = "nobody"  # where a server has no account of its own


class ServerAccount(msgspec.Struct, frozen=True):
    """An unprivileged account.

    Attributes:
        name: Its name.
        uid: User id.
        gid: Primary group id; no other groups are kept.
    """

    name: str
    uid: int
    gid: int


def server_account(product: str = "PostgreSQL", own: str = "postgres") -> ServerAccount:
    """Return who is to run a server: ourselves, or as root its own account, else `nobody`.

    Args:
        product: What people call the server.
        own: The account that its packages make.

    Raises:
        HostNotUsable: We are root and there is no such account.
    """
    if os.geteuid() != 0:
        return ServerAccount(str(os.geteuid()), os.geteuid(), os.getegid())
    for name in (own, _LAST):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return ServerAccount(name, entry.pw_uid, entry.pw_gid)
    raise HostNotUsable(
        f"{product} does not run as root, and none of the accounts {own}, {_LAST} exists",
        hint=f"Run DomTune as an ordinary user, or add one: useradd --system {own}.",
    )


def find_barrier(path: Path, account: ServerAccount) -> Path | None:
    """Return the outermost existing folder on the way to `path` that the account may not pass; None when free.

    Mode bits only: an access control list that grants more makes the answer too strict, which costs a copy.
    """
    if os.geteuid() != 0:
        return None
    for folder in [*reversed(path.parents), path]:
        if not path_exists(folder):
            return None
        facts = folder.stat()
        bit = stat.S_IXOTH
        if facts.st_uid == account.uid:
            bit = stat.S_IXUSR
        elif facts.st_gid == account.gid:
            bit = stat.S_IXGRP
        if stat.S_ISDIR(facts.st_mode) and not facts.st_mode & bit:
            return folder
    return None
