"""Undo records of groups that are gone after a reboot or a removal by hand.

A group of the same name then belongs to others: DomTune neither writes nor removes that group.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from scheduler.errors import HostNotUsable
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import DomainUsage, HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.translation import _

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MARKS = msgspec.json.Decoder(dict[str, int])


def boot_id() -> str:
    """Return the id of the kernel's current boot; empty when unreadable."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return ""


def encode_inode_marks(folders: Iterable[Path]) -> str:
    """Return the inode numbers of folders, as text.

    The numbers distinguish these folders from later folders of the same name.
    """
    numbers = {str(folder): number for folder in folders if (number := _inode_number(folder))}
    return msgspec.json.encode(numbers).decode()


def is_stale(context: Mapping[str, str], now: str | None = None) -> bool:
    """Return True when the groups of a record are gone.

    Args:
        context: Context of the record; `boot` is the boot id, `made` the inode numbers of the groups that `apply`
            created.
        now: Current boot id; None for the kernel's.
    """
    then, now = context.get("boot", ""), boot_id() if now is None else now
    if then and now and then != now:
        return True
    try:
        made = _MARKS.decode(context.get("made", "{}"))
    except msgspec.DecodeError:
        return False  # without valid marks, the groups count as DomTune's
    return bool(made) and all(_inode_number(Path(folder)) != number for folder, number in made.items())


def _inode_number(folder: Path) -> int:
    try:
        return folder.stat().st_ino
    except OSError:
        return 0


class StaleHost(Host):
    """Host of a stale record: no domain exists, and a removal does nothing."""

    def facts(self) -> HostProperties:
        raise HostNotUsable(_("the control groups of this record no longer exist"), hint=_("Open local: again."))

    def boot(self) -> None:
        self.facts()

    def read(self, domain: DomainId) -> SchedParams | None:
        return None

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        if params is not None:
            self.facts()

    def baseline(self, domain: DomainId) -> SchedParams:
        raise HostNotUsable(
            _("the {domain} group of this record does not exist any more").format(domain=domain),
            hint=_("Open local: afresh."),
        )

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        return ()

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        return {}

    def context(self) -> Mapping[str, str]:
        return {}
