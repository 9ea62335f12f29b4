"""What a Xen host is, for people and for the record."""

import hashlib
import re
from collections.abc import Iterator, Mapping

from scheduler.hosts.remote.guard_state import GuardState
from scheduler.hosts.xen.choosing import choice_keys, seconds
from scheduler.hosts.xen.findings import findings
from scheduler.hosts.xen.picture import DomainSeen, Picture
from scheduler.hosts.xen.pools import PoolRow
from scheduler.hosts.xen.vcpus import vcpu_range
from scheduler.hosts.xen.ways import way_to
from scheduler.model.facts import DomainFacts, Finding, HostFacts, Level, Truth
from scheduler.model.guests import THREE, SecondGuest
from scheduler.model.params import SchedParams
from scheduler.model.split import DomainId
from scheduler.model.words import cpu_list, listing

_SETTING = re.compile(r"(tslice|ratelimit)=([0-9]{1,9})(ms|us)")


def describe(
    url: str,
    picture: Picture,
    now: Mapping[str, SchedParams | None],
    pool_text: str,
    guard: GuardState,
    libvirt: str = "",
) -> HostFacts:
    """Return the facts.

    Args:
        url: The host's URL.
        picture: The host as found.
        now: Name of each domain to its live parameters.
        pool_text: What the scheduler's command says of its pools.
        guard: What stands on the host of this or another sweep.
        libvirt: Version of the libvirt that sets what is measured; empty where xl does.
    """
    info, io, guest = picture.survey.info, picture.io, picture.guest
    names = listing(seen.row.name for seen in picture.domains)
    settings = settings_of(pool_text, guest.pool)
    shared = picture.shared or io.cpus or (0,)
    version = info.get("xen_version", "") or ".".join(map(str, picture.survey.access.version))
    name = info.get("host", url)
    return HostFacts(
        host_id=_host_id(picture),
        url=url,
        title=f"{name}: {names} {_common(picture)} (Xen {version}, {guest.scheduler})",
        scheduler=picture.scheduler,
        pcpus=picture.pcpus,
        contended_cpus=shared,
        client_cpus=(),
        domains=tuple(_domain(role, seen) for role, seen in zip(THREE, picture.domains, strict=False)),
        versions={
            "xen": version,
            "Dom0 kernel": info.get("release", "unknown"),
            "toolstack": picture.survey.access.name,
            **({"libvirt": libvirt} if libvirt else {}),
        },
        findings=(*_ours(url, guard, libvirt), *findings(picture, now, settings, left=guard.changed)),
        scheduler_settings=settings,
        truths=tuple(truths(picture)),
        commanded_inside=True,
        vcpus=vcpu_range(picture),
        second_guest=_second_guest(picture),
    )


def _common(picture: Picture) -> str:
    return f"share CPU {cpu_list(picture.shared)}" if picture.shared else "have no CPU in common"


def _second_guest(picture: Picture) -> SecondGuest:
    """Return which other guests there are: DomTune makes none."""
    rows = picture.survey.domains
    names = tuple(choice_keys(seconds(rows, (picture.io.row, picture.guest.row)), rows))
    if names:
        return SecondGuest(possible=True, why="", hint="", runs=True, names=names)
    why = f"no guest runs there beside {picture.guest.row.name}, and DomTune makes none"
    return SecondGuest(possible=False, why=why, hint="Start another guest, with a database of its own, then try again.")


def truths(picture: Picture) -> Iterator[Truth]:
    """Yield what really holds, whatever was configured: the scheduler of each CPU pool, theirs first."""
    tool = picture.survey.access.name
    ours = {seen.pool for seen in picture.domains}
    for pool in sorted(picture.survey.pools, key=lambda pool: (pool.name not in ours, pool.name)):
        yield Truth(f"Scheduler of {pool.name}", _pool(picture, pool), f"{tool} cpupool-list; {tool} cpupool-list -c")
    if not picture.survey.pools and picture.guest.scheduler:
        yield Truth("Scheduler of the host", picture.guest.scheduler, f"{tool} info")


def _pool(picture: Picture, pool: PoolRow) -> str:
    cpus = picture.survey.pool_cpus.get(pool.name)
    where = f", on CPU {cpu_list(cpus)}" if cpus else f", on {pool.cpus} CPUs"
    inside = [seen.row.name for seen in picture.domains if seen.pool == pool.name]
    verb = "runs" if len(inside) == 1 else "run"
    here = f"; {listing(inside)} {verb} here" if inside else ""
    return f"{pool.scheduler}{where}{here}"


def settings_of(text: str, pool: str) -> dict[str, int]:
    """Read a pool's line: `Cpupool Pool-0: tslice=30ms ratelimit=1000us`."""
    for line in text.splitlines():
        if line.startswith(f"Cpupool {pool}:"):
            return {f"{name}_{unit}": int(number) for name, number, unit in _SETTING.findall(line)}
    return {}


def _host_id(picture: Picture) -> str:
    """Return an identity that outlives reboots; the machine's own is hashed, as machine-id(5) asks for."""
    text = picture.survey.machine_id or picture.survey.info.get("host", "")
    return f"xen-{hashlib.blake2b(text.encode(), key=b'domtune', digest_size=8).hexdigest()}"


def _domain(role: DomainId, seen: DomainSeen) -> DomainFacts:
    return DomainFacts(
        id=role,
        name=seen.row.name,
        vcpus=max(1, seen.online),
        vcpus_all=seen.all,
        cpus=seen.cpus,
        uuid=seen.row.uuid,
    )


def _ours(url: str, guard: GuardState, libvirt: str) -> list[Finding]:
    seen: list[Finding] = []
    if guard.changed:
        seen.append(Finding(Level.WARNING, guard.text, "If that is dead, 'domtune restore' puts the host back."))
    elif guard.state == "restored":
        seen.append(Finding(Level.INFO, guard.text, "'domtune restore' checks it, and clears the record here."))
    if way_to(url).here:
        seen.append(
            Finding(
                Level.WARNING,
                "the load's users would run in Domain-0 itself and take CPU time from what is measured",
                "Run DomTune on another computer: xl+ssh://root@HOST",
            )
        )
    if libvirt:
        text = f"libvirt {libvirt} sets the splits; xl reads them back and puts the originals back, libvirtd or not"
        seen.append(Finding(Level.INFO, text))
    return seen
