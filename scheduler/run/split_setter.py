"""Setter of a followed host's splits, through the lease.

The domain that loses CPU is written first.
"""

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
from scheduler.translation import _

log = logging.getLogger(__name__)

_MOST_FAILED = 3  # failed writes in a row


class SplitSetter:
    """Split of a followed host.

    Args:
        host: The host.
        lease: The right to write to the host.
        facts: The host's properties.

    Attributes:
        found: Original split.
        standing: Current split.
    """

    def __init__(self, host: Host, lease: HostLease, facts: HostProperties) -> None:
        self._host, self._lease, self._facts = host, lease, facts
        self.found = self.standing = derive_current_split(read_pair_params(host), facts)
        self._due: PairParams | None = None  # parameters of a failed write
        self._failed = 0

    def params_for(self, log_ratio: float) -> PairParams:
        """Return the parameters of a split, ln(I/O domain / guest).

        The sum of both limits, or of both weights, stays the original one.
        """
        return params_for_split(self.found, log_ratio, self._facts)

    def set_params(self, wanted: PairParams) -> bool:
        """Set parameters; return True when a value changed.

        Raises:
            HostError: A value was not verified, or the third write in a row failed.
            JournalError: The undo record could not be written; nothing was set.
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
        """Retry the write that failed in the last window; return True after a change.

        Raises the errors of `set_params`.
        """
        return self._due is not None and self.set_params(self._due)

    def verify_params(self) -> None:
        """Read the parameters of both domains and compare them with the set ones.

        Raises:
            ForeignValue: Another program set one of the domains.
            DomainGone: One of the domains no longer exists.
            HostError: The host cannot be read.
        """
        for domain, got in read_pair_params(self._host).items():
            expected = self.standing.params[domain]
            if got is None:
                raise DomainGone(
                    _("{domain} is not there any more").format(domain=domain),
                    hint=_("It ended, or was restarted or migrated."),
                )
            if got not in (expected, (self._due or {}).get(domain)):
                raise foreign_value_error(domain, got, expected, self.found.params[domain])

    def _order_losers_first(self, wanted: PairParams) -> Mapping[DomainId, SchedParams]:
        """Return the parameters, the domain that loses CPU first.

        So both domains together never have more than their original CPU.
        """
        after = derive_current_split(dict(wanted), self._facts).allowed
        io_loses = after.io_cpus < self.standing.allowed.io_cpus
        order = DOMAINS if io_loses else tuple(reversed(DOMAINS))
        return {domain: wanted[domain] for domain in order}


def read_pair_params(host: Host) -> dict[DomainId, SchedParams | None]:
    """Return the parameters of both domains.

    Raises:
        HostError: The host cannot be read.
    """
    return {domain: host.read(domain) for domain in DOMAINS}


def host_differences(before: HostProperties, after: HostProperties) -> list[str]:
    """Return differences between two readings of a host that affect its split.

    Args:
        before: Earlier properties.
        after: Later properties.
    """
    was, now = ([domain.id for domain in facts.domains] for facts in (before, after))
    rows: list[tuple[str, object, object]] = [
        ("scheduler", before.scheduler, after.scheduler),
        ("CPUs", before.shared_cpus, after.shared_cpus),
        ("domains", was, now),
        *(
            (f"{old.name}: {what}", getattr(old, what), getattr(new, what))
            for old in before.domains
            for new in after.domains
            for what in ("name", "vcpus")
            if old.id == new.id
        ),
    ]
    return [
        _("{name} was {old}, is {new}").format(name=name, old=old, new=new) for name, old, new in rows if old != new
    ]


FINAL_ERRORS = (ForeignValue, DomainGone, GuardFired)
"""Errors after which no retry can help."""


def is_transient(error: HostError) -> bool:
    """Return True when a later read may succeed."""
    return isinstance(error, HostUnreachable | DomainPaused) or type(error) is HostError
