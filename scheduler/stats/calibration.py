"""Calibration: check that the outermost splits take effect under the loads."""

from collections.abc import Iterator, Mapping, Sequence

from scheduler.model.number_texts import format_cpu_time
from scheduler.model.results import MeasuredPoint, Recommendation, SplitVerdict
from scheduler.model.sentence_texts import join_names, load_title
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import GUEST, IO
from scheduler.stats.weight_effect import weights_without_effect
from scheduler.translation import _

_HELD_FRAC = 0.05  # of a CPU; larger excess over a quota means that the quota does not hold
_NAMES: Mapping[str, str] = {IO: _("the I/O domain"), GUEST: _("the guest")}


def summarise_calibration(
    spec: RunSpec, points: Sequence[MeasuredPoint], weights: Mapping[str, float], cpus: int
) -> Recommendation:
    """Return the result of two splits with one trial each; never a split to use.

    Args:
        spec: The sweep.
        points: All points of the sweep, baseline included.
        weights: Load kind to normalised weight, 0..1.
        cpus: Number of CPUs that the domains share, >= 1.
    """
    swept = [point for point in points if point.allotted_share]
    unseen = list(_list_unmeasured(spec, swept))
    wrong = [*weights_without_effect(swept, spec.mode, cpus), *_list_exceeded_quotas(swept, spec.mode, cpus)]
    return Recommendation(
        verdict=SplitVerdict.NONE,
        headline=_write_headline(spec.mode, wrong=bool(wrong), unseen=bool(unseen)),
        reasons=(
            *unseen,
            *wrong,
            *(sentence for point in swept for sentence in _list_cpu_used(point, spec.mode, cpus)),
        ),
        objective=spec.objective,
        weights=weights if spec.objective.weighs else {},
    )


def _write_headline(mode: Mode, *, wrong: bool, unseen: bool) -> str:
    if unseen:
        return _("Calibrated in part: not every load was seen at both ends.")
    if mode is Mode.WEIGHTS:
        return (
            _("Weights decide little here; a sweep of weights would compare noise.")
            if wrong
            else _("Weights take effect here.")
        )
    return _("The quotas do not hold here.") if wrong else _("The quotas hold here.")


def _list_unmeasured(spec: RunSpec, swept: Sequence[MeasuredPoint]) -> Iterator[str]:
    fine = {(point.label, point.load) for point in swept if point.valid and point.trials}
    for load in spec.loads:
        missing = [setting.label for setting in spec.measured_settings if (setting.label, load.name) not in fine]
        if missing:
            yield _("{load} was not measured at {missing}.").format(
                load=load_title(load.name), missing=join_names(missing)
            )


def _list_exceeded_quotas(swept: Sequence[MeasuredPoint], mode: Mode, cpus: int) -> Iterator[str]:
    """Yield a sentence for each domain that used more than its quota.

    A weight is no limit, so sweeps of weights yield nothing.
    """
    if mode is Mode.WEIGHTS:
        return
    for point in swept:
        for domain, share in point.allotted_share.items():
            may = share * cpus
            had = point.used_share.get(domain, 0.0)
            if had > may + _HELD_FRAC:
                yield (
                    _("At {label} under {load} {names} had {used}, though its quota is {may}.").format(
                        label=point.label,
                        load=load_title(point.load),
                        names=_NAMES[domain],
                        used=_describe_used(had, cpus),
                        may=format_cpu_time(may, cpus),
                    )
                )


def _list_cpu_used(point: MeasuredPoint, mode: Mode, cpus: int) -> Iterator[str]:
    """Yield a sentence with the CPU allotted and the CPU used of both domains."""
    if not point.used_share:
        return
    given = {Mode.WEIGHTS: _("its weight is worth"), Mode.DEDICATED: _("its own CPUs are")}.get(mode, _("its quota is"))
    parts = [
        _("{names} had {used} ({given} {share})").format(
            names=_NAMES[domain],
            used=_describe_used(point.used_share.get(domain, 0.0), cpus),
            given=given,
            share=format_cpu_time(share * cpus, cpus),
        )
        for domain, share in point.allotted_share.items()
    ]
    yield (
        _("{load} at {label}: {parts}. {bottleneck}")
        .format(
            load=load_title(point.load), label=point.label, parts=join_names(parts), bottleneck=point.bottleneck_text
        )
        .rstrip()
    )


def _describe_used(used_cpus: float, cpus: int) -> str:
    return format_cpu_time(used_cpus, cpus) + (" of a CPU" if cpus == 1 else "")
