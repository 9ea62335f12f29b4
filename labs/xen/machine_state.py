"""Saving and resuming of a machine: QEMU's migration to a file and from a file.

This process opens the file and passes the descriptor, so the emulator needs neither a shell nor a name.
"""

import contextlib
from pathlib import Path

from labs.xen import qmp
from labs.xen.qmp import QemuMonitor
from scheduler.errors import HostError, HostNotUsable
from scheduler.waiting import wait_until

_FAST_BYTES = 10**12  # per second; as usual it is 1 Gbit/s, meant for networks
_SAVE_S = 300  # 0.3 s were seen; a full second for each 2 MB on a very busy disk
_LOAD_S = 300
WAITS = ("-incoming", "defer")
"""Words for the emulator that make it wait for a state instead of booting."""


def save_machine(folder: Path, memory: Path) -> None:
    """Stop the machine of the lab in a folder and save it; it stays stopped.

    Args:
        folder: The running lab's folder.
        memory: File for memory, processor and devices.

    Raises:
        HostError: It cannot be written. The machine then runs again, unless it has ended.
    """
    with qmp.connect_monitor(folder) as monitor:
        monitor.execute("stop")
    try:
        with qmp.connect_monitor(folder) as monitor, memory.open("xb") as file:
            monitor.execute("migrate-set-parameters", {"max-bandwidth": _FAST_BYTES})
            monitor.execute("getfd", {"fdname": "state"}, files=[file.fileno()])
            monitor.execute("migrate", {"uri": "fd:state"})
            _wait_for_migration(monitor, _SAVE_S)
    except (HostError, OSError) as error:
        resume_machine(folder)
        if isinstance(error, HostError):
            raise
        raise HostNotUsable(f"{memory} cannot be written: {error}") from error


def resume_machine(folder: Path) -> None:
    """Resume a stopped machine; raises HostError."""
    with qmp.connect_monitor(folder) as monitor:
        with contextlib.suppress(HostError):
            monitor.execute("migrate_cancel")
        monitor.execute("cont")


def load_machine(folder: Path, memory: Path) -> None:
    """Load a state into the emulator that waits in a folder, and resume it.

    Args:
        folder: The running lab's folder.
        memory: File of a saved machine.

    Raises:
        HostError: It cannot be loaded.
    """
    with qmp.connect_monitor(folder) as monitor:
        try:
            with memory.open("rb") as file:
                monitor.execute("getfd", {"fdname": "state"}, files=[file.fileno()])
        except OSError as error:
            raise HostNotUsable(f"{memory} cannot be read: {error}") from error
        monitor.execute("migrate-incoming", {"uri": "fd:state"})
        _wait_for_migration(monitor, _LOAD_S)
        monitor.execute("cont")


def _wait_for_migration(monitor: QemuMonitor, limit_s: float) -> None:
    """Wait for the end of a migration; raises HostNotUsable, HostUnreachable."""
    answer: dict[str, object] = {}

    def is_over() -> bool:
        answer.update(monitor.execute("query-migrate"))
        return answer.get("status") in ("completed", "failed", "cancelled")

    if not wait_until(is_over, limit_s, every_s=0.05):
        raise HostNotUsable(f"the emulator's migration is not done within {limit_s:g} s")
    if (status := answer["status"]) != "completed":
        raise HostNotUsable(f"the emulator's migration has {status}: {answer.get('error-desc', 'no reason given')}")
