"""Commands in the lab's Dom0 by ssh, with the lab's own key and known host keys."""

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from labs.xen.emulator import image_name
from scheduler.children import open_input, run_and_capture
from scheduler.errors import HostNotUsable, HostUnreachable
from scheduler.model.lab import LabDomain

DOM0 = "domtune-xen"
GUEST, GUEST_2 = "domtune-xen-guest", "domtune-xen-guest-2"
_HOSTS = ((DOM0, "dom0"), (GUEST, "guest"), (GUEST_2, "guest-2"))  # alias, and port by name
_CONNECT_S = 20  # an emulated sshd on a busy computer needs seconds for its first line
_GUESTS_S = 900  # to start one guest; four emulated CPUs on two busy ones took more than three minutes

_LOOK = "xl info | sed -n 's/^xen_scheduler *: *//p'; xl list"
_BEGIN_GUEST = "virsh -q -c xen:///system define /root/lab/guest.xml && virsh -q -c xen:///system start db1\n"
# With several CPUs, sshd answers before xenstored and libvirtd do.
_END_OF_BOOT = """systemctl is-system-running --wait >/dev/null 2>&1 || :
tries=0
until virsh -q -c xen:///system list >/dev/null 2>&1; do
    tries=$((tries + 1)); [ "$tries" -lt 60 ] || break
    sleep 2
done
"""
WIDEN = "sed -i \"s|<vcpu cpuset='0'>1<|<vcpu>{cpus}<|\" /root/lab/guest.xml\n"
# The second guest's disk is the first one's image, to be written over: its name and address are given to it before.
_BEGIN_SECOND = """
set -e
mkdir -p /mnt/db2
mount /dev/vdc /mnt/db2
sed -i 's/10\\.0\\.2\\.16/10.0.2.17/' /mnt/db2/etc/systemd/system/lab-network.service
sed -i 's/db1/db2/' /mnt/db2/etc/hostname /mnt/db2/etc/hosts
umount /mnt/db2
sed -e 's/>db1</>db2</' -e 's/c0de</c0d2</' -e 's/>640</>512</' -e 's/vdb/vdc/' -e 's/00:10/00:11/' \\
    /root/lab/guest.xml >/root/lab/guest-2.xml
virsh -q -c xen:///system define /root/lab/guest-2.xml
virsh -q -c xen:///system start db2
"""
# A domain under a small cap would need minutes to shut down. What a scheduler does not know, it refuses.
_SHUT_DOWN = """
for domain in $(xl list | awk 'NR > 1 { print $(NF - 4) }'); do
    case $(xl info | sed -n 's/^xen_scheduler *: *//p') in
        credit) xl sched-credit -d "$domain" -c 0 -w 256 ;;
        credit2) xl sched-credit2 -d "$domain" -c 0 -w 256 ;;
        rtds) xl sched-rtds -d "$domain" -v all -p 10000 -b 10000 -e 1 ;;
    esac
done
timeout 60 xl shutdown -a -w
systemctl poweroff
"""


class Dom0Look(NamedTuple):
    """State of Dom0: the scheduler that runs, and `xl list`."""

    scheduler: str
    domains: tuple[LabDomain, ...]


def write_ssh_files(folder: Path, images: Path, ports: Mapping[str, int]) -> None:
    """Write known_hosts and an ssh_config for these ports.

    Args:
        folder: The running lab's folder.
        images: Folder of the images, with the keys that were made with them.
        ports: On 127.0.0.1, by name.
    """
    known = folder / "known_hosts"
    hosts = [(alias, name) for alias, name in _HOSTS if name in ports]
    lines = [f"[127.0.0.1]:{ports[name]} {(images / f'{image_name(name)}.host-key').read_text()}" for _, name in hosts]
    known.write_text("".join(lines))
    text = "# Written by `domtune lab xen up`; may be included in ~/.ssh/config.\n"
    for alias, name in hosts:
        text += f"Host {alias}\n    HostName 127.0.0.1\n    Port {ports[name]}\n    User root\n"
        text += f'    IdentityFile "{images / "id"}"\n    IdentitiesOnly yes\n'
        text += f'    UserKnownHostsFile "{known}"\n    StrictHostKeyChecking yes\n'
    (folder / "ssh_config").write_text(text)


