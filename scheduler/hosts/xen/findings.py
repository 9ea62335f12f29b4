"""What may disturb or prevent a sweep on a Xen host, each with its evidence and what to do; pure."""

import re
from collections.abc import Iterator, Mapping

from scheduler.hosts.xen.counting import counting
from scheduler.hosts.xen.grammar import knows
from scheduler.hosts.xen.noise import noise
from scheduler.hosts.xen.picture import DomainSeen, Picture
from scheduler.hosts.xen.placement import placement
from scheduler.hosts.xen.power import idling, power
from scheduler.model.facts import Concern, Finding, Level
from scheduler.model.params import Credit2Params, CreditParams, RtdsParams, SchedParams
from scheduler.model.words import cpu_list

_PRIVILEGED = "setting dom 0 as the privileged domain"
_ASKED_SCHEDULER = re.compile(r"Could not find scheduler: (\S+)")
_DEFAULT_WEIGHT = 256
_TICK_MS = 10
_ON_PURPOSE = "Is that on purpose? It is restored where the study changes it, and else stays in force."
_LEFT = "A sweep or following that holds this host set it, and the next sweep restores the originals first."


def findings(
    picture: Picture, now: Mapping[str, SchedParams | None], settings: dict[str, int], *, left: bool = False
) -> list[Finding]:
    """Return everything that was seen, errors first.

    Args:
        picture: The host as found.
        now: Name of each domain to its live parameters.
        settings: The pool's settings, `tslice_ms` and `ratelimit_us`.
        left: Whether the values are those of a sweep that has not restored the host.
    """
    seen = [
        *counting(picture),
        *_scheduler(picture),
        *placement(picture),
        *_privileged(picture),
        *_siblings(picture),
        *_parameters(now, left=left),
        *_slices(picture, settings),
        *_pools(picture),
        *noise(picture),
        *_machine(picture),
    ]
    order = [Level.ERROR, Level.WARNING, Level.INFO]
    return sorted(seen, key=lambda finding: order.index(finding.level))


def _scheduler(picture: Picture) -> Iterator[Finding]:
    io, guest = picture.io, picture.guest
    strangers = [seen for seen in picture.guests if seen.scheduler != io.scheduler]
    for seen in strangers:
        yield Finding(
            Level.ERROR,
            f"{io.row.name} runs under {io.scheduler or 'an unknown scheduler'} (pool {io.pool}), "
            f"{seen.row.name} under {seen.scheduler or 'an unknown one'} (pool {seen.pool})",
            f"Move {seen.row.name} into the same CPU pool: xl cpupool-migrate {seen.row.domid} {io.pool}. "
            f"Undo it: xl cpupool-migrate {seen.row.domid} {seen.pool}.",
            concern=Concern.SPLIT,
        )
    if not strangers:
        yield _divided_by(guest)
    asked = _ASKED_SCHEDULER.search(picture.survey.log)
    if asked:
        yield Finding(
            Level.WARNING,
            f"Xen was booted with sched={asked[1]}, which this build does not have; it runs {guest.scheduler} instead",
            "Take the option out, or install a hypervisor that was built with it.",
        )


def _divided_by(guest: DomainSeen) -> Finding:
    if knows(guest.scheduler):
        return Finding(Level.INFO, f"the scheduler of CPU pool {guest.pool or 'of the host'} is {guest.scheduler}")
    return Finding(
        Level.ERROR,
        f"the scheduler is '{guest.scheduler}', which has no parameters to divide the CPU with",
        "Boot Xen with sched=credit2 (or credit).",
        concern=Concern.SPLIT,
    )


def _privileged(picture: Picture) -> Iterator[Finding]:
    if _PRIVILEGED in picture.survey.log:
        yield Finding(
            Level.WARNING,
            "this hypervisor sets the weight of Domain-0 by itself (XenServer and XCP-ng do), whatever is written",
            "Pin the domains to one CPU and use caps (mode = 'partition').",
            concern=Concern.WEIGHTS,
        )


def _siblings(picture: Picture) -> Iterator[Finding]:
    threads = picture.survey.info.get("threads_per_core", "1")
    place = picture.survey.topology
    for cpu in picture.shared[:1]:
        twins = [other for other in place if other != cpu and place.get(cpu) == place[other]]
        if threads not in {"", "1"} and twins:
            used = set(twins) & {cpu for seen in picture.domains for cpu in seen.cpus}
            yield Finding(
                Level.WARNING,
                f"CPU {cpu} and CPU {cpu_list(twins)} are threads of one core"
                + (", and the domains may run on both" if used else ""),
                "Load on the other thread changes the speed of this one: keep it idle, or boot with smt=0.",
            )
    if re.search(r"sched-gran=(core|socket)", picture.survey.info.get("xen_commandline", "")):
        yield Finding(
            Level.WARNING,
            "Xen schedules whole cores or sockets (sched-gran): caps and pins count for groups of CPUs",
            "Boot without sched-gran for a sweep.",
        )


def _parameters(now: Mapping[str, SchedParams | None], *, left: bool) -> Iterator[Finding]:
    for name, params in now.items():
        weighted = isinstance(params, CreditParams | Credit2Params)
        if weighted and (params.weight != _DEFAULT_WEIGHT or params.cap_pct):
            yield Finding(
                Level.WARNING,
                f"{name} has {params.words}, not Xen's defaults",
                _LEFT if left else _ON_PURPOSE,
            )
        if isinstance(params, RtdsParams) and any(vcpu.extratime for vcpu in params.vcpus):
            text = f"{name} has {params.words}; extra time is off during a sweep of quotas"
            yield Finding(Level.INFO, text, concern=Concern.SPLIT)


def _slices(picture: Picture, settings: dict[str, int]) -> Iterator[Finding]:
    tslice = settings.get("tslice_ms", 0)
    if picture.guest.scheduler == "credit" and tslice % _TICK_MS:
        yield Finding(
            Level.WARNING,
            f"credit's time slice is {tslice} ms: caps are then rounded up to steps of {1000 / tslice:.0f} %",
            "For caps set a multiple of 10 ms: xl sched-credit -s -t 30",
            concern=Concern.CAPS,
        )


def _pools(picture: Picture) -> Iterator[Finding]:
    survey = picture.survey
    if len(survey.pools) > 1:
        names = ", ".join(f"{pool.name} ({pool.scheduler})" for pool in survey.pools)
        yield Finding(Level.WARNING, f"the host has {len(survey.pools)} CPU pools: {names}")
    if survey.info.get("free_cpus", "0") not in {"", "0"}:
        yield Finding(Level.WARNING, f"{survey.info['free_cpus']} CPUs belong to no pool")


def _machine(picture: Picture) -> Iterator[Finding]:
    yield from power(picture.survey.governor)
    yield from idling(picture.survey.idle)
    balloon = re.search(r"^[ \t]*+autoballoon[ \t]*+=[ \t]*+\"?(\w{1,20})", picture.survey.config, re.MULTILINE)
    fixed = "dom0_mem=" in picture.survey.info.get("xen_commandline", "")
    if (balloon and balloon[1] in {"on", "1"}) or (not fixed and not (balloon and balloon[1] in {"off", "0"})):
        yield Finding(
            Level.INFO,
            "Domain-0's memory may shrink when other guests start (autoballoon)",
            'Boot with dom0_mem=SIZE,max:SIZE, or set autoballoon="off" in /etc/xen/xl.conf.',
        )
