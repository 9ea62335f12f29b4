"""Data folder of a built-in server: creation, checks and quarantine.

Layout of the folder, which belongs to this account and which the server's account may only pass through::

    NAME/          data of the server, mode 0700, owned by the server's account
    password       of DomTune's user, mode 0600
    server.log     of the last start; server.log.old of the one before
"""

import abc
import os
import secrets
import select
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from scheduler.databases import safe_open, spawn
from scheduler.databases.account import ServerAccount
from scheduler.databases.private_parent import PrivateParent
from scheduler.errors import HostBusy, HostNotUsable
from scheduler.translation import _

_MAKE_TIMEOUT_S = 120.0


class DataFolder(abc.ABC):
    """Data folder of one built-in server.

    Args:
        folder: Path of the folder, which may not exist yet.
        account: Account of the server.

    Attributes:
        name: Name of the server's own folder.
        pid_file: File of the server whose first line is its process id.
        needs: Size of the folder, for people.
    """

    name: ClassVar[str]
    pid_file: ClassVar[str]
    needs: ClassVar[str]

    def __init__(self, folder: Path, account: ServerAccount) -> None:
        self.folder = folder
        self.data = folder / self.name
        self.log = folder / "server.log"
        self.account = account
        self._shelter = PrivateParent(folder, account)

    @abc.abstractmethod
    def find_flaw(self) -> str:
        """Return the reason why the server's files are unusable; empty for none.

        Raises:
            OSError: A file is missing.
        """

    @abc.abstractmethod
    def plan_setup(self, target: Path) -> tuple[Sequence[str], str]:
        """Return the command that fills an empty folder, and its standard input.

        The password is already stored.
        """

    @abc.abstractmethod
    def command(self, port: int) -> list[str]:
        """Return the server's command line with all settings.

        Configuration files in the data folder have no effect.
        """

    @abc.abstractmethod
    def is_ready(self, pid: int) -> bool:
        """Return True when the server with this process id accepts connections."""

    def startup_input(self) -> str:
        """Return the standard input of the server's start."""
        return ""

    @property
    def password(self) -> str:
        """Password of DomTune's user; raises OSError when not stored."""
        return self._shelter.password

    def problem(self) -> str:
        """Return the reason why the data are unusable; empty for none or without data."""
        if not os.path.lexists(self.data):
            return ""
        try:
            with safe_open.open_folder(self.data) as data:
                owner = os.fstat(data).st_uid
            flaw = self.find_flaw()
        except OSError as error:
            return _("incomplete: {strerror} ({filename})").format(strerror=error.strerror, filename=error.filename)
        if flaw:
            return flaw
        if owner != self.account.uid:
            return _("owned by user id {owner}, the server runs as {account}").format(
                owner=owner, account=self.account.name
            )
        return "" if self._has_password() else _("incomplete: no password is kept")

    def _has_password(self) -> bool:
        try:
            return bool(self.password)
        except OSError:
            return False

    def set_aside(self) -> Path:
        """Move the data away without deleting them; return the new path."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        kept = self.folder / f"{self.name}.broken-{stamp}-{secrets.token_hex(2)}"
        self.data.rename(kept)
        return kept

    def refuse_if_in_use(self, wait_s: float) -> None:
        """Wait for the end of an earlier server; raise HostBusy when it stays."""
        deadline_s = time.monotonic() + wait_s
        while (pid := self.running_pid()) is not None:
            left_s = deadline_s - time.monotonic()
            if left_s <= 0:
                raise HostBusy(
                    _("the embedded database's folder {data} is in use by a server (process {pid})").format(
                        data=self.data, pid=pid
                    ),
                    hint=_("If another sweep is running, wait for its end. Otherwise stop that process."),
                )
            _wait_for_end(pid, min(left_s, 1.0))

    def running_pid(self) -> int | None:
        """Return the process id of a server that uses this folder; None without one."""
        pid = self.status(0)
        if not (pid.isascii() and pid.isdigit() and len(pid) < 12) or int(pid) == os.getpid():
            return None
        try:
            # The server's working directory is its data folder, unlike that of a reused process id.
            return int(pid) if Path(f"/proc/{pid}/cwd").readlink() == self.data.resolve() else None
        except OSError:
            return None

    def status(self, line: int) -> str:
        """Return one line of the server's file with its process id; empty when absent."""
        try:
            with safe_open.open_folder(self.data) as data:
                lines = safe_open.read_short_text(data, self.pid_file).splitlines()
        except OSError:
            return ""
        return lines[line].strip() if len(lines) > line else ""

    def make_folder(self) -> None:
        """Create the folder; raise HostNotUsable when the server's account cannot enter."""
        self._shelter.make()

    def create(self) -> None:
        """Create the data in a temporary folder and rename it; raise HostNotUsable."""
        fresh = f"{self.name}.new"
        shutil.rmtree(self.folder / fresh, ignore_errors=True)  # left by an interrupted attempt
        try:
            self._shelter.keep_password(secrets.token_urlsafe(24))
            temporary = self._shelter.make_data(fresh)
            program, said = self.plan_setup(temporary)
            words = spawn.build_command(self.account, (), program)
            done = spawn.run_program(words, self.folder, _MAKE_TIMEOUT_S, said, self.account)
        except OSError as error:
            hint = "" if isinstance(error, TimeoutError) else _("Is the disk full?")
            raise HostNotUsable(
                _("the embedded database could not be set up: {error}").format(error=error), hint=hint
            ) from error
        if done.returncode:
            shutil.rmtree(temporary, ignore_errors=True)
            said = "\n".join(done.stdout.strip().splitlines()[-5:])
            raise HostNotUsable(
                _("the embedded database could not be set up in {folder} (status {returncode}):\n{answer}").format(
                    folder=self.folder, returncode=done.returncode, answer=said
                ),
                hint=_("Is the disk full? It needs {needs}.").format(needs=self.needs),
            )
        temporary.rename(self.data)

    def begin_log(self) -> int:
        """Rename the log of the last start; return a descriptor of the new log.

        Raises:
            HostNotUsable: The log cannot be written.
        """
        try:
            return self._shelter.begin_log()
        except OSError as error:
            raise HostNotUsable(
                _("{log} cannot be written: {error}").format(log=self.log, error=error),
                hint=_("Check the free disk space."),
            ) from error


def _wait_for_end(pid: int, timeout_s: float) -> None:
    """Wait for the end of a process that is not a child (pidfd_open(2))."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        select.select([handle], [], [], timeout_s)
    finally:
        os.close(handle)
