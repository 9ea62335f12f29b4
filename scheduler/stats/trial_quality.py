"""Quality of a sweep's trials: stalls, repeated and unsteady trials."""

from collections.abc import Sequence

import msgspec

from scheduler.model.documents import TrialDone
from scheduler.model.number_texts import format_duration, format_percent
from scheduler.stats.stalls import drop_superseded, sum_lost_s
from scheduler.stats.steady.trend import find_unsteady_trials
from scheduler.translation import _

_NOTABLE = 0.05  # of the measured seconds: ordinary checkpoints take 1 to 2 %
_MOST_HIT = 0.25  # of the trials; chosen in the shared study of such sweeps, not simulated
_MOST_UNSTEADY = 0.2  # of the trials; same source
_LEAST_TRIALS = 10  # fractions of fewer trials show nothing


class TrialQuality(msgspec.Struct, frozen=True, kw_only=True):
    """Extent of the disturbances of a sweep.

    Attributes:
        trials: Number of trials, repeated ones included.
        hit: Number of trials that had stalls or were repeated.
        measured_s: Seconds measured.
        lost_s: Of these, seconds that do not count.
        unsteady: Number of trials whose rate still changed in the window.
    """

    trials: int
    hit: int
    measured_s: float
    lost_s: float
    unsteady: int

    @property
    def sentence(self) -> str:
        """Sentence about the excluded seconds; empty where they are few."""
        if self.lost_s < _NOTABLE * self.measured_s or not self.lost_s:
            return ""
        return _(
            "Stalls (a checkpoint, a vacuum, another program) took {lost_s} of {measured_s} of "
            "trials, {lost_s_2}: these seconds are excluded."
        ).format(
            lost_s=format_duration(self.lost_s),
            measured_s=format_duration(self.measured_s),
            lost_s_2=format_percent(self.lost_s / self.measured_s),
        )

    @property
    def has_many_stalls(self) -> bool:
        """True when stalls hit too many trials."""
        return self.trials >= _LEAST_TRIALS and self.hit > _MOST_HIT * self.trials

    @property
    def has_many_unsteady(self) -> bool:
        """True when too many trials were not steady."""
        return self.unsteady > _MOST_UNSTEADY * self.trials

    @property
    def obstacle(self) -> str:
        """Reason why the trials support no recommendation; empty for none."""
        if self.has_many_stalls:
            return _("stalls hit {hit} of {trials} trials, more than {most_hit}").format(
                hit=self.hit, trials=self.trials, most_hit=format_percent(_MOST_HIT)
            )
        if self.has_many_unsteady:
            return _(
                "not steady: in {unsteady} of {trials} trials throughput was still rising or falling "
                "while it was measured, more than {most_unsteady}"
            ).format(unsteady=self.unsteady, trials=self.trials, most_unsteady=format_percent(_MOST_UNSTEADY))
        return ""

    @property
    def advice(self) -> str:
        """Advice on how to remove the obstacle; empty without an obstacle."""
        if self.has_many_stalls:
            return _("Check for other programs on that host and on the computer of the clients.")
        return (
            _("Give it more time to settle (settle_s, load_settle_s), or longer trials.")
            if self.has_many_unsteady
            else ""
        )


def assess_trials(trials: Sequence[TrialDone]) -> TrialQuality:
    """Return the quality of these trials, baselines included."""
    again = len(trials) - len(drop_superseded(trials))
    return TrialQuality(
        trials=len(trials),
        hit=again + sum(trial.stalled_frac > 0 for trial in drop_superseded(trials)),
        measured_s=sum(trial.seconds for trial in trials),
        lost_s=sum_lost_s(trials),
        unsteady=len(find_unsteady_trials(trials)),
    )
