"""The rule is Kleinrock's capacity assignment, from the CPU time that both domains received and nothing else."""

import math

import pytest

from scheduler.errors import SpecError
from scheduler.follow.split_rule import WIDEST, PairLimits, PairUsage, find_target_split, io_share_of

HALVES = PairLimits(0.5, 0.5)


def share(use: PairUsage, allowed: PairLimits = HALVES) -> float:
    pointed = find_target_split(use, allowed)
    assert pointed is not None
    return io_share_of(pointed.log_ratio)


@pytest.mark.parametrize(("io", "guest"), [(0.1, 0.3), (0.2, 0.2), (0.4, 0.1), (0.05, 0.4)])
def test_each_domain_gets_what_it_used_and_of_the_rest_by_the_square_root_of_that(io, guest):
    left = 1.0 - io - guest
    kleinrock = io + left * math.sqrt(io) / (math.sqrt(io) + math.sqrt(guest))
    assert share(PairUsage(io, guest)) == pytest.approx(kleinrock, abs=1e-9)


def test_full_pair_is_divided_in_proportion_to_use():
    assert share(PairUsage(0.25, 0.75), PairLimits(0.3, 0.7)) == pytest.approx(0.25, abs=0.01)


def test_unit_of_the_cpus_does_not_matter():
    one = find_target_split(PairUsage(0.2, 0.4), PairLimits(0.4, 0.6))
    four = find_target_split(PairUsage(0.8, 1.6), PairLimits(1.6, 2.4))
    assert one is not None
    assert four is not None
    assert four.log_ratio == pytest.approx(one.log_ratio)


def test_starved_pair_is_taken_to_be_as_full_as_it_will_be_elsewhere():
    """A guest at 98 % of a sixth: together a fifth of the CPU is used, and a square root would halve the correction."""
    starved = find_target_split(PairUsage(0.04, 0.98 / 6), PairLimits(5 / 6, 1 / 6))
    assert starved is not None
    assert starved.starved
    assert not starved.blind
    assert starved.filled_frac == pytest.approx(0.8)


def test_what_others_took_counts_as_used_up():
    use = PairUsage(0.25, 0.4, left_frac=0.5)
    assert use.of_allowed(HALVES) == pytest.approx((1.0, 1.6))


def test_pair_at_both_limits_is_blind_and_repeats_its_split():
    pointed = find_target_split(PairUsage(0.198, 0.79), PairLimits(0.2, 0.8))
    assert pointed is not None
    assert pointed.blind
    assert io_share_of(pointed.log_ratio) == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize("use", [PairUsage(0.0, 0.0), PairUsage(0.02, 0.02), PairUsage(0.0, 0.3), PairUsage(0.3, 0.0)])
def test_nothing_is_named_from_next_to_nothing(use):
    assert find_target_split(use, HALVES) is None


@pytest.mark.parametrize("use", [PairUsage(0.001, 0.49), PairUsage(0.49, 0.001)])
def test_no_split_beyond_nine_to_one_is_named(use):
    pointed = find_target_split(use, HALVES)
    assert pointed is not None
    assert abs(pointed.log_ratio) == pytest.approx(WIDEST)


def test_domain_is_given_no_more_than_its_vcpus_can_use():
    allowed = PairLimits(2.0, 2.0, most_cpus=(1.0, 4.0))
    assert allowed.at(math.log(3.0)) == pytest.approx((1.0, 1.0))  # the rest stays unassigned
    assert PairUsage(0.9, 1.0).of_allowed(allowed) == pytest.approx((0.9, 0.5))


@pytest.mark.parametrize("limits", [(0.0, 1.0), (1.0, 0.0), (-0.1, 1.0), (math.nan, 1.0), (math.inf, 1.0)])
def test_limits_which_divide_nothing_are_refused_with_their_values(limits):
    with pytest.raises(SpecError, match="limits") as caught:
        PairLimits(*limits)
    assert f"{limits[0]:g}" in str(caught.value)
