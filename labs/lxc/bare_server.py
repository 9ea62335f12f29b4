"""PostgreSQL without a container: same server and CPU, to measure the cost."""

import contextlib
import os
from pathlib import Path
from threading import Event

from labs.lxc.lab_files import BARE
from labs.lxc.libvirt_daemon import join_group
from scheduler.databases import spawn
from scheduler.databases.postgresql.built_in_postgresql import BuiltInPostgresql
from scheduler.databases.postgresql.postgresql_cluster import PostgresqlCluster
from scheduler.errors import HostNotUsable
from scheduler.waiting import wait_until

_OUTLIVES = 0  # no signal when the process that started it ends
_START_S = 60.0  # recovery of a database that was killed
_LOOK_S = 0.05
_TRIES, _PAUSE_S = 5, 2.0  # the processes of one that was killed hold its memory for a moment


class BareServer:
    """One server with its own data.

    Args:
        folder: The lab's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._data = os.fsencode(f"{folder / BARE}-")
        self._file = folder / "run" / "bare.pid"

    @property
    def pid(self) -> int:
        """The process id of the server; 0 when it does not run."""
        try:
            pid = int(self._file.read_text("ascii"))
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return 0
        return pid if any(word.startswith(self._data) for word in words) else 0

    def start(self, cluster: PostgresqlCluster, port: int, cpu: int) -> None:
        """Start the server, and return when it accepts connections.

        Args:
            cluster: Its data, in a folder of the lab whose name begins with `BARE`.
            port: On 127.0.0.1.
            cpu: The containers' CPU. There it has the containers' weight against other programs.

        Raises:
            HostNotUsable: It does not start.
        """
        for number in range(_TRIES):
            if number:
                Event().wait(_PAUSE_S)
            if self._try_start(cluster, port, cpu):
                return
        text = "the server without a container did not start"
        raise HostNotUsable(text, hint=f"Its log is {cluster.log}.")

    def _try_start(self, cluster: PostgresqlCluster, port: int, cpu: int) -> bool:
        """Start the server; return True when it accepts connections, else clean up."""
        words = spawn.build_command(cluster.account, (cpu,), cluster.command(port), _OUTLIVES)
        with os.fdopen(cluster.begin_log(), "ab") as log:
            process = spawn.start_program(words, cluster.folder, log)
        ready = False
        try:
            self._file.write_text(f"{process.pid}\n", "ascii")
            join_group(process.pid)
            wait_until(lambda: process.poll() is not None or cluster.is_ready(process.pid), _START_S, _LOOK_S)
            ready = process.poll() is None and cluster.is_ready(process.pid)
        finally:
            if not ready:
                with contextlib.suppress(HostNotUsable):
                    self.stop()
            process.abandon()
        return ready

    def stop(self) -> None:
        """End the server, if it runs. Raises HostNotUsable when it stays."""
        for number, patience_s in BuiltInPostgresql.ladder:
            if pid := self.pid:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
                wait_until(lambda: not self.pid, patience_s, _LOOK_S)
        if pid := self.pid:
            raise HostNotUsable(f"the server without a container (process {pid}) does not end")
        self._file.unlink(missing_ok=True)