class LabDom0:
    """Dom0 of the lab in a folder; each call is a connection (1 to 2 s emulated).

    Args:
        folder: The running lab's folder.
    """

    def __init__(self, folder: Path) -> None:
        options = ["-o", "BatchMode=yes", "-o", f"ConnectTimeout={_CONNECT_S}"]
        self._ssh = ["ssh", "-F", str(folder / "ssh_config"), *options]

    def answers(self) -> bool:
        """Return True when Xen's tools can be used: ssh may answer before xenstored does."""
        try:
            self.look()
        except HostUnreachable:
            return False
        return True

    def look(self) -> Dom0Look:
        """Read scheduler and domains; raises HostUnreachable."""
        try:
            return parse_look(self._run_shell(_LOOK, limit_s=60))
        except subprocess.CalledProcessError as error:
            raise HostUnreachable(f"Dom0 gave no list of domains: {_join_words(error.stderr)[:200]}") from error

    def set_clock(self) -> bool:
        """Set Dom0's clock, which a resume leaves in the past; return success.

        One connection does this and asks Xen's tools. It is the first question to an emulator that has to translate
        every program again.
        """
        try:
            self._run_shell(f"date -s @{time.time():.0f} && {_LOOK}", limit_s=60)
        except (HostUnreachable, subprocess.CalledProcessError):
            return False
        return True

    def wake_guests(self, guests: int = 1) -> None:
        """Set the guests' clocks; raises HostError."""
        for host in (GUEST, GUEST_2)[:guests]:
            try:
                self._run_shell(f"date -s @{time.time():.0f}", limit_s=60, host=host)
            except subprocess.CalledProcessError as error:
                raise HostNotUsable(f"{host} does not take the time: {_join_words(error.stderr)}") from error

    def begin_guests(self, guests: int = 1, cpus: int = 1) -> None:
        """Define the guests in libvirt, so that libvirt and xl both see them; start them.

        Args:
            guests: Number of guests, 1 or 2.
            cpus: Number of vCPUs of each guest; several are not pinned.

        Raises:
            HostError: A guest does not start.
        """
        widen = WIDEN.format(cpus=cpus) if cpus > 1 else ""
        for script in (_END_OF_BOOT + widen + _BEGIN_GUEST, _BEGIN_SECOND)[:guests]:
            try:
                self._run_shell("sh -s", limit_s=_GUESTS_S, stdin=script)
            except subprocess.CalledProcessError as error:
                raise HostNotUsable(f"a guest does not start: {_join_words(error.stderr)}") from error

    def shut_down(self) -> None:
        """Lift caps, shut guests down, switch off; raises HostUnreachable on an early end."""
        try:
            self._run_shell("sh -s", limit_s=100, stdin=_SHUT_DOWN)
        except subprocess.CalledProcessError:
            return  # the connection may end before the last command's exit code comes

    def _run_shell(self, words: str, *, limit_s: float, stdin: str = "", host: str = DOM0) -> str:
        """Run a line of shell in Dom0; raises HostUnreachable, CalledProcessError."""
        try:
            with open_input(stdin) as script:
                done = run_and_capture([*self._ssh, host, words], limit_s, stdin=script)
        except FileNotFoundError as error:
            raise HostNotUsable("ssh is not installed", hint="apt-get install openssh-client") from error
        except TimeoutError as error:
            raise HostUnreachable(f"Dom0 gave no answer within {limit_s:.0f} s") from error
        if done.returncode == 255:  # ssh's own failures
            raise HostUnreachable(f"Dom0 cannot be reached by ssh: {_join_words(done.stderr)}")
        done.check_returncode()
        return done.stdout


def _join_words(text: str) -> str:
    return " ".join(text.split()) or "no reason given"


def parse_look(text: str) -> Dom0Look:
    """Read the scheduler's name and `xl list`; raises HostUnreachable."""
    scheduler, *rows = text.splitlines() or [""]
    if not rows or not rows[0].startswith("Name"):
        raise HostUnreachable(f"Dom0 gave no list of domains: {_join_words(text)[:200]}")
    try:
        return Dom0Look(scheduler.strip(), tuple(_parse_domain(row) for row in rows[1:]))
    except ValueError as error:
        raise HostUnreachable(f"Dom0's list of domains cannot be read: {_join_words(text)[:200]}") from error


def _parse_domain(row: str) -> LabDomain:
    """Read a line from its end: a name may hold blanks, the five last columns do not."""
    name, domid, _, vcpus, state, cpu_s = row.rsplit(maxsplit=5)
    return LabDomain(name=name, domid=int(domid), vcpus=int(vcpus), state=state, cpu_s=float(cpu_s))
