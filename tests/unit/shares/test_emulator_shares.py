"""Laws of one QEMU domain's two sides: quotas only, the emulator's against the vCPUs'."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import SpecError
from scheduler.model.scheduler_params import LibvirtParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, split_between
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.share_model import HostMachine

PERIOD_US = 100_000


@given(st.integers(1, 10), st.integers(1, 10), st.integers(1, 4))
def test_split_comes_back_within_two_percent(io, guest, vcpus):
    model = find_share_model("qemu-emulator", HostMachine(vcpus={GUEST: vcpus}))
    encoding = model.encode(split_between(io, guest), Mode.CAPS, PERIOD_US)
    decoded = model.decode(encoding.params)
    assert decoded is not None
    assert decoded.io / decoded.guest == pytest.approx(io / guest, rel=0.02)
    held = encoding.params[GUEST]
    assert held.vcpu_quota_us * vcpus / PERIOD_US == pytest.approx(0.96 * guest / (io + guest), rel=0.02)


def test_each_side_has_its_own_quota_and_no_weight():
    params = find_share_model("qemu-emulator").encode(split_between(1, 3), Mode.CAPS, PERIOD_US).params
    assert params[IO] == LibvirtParams(None, None, None, PERIOD_US, 24_000)
    assert params[GUEST] == LibvirtParams(None, PERIOD_US, 72_000)


def test_one_domain_has_one_weight_which_divides_nothing():
    with pytest.raises(SpecError, match="no own weight") as said:
        find_share_model("qemu-emulator").encode(split_between(1, 1), Mode.WEIGHTS, PERIOD_US)
    assert "caps" in said.value.hint


def test_sides_without_a_limit_mean_no_split():
    free = {IO: LibvirtParams(None, None, None, PERIOD_US, None), GUEST: LibvirtParams(None, PERIOD_US, None)}
    assert find_share_model("qemu-emulator").decode(free) is None
