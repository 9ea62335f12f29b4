"""Account of a database server, which refuses to run as root."""

import os
import pwd
import stat
from pathlib import Path

import msgspec

from scheduler.errors import HostNotUsable
from scheduler.files import path_exists
from scheduler.translation import _

_LAST = "nobody"  # where a server has no account of its own


class ServerAccount(msgspec.Struct, frozen=True):
    """An unprivileged account.

    Attributes:
        name: Name of the account.
        uid: User id.
        gid: Primary group id; other groups are dropped.
    """

    name: str
    uid: int
    gid: int


def server_account(product: str = "PostgreSQL", own: str = "postgres") -> ServerAccount:
    """Return the account for a server: this account, or for root an unprivileged one.

    For root, the server's own account is preferred to `nobody`.

    Args:
        product: Name of the server's product.
        own: Name of the account that the server's packages create.

    Raises:
        HostNotUsable: This process is root, and none of these accounts exists.
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
        _("{product} does not run as root, and none of the accounts {own}, {last} exists").format(
            product=product, own=own, last=_LAST
        ),
        hint=_("Run DomTune as an ordinary user, or add one: useradd --system {own}.").format(own=own),
    )


def find_barrier(path: Path, account: ServerAccount) -> Path | None:
    """Return the outermost folder of a path that an account may not enter, if any.

    The check uses mode bits only. An access control list that grants more makes the result too strict, which costs a
    copy.

    Args:
        path: The path.
        account: The account.
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
