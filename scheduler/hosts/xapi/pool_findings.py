"""What XAPI tells of a pool and of the host: switches that move, fence or shut things behind a sweep's back; pure."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from scheduler.hosts.xapi.records import HostRecord, moment
from scheduler.hosts.xapi.seen import PoolSeen
from scheduler.model.facts import Concern, Finding, Level

_SSH_LEAST = timedelta(hours=2)  # a sweep of the paper's nine splits takes about that long
_CERTIFICATE_SOON = timedelta(days=30)


def pool_findings(seen: PoolSeen) -> Iterator[Finding]:
    """Yield what is true of the pool and the host, whatever runs there."""
    yield from _pool(seen)
    yield from _host(seen)
    yield from _ssh(seen.host, seen.now)
    yield from _certificate(seen)


def _pool(seen: PoolSeen) -> Iterator[Finding]:
    if seen.world.pool.ha_enabled:
        yield Finding(
            Level.ERROR,
            "high availability is on: a Dom0 that gets little CPU time may be taken for dead, and the host fenced",
            "Switch it off for the sweep: xe pool-ha-disable",
            concern=Concern.SPLIT,
        )
    if seen.world.pool.wlb_enabled:
        yield Finding(
            Level.WARNING,
            "workload balancing is on: it may move the guest in the middle of the sweep, which ends it",
            f"Switch it off for the sweep: xe pool-param-set uuid={seen.world.pool.uuid} wlb-enabled=false",
        )


def _host(seen: PoolSeen) -> Iterator[Finding]:
    host = seen.host
    if not host.enabled:
        yield Finding(
            Level.WARNING,
            f"{host.name_label} is in maintenance mode: its guests may be moved away at any moment",
            f"xe host-enable uuid={host.uuid}",
        )
    mask = host.guest_vcpus_params.get("mask", "")
    if mask:
        yield Finding(
            Level.ERROR,
            f"all guests are kept on CPU {mask}, apart from Dom0 (guest_VCPUs_params:mask): the two never compete",
            "Undo the exclusive pinning: /opt/xensource/bin/host-cpu-tune reset, then reboot the host.",
            concern=Concern.COMPETITION,
        )
    told = host.software_version.get("xen", "")
    if told and seen.xen and told.split("-")[0].split(".")[:2] != seen.xen.split("-")[0].split(".")[:2]:
        yield Finding(
            Level.ERROR,
            f"XAPI says that {host.name_label} runs Xen {told}, but 'xl' over ssh says {seen.xen}",
            "Does ssh lead to another host, or was Xen updated without a reboot?",
        )


def _ssh(host: HostRecord, now: datetime) -> Iterator[Finding]:
    if not host.ssh_enabled:
        yield Finding(
            Level.WARNING,
            f"XAPI says that sshd is off on {host.name_label}; live parameters are set through ssh",
            f"xe host-enable-ssh uuid={host.uuid}",
        )
        return
    ends = moment(host.ssh_expiry) if host.ssh_enabled_timeout else None
    if ends is not None:
        left = ends - now
        yield Finding(
            Level.ERROR if left < _SSH_LEAST else Level.WARNING,
            f"{host.name_label} will end its sshd at {ends:%Y-%m-%d %H:%M} UTC, in {_minutes(left)} minutes; "
            "a sweep that still runs then is cut off, and the guard on the host puts the originals back",
            f"xe host-param-set uuid={host.uuid} ssh-enabled-timeout=0",
        )
    if host.ssh_auto_mode:
        yield Finding(
            Level.WARNING,
            f"{host.name_label} runs its sshd only while XAPI does not (ssh_auto_mode)",
            f"xe host-param-set uuid={host.uuid} ssh-auto-mode=false",
        )


def _certificate(seen: PoolSeen) -> Iterator[Finding]:
    ends = moment(seen.certificate.not_after) if seen.certificate else None
    if ends is not None and ends - seen.now < _CERTIFICATE_SOON:
        word = "ran out" if ends < seen.now else "runs out"
        yield Finding(
            Level.WARNING,
            f"the certificate of {seen.host.name_label} {word} on {ends:%Y-%m-%d}; DomTune goes by its fingerprint, "
            "others may refuse it",
            "When it is renewed, its new fingerprint has to be accepted here.",
        )


def _minutes(span: timedelta) -> int:
    return max(0, int(span.total_seconds() // 60))
