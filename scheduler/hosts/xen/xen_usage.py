"""Counters of the domains, with a check that each domain is still the same."""

from collections.abc import Mapping

from scheduler.errors import HostNotUsable, HostUnreachable
from scheduler.hosts.remote.shell import StreamingShell
from scheduler.hosts.xen.toolstack_access import list_command
from scheduler.hosts.xen.uncounted_domains import TWINS_HINT, UNCOUNTED_HINT, twins_text, uncounted_text
from scheduler.hosts.xen.xen_values import (
    XenDomainValues,
    domain_gone_error,
    paused_error,
    restarted_error,
    stopped_error,
)
from scheduler.hosts.xen.xentop_meter import XentopMeter
from scheduler.hosts.xen.xentop_rows import CpuCounter
from scheduler.model.host_properties import DomainUsage
from scheduler.model.split import IO, DomainId

_STOPPED = frozenset({"crashed", "shut down"})  # kept by on_crash=preserve and the like; a suspended domain resumes
_KIB = 1024
_SECTOR_BYTES = 512  # independent of the disk's own sector size (xentop's manual)


class XenUsage:
    """Counters by domain of the sweep.

    Args:
        shell: Shell of the host.
        values: Access to the domains' identities.
    """

    def __init__(self, shell: StreamingShell, values: XenDomainValues) -> None:
        access = values.setup.access
        self._where = shell.where
        self._values = values
        self._meter = XentopMeter(shell, (*access.sudo, access.beside("xentop")), tuple(list_command(access)))
        self._last: dict[DomainId, CpuCounter] = {}
        # A read or a write follows a restarted domain to its new number: only these tell that it was restarted.
        self._found = {domain: values.setup.member(domain) for domain in values.setup.domains}

    def look(self, now_s: float) -> dict[DomainId, DomainUsage]:
        """Return the counters of the sweep's domains.

        Args:
            now_s: The current time on the monotonic clock, seconds.

        Raises:
            DomainGone: A domain ended, was restarted, or crashed and is preserved.
            DomainPaused: A domain is paused.
            HostNotUsable: xentop does not count one of the domains, or lists several domains of its name.
            HostUnreachable: No counters, even after a second connection.
        """
        try:
            counters = self._meter.look()
        except HostUnreachable:
            counters = self._meter.look()
        for domain in self._values.setup.domains:
            self._update_counter(domain, counters)
        return {domain: _build_usage(counter, now_s) for domain, counter in self._last.items()}

    def _update_counter(self, domain: DomainId, counters: Mapping[str, CpuCounter]) -> None:
        """Update a domain's counter; raise DomainGone, DomainPaused, HostNotUsable."""
        member, last = self._values.setup.member(domain), self._last.get(domain)
        name, counter = member.name, counters.get(member.name)
        moved = member.domid != self._found.setdefault(domain, member).domid  # a second guest is chosen later
        doubtful = moved or counter is None or counter.is_doubtful or (last is not None and last is not counter)
        if doubtful or name in self._meter.duplicate_names:
            self._check_identity(domain)
            name = self._values.setup.member(domain).name
            counter = counters.get(name, last)
        if name in self._meter.duplicate_names:
            raise HostNotUsable(f"{self._where}: {twins_text(name)}", hint=TWINS_HINT)
        if counter is not None:
            self._last[domain] = counter
        elif self._meter.complete:
            raise HostNotUsable(f"{self._where}: {uncounted_text(name)}", hint=UNCOUNTED_HINT)

    def passed(self) -> dict[str, int]:
        """Return the bytes that each guest has exchanged so far, by guest name.

        Names that several guests have are excluded.

        Raises:
            HostUnreachable: The counters cannot be read.
        """
        io = self._values.setup.member(IO).name
        counters = self._meter.look()
        rows = {
            name: each.row for name, each in counters.items() if name != io and name not in self._meter.duplicate_names
        }
        return {
            name: _KIB * (row.sent_kib + row.received_kib) + _SECTOR_BYTES * row.sectors for name, row in rows.items()
        }

    def close(self) -> None:
        """Stop xentop; never raise."""
        self._meter.close()

    def _check_identity(self, domain: DomainId) -> None:
        """Check that a domain runs and was not restarted; follow a new name.

        Raises:
            DomainGone: The domain ended, was restarted, or no longer runs.
            DomainPaused: The domain is paused.
        """
        before = self._found[domain]
        row = self._values.locate(domain)
        if row is None:
            raise domain_gone_error(before, self._where)
        after = self._values.setup.member(domain)
        if after.domid != before.domid:
            raise restarted_error(before, after, self._where)
        if row.condition in _STOPPED:
            raise stopped_error(row, self._where)
        if row.condition == "paused":
            raise paused_error(row, self._where)


def _build_usage(counter: CpuCounter, now_s: float) -> DomainUsage:
    # Xen does not split CPU time into user and system, and counts back-end traffic only at the guest.
    return DomainUsage(
        user_s=counter.cpu_s(now_s),
        system_s=0.0,
        memory_bytes=counter.row.memory_kib * _KIB,
        in_bytes=counter.row.sent_kib * _KIB,
        out_bytes=counter.row.received_kib * _KIB,
    )
