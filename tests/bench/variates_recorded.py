"""By how much each thing that a monitor knows would have steadied the trials of recorded runs.

Leave-one-out: each trial is predicted from the others by split, block and the candidate, with and without the
candidate (PRESS; Allen, Technometrics 16(1), 1974). What is left of the squared errors is about what is left of the
trials that the same certainty takes. Candidates that follow from the throughput are shown, and must not be used.
"""

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from scheduler.errors import SchedulerError
from scheduler.model.documents import TrialDone
from scheduler.stats.control_variates import estimate_adjustment, log_cpu_left
from scheduler.stats.paired_comparison import AdditiveFit, Floats, build_cells, fit_additive
from scheduler.store.run_rows import RunRow
from scheduler.store.run_store import RunStore

_ALONE = 1 - 1e-9  # leverage of a trial that nothing else predicts


class _Candidate(NamedTuple):
    """Something that may steady trials.

    Attributes:
        title: What it is.
        value_of: Its value for a trial; NaN where it is not known.
        outside: False when it follows from the throughput.
    """

    title: str
    value_of: Callable[[TrialDone], float]
    outside: bool = True


class Worth(NamedTuple):
    """What a candidate would have done under one load.

    Attributes:
        trials: Trials that could be predicted from the others.
        left_frac: What is left of their squared errors with the candidate; above 1 it does harm.
        slope: Change of ln(throughput) per unit of the candidate.
        ratio: F of the candidate between splits: 1 or so where splits have no part in it.
    """

    trials: int
    left_frac: float
    slope: float
    ratio: float


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def _log(value: float | None) -> float:
    return math.log(value) if value else math.nan


def _delivered(trial: TrialDone) -> float:
    return _log(sum(trial.used_frac.values()))


_CANDIDATES = (
    _Candidate("ln(CPU left by all others)", log_cpu_left),
    _Candidate("stolen by other machines", lambda trial: _known(trial.stolen_frac)),
    _Candidate("taken by other programs", lambda trial: _known(trial.foreign_frac)),
    _Candidate("ln(CPU frequency)", lambda trial: _log(trial.clock_mhz)),
    _Candidate("stalled seconds", lambda trial: trial.stalled_frac, outside=False),
    _Candidate("clients' CPU", lambda trial: trial.client_cpu_frac, outside=False),
    _Candidate("ln(CPU delivered)", _delivered, outside=False),
)


def recorded(path: Path, run_ids: Sequence[str]) -> int:
    """Print the table of the named runs of a results file, or of all measured ones; return the exit code."""
    try:
        with RunStore(path, read_only=True) as store:
            rows = [store.run(run_id) for run_id in run_ids] or [
                store.run(run.run_id) for run in store.runs() if not run.simulated
            ]
            for row in rows:
                _print(row, [done for done in store.documents(row.run_id) if isinstance(done, TrialDone)])
    except SchedulerError as error:
        print(f"{error}. {error.hint}".strip(), file=sys.stderr)
        return 1
    if not rows:
        print(f"{path} holds no measured runs", file=sys.stderr)
    return 0 if rows else 1


def _print(row: RunRow, trials: Sequence[TrialDone]) -> None:
    measured_min = sum(trial.settled_s + trial.seconds for trial in trials) / 60
    how = "simulated" if row.simulated else "measured"
    print(f"\n{row.run_id}: {row.spec.host_url}, {row.spec.protocol.name}, {measured_min:.1f} min, {how}")
    for load in row.spec.loads:
        x = build_cells(trials, [load.kind]).x[:, :, 0]
        for candidate in _CANDIDATES:
            z = build_cells(trials, [load.kind], candidate.value_of).x[:, :, 0]
            print(f"  {load.kind:10} {candidate.title:27} {_words(worth_of(x, z), measured_min, candidate)}")
        found = estimate_adjustment(x, build_cells(trials, [load.kind], log_cpu_left).x[:, :, 0])
        done = f"trials differ by {found.sd_after:.2%} instead of {found.sd_before:.2%}" if found else "not adjusted"
        print(f"  {load.kind:10} what DomTune does:          {done}")


def _words(worth: Worth | None, measured_min: float, candidate: _Candidate) -> str:
    if worth is None:
        return "not recorded, or the same in all trials, or too few of them"
    reported = "" if candidate.outside else "; follows from the throughput, must not be used"
    return (
        f"{worth.trials:4} trials, {worth.left_frac:4.0%} of the squared errors left (of {measured_min:.1f} min: "
        f"{measured_min * min(1.0, worth.left_frac):.1f}), slope {worth.slope:+.3g}, "
        f"between splits F {worth.ratio:.1f}{reported}"
    )


def worth_of(x: Floats, z: Floats) -> Worth | None:
    """Return what z[pass, split] would have done for x[pass, split]; None where z says nothing."""
    seen = ~np.isnan(x)
    if not seen.any() or np.isnan(z[seen]).any():
        return None
    splits = seen.any(axis=0)
    of_z = fit_additive(z[:, splits])
    if of_z.dof < 2 or of_z.rss <= 1e-9 * max(1e-9, float(np.nansum(z**2))):
        return None
    blocks, columns = np.nonzero(seen)
    frame = np.hstack([_dummies(blocks), _dummies(columns)])
    plain, plain_lever = _errors(frame, x[seen])
    fuller, fuller_lever = _errors(np.hstack([frame, z[seen][:, None]]), x[seen])
    known = (plain_lever < _ALONE) & (fuller_lever < _ALONE)
    left = float((fuller[known] ** 2).sum() / (plain[known] ** 2).sum())
    of_x = fit_additive(x[:, splits])
    slope = float(np.nansum(of_x.residuals * of_z.residuals)) / of_z.rss
    return Worth(int(known.sum()), left, slope, _split_ratio(z[:, splits], of_z))


def _split_ratio(z: Floats, of_z: AdditiveFit) -> float:
    counts = np.maximum(1, (~np.isnan(z)).sum(axis=1, keepdims=True))
    about_blocks = z - np.nansum(z, axis=1, keepdims=True) / counts
    between = float(np.nansum(about_blocks**2)) - of_z.rss
    return between / max(1, z.shape[1] - 1) / (of_z.rss / of_z.dof)


def _dummies(places: np.ndarray) -> Floats:
    return (places[:, None] == np.unique(places)[None, :]).astype(float)


def _errors(frame: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return each trial's error when it is predicted from the others, and its leverage."""
    hat = cast("Floats", frame @ np.linalg.pinv(frame))
    lever = np.clip(np.diag(hat), 0.0, 1.0)
    return (y - hat @ y) / np.maximum(1 - lever, 1e-12), lever
