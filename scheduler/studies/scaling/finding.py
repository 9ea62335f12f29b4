"""From the visits of a scale-up study to what it found."""

from collections.abc import Sequence
from typing import NamedTuple

from scheduler.model.documents import VisitDone
from scheduler.model.facts import HostFacts
from scheduler.model.findings import ScaleUpFinding, Size, Step
from scheduler.model.natives import Native
from scheduler.model.results import Point
from scheduler.model.setting import VcpusSetting
from scheduler.model.spec import RunSpec
from scheduler.model.words import load_title
from scheduler.studies.scaling import words
from scheduler.studies.scaling.curve import blocks_of, natives_of, sizes_of, steps_of

_LIMITS = (
    "Intervals are Student's t over blocks, in each of which every number of vCPUs was measured once; one that "
    "holds 0 is below the noise of so many blocks. Each is of one step: of many, one in twenty misses.",
    "The schedulers' parameters stay as they were found, and so do the database's settings: it may need others to use "
    "more CPUs. Nothing is said of numbers that were not tried.",
)
_OF_NATIVE = (
    "Native is the same server with the same rows, reached without the I/O domain between, on as many CPUs; its "
    "control group limits nothing else. What a hypervisor does to memory and interrupts is not in it."
)


class _Load(NamedTuple):
    """What was found under one load."""

    sizes: tuple[Size, ...]
    steps: tuple[Step, ...]
    natives: tuple[Native, ...]


def finding_of(
    visits: Sequence[VisitDone], points: Sequence[Point], spec: RunSpec, facts: HostFacts | None = None
) -> ScaleUpFinding:
    """Return what the visits found so far; deterministic.

    Args:
        visits: All visits, invalid ones included.
        points: Their points.
        spec: The plan.
        facts: The host as found; it tells how many CPUs the domains have.
    """
    del points
    found = [_of_load(visits, load.kind, facts) for load in spec.loads]
    told = [each for each in found if each.steps]
    several = len(spec.loads) > 1
    said = "; ".join(line for each in told for line in _headline(each, several=several))
    return ScaleUpFinding(
        headline=f"{said[:1].upper()}{said[1:]}." if said else words.NOTHING,
        sizes=tuple(size for each in told for size in each.sizes),
        steps=tuple(step for each in told for step in each.steps),
        natives=tuple(native for each in told for native in each.natives),
        reasons=tuple(line for each in told for line in _reasons(each)),
        advice=tuple(line for each in told for line in words.advice(each.steps, each.sizes)),
        limits=(*_LIMITS, *([_OF_NATIVE] if spec.base else []), *_on_clients(spec, facts)) if told else (),
    )


def _of_load(visits: Sequence[VisitDone], load: str, facts: HostFacts | None) -> _Load:
    blocks = blocks_of(visits, load)
    return _Load(sizes_of(blocks, facts), steps_of(blocks), natives_of(blocks, blocks_of(visits, load, base=True)))


def _headline(found: _Load, *, several: bool) -> list[str]:
    said = words.headline(found.steps, found.sizes, _name(found) if several else "")
    native = words.native_clause(found.natives)
    return [said, native] if native else [said]


def _name(found: _Load) -> str:
    return load_title(found.steps[0].load)


def _reasons(found: _Load) -> list[str]:
    taken = [line for step in found.steps if (line := words.taken_line(step))]
    natives = map(words.native_line, found.natives)
    return [*map(words.step_line, found.steps), *natives, *taken, *map(words.size_line, found.sizes)]


def _on_clients(spec: RunSpec, facts: HostFacts | None) -> list[str]:
    """Return from which number on the guest runs where the users run, too."""
    if facts is None or not facts.vcpus.cpus or not facts.client_cpus:
        return []
    clients = set(facts.client_cpus)
    tried = sorted(setting.vcpus for setting in spec.settings if isinstance(setting, VcpusSetting))
    shared = [number for number in tried if clients <= set(facts.vcpus.cpus[:number])]
    if not shared:
        return []
    where = f"CPU {facts.client_cpus[-1]}"
    return [f"From {words.vcpus(shared[0])} on the guest also runs on {where}, where users run: it gains less there."]
