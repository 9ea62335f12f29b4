"""Life cycle of a built-in server, which never outlives this process."""

import abc
import contextlib
import logging
import os
import re
import signal
import time
from collections.abc import Sequence
from typing import ClassVar

from scheduler.children import ChildProgram
from scheduler.databases import page_cache, spawn
from scheduler.databases.data_folder import DataFolder
from scheduler.databases.loopback_ports import LOOPBACK, find_free_port
from scheduler.databases.server_log import ServerLog
from scheduler.errors import HostNotUsable
from scheduler.files import path_exists
from scheduler.translation import _

log = logging.getLogger(__name__)

SignalLadder = tuple[tuple[signal.Signals, float], ...]
"""Signals that end a server, each with its time in seconds."""

_START_TIMEOUT_S = 60.0  # includes crash recovery of up to 2 GB of log
_LOOK_S = 0.02


class BuiltInServer(abc.ABC):
    """One built-in server on 127.0.0.1.

    Args:
        data: Data folder of the server, created on first use.
        version: Version of the server, for example `18.1`.
        cpus: CPUs for the server; empty for all.

    Attributes:
        product: Product name, without the version.
        user: User of DomTune's connections.
        database: A database that always exists.
        incident: Pattern of the log for an unexpected end.
        taken: Pattern of the log for a port in use by another program.
        ladder: Signals that stop the server.
        brief: Signals that stop the server after an incident.
        death_signal: Signal that the server receives when this process ends.
        leaving_s: Time limit for the end of an earlier server that dies with its parent, seconds.
        port: Port on 127.0.0.1, kept across restarts while it is free.
        notices: Actions of `start` that users should know, one sentence each.
    """

    ours = True
    product: ClassVar[str]
    user: ClassVar[str]
    database: ClassVar[str]
    incident: ClassVar[re.Pattern[str]]
    taken: ClassVar[re.Pattern[str]]
    ladder: ClassVar[SignalLadder]
    brief: ClassVar[SignalLadder]
    death_signal: ClassVar[signal.Signals]
    leaving_s: ClassVar[float] = 10.0

    def __init__(self, data: DataFolder, version: str, cpus: Sequence[int] = ()) -> None:
        self._data = data
        self.version = version
        self._cpus = tuple(cpus)
        self._process: ChildProgram | None = None
        self.port = 0
        self.notices: list[str] = []

    @abc.abstractmethod
    def url(self, address: tuple[str, int]) -> str:
        """Return the URL of the server at an address of the relay."""

    @abc.abstractmethod
    def is_damage(self, said: str) -> bool:
        """Return True when the server's last output means damaged data."""

    def reachable_data(self) -> DataFolder:
        """Return the data folder with programs that the server's account can run.

        Raises:
            HostNotUsable: The account cannot run the programs.
        """
        return self._data

    @property
    def title(self) -> str:
        """Product name and version."""
        return f"{self.product} {self.version}"

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of the server."""
        return LOOPBACK, self.port

    @property
    def password(self) -> str:
        """Password of `user`; never in a command line or log."""
        return self._data.password

    @property
    def pid(self) -> int:
        """Process id of the started process; 0 when not running."""
        return self._process.pid if self._process is not None and self._process.poll() is None else 0

    def start(self) -> None:
        """Start the server and wait until it accepts connections.

        Call this from a thread that lives as long as the process: the server dies with that thread.

        Raises:
            HostBusy: A live server uses the data folder.
            HostNotUsable: The server does not start; the message ends with the last lines of its log.
        """
        if self.pid:
            return
        self._data.make_folder()
        self._data = self.reachable_data()
        self._data.refuse_if_in_use(self.leaving_s)
        problem = self._data.problem()
        if problem:
            self._quarantine_data(problem)
        fresh = not path_exists(self._data.data)
        if fresh:
            self._data.create()
        failure = self._launch_server()
        if failure and not fresh and self.is_damage(failure):
            self._quarantine_data(failure.splitlines()[0])
            self._data.create()
            failure = self._launch_server()
        if failure:
            raise HostNotUsable(
                _("the embedded {value} did not start: {failure}").format(value=self.title, failure=failure),
                hint=_("The disk is full: free some space.")
                if _is_disk_full(failure)
                else _("Log: {log}").format(log=self._data.log),
            )

    def stop(self) -> None:
        """Stop the server with a sequence of signals, in bounded time.

        Never raises. May be called twice.
        """
        process, self._process = self._process, None
        if process is None:
            return
        for signal_number, patience_s in self.brief if self._server_log.incident() else self.ladder:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal_number)
            if process.wait_for(patience_s):
                return
            log.warning("the embedded %s (process %d) ignored %s", self.product, process.pid, signal_number.name)

    def restart_cold(self) -> int:
        """Restart with none of the files in the page cache; return the bytes that stayed.

        Raises:
            HostBusy, HostNotUsable: The server does not start, or its files cannot be read.
        """
        self.stop()
        kept_bytes = page_cache.drop_pages(self._data.data)
        self.start()
        return kept_bytes

    def failure_details(self) -> str:
        """Return the log's end after an unexpected end of the server or a process of it.

        Empty without such an end. Call this before `stop`, which ends all processes. The text is bounded and has no
        password.
        """
        if self._process is None:  # the folder's log is from another start, or from another program's server
            return ""
        said, status = self._server_log.incident(), self._process.poll()
        if status is not None:
            how = (
                _("signal {status}").format(status=-status)
                if status < 0
                else _("status {status}").format(status=status)
            )
            return self._format_report(_("ended ({how})").format(how=how), said or self._server_log.tail())
        return self._format_report(_("lost a process and restarted"), said) if said else ""

    def _format_report(self, what: str, said: str) -> str:
        """Return a report without the password.

        If the password is unknown, the report has the log's path instead of its text.
        """
        secret = ""
        with contextlib.suppress(OSError):
            secret = self.password
        shown = said.replace(secret, "***") if secret else str(self._data.log)
        return _("{value} {what}; its log:\n{shown}").format(value=self.title, what=what, shown=shown)

    @property
    def _server_log(self) -> ServerLog:
        return ServerLog(self._data.log, self.incident)

    def _quarantine_data(self, why: str) -> None:
        kept = self._data.set_aside()
        self.notices.append(
            _("The data of the built-in database are not usable ({why}). They were moved to {kept}.").format(
                why=why, kept=kept
            )
        )
        log.warning("quarantined data folder as %s: %s", kept, why)

    def _launch_server(self) -> str:
        """Start on a free port, with retries for a port in use; return the failure."""
        failure = ""
        for _unused in range(3):
            self.port = find_free_port(self.port)
            failure = self._launch_once()
            if not self.taken.search(failure):
                break
        return failure

    def _launch_once(self) -> str:
        data = self._data
        words = spawn.build_command(data.account, self._cpus, data.command(self.port), self.death_signal)
        try:
            with os.fdopen(data.begin_log(), "ab") as output:
                said = data.startup_input()
                self._process = process = spawn.start_program(words, data.folder, output, said, data.account)
        except OSError as error:
            return str(error)
        deadline_s = time.monotonic() + _START_TIMEOUT_S
        while time.monotonic() < deadline_s:
            if data.is_ready(process.pid):
                return ""
            if process.wait_for(_LOOK_S):
                self._process = None
                return _("it ended with status {returncode}\n{tail}").format(
                    returncode=process.returncode, tail=self._server_log.tail()
                )
        self.stop()
        return _("it was not ready within {start_timeout_s:g} s\n{tail}").format(
            start_timeout_s=_START_TIMEOUT_S, tail=self._server_log.tail()
        )


def _is_disk_full(text: str) -> bool:
    return "No space left" in text or "Disk quota" in text
