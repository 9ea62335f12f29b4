"""The predicted gain comes from a closed network fitted to one point; none where the clients limit the rate."""

import math

import pytest

from scheduler.follow.gain_model import GainCurve
from scheduler.follow.split_rule import PairLimits, PairUsage, find_target_split


def curve(use: PairUsage, allowed: PairLimits) -> GainCurve:
    pointed = find_target_split(use, allowed)
    assert pointed is not None
    return GainCurve(use, allowed, pointed)


def test_split_that_is_set_promises_nothing():
    allowed = PairLimits(0.3, 0.7)
    assert curve(PairUsage(0.2, 0.3), allowed).predicted_gain(allowed.log_ratio) == pytest.approx(0.0)


def test_load_which_its_clients_limit_is_promised_next_to_nothing():
    allowed = PairLimits(0.5, 0.5)
    assert abs(curve(PairUsage(0.05, 0.1), allowed).predicted_gain(math.log(1 / 1.5))) < 0.01


def test_starved_domain_is_promised_what_its_share_grows_by():
    """Its limit alone decides: 1:10 to 1:2.5 is pi times the I/O domain's CPU, and as much of the throughput."""
    allowed = PairLimits(1 / 11, 10 / 11)
    promised = curve(PairUsage(1 / 11, 0.15), allowed).predicted_gain(math.log(1 / 2.5))
    assert math.exp(promised) == pytest.approx((1 / 3.5) / (1 / 11), rel=0.1)


def test_domain_with_all_the_cpu_that_it_can_use_gains_nothing_from_more():
    allowed = PairLimits(2.0, 2.0, most_cpus=(1.0, 1.0))
    assert curve(PairUsage(0.98, 0.2), allowed).predicted_gain(math.log(1.5)) == pytest.approx(0.0, abs=1e-9)
