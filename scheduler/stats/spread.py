"""Spread of the trials under one load, of ln(throughput), for intervals.

A setting's few trials show little of their variance; the trials of all settings show more. So the variance of a trial
mixes that of its own setting with that of all settings. The latter counts as `MOST_BORROWED` trials at most, because
settings need not be equally noisy. Trials of one block share its luck, so many settings in few blocks show less than
their number suggests. The degrees of freedom of the sum are Satterthwaite's (Biometrics Bulletin 2(6), 1946). On the
log scale no interval reaches below zero.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.documents import TrialDone
from scheduler.model.load_name import LoadName
from scheduler.model.setting import label_of
from scheduler.stats.paired_comparison import build_cells, fit_additive
from scheduler.stats.rate_modes import detect_two_modes
from scheduler.stats.stalls import drop_superseded
from scheduler.stats.student import two_sided_factor

MOST_BORROWED = 8
"""Weight of the variance of all trials against a setting's own, degrees of freedom. Chosen so that intervals contain
95 % of the means with equally and with unequally noisy settings (`make bench-decide`)."""

_LEAST_DOF = 2  # with one, the half width of a 95 % interval is 13 standard errors


class SettingStatistics(msgspec.Struct, frozen=True):
    """Mean of ln(throughput), number of trials and sum of squares of one setting."""

    mean: float
    trials: int
    squares: float


class RateSpread(msgspec.Struct, frozen=True):
    """Spread of the usable trials under one load, independent of the weights.

    Attributes:
        cells: Label to its trials, the original settings included.
        variance: Variance of the logarithm of a trial of the same setting in another block, pooled over all settings.
        step: Distance of the two rates at which trials run, of ln(throughput); 0 for one rate.
        dof: Degrees of freedom of the variance, >= 0.
    """

    cells: Mapping[str, SettingStatistics]
    variance: float = 0.0
    dof: int = 0
    step: float = 0.0

    def of_mean(self, label: str) -> tuple[float, int] | None:
        """Return variance and degrees of freedom of the mean of a setting's trials.

        None where too few trials show them.
        """
        cell = self.cells.get(label)
        if cell is None:
            return None
        own = cell.trials - 1
        others = min(MOST_BORROWED, max(0, self.dof - own))
        if own + others < _LEAST_DOF:
            return None
        return (others * self.variance + cell.squares) / (others + own) / cell.trials, others + own

    def interval_tps(self, label: str, mean_tps: float) -> tuple[float, float] | None:
        """Return the 95 % interval of the geometric mean of a setting's trials, > 0.

        None where too few trials show it.

        Args:
            label: Label of the setting.
            mean_tps: Geometric mean of its trials.
        """
        known = self.of_mean(label)
        if known is None or mean_tps <= 0:
            return None
        variance, dof = known
        # Means of trials with two rates lie on a lattice: add half a step (Yates, JRSS Supplement 1(2), 1934).
        lattice = self.step / 2 / self.cells[label].trials
        middle, half = math.log(mean_tps), two_sided_factor(dof) * math.sqrt(variance) + lattice
        return math.exp(middle - half), math.exp(middle + half)


def estimate_spread(trials: Sequence[TrialDone], kind: LoadName) -> RateSpread:
    """Return the spread of the trials under one load.

    Args:
        trials: All trials; those under other loads are ignored.
        kind: Name of the load.
    """
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


def _block_residuals(trials: Sequence[TrialDone], kind: LoadName) -> tuple[float, int]:
    """Return the residual sum of squares of the additive model and its dof."""
    x = build_cells(trials, [kind]).x[:, :, 0]
    if not x.size:
        return 0.0, 0
    fit = fit_additive(x)
    return fit.rss, fit.dof


def _effective_dof(squares: float, dof: int, within: float, within_dof: int) -> int:
    """Return Satterthwaite's degrees of freedom of `squares`.

    `within` is the part of the squares within blocks; blocks share the remaining part.
    """
    shared, shared_dof = max(0.0, squares - within), dof - within_dof
    parts = [(shared, shared_dof), (within, within_dof)]
    lost = math.fsum(part**2 / count for part, count in parts if count > 0)
    return dof if lost <= 0 else max(1, int((shared + within) ** 2 / lost + 1e-9))
