"""What a sweep cost, beside what the 2007 paper's protocol would have cost for the same answer."""

from collections.abc import Sequence

from scheduler.model.documents import TrialDone
from scheduler.model.number_texts import format_duration
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.spec import RunSpec
from scheduler.stats.stalls import first_of_each_trial

_PAPER = PROTOCOLS["replicate"]
_WORTH_SAYING = 0.1


def spent_s(trials: Sequence[TrialDone]) -> float:
    """Return the seconds of settling and measuring of all trials, those to the host as found included."""
    return sum(trial.settled_s + trial.seconds for trial in first_of_each_trial(trials))


def paper_s(spec: RunSpec) -> float:
    """Return the seconds that Calheiros et al. would have measured: each split and load ten times for five minutes."""
    return float(len(spec.measured_settings) * len(spec.mixes) * _PAPER.repeats * _PAPER.measure_s)


def saved_frac(spec: RunSpec, spent: float) -> float:
    """Return the part of the paper's protocol that was saved, below 1; negative for a sweep that took longer."""
    return 1 - spent / paper_s(spec)


def describe_saved_time(spec: RunSpec, spent: float) -> str:
    """Return how long it took, and would have taken by the paper; empty where next to nothing was saved."""
    saved = saved_frac(spec, spent)
    if saved < _WORTH_SAYING:
        return ""
    took, instead = format_duration(spent), format_duration(paper_s(spec))
    each = f"each split and load {_PAPER.repeats} times for {_PAPER.measure_s // 60} minutes"
    return f"This took {took} of settling and measuring, instead of {instead} as in the 2007 paper: {each}."
