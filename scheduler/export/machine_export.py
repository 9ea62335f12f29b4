"""Export of a sweep as a simulated machine, to sweep it again with `sim:FILE`.

The file is of schema `domtune-machine/1`, kind surface.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from scheduler.export.files import write_text
from scheduler.export.material import ExportMaterial
from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import BASELINE
from scheduler.model.split import GUEST, IO
from scheduler.model.studies import no_split_reason
from scheduler.sim.machine import MACHINE_SCHEMA, SCHEDULERS, SchedulerName, SurfaceMachine
from scheduler.sim.noise import NOISES, USUAL_DEVIATION, NoiseModel
from scheduler.translation import _

_Rates = Mapping[str, Mapping[str, MeasuredPoint]]


def machine_refusal(material: ExportMaterial) -> str:
    """Return the reason against a machine from a sweep; empty when it is possible."""
    if why := no_split_reason(material.results.study):
        return why
    rates = _usable_rates(material)
    if not rates:
        return _("no single load has a valid trial at any split, so there is no rate to export")
    if not _common_splits(rates, material):
        return _("no split has a valid trial under every load that was measured")
    return ""


def write_machine(material: ExportMaterial, target: Path) -> tuple[Path, ...]:
    """Write the machine as indented JSON.

    Args:
        material: The sweep.
        target: File of the machine.
    """
    text = msgspec.json.format(msgspec.json.encode(machine_from_sweep(material)), indent=2).decode()
    return (write_text(target, text + "\n"),)


def machine_from_sweep(material: ExportMaterial) -> SurfaceMachine:
    """Return the machine with the sweep's mean rates, trial deviations and CPU used."""
    rates = _usable_rates(material)
    splits = _common_splits(rates, material)
    scale = {kind: max(_point_tps(points[label]) for label in splits) for kind, points in rates.items()}
    return SurfaceMachine(
        schema_id=MACHINE_SCHEMA,
        title=_machine_title(material),
        scheduler=_simulated_scheduler(material),
        splits=splits,
        loads={
            kind: tuple(_point_tps(points[label]) / scale[kind] for label in splits) for kind, points in rates.items()
        },
        scale_tps=scale,
        baseline={
            kind: _point_tps(points[BASELINE]) / scale[kind] for kind, points in rates.items() if BASELINE in points
        },
        delivered=_mean_cpu_frac(rates, splits),
        noise=_sweep_noise(rates, splits),
    )


def _usable_rates(material: ExportMaterial) -> _Rates:
    """Return the usable points by load kind and label, without failed loads and mixes.

    A machine runs one load at a time, so that it has no mixes.
    """
    found: dict[str, dict[str, MeasuredPoint]] = {}
    for point in material.results.points:
        if not point.load.mix and point.valid and point.mean_tps is not None and point.mean_tps > 0:
            found.setdefault(point.load, {})[point.label] = point
    return {kind: points for kind, points in found.items() if set(points) - {BASELINE}}


def _common_splits(rates: _Rates, material: ExportMaterial) -> tuple[str, ...]:
    """Return the splits that every usable load has: the plan's, then others.

    Others are splits that the run added to the plan.
    """
    planned = [setting.label for setting in material.spec.settings]
    measured = [point.label for point in material.results.points if point.label != BASELINE]
    labels = dict.fromkeys([*planned, *measured])
    return tuple(label for label in labels if all(label in points for points in rates.values()))


def _point_tps(point: MeasuredPoint) -> float:
    return point.mean_tps or 0.0


def _mean_cpu_frac(rates: _Rates, splits: Sequence[str]) -> dict[str, tuple[tuple[float, float], ...]]:
    shares = {kind: [points[label].used_share for label in splits] for kind, points in rates.items()}
    return {
        kind: tuple((share[IO], share[GUEST]) for share in each)
        for kind, each in shares.items()
        if all(IO in share and GUEST in share for share in each)
    }


def _sweep_noise(rates: _Rates, splits: Sequence[str]) -> NoiseModel:
    """Return the noise, with the sweep's trial deviations; all else is assumed."""
    return msgspec.structs.replace(
        NOISES["lab"],
        trial_sd={kind: tuple(_split_deviation(points[label]) for label in splits) for kind, points in rates.items()},
        note=_("trial noise is from the sweep; everything else is assumed, as in lab"),
    )


def _split_deviation(point: MeasuredPoint) -> float:
    """Return the deviation of a split's trials; that of the noise `lab` for one trial."""
    return USUAL_DEVIATION if point.cv is None else min(point.cv, 2.0)


def _simulated_scheduler(material: ExportMaterial) -> SchedulerName:
    """Return the sweep's scheduler if it can be simulated, else one of its mode."""
    for name in SCHEDULERS:
        if name == material.facts.scheduler:
            return name
    return "credit" if material.results.mode == "weights" else "sedf-xm"


def _machine_title(material: ExportMaterial) -> str:
    how = "simulated" if material.results.simulated else "measured"
    return _("the throughput that run {run_id} {how} on {host}").format(
        run_id=material.results.run_id, how=how, host=material.results.host_title
    )
