"""What XAPI tells that may disturb or forbid a sweep, each with its evidence and what to do."""

from collections.abc import Mapping
from datetime import UTC, datetime

from scheduler.hosts.xapi.domain_findings import domain_findings
from scheduler.hosts.xapi.inventory import Pair, World
from scheduler.hosts.xapi.pool_findings import pool_findings
from scheduler.hosts.xapi.records import Certificate
from scheduler.hosts.xapi.rrd import Series
from scheduler.hosts.xapi.seen import PoolSeen
from scheduler.model.facts import Finding, Level
from scheduler.model.params import SchedParams

_ORDER = [Level.ERROR, Level.WARNING, Level.INFO]


def findings(seen: PoolSeen) -> list[Finding]:
    """Return everything that was seen, errors first."""
    return sorted((*pool_findings(seen), *domain_findings(seen)), key=rank)


def rank(finding: Finding) -> int:
    """Return where a finding stands in a list: errors first."""
    return _ORDER.index(finding.level)


def look_at(
    world: World,
    pair: Pair,
    live: SchedParams | None,
    xen: str,
    metrics: Series,
    certificates: Mapping[str, Certificate],
) -> list[Finding]:
    """Return what is seen at this moment."""
    return findings(PoolSeen(world, pair, live, xen, metrics, certificates.get(pair.host), datetime.now(UTC)))
