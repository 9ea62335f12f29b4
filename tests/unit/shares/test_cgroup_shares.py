"""Laws of the control group share models."""

import math

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from scheduler.errors import HostNotUsable, SpecError
from scheduler.model.scheduler_params import (
    CGROUP_V1,
    CGROUP_V2,
    DEFAULT_PERIOD_US,
    MIN_QUOTA_US,
    CgroupLimits,
    CgroupParams,
)
from scheduler.model.spec import PAPER_SPLITS, Mode
from scheduler.model.split import GUEST, IO, MAX_RATIO, TIME_MODES, parse_split, split_between
from scheduler.shares.cgroup import CgroupModel
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.rounding import shares_to_split

MODELS = pytest.mark.parametrize("limits", [CGROUP_V1, CGROUP_V2], ids=lambda limits: limits.scheduler)

_parts = st.integers(1, 10_000).map(lambda hundredths: hundredths / 100)
splits = st.tuples(_parts, _parts).filter(lambda p: max(p) / min(p) <= 100).map(lambda p: split_between(*p))
periods_us = st.integers(1_000, 1_000_000)


def _beyond_every_split(one_us: int, other_us: int) -> bool:
    """100:1 may round to 100.2:1."""
    return max(one_us, other_us) > MAX_RATIO * min(one_us, other_us)


@MODELS
@given(split=splits)
def test_weights_decode_to_the_split_they_came_from(limits, split):
    encoding = CgroupModel(limits).encode(split, Mode.WEIGHTS, 20_000)
    got = CgroupModel(limits).decode(encoding.params)
    assert got == shares_to_split(encoding.achieved)
    assert math.isclose(got.io / got.guest, split.io / split.guest, rel_tol=0.01)
    assert encoding.rounding_error_frac <= 0.006  # half a step of the smallest weight, 1/100 of the largest
    low, high = limits.weights
    for params in encoding.params.values():
        assert low <= params.weight <= high
        assert params.quota_us is None
        assert params.period_us == DEFAULT_PERIOD_US


