"""How trials under one load lie, of ln(throughput), and what that makes of an interval.

A setting's few trials tell little of how much they differ; those to all settings together tell more. So the variance
of a trial to a setting mixes its own with that of all, which counts as `MOST_BORROWED` trials at most: settings need
not be equally noisy. Trials of one block share its luck, so many settings in few blocks tell less of it than their
number says; the degrees of freedom of the sum are Satterthwaite's (Biometrics Bulletin 2(6), 1946). On the log scale
no interval reaches below zero.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.documents import TrialDone
from scheduler.model.setting import label_of
from scheduler.stats.paired_comparison import build_cells, fit_additive
from scheduler.stats.rate_modes import detect_two_modes
from scheduler.stats.stalls import drop_superseded
from scheduler.stats.student import two_sided_factor

MOST_BORROWED = 8
"""Weight of the variance of all trials beside a setting's own, degrees of freedom; chosen so that intervals hold 95 %
of the means with equally and with unequally noisy settings (`make bench-decide`)."""

_LEAST_DOF = 2  # with one, 95 % lie within 13 standard errors: nothing is known


class SettingStatistics(msgspec.Struct, frozen=True):
    """The trials to one setting: the mean of their ln(throughput), their number, and their squares about the mean."""

    mean: float
    trials: int
    squares: float


class RateSpread(msgspec.Struct, frozen=True):
    """How the usable trials under one load lie, of ln(throughput); no weight changes it.

    Attributes:
        cells: Label to its trials, the host as found included.
        variance: That of a trial to the same setting in another block, all settings together.
        step: Distance of the two rates at which trials run, of ln(throughput); 0 for one rate.
        dof: Its degrees of freedom, >= 0.
    """

    cells: Mapping[str, SettingStatistics]
    variance: float = 0.0
    dof: int = 0
    step: float = 0.0

    def of_mean(self, label: str) -> tuple[float, int] | None:
        """Return variance and degrees of freedom of the mean of a setting's trials; None where they are not known."""
        cell = self.cells.get(label)
        if cell is None:
            return None
        own = cell.trials - 1
        others = min(MOST_BORROWED, max(0, self.dof - own))
        if own + others < _LEAST_DOF:
            return None
        return (others * self.variance + cell.squares) / (others + own) / cell.trials, others + own

    def interval_tps(self, label: str, mean_tps: float) -> tuple[float, float] | None:
        """Return the 95 % interval about the geometric mean of a setting's trials, > 0; None when it is not known."""
        known = self.of_mean(label)
        if known is None or mean_tps <= 0:
            return None
        variance, dof = known
        # Means of trials with two rates lie on a lattice: half a step more (Yates, JRSS Supplement 1(2), 1934).
        lattice = self.step / 2 / self.cells[label].trials
        middle, half = math.log(mean_tps), two_sided_factor(dof) * math.sqrt(variance) + lattice
        return math.exp(middle - half), math.exp(middle + half)


def estimate_spread(trials: Sequence[TrialDone], kind: str) -> RateSpread:
    """Return how the trials under one load lie; all trials may be given."""
    usable = [trial for trial in drop_superseded(trials) if trial.load == kind and trial.valid and trial.mean_tps > 0]
    logs: dict[str, list[float]] = {}
    for trial in usable:
        logs.setdefault(label_of(trial.setting), []).append(math.log(trial.mean_tps))
    cells = {label: _summarise_setting(values) for label, values in logs.items()}
    dof = len(usable) - len(cells)
    if dof < 1:
        return RateSpread(cells)
    squares = math.fsum(cell.squares for cell in cells.values())
    modes = detect_two_modes(usable, kind)
    step = math.log(modes.high_tps / modes.low_tps) if modes else 0.0
    return RateSpread(cells, squares / dof, _effective_dof(squares, dof, *_block_residuals(usable, kind)), step)


def _summarise_setting(values: Sequence[float]) -> SettingStatistics:
    middle = math.fsum(values) / len(values)
    return SettingStatistics(middle, len(values), math.fsum((value - middle) ** 2 for value in values))


def _block_residuals(trials: Sequence[TrialDone], kind: str) -> tuple[float, int]:
    """Return the squares that settings and blocks leave of the trials to splits, and their degrees of freedom."""
    x = build_cells(trials, [kind]).x[:, :, 0]
    if not x.size:
        return 0.0, 0
    fit = fit_additive(x)
    return fit.rss, fit.dof


def _effective_dof(squares: float, dof: int, within: float, within_dof: int) -> int:
    """Return Satterthwaite's degrees of freedom of `squares`, of which blocks share what is not `within`."""
    shared, shared_dof = max(0.0, squares - within), dof - within_dof
    parts = [(shared, shared_dof), (within, within_dof)]
    lost = math.fsum(part**2 / count for part, count in parts if count > 0)
    return dof if lost <= 0 else max(1, int((shared + within) ** 2 / lost + 1e-9))
