"""From the visits of a scale-up study to what it found."""

from collections.abc import Sequence
from typing import NamedTuple

from scheduler.model.documents import VisitDone
from scheduler.model.facts import HostFacts
from scheduler.model.findings import ScaleUpFinding, Size, Step
from scheduler.model.results import Point
from scheduler.model.setting import VcpusSetting
from scheduler.model.spec import RunSpec
from scheduler.model.words import load_title
from scheduler.studies.scaling import words
from scheduler.studies.scaling.curve import blocks_of, sizes_of, steps_of

_LIMITS = (
    "Intervals are Student's t over blocks, in each of which every number of vCPUs was visited once; one that "
    "holds 0 is below the noise of so many blocks. Each is of one step: of many, one in twenty misses.",
    "The schedulers' parameters stay as they were found, and so do the database's settings: it may need others to use "
    "more CPUs. Nothing is said of numbers that were not tried.",
)


class _Load(NamedTuple):
    """What was found under one load."""

    sizes: tuple[Size, ...]
    steps: tuple[Step, ...]


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
    blocks = [blocks_of(visits, load.kind) for load in spec.loads]
    found = [_Load(sizes_of(each, facts), steps_of(each)) for each in blocks]
    told = [each for each in found if each.steps]
    several = len(spec.loads) > 1
    said = "; ".join(words.headline(each.steps, each.sizes, _name(each) if several else "") for each in told)
    return ScaleUpFinding(
        headline=f"{said[:1].upper()}{said[1:]}." if said else words.NOTHING,
        sizes=tuple(size for each in told for size in each.sizes),
        steps=tuple(step for each in told for step in each.steps),
        reasons=tuple(line for each in told for line in _reasons(each)),
        advice=tuple(line for each in told for line in words.advice(each.steps, each.sizes)),
        limits=(*_LIMITS, *_on_clients(spec, facts)) if told else (),
    )


def _name(found: _Load) -> str:
    return load_title(found.steps[0].load)


def _reasons(found: _Load) -> list[str]:
    taken = [line for step in found.steps if (line := words.taken_line(step))]
    return [*map(words.step_line, found.steps), *taken, *map(words.size_line, found.sizes)]


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
