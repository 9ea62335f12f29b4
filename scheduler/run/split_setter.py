"""Setting splits while they are followed: through the lease, lowering first, and believing only what reads back."""

import logging
from collections.abc import Mapping

from scheduler.errors import (
    DomainGone,
    DomainPaused,
    ForeignValue,
    GuardFired,
    HostError,
    HostUnreachable,
    ParameterRefused,
)
from scheduler.follow.current_split import PairParams, derive_current_split, params_for_split
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.run.foreign_values import foreign_value_error
from scheduler.run.lease import DOMAINS, HostLease

log = logging.getLogger(__name__)

_MOST_FAILED = 3  # writes in a row


class SplitSetter:
    """The split of a host that is followed.

    Args:
        host: The host.
        lease: The right to write to it.
        facts: What it is.

    Attributes:
        found: What was set when it was taken.
        standing: What is set now.
    """

    def __init__(self, host: Host, lease: HostLease, facts: HostProperties) -> None:
        self._host, self._lease, self._facts = host, lease, facts
        self.found = self.standing = derive_current_split(read_pair_params(host), facts)
        self._due: PairParams | None = None  # what a write that failed was to set
        self._failed = 0

    def params_for(self, log_ratio: float) -> PairParams:
        """Return what another split is set with: C, or the sum of the weights, is always what was found."""
        return params_for_split(self.found, log_ratio, self._facts)

    def set_params(self, wanted: PairParams) -> bool:
        """Set parameters; return whether anything changed.

        Raises:
            HostError: A value does not read back, or the third write in a row failed.
            JournalError: What is to be set could not be written down; nothing was set.
        """
        if self._due is None and dict(wanted) == dict(self.standing.params):
            return False
        try:
            self._lease.apply(self._order_losers_first(wanted))
        except (HostUnreachable, ParameterRefused) as error:
            self._failed += 1
            if self._failed >= _MOST_FAILED:
                raise
            log.warning("write %d of %d that failed: %s", self._failed, _MOST_FAILED, error)
            self._due = wanted
            return False
        self._due, self._failed = None, 0
        self.standing = derive_current_split(dict(wanted), self._facts)
        return True

    def retry_write(self) -> bool:
        """Try again what failed in the window before; return whether anything changed. Raises as `go`."""
        return self._due is not None and self.set_params(self._due)

    def verify_params(self) -> None:
        """Read both domains back.

        Raises:
            ForeignValue: Somebody else set one of them.
            DomainGone: One of them is not there any more.
            HostError: It cannot be read.
        """
        for domain, got in read_pair_params(self._host).items():
            expected = self.standing.params[domain]
            if got is None:
                raise DomainGone(f"{domain} is not there any more", hint="It ended, or was restarted or migrated.")
            if got not in (expected, (self._due or {}).get(domain)):
                raise foreign_value_error(domain, got, expected, self.found.params[domain])

    def _order_losers_first(self, wanted: PairParams) -> Mapping[DomainId, SchedParams]:
        """Return the same with the side that loses first, so that both together never have more than was found."""
        after = derive_current_split(dict(wanted), self._facts).allowed
        io_loses = after.io_cpus < self.standing.allowed.io_cpus
        order = DOMAINS if io_loses else tuple(reversed(DOMAINS))
        return {domain: wanted[domain] for domain in order}


def read_pair_params(host: Host) -> dict[DomainId, SchedParams | None]:
    """Return what both domains have; raises HostError."""
    return {domain: host.read(domain) for domain in DOMAINS}


def host_differences(before: HostProperties, after: HostProperties) -> list[str]:
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


FINAL_ERRORS = (ForeignValue, DomainGone, GuardFired)
"""Errors after which nothing is tried again."""


def is_transient(error: HostError) -> bool:
    """Return whether the next look may fare better."""
    return isinstance(error, HostUnreachable | DomainPaused) or type(error) is HostError
