"""The emulator: command line, start, and end by monitor or process id."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import psutil

from labs.xen import qmp
from labs.xen.ports import INSIDE
from labs.xen.recipe import RTDS
from scheduler.children import environment_without_secrets, run_and_capture
from scheduler.errors import HostError, HostNotUsable
from scheduler.waiting import wait_until

PROGRAM = "qemu-system-x86_64"
_DISKS = ("dom0", "guest", "guest-2")
MEMORY_MB, SECOND_MB = 2048, 512  # of the machine; more for a second guest
# Emulated, each turn of a capped domain costs milliseconds that count against its cap: with the usual 10 ms between two
# replenishments Dom0 gets 13 % of a CPU for a cap of 25. Fewer of them let it have what the cap says.
_CAPS = "credit2_cap_period_ms=200"
_XEN = (
    "com1=115200,8n1 console=com1 loglvl=info dom0_mem=768M,max:768M {dom0} {caps} spec-ctrl=no xpti=no noreboot sched="
)
# On a busy computer Dom0's network needed longer than the 90 s after which systemd gives a service up.
_PATIENCE = "udev.event_timeout=1800 systemd.default_timeout_start_sec=1800"
_LINUX = f"root=/dev/vda ro console=hvc0 net.ifnames=0 mitigations=off quiet {_PATIENCE}"
# libvirt knows no model of a CPU without VME, which TCG would leave out of qemu64.
_CPU = "qemu64,+vme,x-force-features=on"
_PATIENCE_S = 10.0  # for each way of ending it


class LabDisks(NamedTuple):
    """Disks of Dom0 and guests: `dom0`, `guest` and `guest-2` with a suffix.

    Attributes:
        folder: Their folder.
        suffix: `img` for the images as built, else `qcow2` for the changes to them.
        kept: True when writes go into these files. Else they go into files without a name that end with the emulator.
        guests: Number of guests, 1 or 2.
    """

    folder: Path
    suffix: str = "img"
    kept: bool = False
    guests: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """The disks, Dom0's first."""
        return _DISKS[: 1 + self.guests]

    def file(self, name: str) -> Path:
        """Return the file of a disk: both guests have one image, and changes of their own."""
        return self.folder / f"{image_name(name) if self.suffix == 'img' else name}.{self.suffix}"


def image_name(name: str) -> str:
    """Return the name of the image that a disk changes."""
    return "guest" if name.startswith("guest") else name


def emulator_command(
    images: Path, folder: Path, scheduler: str, ports: Mapping[str, int], disks: LabDisks, cpus: int = 1
) -> list[str]:
    """Return the emulator's command line.

    `restrict=on` lets nothing out of the lab: only the forwarded ports lead in.

    Args:
        images: Folder of the images.
        folder: The running lab's folder.
        scheduler: Xen's scheduler.
        ports: On 127.0.0.1, by name.
        disks: Of Dom0 and guests.
        cpus: Number of the machine's CPUs. With several, Dom0 has as many vCPUs, and none of them is pinned.
    """
    forwards = "".join(
        f",hostfwd=tcp:127.0.0.1:{port}-{INSIDE[name][0]}:{INSIDE[name][1]}" for name, port in ports.items()
    )
    words = [PROGRAM, "-name", "domtune-xen-lab,debug-threads=on", "-accel", "tcg,thread=multi,tb-size=512"]
    memory_mb = MEMORY_MB + SECOND_MB * (disks.guests - 1)
    words += ["-cpu", _CPU, "-smp", str(cpus), "-m", str(memory_mb), "-no-reboot", "-display", "none"]
    words += ["-no-user-config"]
    words += [
        "-serial",
        f"file:{_quote_path(folder / 'console.log')}",
        "-pidfile",
        str(folder / "qemu.pid"),
        "-daemonize",
    ]
    words += ["-qmp", f"unix:{qmp.SOCKET},server=on,wait=off"]  # relative: a socket's path has 107 letters at most
    words += ["-kernel", str(images / hypervisor_file(scheduler)), "-append", _xen_options(cpus) + scheduler]
    words += ["-initrd", f"{_quote_path(images / 'vmlinuz')} {_LINUX},{_quote_path(images / 'initrd.img')}"]
    written = f"format={'raw' if disks.suffix == 'img' else disks.suffix},snapshot={'off' if disks.kept else 'on'}"
    for number, name in enumerate(disks.names):
        file = _quote_path(disks.file(name))
        words += ["-drive", f"file={file},if=none,id=d{number},cache=unsafe,{written}"]
        words += ["-device", f"virtio-blk-pci,drive=d{number}"]
    words += ["-netdev", f"user,id=n0,restrict=on{forwards}"]
    return [*words, "-device", "virtio-net-pci,netdev=n0,mac=52:54:00:12:34:56"]


