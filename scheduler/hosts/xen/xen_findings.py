"""Findings that may disturb or prevent a sweep on a Xen host; pure.

Each finding comes with evidence and advice.
"""

import re
from collections.abc import Iterator, Mapping

from scheduler.hosts.xen.background_load import find_background_load
from scheduler.hosts.xen.cpu_placement import find_placement_problems
from scheduler.hosts.xen.domain_view import DomainSnapshot, DomainView
from scheduler.hosts.xen.uncounted_domains import find_uncounted
from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.scheduler_params import Credit2Params, CreditParams, RtdsParams, SchedParams
from scheduler.model.sentence_texts import format_cpu_list, list_names
from scheduler.toolstacks.grammar_lookup import has_parameters
from scheduler.translation import _

_GOVERNOR = re.compile(r"current_governor\s*:\s*(\S+)")
_TURBO = re.compile(r"turbo mode\s*:\s*enabled")
_STATES = re.compile(r"total C-states\s*:\s*([0-9]{1,9})\b")
_DEEPEST = re.compile(r"Max possible C-state:\s*C([01])\b")
_HARDWARE = "hwp"
_SHALLOW = 2  # C0, the working state, and C1, which a CPU leaves within one or two microseconds


def find_speed_changes(told: str) -> Iterator[PreflightFinding]:
    """Yield findings on a variable CPU speed, from `xenpm get-cpufreq-para`.

    Yields nothing where xenpm prints nothing, as in most virtual machines.
    """
    governor = _GOVERNOR.search(told)
    if governor and governor[1] == _HARDWARE:
        yield PreflightFinding(
            Severity.WARNING,
            _("the processor chooses its own speed (hwp): a CPU that is sometimes idle, as under a cap, may slow down"),
            _("Boot Xen with cpufreq=xen:performance in place of cpufreq=hwp."),
        )
    elif governor and governor[1] != "performance":
        yield PreflightFinding(
            Severity.WARNING,
            _("the frequency governor is '{governor}': a CPU that idles at times, as under a cap, is slower").format(
                governor=governor[1]
            ),
            _("Choose the frequency governor 'performance' until the sweep is over."),
        )
    if _TURBO.search(told):
        yield PreflightFinding(
            Severity.WARNING,
            _("turbo mode is on: how fast the CPU is depends on how many others are idle, and on its temperature"),
            _("Switch turbo mode off until the sweep is over."),
        )


def find_deep_sleep(told: str) -> Iterator[PreflightFinding]:
    """Yield a finding on deep CPU sleep, from `xenpm get-cpuidle-states`.

    Yields nothing where xenpm prints nothing.
    """
    states = _STATES.search(told)
    if states and int(states[1]) > _SHALLOW and not _DEEPEST.search(told):
        yield PreflightFinding(
            Severity.WARNING,
            _(
                "an idle CPU may sleep in {states} C-states, the deeper the longer it takes to wake: "
                "settings that leave it idle now and then pay for that, the others do not"
            ).format(states=int(states[1]) - 1),
            _("Limit Xen's C-states to C1 until the sweep is over."),
        )


_PRIVILEGED = "setting dom 0 as the privileged domain"
_ASKED_SCHEDULER = re.compile(r"Could not find scheduler: (\S+)")
_DEFAULT_WEIGHT = 256
_TICK_MS = 10
_ON_PURPOSE = _(
    "Check if this is intended. DomTune restores the value if the study changes it; otherwise it stays in force."
)
_LEFT = _("A sweep or following that holds this host set it, and the next sweep restores the originals first.")


def list_findings(
    picture: DomainView, now: Mapping[str, SchedParams | None], settings: dict[str, int], *, left: bool = False
) -> list[PreflightFinding]:
    """Return all findings on a host, errors first.

    Args:
        picture: The host and the domains of the sweep.
        now: Live parameters by name of the domain.
        settings: Settings of the CPU pool, `tslice_ms` and `ratelimit_us`.
        left: True when a sweep that has not restored the host set the live parameters.
    """
    seen = [
        *find_uncounted(picture),
        *_check_scheduler(picture),
        *find_placement_problems(picture),
        *_check_dom0_weight(picture),
        *_check_siblings(picture),
        *_check_parameters(now, left=left),
        *_check_time_slice(picture, settings),
        *_check_pools(picture),
        *find_background_load(picture),
        *_check_machine(picture),
    ]
    order = [Severity.ERROR, Severity.WARNING, Severity.INFO]
    return sorted(seen, key=lambda finding: order.index(finding.level))


def _check_scheduler(picture: DomainView) -> Iterator[PreflightFinding]:
    io, guest = picture.io, picture.guest
    strangers = [seen for seen in picture.guests if seen.scheduler != io.scheduler]
    for seen in strangers:
        yield PreflightFinding(
            Severity.ERROR,
            _("{row} runs under {scheduler} (pool {pool}), {row_2} under {scheduler_2} (pool {pool_2})").format(
                row=io.row.name,
                scheduler=io.scheduler or _("an unknown scheduler"),
                pool=io.pool,
                row_2=seen.row.name,
                scheduler_2=seen.scheduler or _("an unknown one"),
                pool_2=seen.pool,
            ),
            _("Choose a guest in {pool}: DomTune changes no CPU pool.").format(pool=io.pool),
            concern=StudyConcern.SPLIT,
        )
    if not strangers:
        yield _check_scheduler_kind(guest)
    asked = _ASKED_SCHEDULER.search(picture.survey.log)
    if asked:
        yield PreflightFinding(
            Severity.WARNING,
            _("Xen was booted with sched={asked}, which this build does not have; it runs {scheduler} instead").format(
                asked=asked[1], scheduler=guest.scheduler
            ),
            _("Take the option out, or install a hypervisor that was built with it."),
        )


