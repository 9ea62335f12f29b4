"""Finding of a scale-up study from its trials."""

from collections.abc import Sequence
from typing import NamedTuple

from scheduler.model.documents import TrialDone
from scheduler.model.host_properties import HostProperties
from scheduler.model.reference_comparison import ReferenceRatio
from scheduler.model.results import MeasuredPoint
from scheduler.model.sentence_texts import load_title
from scheduler.model.setting import VcpusSetting
from scheduler.model.spec import RunSpec
from scheduler.stats.study_answer import FindingAnswers
from scheduler.studies.scaling import scaling_texts
from scheduler.studies.scaling.declaration import ScaleUpFinding, VcpuStep, VcpuThroughput
from scheduler.studies.scaling.scaling_curve import blocks_by_vcpus, compare_references, measure_sizes, measure_steps
from scheduler.translation import _

_LIMITS = (
    _(
        "Intervals are Student's t over blocks, in each of which every number of vCPUs was measured once; one that "
        "holds 0 is below the noise of so many blocks. Each is of one step: of many, one in twenty misses."
    ),
    _(
        "The scheduler and the database keep their original settings. The database may need other settings to use more "
        "CPUs. Untested numbers of vCPUs are not judged."
    ),
)
_REFERENCE_SENTENCE = _(
    "The reference is the same server with the same rows on as many CPUs, reached without the I/O domain. Its control "
    "group limits nothing else. It does not include the costs of memory and interrupts under a hypervisor."
)


class _LoadScaling(NamedTuple):
    """Finding under one load."""

    sizes: tuple[VcpuThroughput, ...]
    steps: tuple[VcpuStep, ...]
    references: tuple[ReferenceRatio, ...]


def finding_of(
    trials: Sequence[TrialDone], points: Sequence[MeasuredPoint], spec: RunSpec, facts: HostProperties | None = None
) -> ScaleUpFinding:
    """Return the finding so far; deterministic.

    Args:
        trials: All trials, invalid ones included.
        points: Ignored.
        spec: The plan.
        facts: Host properties at the start, with the CPUs of the domains; None where they are not known.
    """
    del points
    found = [_measure_load(trials, load.kind, facts) for load in spec.loads]
    with_steps = [each for each in found if each.steps]
    several = len(spec.loads) > 1
    said = "; ".join(line for each in with_steps for line in _headline_clauses(each, several=several))
    return ScaleUpFinding(
        headline=f"{said[:1].upper()}{said[1:]}." if said else scaling_texts.NO_STEP_TEXT,
        sizes=tuple(size for each in with_steps for size in each.sizes),
        steps=tuple(step for each in with_steps for step in each.steps),
        references=tuple(reference for each in with_steps for reference in each.references),
        reasons=tuple(line for each in with_steps for line in _reason_sentences(each)),
        advice=tuple(line for each in with_steps for line in scaling_texts.scaling_advice(each.steps, each.sizes)),
        limits=(*_LIMITS, *([_REFERENCE_SENTENCE] if spec.has_reference else []), *_client_cpu_sentences(spec, facts))
        if with_steps
        else (),
    )


def _measure_load(trials: Sequence[TrialDone], load: str, facts: HostProperties | None) -> _LoadScaling:
    blocks = blocks_by_vcpus(trials, load)
    return _LoadScaling(
        measure_sizes(blocks, facts),
        measure_steps(blocks),
        compare_references(blocks, blocks_by_vcpus(trials, load, base=True)),
    )


def _headline_clauses(found: _LoadScaling, *, several: bool) -> list[str]:
    said = scaling_texts.scaling_headline(found.steps, found.sizes, _load_name(found) if several else "")
    reference = scaling_texts.reference_clause(found.references)
    return [said, reference] if reference else [said]


def _load_name(found: _LoadScaling) -> str:
    return load_title(found.steps[0].load)


def _reason_sentences(found: _LoadScaling) -> list[str]:
    taken = [line for step in found.steps if (line := scaling_texts.io_change_sentence(step))]
    references = map(scaling_texts.reference_sentence, found.references)
    return [
        *map(scaling_texts.step_sentence, found.steps),
        *references,
        *taken,
        *map(scaling_texts.size_sentence, found.sizes),
    ]


def _client_cpu_sentences(spec: RunSpec, facts: HostProperties | None) -> list[str]:
    """Return a sentence on the number of vCPUs from which guest and users share a CPU."""
    if facts is None or not facts.vcpus.cpus or not facts.client_cpus:
        return []
    clients = set(facts.client_cpus)
    tried = sorted(setting.vcpus for setting in spec.settings if isinstance(setting, VcpusSetting))
    shared = [number for number in tried if clients <= set(facts.vcpus.cpus[:number])]
    if not shared:
        return []
    where = f"CPU {facts.client_cpus[-1]}"
    return [
        _("From {vcpus} on the guest also runs on {where}, where users run: it gains less there.").format(
            vcpus=scaling_texts.vcpus_text(shared[0]), where=where
        )
    ]


ANSWERS = FindingAnswers(finding_of)
