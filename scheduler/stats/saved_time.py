"""Time of a sweep against the time of the 2007 paper's protocol."""

from collections.abc import Sequence

from scheduler.model.documents import TrialDone
from scheduler.model.number_texts import format_duration
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.spec import RunSpec
from scheduler.stats.stalls import first_of_each_trial
from scheduler.translation import _

_PAPER = PROTOCOLS["replicate"]
_WORTH_SAYING = 0.1


def spent_s(trials: Sequence[TrialDone]) -> float:
    """Return the seconds of settling and measuring of all trials, baselines included."""
    return sum(trial.settled_s + trial.seconds for trial in first_of_each_trial(trials))


def paper_s(spec: RunSpec) -> float:
    """Return the seconds of measuring by the protocol of Calheiros et al. (2007).

    That protocol measures each split and load ten times for five minutes.
    """
    return float(len(spec.measured_settings) * len(spec.mixes) * _PAPER.repeats * _PAPER.measure_s)


def saved_frac(spec: RunSpec, spent: float) -> float:
    """Return the saved fraction of the paper's time, < 1; negative for a longer sweep.

    Args:
        spec: The sweep.
        spent: Seconds of settling and measuring, >= 0.
    """
    return 1 - spent / paper_s(spec)


def describe_saved_time(spec: RunSpec, spent: float) -> str:
    """Return a sentence on the saved time; empty where little was saved.

    Args:
        spec: The sweep.
        spent: Seconds of settling and measuring, >= 0.
    """
    saved = saved_frac(spec, spent)
    if saved < _WORTH_SAYING:
        return ""
    took, instead = format_duration(spent), format_duration(paper_s(spec))
    each = _("each split and load {repeats} times for {measure_s} minutes").format(
        repeats=_PAPER.repeats, measure_s=_PAPER.measure_s // 60
    )
    return _("This took {took} of settling and measuring, instead of {instead} as in the 2007 paper: {each}.").format(
        took=took, instead=instead, each=each
    )
