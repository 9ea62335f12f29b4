"""A control group with a quota, for a process that a test or a bench confines."""

import contextlib
import errno
import os
import threading
import time
from pathlib import Path

from scheduler.errors import HostNotUsable
from scheduler.hosts.cgroup_mounts import parse_memberships, parse_mounts
from scheduler.model.scheduler_params import CgroupParams

_END_S = 10.0
_PERIOD_US = CgroupParams(1024).period_us


class Quota:
    """A control group below our own; closed, it is gone, and who is in it is where we are.

    Args:
        pct: Quota of one CPU.

    Raises:
        HostNotUsable: We are not root, or the CPU controller is not of version 1.
    """

    def __init__(self, pct: float) -> None:
        found = [m for m in parse_mounts(Path("/proc/self/mountinfo").read_text()) if "cpu" in m.controllers]
        if not found or os.geteuid() != 0:
            raise HostNotUsable("no control group can be made", hint="Be root, on version 1 of the CPU controller.")
        ours = parse_memberships(Path("/proc/self/cgroup").read_text())
        self._home = found[0].folder_of(ours) or found[0].point
        self._group = self._home / f"domtune-quota-{os.getpid()}"
        self._group.mkdir()
        (self._group / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
        (self._group / "cpu.cfs_quota_us").write_text(str(round(pct / 100 * _PERIOD_US)))

    def enter(self, pid: int) -> None:
        """Move a process into it."""
        (self._group / "cgroup.procs").write_text(str(pid))

    def close(self) -> None:
        """Move all out of it, and remove it; a process that is just ending holds it for a moment."""
        deadline_s = time.monotonic() + _END_S
        while True:
            for pid in (self._group / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    (self._home / "cgroup.procs").write_text(pid)
            try:
                self._group.rmdir()
                return
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() > deadline_s:
                    raise
            threading.Event().wait(0.02)