def _xen_options(cpus: int) -> str:
    dom0 = "dom0_max_vcpus=1 dom0_vcpus_pin" if cpus == 1 else f"dom0_max_vcpus={cpus}"
    return _XEN.format(dom0=dom0, caps=_CAPS)


def hypervisor_file(scheduler: str) -> str:
    """Return the file of the images that boots Xen with this scheduler."""
    return RTDS if scheduler == "rtds" else "xen"


def _quote_path(path: Path) -> str:
    """Return a path for one of QEMU's comma lists."""
    return str(path).replace(",", ",,")


def not_installed_error() -> HostNotUsable:
    """Return the error for a computer without the emulator."""
    return HostNotUsable(
        f"{PROGRAM} is not installed", hint="apt-get install --no-install-recommends qemu-system-x86 qemu-utils"
    )


class PortTaken(HostNotUsable):
    """Error: another program took a port since it was chosen."""


class LabEmulator:
    """Emulator of the lab in a folder; it may have ended.

    Args:
        folder: The running lab's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.console = folder / "console.log"

    def start(self, words: list[str]) -> None:
        """Start the emulator in a session of its own; raises PortTaken, HostNotUsable."""
        # It creates its nameless files in TMPDIR.
        environment = {**environment_without_secrets(), "TMPDIR": str(self.folder)}
        try:
            done = run_and_capture(words, 60, self.folder, environment=environment)
        except FileNotFoundError as error:
            raise not_installed_error() from error
        except TimeoutError as error:
            raise HostNotUsable(f"{PROGRAM} did not start within 60 s") from error
        if done.returncode:
            said = " ".join(line for line in done.stderr.splitlines() if "warning" not in line)
            kind = PortTaken if "Could not set up host forwarding rule" in said else HostNotUsable
            raise kind(f"{PROGRAM} ended with {done.returncode}: {said or 'no reason given'}")

    def pid(self) -> int:
        """Return the process id; 0 when it does not run or the number was reused."""
        try:
            process = psutil.Process(int((self.folder / "qemu.pid").read_text()))
            ours = str(self.folder / "qemu.pid") in process.cmdline()
            return process.pid if ours and process.status() != psutil.STATUS_ZOMBIE else 0
        except (OSError, ValueError, psutil.Error):
            return 0

    def has_panicked(self) -> bool:
        """Return True when the console shows a panic of the hypervisor or of Dom0."""
        text = self.console_end(20_000)
        return "Panic on CPU" in text or "Kernel panic - not syncing" in text

    def console_end(self, letters: int = 1_500) -> str:
        """Return the end of the console; empty when there is none."""
        try:
            with self.console.open("rb") as file:
                file.seek(max(0, file.seek(0, 2) - letters))
                content = file.read()
        except OSError:
            return ""
        return content.decode(errors="replace").replace("\r", "")

    def wait_end(self, limit_s: float) -> bool:
        """Wait until the emulator has ended; return False after the limit, seconds."""
        return wait_until(lambda: not self.pid(), limit_s, every_s=0.2)

    def end(self) -> str:
        """End the emulator by its monitor, else by its process id; return the way."""
        for how, tell in (
            ("the emulator's monitor", self._quit_by_monitor),
            ("SIGTERM", lambda: self._send_signal(psutil.Process.terminate)),
            ("SIGKILL", lambda: self._send_signal(psutil.Process.kill)),
        ):
            if tell() and self.wait_end(_PATIENCE_S):
                return how
        if not self.pid():
            return "itself"
        raise HostNotUsable(f"the emulator, process {self.pid()}, does not end even by SIGKILL")

    def _send_signal(self, tell: Callable[[psutil.Process], None]) -> bool:
        try:
            tell(psutil.Process(self.pid() or -1))
        except (ValueError, psutil.Error):
            return False
        return True

    def _quit_by_monitor(self) -> bool:
        """Ask the monitor to quit; return True when it answered."""
        try:
            with qmp.connect_monitor(self.folder) as monitor:
                monitor.execute("quit")
        except HostError:
            return False
        return True