def _check_scheduler_kind(guest: DomainSnapshot) -> PreflightFinding:
    if has_parameters(guest.scheduler):
        return PreflightFinding(
            Severity.INFO,
            _("the scheduler of CPU pool {pool} is {scheduler}").format(
                pool=guest.pool or _("of the host"), scheduler=guest.scheduler
            ),
        )
    return PreflightFinding(
        Severity.ERROR,
        _("the scheduler is '{scheduler}', which has no parameters to divide the CPU with").format(
            scheduler=guest.scheduler
        ),
        _("Boot Xen with sched=credit2 (or credit)."),
        concern=StudyConcern.SPLIT,
    )


def _check_dom0_weight(picture: DomainView) -> Iterator[PreflightFinding]:
    if _PRIVILEGED in picture.survey.log:
        yield PreflightFinding(
            Severity.WARNING,
            _(
                "this hypervisor sets the weight of Domain-0 itself (XenServer and XCP-ng do) and overwrites "
                "other values"
            ),
            _("Use mode = 'caps' or 'dedicated'."),
            concern=StudyConcern.WEIGHTS,
        )


def _check_siblings(picture: DomainView) -> Iterator[PreflightFinding]:
    threads = picture.survey.info.get("threads_per_core", "1")
    place = picture.survey.topology
    # On several CPUs, the plan shares whole cores (`model/shared_set.py`).
    for cpu in picture.shared if len(picture.shared) == 1 else ():
        cores = {each.number: each.core for each in place}
        twins = [other for other, core in cores.items() if other != cpu and core == cores.get(cpu)]
        if threads not in {"", "1"} and twins:
            used = set(twins) & {cpu for seen in picture.domains for cpu in seen.cpus}
            yield PreflightFinding(
                Severity.WARNING,
                _("CPU {cpu} and CPU {twins} are threads of one core").format(cpu=cpu, twins=format_cpu_list(twins))
                + (_(", and the domains may run on both") if used else ""),
                _("Load on the other thread changes the speed of this one: keep it idle, or boot with smt=0."),
            )


def _check_parameters(now: Mapping[str, SchedParams | None], *, left: bool) -> Iterator[PreflightFinding]:
    for name, params in now.items():
        weighted = isinstance(params, CreditParams | Credit2Params)
        if weighted and (params.weight != _DEFAULT_WEIGHT or params.cap_pct):
            yield PreflightFinding(
                Severity.WARNING,
                _("{name} has {words}, not Xen's defaults").format(name=name, words=params.words),
                _LEFT if left else _ON_PURPOSE,
            )
        if isinstance(params, RtdsParams) and any(vcpu.extratime for vcpu in params.vcpus):
            text = _("{name} has {words}; extra time is off during a sweep of quotas").format(
                name=name, words=params.words
            )
            yield PreflightFinding(Severity.INFO, text, concern=StudyConcern.SPLIT)


def _check_time_slice(picture: DomainView, settings: dict[str, int]) -> Iterator[PreflightFinding]:
    tslice = settings.get("tslice_ms", 0)
    if picture.guest.scheduler == "credit" and tslice % _TICK_MS:
        yield PreflightFinding(
            Severity.WARNING,
            _("credit's time slice is {tslice} ms: caps are then rounded up to steps of {tslice_2:.0f} %").format(
                tslice=tslice, tslice_2=1000 / tslice
            ),
            _("For caps choose a time slice of a multiple of 10 ms, for example 30 ms."),
            concern=StudyConcern.CAPS,
        )


def _check_pools(picture: DomainView) -> Iterator[PreflightFinding]:
    survey = picture.survey
    if len(survey.pools) > 1:
        names = list_names((f"{pool.name} ({pool.scheduler})" for pool in survey.pools), 3)
        yield PreflightFinding(
            Severity.WARNING, _("the host has {count} CPU pools: {names}").format(count=len(survey.pools), names=names)
        )
    if survey.info.get("free_cpus", "0") not in {"", "0"}:
        yield PreflightFinding(
            Severity.WARNING, _("{free_cpus} CPUs belong to no pool").format(free_cpus=survey.info["free_cpus"])
        )


def _check_machine(picture: DomainView) -> Iterator[PreflightFinding]:
    yield from find_speed_changes(picture.survey.governor)
    yield from find_deep_sleep(picture.survey.idle)
    balloon = re.search(r"^[ \t]*+autoballoon[ \t]*+=[ \t]*+\"?(\w{1,20})", picture.survey.config, re.MULTILINE)
    fixed = "dom0_mem=" in picture.survey.info.get("xen_commandline", "")
    if (balloon and balloon[1] in {"on", "1"}) or (not fixed and not (balloon and balloon[1] in {"off", "0"})):
        yield PreflightFinding(
            Severity.INFO,
            _("Domain-0's memory may shrink when other guests start (autoballoon)"),
            _('Boot with dom0_mem=SIZE,max:SIZE, or set autoballoon="off" in /etc/xen/xl.conf.'),
        )
