"""Findings from XAPI on automatic moves and shutdowns of a pool and host; pure."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from scheduler.hosts.xapi.preflight_data import PreflightData
from scheduler.hosts.xapi.xapi_records import HostRecord, parse_moment
from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.translation import _

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
            _("high availability is on: a Dom0 that gets little CPU time may be taken for dead, and the host fenced"),
            _("Switch high availability off until the sweep is over."),
            concern=StudyConcern.SPLIT,
        )
    if seen.world.pool.wlb_enabled:
        yield PreflightFinding(
            Severity.WARNING,
            _("workload balancing is on: it may move the guest in the middle of the sweep, which ends it"),
            _("Switch workload balancing off until the sweep is over."),
        )


def _check_host(seen: PreflightData) -> Iterator[PreflightFinding]:
    host = seen.host
    if not host.enabled:
        yield PreflightFinding(
            Severity.WARNING,
            _("{label} is in maintenance mode: its guests may be moved away at any moment").format(
                label=host.name_label
            ),
            _("End its maintenance mode before the sweep."),
        )
    mask = host.guest_vcpus_params.get("mask", "")
    if mask:
        yield PreflightFinding(
            Severity.INFO,
            _(
                "XAPI keeps all guests on CPU {mask}, apart from Dom0 (guest_VCPUs_params:mask). The "
                "two do not compete with the original settings"
            ).format(mask=mask),
            _("A sweep does not change this mask. If the guest starts during a sweep, the sweep ends."),
            concern=StudyConcern.COMPETITION,
        )
    reported = host.software_version.get("xen", "")
    if reported and seen.xen and reported.split("-")[0].split(".")[:2] != seen.xen.split("-")[0].split(".")[:2]:
        yield PreflightFinding(
            Severity.ERROR,
            _("XAPI reports Xen {reported} on {label}, but 'xl' over ssh reports {xen}").format(
                reported=reported, label=host.name_label, xen=seen.xen
            ),
            _("Check that ssh reaches that host, and reboot after an update of Xen."),
        )


def _check_ssh(host: HostRecord, now: datetime) -> Iterator[PreflightFinding]:
    if not host.ssh_enabled:
        yield PreflightFinding(
            Severity.WARNING,
            _("sshd is off on {label} (reported by XAPI), but DomTune sets live parameters through ssh").format(
                label=host.name_label
            ),
            _("Switch sshd on in the settings of the host, then look at the host again."),
        )
        return
    ends = parse_moment(host.ssh_expiry) if host.ssh_enabled_timeout else None
    if ends is not None:
        left = ends - now
        yield PreflightFinding(
            Severity.ERROR if left < _SSH_LEAST else Severity.WARNING,
            _(
                "{label} will end its sshd at {ends:%Y-%m-%d %H:%M} UTC, in {whole_minutes} minutes; "
                "a sweep that still runs then is cut off, and the guard on the host restores the "
                "originals"
            ).format(label=host.name_label, ends=ends, whole_minutes=_whole_minutes(left)),
            _("Set the time limit of sshd (ssh-enabled-timeout) to 0, or to more than the sweep takes."),
        )
    if host.ssh_auto_mode:
        yield PreflightFinding(
            Severity.WARNING,
            _("{label} runs its sshd only while XAPI does not (ssh_auto_mode)").format(label=host.name_label),
            _("Switch ssh_auto_mode off until the sweep is over."),
        )


def _check_certificate(seen: PreflightData) -> Iterator[PreflightFinding]:
    ends = parse_moment(seen.certificate.not_after) if seen.certificate else None
    if ends is not None and ends - seen.now < _CERTIFICATE_SOON:
        word = _("ran out") if ends < seen.now else _("runs out")
        yield PreflightFinding(
            Severity.WARNING,
            _(
                "the certificate of {label} {word} on {ends:%Y-%m-%d}; DomTune goes by its "
                "fingerprint, others may refuse it"
            ).format(label=seen.host.name_label, word=word, ends=ends),
            _("When it is renewed, its new fingerprint has to be accepted here."),
        )


def _whole_minutes(span: timedelta) -> int:
    return max(0, int(span.total_seconds() // 60))
