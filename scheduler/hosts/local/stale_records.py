"""Records of groups that stand no more: after a reboot, or where somebody removed them, nothing there is ours.

What stands under the same name then was made by others, who want it: it is neither written nor removed.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from scheduler.errors import HostNotUsable
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import DomainUsage, HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MARKS = msgspec.json.Decoder(dict[str, int])


def boot_id() -> str:
    """Return the id of this boot of the kernel, empty where it cannot be read."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return ""


def encode_inode_marks(folders: Iterable[Path]) -> str:
    """Return what tells these folders from later ones of the same name: the numbers of their inodes, as text."""
    numbers = {str(folder): number for folder in folders if (number := _inode_number(folder))}
    return msgspec.json.encode(numbers).decode()


def is_stale(context: Mapping[str, str], now: str | None = None) -> bool:
    """Return whether a record has outlived the groups that it tells of.

    Args:
        context: The record's; `boot` is the boot's id, `made` the marks of the groups that `apply` made.
        now: Id of this boot; the kernel's if None.
    """
    then, now = context.get("boot", ""), boot_id() if now is None else now
    if then and now and then != now:
        return True
    try:
        made = _MARKS.decode(context.get("made", "{}"))
    except msgspec.DecodeError:
        return False  # who cannot tell takes them for ours
    return bool(made) and all(_inode_number(Path(folder)) != number for folder, number in made.items())


def _inode_number(folder: Path) -> int:
    try:
        return folder.stat().st_ino
    except OSError:
        return 0


class StaleHost(Host):
    """`local:` as such a record knows it: its domains do not exist, and taking them away is done."""

    def facts(self) -> HostProperties:
        raise HostNotUsable("the groups of this record stand no more", hint="Open local: afresh.")

    def boot(self) -> None:
        self.facts()

    def read(self, domain: DomainId) -> SchedParams | None:
        return None

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        if params is not None:
            self.facts()

    def baseline(self, domain: DomainId) -> SchedParams:
        raise HostNotUsable(f"the {domain} group of this record stands no more", hint="Open local: afresh.")

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        return ()

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        return {}

    def context(self) -> Mapping[str, str]:
        return {}
