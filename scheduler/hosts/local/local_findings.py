"""What preflight sees on this computer, each with its numbers and what to do."""

from collections.abc import Iterator

from scheduler.hosts.local import cpu_load, local_cpus
from scheduler.hosts.local.cgroup_paths import CgroupPaths
from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.number_texts import format_percent
from scheduler.model.sentence_texts import format_cpu_list

_LOOK_S = 0.2
_BUSY_FRAC = 0.10  # what others take of the contended CPU is missing in every point of the sweep
_STEADY = ("performance", "")


def list_findings(place: CgroupPaths) -> Iterator[PreflightFinding]:
    """Yield what may disturb a sweep, worst first."""
    cpu = place.contended_cpu
    if cpu in place.client_cpus:
        yield PreflightFinding(
            Severity.WARNING,
            "this computer lets us use one CPU only: the load takes CPU time from both domains",
            "Read the differences, not the figures themselves; better, give the machine two CPUs.",
        )
    yield from _check_busy_cpu(cpu)
    shared = sorted(set(local_cpus.sibling_threads(cpu)) & set(place.client_cpus))
    if shared and cpu not in place.client_cpus:
        yield PreflightFinding(
            Severity.WARNING,
            f"CPU {cpu} of the domains and CPU {shared[0]} of the load are two threads of one core",
            "They slow each other down; switch simultaneous multithreading off, or give the load other CPUs.",
        )
    governor = local_cpus.read_governor(cpu)
    if governor not in _STEADY:
        yield PreflightFinding(
            Severity.INFO,
            f"the frequency governor of CPU {cpu} is '{governor}': its speed changes with the load",
            "For the steadiest figures choose 'performance' (cpupower frequency-set -g performance).",
        )
    yield PreflightFinding(
        Severity.INFO,
        f"the domains will be confined to CPU {cpu} by {'a CPU set' if place.cpuset else 'CPU affinity'}, "
        f"the load to CPU {format_cpu_list(place.client_cpus)}; the control groups are made below {place.cpu}",
        concern=StudyConcern.FIXED_VCPUS,
    )


def _check_busy_cpu(cpu: int) -> Iterator[PreflightFinding]:
    busy_frac, programs = cpu_load.measure_load(cpu, _LOOK_S)
    if busy_frac > _BUSY_FRAC:
        taken = f"other programs use {format_percent(busy_frac)} of CPU {cpu}, on which the domains will run"
        yield PreflightFinding(
            Severity.WARNING, taken + _describe_busiest(programs, busy_frac), _suggest_remedy(programs)
        )


def _describe_busiest(programs: list[cpu_load.ProgramLoad], busy_frac: float) -> str:
    if not programs:
        return ""
    most = programs[0]
    return f": {most.name} (process {most.pid}) {format_percent(min(most.taken_frac, busy_frac))}"


def _suggest_remedy(programs: list[cpu_load.ProgramLoad]) -> str:
    what = f"Close {programs[0].name}" if programs else "Close what runs there"
    return f"{what}, or wait for its end: the results would be too low by about what others take."
