"""A sweep as a simulated machine (`domtune-machine/1`, kind surface): to sweep again with `sim:FILE`, in a class."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from scheduler.export.files import write_text
from scheduler.export.material import Material
from scheduler.model.load_name import mix_in
from scheduler.model.results import Point
from scheduler.model.setting import BASELINE
from scheduler.model.split import GUEST, IO
from scheduler.model.studies import no_split
from scheduler.sim.machine import MACHINE_SCHEMA, SCHEDULERS, SchedulerName, SurfaceMachine
from scheduler.sim.noise import EVERYWHERE, NOISES, Noise

_Rates = Mapping[str, Mapping[str, Point]]


def refuses(material: Material) -> str:
    """Return why no machine can be made of a sweep; empty when one can."""
    if why := no_split(material.results.study):
        return why
    rates = _rates(material)
    if not rates:
        return "no load by itself has a valid trial at any split, so there is no rate to keep"
    if not _common(rates, material):
        return "no split has a valid trial under every load that was measured"
    return ""


def write(material: Material, target: Path) -> tuple[Path, ...]:
    """Write the machine, indented."""
    text = msgspec.json.format(msgspec.json.encode(machine_of(material)), indent=2).decode()
    return (write_text(target, text + "\n"),)


def machine_of(material: Material) -> SurfaceMachine:
    """Return the machine: the mean rates, the deviations of the visits, and the CPU that was delivered."""
    rates = _rates(material)
    splits = _common(rates, material)
    scale = {kind: max(_tps(points[label]) for label in splits) for kind, points in rates.items()}
    return SurfaceMachine(
        schema_id=MACHINE_SCHEMA,
        title=_title(material),
        scheduler=_scheduler(material),
        splits=splits,
        loads={kind: tuple(_tps(points[label]) / scale[kind] for label in splits) for kind, points in rates.items()},
        scale_tps=scale,
        baseline={kind: _tps(points[BASELINE]) / scale[kind] for kind, points in rates.items() if BASELINE in points},
        delivered=_delivered(rates, splits),
        noise=_noise(rates, splits),
    )


def _rates(material: Material) -> _Rates:
    """Return load kind to the usable points by label; a load whose every visit failed is left out.

    So are those of mixes: a machine has one load at a time.
    """
    found: dict[str, dict[str, Point]] = {}
    for point in material.results.points:
        if not mix_in(point.load) and point.valid and point.mean_tps is not None and point.mean_tps > 0:
            found.setdefault(point.load, {})[point.split] = point
    return {kind: points for kind, points in found.items() if set(points) - {BASELINE}}


def _common(rates: _Rates, material: Material) -> tuple[str, ...]:
    """Return the splits that every kept load has, in the order of the plan, then those that it came to by itself."""
    planned = [setting.label for setting in material.spec.settings]
    visited = [point.split for point in material.results.points if point.split != BASELINE]
    labels = dict.fromkeys([*planned, *visited])
    return tuple(label for label in labels if all(label in points for points in rates.values()))


def _tps(point: Point) -> float:
    return point.mean_tps or 0.0


def _delivered(rates: _Rates, splits: Sequence[str]) -> dict[str, tuple[tuple[float, float], ...]]:
    shares = {kind: [points[label].delivered_share for label in splits] for kind, points in rates.items()}
    return {
        kind: tuple((share[IO], share[GUEST]) for share in each)
        for kind, each in shares.items()
        if all(IO in share and GUEST in share for share in each)
    }


def _noise(rates: _Rates, splits: Sequence[str]) -> Noise:
    """Return the noise: the visits' deviations are the sweep's, everything else is assumed."""
    return msgspec.structs.replace(
        NOISES["lab"],
        visit_sd={kind: tuple(_deviation(points[label]) for label in splits) for kind, points in rates.items()},
        note="deviations of the trials are the sweep's own; everything else is assumed, as in lab",
    )


def _deviation(point: Point) -> float:
    """Return the deviation of a split's visits; where there was but one, that of the noise `lab`."""
    return EVERYWHERE if point.cv is None else min(point.cv, 2.0)


def _scheduler(material: Material) -> SchedulerName:
    """Return the sweep's own scheduler where it can be simulated, else one that knows the mode."""
    for name in SCHEDULERS:
        if name == material.facts.scheduler:
            return name
    return "credit" if material.results.mode == "share" else "sedf-xm"


def _title(material: Material) -> str:
    how = "simulated" if material.results.simulated else "measured"
    return f"the throughput that run {material.results.run_id} {how} on {material.results.host_title}"
