"""What preflight sees on this computer, each with its numbers and what to do."""

from collections.abc import Iterator

from scheduler.hosts.local import busy, cpus
from scheduler.hosts.local.place import Place
from scheduler.model.facts import Concern, Finding, Level
from scheduler.model.number_texts import percent
from scheduler.model.words import cpu_list

_LOOK_S = 0.2
_BUSY_FRAC = 0.10  # what others take of the contended CPU is missing in every point of the sweep
_STEADY = ("performance", "")


def findings(place: Place) -> Iterator[Finding]:
    """Yield what may disturb a sweep, worst first."""
    cpu = place.contended_cpu
    if cpu in place.client_cpus:
        yield Finding(
            Level.WARNING,
            "this computer lets us use one CPU only: the load takes CPU time from both domains",
            "Read the differences, not the figures themselves; better, give the machine two CPUs.",
        )
    yield from _busy(cpu)
    shared = sorted(set(cpus.siblings(cpu)) & set(place.client_cpus))
    if shared and cpu not in place.client_cpus:
        yield Finding(
            Level.WARNING,
            f"CPU {cpu} of the domains and CPU {shared[0]} of the load are two threads of one core",
            "They slow each other down; switch simultaneous multithreading off, or give the load other CPUs.",
        )
    governor = cpus.governor(cpu)
    if governor not in _STEADY:
        yield Finding(
            Level.INFO,
            f"the frequency governor of CPU {cpu} is '{governor}': its speed changes with the load",
            "For the steadiest figures choose 'performance' (cpupower frequency-set -g performance).",
        )
    yield Finding(
        Level.INFO,
        f"the domains will be confined to CPU {cpu} by {'a CPU set' if place.cpuset else 'CPU affinity'}, "
        f"the load to CPU {cpu_list(place.client_cpus)}; the control groups are made below {place.cpu}",
        concern=Concern.FIXED_VCPUS,
    )


def _busy(cpu: int) -> Iterator[Finding]:
    busy_frac, programs = busy.look(cpu, _LOOK_S)
    if busy_frac > _BUSY_FRAC:
        taken = f"other programs use {percent(busy_frac)} of CPU {cpu}, on which the domains will run"
        yield Finding(Level.WARNING, taken + _most_of_it(programs, busy_frac), _what_to_do(programs))


def _most_of_it(programs: list[busy.Program], busy_frac: float) -> str:
    if not programs:
        return ""
    most = programs[0]
    return f": {most.name} (process {most.pid}) {percent(min(most.taken_frac, busy_frac))}"


def _what_to_do(programs: list[busy.Program]) -> str:
    what = f"Close {programs[0].name}" if programs else "Close what runs there"
    return f"{what}, or wait for its end: the results would be too low by about what others take."
