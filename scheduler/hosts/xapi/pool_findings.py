"""Findings from XAPI on automatic moves and shutdowns of a pool and host; pure."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from scheduler.hosts.xapi.preflight_data import PreflightData
from scheduler.hosts.xapi.xapi_records import HostRecord, parse_moment
from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern

_SSH_LEAST = timedelta(hours=2)  # about the length of a sweep of the paper's nine splits
_CERTIFICATE_SOON = timedelta(days=30)


def pool_findings(seen: PreflightData) -> Iterator[PreflightFinding]:
    """Yield findings on the pool and the host, independent of the machines there."""
    yield from _check_pool(seen)
    yield from _check_host(seen)
    yield from _check_ssh(seen.host, seen.now)
    yield from _check_certificate(seen)


def _check_pool(seen: PreflightData) -> Iterator[PreflightFinding]:
    if seen.world.pool.ha_enabled:
        yield PreflightFinding(
            Severity.ERROR,
            "high availability is on: a Dom0 that gets little CPU time may be taken for dead, and the host fenced",
            "Switch high availability off until the sweep is over.",
            concern=StudyConcern.SPLIT,
        )
    if seen.world.pool.wlb_enabled:
        yield PreflightFinding(
            Severity.WARNING,
            "workload balancing is on: it may move the guest in the middle of the sweep, which ends it",
            "Switch workload balancing off until the sweep is over.",
        )


def _check_host(seen: PreflightData) -> Iterator[PreflightFinding]:
    host = seen.host
    if not host.enabled:
        yield PreflightFinding(
            Severity.WARNING,
            f"{host.name_label} is in maintenance mode: its guests may be moved away at any moment",
            "End its maintenance mode before the sweep.",
        )
    mask = host.guest_vcpus_params.get("mask", "")
    if mask:
        yield PreflightFinding(
            Severity.INFO,
            f"XAPI keeps all guests on CPU {mask}, apart from Dom0 (guest_VCPUs_params:mask). The two do not compete "
            "with the original settings",
            "A sweep does not change this mask. If the guest starts during a sweep, the sweep ends.",
            concern=StudyConcern.COMPETITION,
        )
    reported = host.software_version.get("xen", "")
    if reported and seen.xen and reported.split("-")[0].split(".")[:2] != seen.xen.split("-")[0].split(".")[:2]:
        yield PreflightFinding(
            Severity.ERROR,
            f"XAPI reports Xen {reported} on {host.name_label}, but 'xl' over ssh reports {seen.xen}",
            "Check that ssh reaches that host, and reboot after an update of Xen.",
        )


def _check_ssh(host: HostRecord, now: datetime) -> Iterator[PreflightFinding]:
    if not host.ssh_enabled:
        yield PreflightFinding(
            Severity.WARNING,
            f"sshd is off on {host.name_label} (reported by XAPI), but DomTune sets live parameters through ssh",
            "Switch sshd on in the settings of the host, then look at the host again.",
        )
        return
    ends = parse_moment(host.ssh_expiry) if host.ssh_enabled_timeout else None
    if ends is not None:
        left = ends - now
        yield PreflightFinding(
            Severity.ERROR if left < _SSH_LEAST else Severity.WARNING,
            f"{host.name_label} will end its sshd at {ends:%Y-%m-%d %H:%M} UTC, in {_whole_minutes(left)} minutes; "
            "a sweep that still runs then is cut off, and the guard on the host restores the originals",
            "Set the time limit of sshd (ssh-enabled-timeout) to 0, or to more than the sweep takes.",
        )
    if host.ssh_auto_mode:
        yield PreflightFinding(
            Severity.WARNING,
            f"{host.name_label} runs its sshd only while XAPI does not (ssh_auto_mode)",
            "Switch ssh_auto_mode off until the sweep is over.",
        )


def _check_certificate(seen: PreflightData) -> Iterator[PreflightFinding]:
    ends = parse_moment(seen.certificate.not_after) if seen.certificate else None
    if ends is not None and ends - seen.now < _CERTIFICATE_SOON:
        word = "ran out" if ends < seen.now else "runs out"
        yield PreflightFinding(
            Severity.WARNING,
            f"the certificate of {seen.host.name_label} {word} on {ends:%Y-%m-%d}; DomTune goes by its fingerprint, "
            "others may refuse it",
            "When it is renewed, its new fingerprint has to be accepted here.",
        )


def _whole_minutes(span: timedelta) -> int:
    return max(0, int(span.total_seconds() // 60))