def smaller_us(split, period_us):
    """Of an odd period one half is less than the other."""
    return min(round(min(split.io_frac, split.frac_of(GUEST)) * period_us), period_us // 2)


@MODELS
@example(split=split_between(1, 1), period_us=1_999)
@example(split=split_between(1, 1), period_us=2_001)
@given(split=splits, period_us=periods_us)
def test_quotas_are_one_cpu_together_and_decode_to_the_split(limits, split, period_us):
    assume(smaller_us(split, period_us) >= MIN_QUOTA_US)
    encoding = CgroupModel(limits).encode(split, Mode.CAPS, period_us)
    io, guest = encoding.params[IO], encoding.params[GUEST]
    assert io.quota_us + guest.quota_us == period_us == io.period_us == guest.period_us
    assert min(io.quota_us, guest.quota_us) >= MIN_QUOTA_US
    assert io.weight == guest.weight == limits.default_weight
    assert encoding.rounding_error_frac <= 1 / MIN_QUOTA_US + 1e-12
    assert math.isclose(encoding.achieved[IO], split.io_frac, rel_tol=0.001)
    got = CgroupModel(limits).decode(encoding.params)
    assert got == shares_to_split(encoding.achieved) or (
        got is None and _beyond_every_split(io.quota_us, guest.quota_us)
    )


@MODELS
@example(split=split_between(1, 1), period_us=1_999)
@given(split=splits, period_us=periods_us)
def test_quota_under_the_kernels_minimum_is_refused_with_the_numbers(limits, split, period_us):
    assume(smaller_us(split, period_us) < MIN_QUOTA_US)
    with pytest.raises(SpecError) as caught:
        CgroupModel(limits).encode(split, Mode.CAPS, period_us)
    assert str(period_us) in caught.value.problem
    assert str(MIN_QUOTA_US) in caught.value.problem


@MODELS
@given(split=splits)
def test_period_named_in_a_refusal_would_do(limits, split):
    smallest_us = math.ceil(MIN_QUOTA_US / min(split.io_frac, split.frac_of(GUEST)))
    period_us = max(1_000, smallest_us // 2)
    with pytest.raises(SpecError) as caught:
        CgroupModel(limits).encode(split, Mode.CAPS, period_us)
    named_us = int(caught.value.hint.split(" us")[0].rsplit(" ", 1)[1])
    assert named_us == smallest_us
    CgroupModel(limits).encode(split, Mode.CAPS, named_us)


@MODELS
@given(a=st.integers(2, 262_144), b=st.integers(2, 262_144))
def test_weights_set_by_hand_are_read_as_their_ratio(limits, a, b):
    got = CgroupModel(limits).decode({IO: CgroupParams(a), GUEST: CgroupParams(b)})
    if max(a, b) / min(a, b) > 100 or a == b == limits.default_weight:
        assert got is None
    else:
        assert math.isclose(got.io / got.guest, a / b)


@MODELS
@given(a=st.integers(1_000, 100_000), b=st.integers(1_000, 100_000), pa=periods_us, pb=periods_us)
def test_quotas_set_by_hand_are_read_as_the_ratio_of_their_fractions(limits, a, b, pa, pb):
    got = CgroupModel(limits).decode({IO: CgroupParams(100, a, pa), GUEST: CgroupParams(100, b, pb)})
    ratio = (a / pa) / (b / pb)
    if got is None:
        assert not 0.0101 <= ratio <= 99.9
    else:
        assert math.isclose(got.io / got.guest, ratio)


@MODELS
@pytest.mark.parametrize("mode", TIME_MODES)
@pytest.mark.parametrize("label", PAPER_SPLITS)
def test_papers_splits_can_be_set_at_20_ms(limits, mode, label):
    split = parse_split(label)
    encoding = CgroupModel(limits).encode(split, mode, 20_000)
    assert encoding.rounding_error_frac < 0.001
    mirrored = CgroupModel(limits).encode(split_between(split.guest, split.io), mode, 20_000)
    assert mirrored.params[IO] == encoding.params[GUEST]


@MODELS
@pytest.mark.parametrize(
    "params",
    [
        {},
        {IO: CgroupParams(200)},
        {IO: CgroupParams(200, 5_000, 20_000), GUEST: CgroupParams(100)},
        {IO: CgroupParams(200), GUEST: CgroupParams(100, 5_000, 20_000)},
    ],
)
def test_half_a_setting_means_no_split(limits, params):
    assert CgroupModel(limits).decode(params) is None


@MODELS
def test_groups_as_the_kernel_makes_them_mean_no_split(limits):
    found = CgroupParams(limits.default_weight)
    assert CgroupModel(limits).decode({IO: found, GUEST: found}) is None
    assert CgroupModel(limits).encode(split_between(1, 1), Mode.WEIGHTS, 20_000).params[IO] != found


@MODELS
def test_period_outside_the_kernels_range_is_refused(limits):
    with pytest.raises(SpecError, match=r"999 is outside 1000\.\.1000000"):
        CgroupModel(limits).encode(split_between(1, 1), Mode.CAPS, 999)


def test_rounding_beyond_two_percent_is_refused():
    coarse = CgroupModel(CgroupLimits("coarse", (1, 20), 10))
    assert coarse.encode(split_between(1, 2), Mode.WEIGHTS, 20_000).rounding_error_frac == 0
    with pytest.raises(SpecError, match="by rounding"):
        coarse.encode(split_between(1, 100), Mode.WEIGHTS, 20_000)


def test_models_are_found_by_name_and_unknown_ones_named():
    assert find_share_model("cgroup-v1").name == "cgroup-v1"
    assert find_share_model("cgroup-v2").name == "cgroup-v2"
    with pytest.raises(HostNotUsable, match="credit9"):
        find_share_model("credit9")
