"""Finding of an overhead study from its trials."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scheduler.errors import SpecError
from scheduler.model.documents import TrialDone
from scheduler.model.host_properties import HostProperties
from scheduler.model.results import MeasuredPoint
from scheduler.model.sentence_texts import load_title
from scheduler.model.setting import has_direct_route
from scheduler.model.spec import RunSpec
from scheduler.stats.study_answer import FindingAnswers
from scheduler.studies.overhead import overhead_texts
from scheduler.studies.overhead.declaration import OverheadFinding, SlowdownCause, SlowdownEstimate
from scheduler.studies.overhead.query_costs import QueryCost, read_costs, select_times
from scheduler.studies.overhead.slowdown import ItemSlowdown as Slower
from scheduler.studies.overhead.slowdown import SideComparison, compare_sides
from scheduler.studies.overhead.slowdown_causes import COUNTER_CHANGES, FAULT_RATE, SlowdownCauses, find_causes
from scheduler.translation import _

NO_COMPARISON_TEXT = _("No answer: no block has both the base and another side.")

_LIMITS = (
    _(
        "Intervals are Student's t over blocks, in each of which every side was measured once; a slowdown "
        "whose interval "
        "holds 0 is below the noise of so many blocks. Each is of one item: of many, one in twenty misses."
    ),
)
_SAME = _(
    "Both sides use the same server and the same rows, {memory}; only the path and the limits differ. The cost "
    "of a hypervisor for memory and interrupts is not included."
)
_TWO = _(
    "The reference and the other sides are two servers of one major version with the same rows and settings, {memory}. "
    "Other differences (CPU, disk, kernel, distance) are included."
)
_MS_PER_S = 1_000.0


class _LoadComparison(NamedTuple):
    """Comparison of one load on one side with the reference."""

    load: str
    comparison: SideComparison
    causes: SlowdownCauses


def finding_of(
    trials: Sequence[TrialDone], points: Sequence[MeasuredPoint], spec: RunSpec, facts: HostProperties | None = None
) -> OverheadFinding:
    """Return the finding so far; deterministic.

    Args:
        trials: All trials, invalid ones included.
        points: Ignored.
        spec: The plan.
        facts: Ignored.
    """
    del points, facts
    base = next((setting.label for setting in spec.settings if has_direct_route(setting)), "")
    others = [setting.label for setting in spec.settings if setting.label != base]
    found = [side for load in spec.loads for other in others if (side := _compare_load(trials, load.kind, base, other))]
    several = len(spec.loads) > 1
    wholes = [(side, side.comparison.geometric) for side in found]
    return OverheadFinding(
        headline=overhead_texts.summarise_sides(
            [(_side_and_load(side, several), whole) for side, whole in wholes if whole]
        )
        or NO_COMPARISON_TEXT,
        overall=tuple(_slowdown_record(side.load, side.comparison, whole) for side, whole in wholes if whole),
        totals=tuple(
            _slowdown_record(side.load, side.comparison, side.comparison.total)
            for side in found
            if side.comparison.total
        ),
        items=tuple(
            _slowdown_record(side.load, side.comparison, item) for side in found for item in side.comparison.items
        ),
        causes=tuple(cause for side in found for cause in _cause_records(side)),
        reasons=tuple(
            f"{_load_prefix(side, several)}{sentence}" for side in found for sentence in _reason_sentences(side)
        ),
        limits=_validity_sentences(spec) if found else (),
    )


def _validity_sentences(spec: RunSpec) -> tuple[str, ...]:
    cold = any(load.is_cold for load in spec.loads)
    memory = _("read from the disk again for each query") if cold else _("in memory where they fit")
    return (*_LIMITS, (_TWO if spec.study.reference_url else _SAME).format(memory=memory))


def _compare_load(trials: Sequence[TrialDone], load: str, base: str, other: str) -> _LoadComparison | None:
    """Return the comparison; None where no block has both sides."""
    costs = {side: _costs_by_block(trials, load, side) for side in (base, other)}
    try:
        comparison = compare_sides(select_times(costs), base, other)
    except SpecError:
        return None
    return _LoadComparison(load, comparison, find_causes(costs, comparison))


def _costs_by_block(trials: Sequence[TrialDone], load: str, side: str) -> Mapping[int, Mapping[str, QueryCost]]:
    """Return block to item to its cost, for the valid trials of a side."""
    there = [each for each in trials if each.valid and each.load == load and each.setting is not None]
    found = {each.block: _trial_costs(each) for each in there if each.setting and each.setting.label == side}
    return {block: items for block, items in found.items() if items}


def _trial_costs(trial: TrialDone) -> Mapping[str, QueryCost]:
    """Return the cost of each item of a trial.

    A load without items has one item: the time of one operation, from its rate.
    """
    parts = read_costs(trial.figures)
    if parts or trial.mean_tps <= 0:
        return parts
    return {load_title(trial.load): QueryCost(time_s=1 / trial.mean_tps)}


def _slowdown_record(load: str, comparison: SideComparison, found: Slower) -> SlowdownEstimate:
    added = found.added_ci95_s
    return SlowdownEstimate(
        load=load,
        side=comparison.other,
        item=found.item,
        base_ms=_MS_PER_S * found.base_s,
        side_ms=_MS_PER_S * found.other_s,
        slowdown_frac=found.slower_frac,
        ci95_frac=found.ci95_frac,
        blocks=found.blocks,
        added_ci95_ms=(_MS_PER_S * added[0], _MS_PER_S * added[1]) if added else None,
        smallest_frac=found.smallest_frac,
    )


def _cause_records(side: _LoadComparison) -> list[SlowdownCause]:
    """Return the components of the added time, then the correlated counters."""
    parts = [
        SlowdownCause(
            load=side.load,
            side=side.comparison.other,
            counter=part.name,
            added_frac=part.added_frac,
            added_ci95_frac=part.added_ci95_frac,
        )
        for part in side.causes.parts
    ]
    return [*parts, *_correlation_records(side)]


def _correlation_records(side: _LoadComparison) -> list[SlowdownCause]:
    units = {name: unit for name, (unit, _) in COUNTER_CHANGES.items()} | {FAULT_RATE: _("per second")}
    known = [(name, found) for name, found in side.causes.correlations.items() if found is not None]
    return [
        SlowdownCause(
            load=side.load,
            side=side.comparison.other,
            counter=name,
            unit=units[name],
            correlation=found.r,
            correlation_ci=found.interval,
            claimed=name in side.causes.claimed,
        )
        for name, found in known
    ]


def _reason_sentences(side: _LoadComparison) -> tuple[str, ...]:
    said = (
        *overhead_texts.comparison_headline(side.comparison),
        *overhead_texts.explain_slowdown(side.causes, side.comparison),
    )
    return tuple(sentence for sentence in said if sentence)


def _side_and_load(side: _LoadComparison, several: bool) -> str:  # noqa: FBT001 - private
    name = side.comparison.other
    return _("{name} under {load}").format(name=name, load=load_title(side.load)) if several else name


def _load_prefix(side: _LoadComparison, several: bool) -> str:  # noqa: FBT001 - private
    return f"{load_title(side.load)}, " if several else ""


ANSWERS = FindingAnswers(finding_of)
