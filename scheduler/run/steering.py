"""Setting splits while they are followed: through the lease, lowering first, and believing only what reads back."""

import logging
from collections.abc import Mapping

from scheduler.errors import DomainGone, ForeignValue, GuardFired, HostError, HostUnreachable, ParameterRefused
from scheduler.follow.standing import Pair, moved, standing_of
from scheduler.hosts.base import Host
from scheduler.model.facts import HostFacts
from scheduler.model.params import SchedParams
from scheduler.model.split import DomainId
from scheduler.run.foreign import foreign
from scheduler.run.lease import DOMAINS, Lease

log = logging.getLogger(__name__)

_MOST_FAILED = 3  # writes in a row


class Steering:
    """The split of a host that is followed.

    Args:
        host: The host.
        lease: The right to write to it.
        facts: What it is.

    Attributes:
        found: What was set when it was taken.
        standing: What is set now.
    """

    def __init__(self, host: Host, lease: Lease, facts: HostFacts) -> None:
        self._host, self._lease, self._facts = host, lease, facts
        self.found = self.standing = standing_of(read_pair(host), facts)
        self._due: Pair | None = None  # what a write that failed was to set
        self._failed = 0

    def parameters(self, log_ratio: float) -> Pair:
        """Return what another split is set with: C, or the sum of the weights, is always what was found."""
        return moved(self.found, log_ratio, self._facts)

    def go(self, wanted: Pair) -> bool:
        """Set parameters; return whether anything changed.

        Raises:
            HostError: A value does not read back, or the third write in a row failed.
            JournalError: What is to be set could not be written down; nothing was set.
        """
        if self._due is None and dict(wanted) == dict(self.standing.params):
            return False
        try:
            self._lease.apply(self._ordered(wanted))
        except (HostUnreachable, ParameterRefused) as error:
            self._failed += 1
            if self._failed >= _MOST_FAILED:
                raise
            log.warning("write %d of %d that failed: %s", self._failed, _MOST_FAILED, error)
            self._due = wanted
            return False
        self._due, self._failed = None, 0
        self.standing = standing_of(dict(wanted), self._facts)
        return True

    def go_on(self) -> bool:
        """Try again what failed in the window before; return whether anything changed. Raises as `go`."""
        return self._due is not None and self.go(self._due)

    def check(self) -> None:
        """Read both domains back.

        Raises:
            ForeignValue: Somebody else set one of them.
            DomainGone: One of them is not there any more.
            HostError: It cannot be read.
        """
        for domain, got in read_pair(self._host).items():
            expected = self.standing.params[domain]
            if got is None:
                raise DomainGone(f"{domain} is not there any more", hint="It ended, or was restarted or migrated.")
            if got not in (expected, (self._due or {}).get(domain)):
                raise foreign(domain, got, expected, self.found.params[domain])

    def _ordered(self, wanted: Pair) -> Mapping[DomainId, SchedParams]:
        """Return the same with the side that loses first, so that both together never have more than was found."""
        after = standing_of(dict(wanted), self._facts).allowed
        io_loses = after.io_cpus < self.standing.allowed.io_cpus
        order = DOMAINS if io_loses else tuple(reversed(DOMAINS))
        return {domain: wanted[domain] for domain in order}


def read_pair(host: Host) -> dict[DomainId, SchedParams | None]:
    """Return what both domains have; raises HostError."""
    return {domain: host.read(domain) for domain in DOMAINS}


def differences(before: HostFacts, after: HostFacts) -> list[str]:
    """Return what makes a host another one, of all that its split hangs on, in words."""
    was, now = ([domain.id for domain in facts.domains] for facts in (before, after))
    rows: list[tuple[str, object, object]] = [
        ("scheduler", before.scheduler, after.scheduler),
        ("CPUs", before.contended_cpus, after.contended_cpus),
        ("domains", was, now),
        *(
            (f"{old.name}: {what}", getattr(old, what), getattr(new, what))
            for old in before.domains
            for new in after.domains
            for what in ("name", "vcpus")
            if old.id == new.id
        ),
    ]
    return [f"{name} was {old}, is {new}" for name, old, new in rows if old != new]


ENDS = (ForeignValue, DomainGone, GuardFired)
"""Errors after which nothing is tried again."""


def is_passing(error: HostError) -> bool:
    """Return whether the next look may fare better."""
    return isinstance(error, HostUnreachable) or type(error) is HostError
