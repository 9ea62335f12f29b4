"""What XAPI tells that may disturb or forbid a sweep, each with its evidence and what to do."""

from scheduler.hosts.xapi.domain_findings import domain_findings
from scheduler.hosts.xapi.pool_findings import pool_findings
from scheduler.hosts.xapi.preflight_data import PreflightData
from scheduler.model.host_properties import PreflightFinding, Severity

_ORDER = [Severity.ERROR, Severity.WARNING, Severity.INFO]


def list_findings(seen: PreflightData) -> list[PreflightFinding]:
    """Return everything that was seen, errors first."""
    return sorted((*pool_findings(seen), *domain_findings(seen)), key=severity_rank)


def severity_rank(finding: PreflightFinding) -> int:
    """Return where a finding stands in a list: errors first."""
    return _ORDER.index(finding.level)
