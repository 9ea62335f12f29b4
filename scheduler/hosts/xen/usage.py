"""The counters of the domains, and whether they still are the same ones."""

from scheduler.errors import HostUnreachable
from scheduler.hosts.remote.shell import StreamingShell
from scheduler.hosts.xen.access import list_command
from scheduler.hosts.xen.meter import Meter
from scheduler.hosts.xen.top import Counter
from scheduler.hosts.xen.values import Values, gone, restarted
from scheduler.model.facts import DomainUsage
from scheduler.model.split import IO, DomainId

_KIB = 1024
_SECTOR_BYTES = 512  # whatever the disk's own sectors are (xentop's manual)


class Usage:
    """Counters by role.

    Args:
        shell: The host.
        values: Knows the domains.
    """

    def __init__(self, shell: StreamingShell, values: Values) -> None:
        access = values.setup.access
        self._where = shell.where
        self._values = values
        self._meter = Meter(shell, (*access.sudo, access.beside("xentop")), tuple(list_command(access)))
        self._last: dict[DomainId, Counter] = {}

    def look(self, now_s: float) -> dict[DomainId, DomainUsage]:
        """Return the counters.

        Args:
            now_s: This moment on the monotonic clock.

        Raises:
            DomainGone: A domain ended or was restarted.
            HostUnreachable: No counters, even after connecting anew.
        """
        try:
            counters = self._meter.look()
        except HostUnreachable:
            counters = self._meter.look()
        for domain in self._values.setup.domains:
            counter = counters.get(self._values.setup.member(domain).name)
            last = self._last.get(domain)
            if counter is None or counter.restarted or (last is not None and last is not counter):
                self._check(domain)
                counter = counters.get(self._values.setup.member(domain).name, last)
            if counter is not None:
                self._last[domain] = counter
        return {domain: _usage(counter, now_s) for domain, counter in self._last.items()}

    def passed(self) -> dict[str, int]:
        """Return the bytes that each guest has exchanged by now, by its name; raises HostUnreachable."""
        io = self._values.setup.member(IO).name
        rows = {name: counter.row for name, counter in self._meter.look().items() if name != io}
        return {
            name: _KIB * (row.sent_kib + row.received_kib) + _SECTOR_BYTES * row.sectors for name, row in rows.items()
        }

    def close(self) -> None:
        """End the counting; never raises."""
        self._meter.close()

    def _check(self, domain: DomainId) -> None:
        """Look whether it is the same domain in the same life; it may have been renamed. Raises DomainGone."""
        before = self._values.setup.member(domain)
        if not self._values.find(domain):
            raise gone(before, self._where)
        after = self._values.setup.member(domain)
        if after.domid != before.domid:
            raise restarted(before, after, self._where)


def _usage(counter: Counter, now_s: float) -> DomainUsage:
    # Xen counts a domain's CPU time as one, and a back end's traffic only on the guest's side.
    return DomainUsage(
        user_s=counter.cpu_s(now_s),
        system_s=0.0,
        memory_bytes=counter.row.memory_kib * _KIB,
        in_bytes=counter.row.sent_kib * _KIB,
        out_bytes=counter.row.received_kib * _KIB,
    )
