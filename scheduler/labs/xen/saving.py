"""Saving a running machine and going on from what was saved: QEMU's migration, to a file and from one.

The file is opened here and handed over, so the emulator needs neither a shell nor a name for it.
"""

import contextlib
from pathlib import Path

from scheduler.errors import HostError, HostNotUsable
from scheduler.labs.xen import qmp
from scheduler.labs.xen.qmp import QemuMonitor
from scheduler.waiting import until

_FAST_BYTES = 10**12  # per second; as usual it is 1 Gbit/s, meant for networks
_SAVE_S = 300  # 0.3 s were seen; a full second for each 2 MB on a very busy disk
_LOAD_S = 300
WAITS = ("-incoming", "defer")
"""Words for the emulator that make it wait for a state instead of booting."""


def save(folder: Path, memory: Path) -> None:
    """Stop the machine of the lab in this folder and write it down; it stays stopped.

    Raises:
        HostError: It cannot be written; then the machine runs again, unless it has ended.
    """
    with qmp.connected(folder) as monitor:
        monitor.do("stop")
    try:
        with qmp.connected(folder) as monitor, memory.open("xb") as file:
            monitor.do("migrate-set-parameters", {"max-bandwidth": _FAST_BYTES})
            monitor.do("getfd", {"fdname": "state"}, files=[file.fileno()])
            monitor.do("migrate", {"uri": "fd:state"})
            _wait(monitor, _SAVE_S)
    except (HostError, OSError) as error:
        go_on(folder)
        if isinstance(error, HostError):
            raise
        raise HostNotUsable(f"{memory} cannot be written: {error}") from error


def go_on(folder: Path) -> None:
    """Let a stopped machine run again; raises HostError."""
    with qmp.connected(folder) as monitor:
        with contextlib.suppress(HostError):
            monitor.do("migrate_cancel")
        monitor.do("cont")


def load(folder: Path, memory: Path) -> None:
    """Have the emulator that waits in this folder take a state, and let it run; raises HostError."""
    with qmp.connected(folder) as monitor:
        try:
            with memory.open("rb") as file:
                monitor.do("getfd", {"fdname": "state"}, files=[file.fileno()])
        except OSError as error:
            raise HostNotUsable(f"{memory} cannot be read: {error}") from error
        monitor.do("migrate-incoming", {"uri": "fd:state"})
        _wait(monitor, _LOAD_S)
        monitor.do("cont")


def _wait(monitor: QemuMonitor, limit_s: float) -> None:
    """Wait until a migration is done; raises HostNotUsable with the emulator's words, HostUnreachable."""
    answer: dict[str, object] = {}

    def is_over() -> bool:
        answer.update(monitor.do("query-migrate"))
        return answer.get("status") in ("completed", "failed", "cancelled")

    if not until(is_over, limit_s, every_s=0.05):
        raise HostNotUsable(f"the emulator's migration is not done within {limit_s:g} s")
    if (status := answer["status"]) != "completed":
        raise HostNotUsable(f"the emulator's migration has {status}: {answer.get('error-desc', 'no reason given')}")
