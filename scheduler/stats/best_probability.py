"""Probability that the named split is the best, and its expected loss.

Both are sums over the other splits. The sums are bounds, because no two splits can be the best at once. The named split
was chosen for its lead, so both bounds are too favourable. `TEMPER` doubles them.
"""

import math

import msgspec

from scheduler.model.number_texts import format_percent
from scheduler.stats.paired_comparison import PairwiseComparison
from scheduler.stats.student import student_cdf
from scheduler.stats.verdict import SplitJudgement
from scheduler.translation import _

TEMPER = 2.0
"""Factor on the sums. Calibrated by simulation: `make bench-decide` compares both with the true values."""

_WORTH_SAYING = 0.5  # below this probability the sentence does not call the split the best


class BestOdds(msgspec.Struct, frozen=True):
    """Probability and expected loss of the named split.

    Attributes:
        best_prob: Probability that no other split is better at all, 0..1.
        expected_loss_frac: Average loss against the truly best split, 0..1.
    """

    best_prob: float
    expected_loss_frac: float

    def sentence(self, named: str) -> str:
        """Return both figures as a sentence about the split `named`."""
        loss = format_percent(self.expected_loss_frac) if self.expected_loss_frac >= 0.001 else _("less than 0.1 %")
        if self.best_prob < _WORTH_SAYING:
            return _("Which split is the very best is open; against it {named} is expected to lose {loss}.").format(
                named=named, loss=loss
            )
        sure = "above 99 %" if self.best_prob > 0.99 else format_percent(self.best_prob)
        chance = _("{named} is the very best with a probability of {sure}").format(named=named, sure=sure)
        return _("{chance}; against whichever is, it loses {loss} on average.").format(chance=chance, loss=loss)


def estimate_odds(found: SplitJudgement) -> BestOdds | None:
    """Return the odds of the named split.

    None where other splits are proven to be as good: no single split is the best then.
    """
    rivals = found.against.rivals.values()
    if found.proven or not rivals:
        return None
    doubt = TEMPER * math.fsum(rival.p_ahead for rival in rivals)
    loss = TEMPER * math.fsum(expected_lead(rival) for rival in rivals)
    return BestOdds(max(0.0, 1 - doubt), -math.expm1(-loss))


def expected_lead(rival: PairwiseComparison) -> float:
    """Return the expected lead of a rival, counting 0 where it is behind.

    The lead is a difference of ln(utility), >= 0. E[max(0, m + sT)] = m P(T < m/s) + s f(m/s) (dof + (m/s)^2) / (dof -
    1) for Student's T with density f (integration by parts).
    """
    dof, behind = rival.dof, -rival.ahead
    at = behind / rival.scale
    constant = math.lgamma((dof + 1) / 2) - math.lgamma(dof / 2) - math.log(dof * math.pi) / 2
    density = math.exp(constant - (dof + 1) / 2 * math.log1p(at**2 / dof))
    return max(0.0, behind * student_cdf(dof, at) + rival.scale * density * (dof + at**2) / (dof - 1))
