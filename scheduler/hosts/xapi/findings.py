"""What XAPI tells that may disturb or forbid a sweep, each with its evidence and what to do."""

from scheduler.hosts.xapi.domain_findings import domain_findings
from scheduler.hosts.xapi.pool_findings import pool_findings
from scheduler.hosts.xapi.seen import PoolSeen
from scheduler.model.facts import Finding, Level

_ORDER = [Level.ERROR, Level.WARNING, Level.INFO]


def findings(seen: PoolSeen) -> list[Finding]:
    """Return everything that was seen, errors first."""
    return sorted((*pool_findings(seen), *domain_findings(seen)), key=rank)


def rank(finding: Finding) -> int:
    """Return where a finding stands in a list: errors first."""
    return _ORDER.index(finding.level)
