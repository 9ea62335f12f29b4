import math

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.errors import SpecError
from scheduler.model.placement import PlacementSupport, count_whole_cpus, preset_dedicated_splits
from scheduler.model.scheduler_params import CgroupParams, Credit2Params, LibvirtParams, RtdsParams
from scheduler.model.split import GUEST, IO, Mode, parse_split, split_between
from scheduler.shares.cpu_floors import least_io_cpus
from scheduler.shares.domain_limits import limit_cpus
from scheduler.shares.measured_params import require_placement
from scheduler.shares.model_lookup import build_share_models, find_share_model
from scheduler.shares.rounding import shares_to_split
from scheduler.shares.share_model import HostMachine
from tests.data_maker import make_facts

NAMES = tuple(build_share_models(HostMachine()))
WHOLE = ("cgroup-v1", "cgroup-v2", "lxc-v1", "lxc-v2")  # one quota for all threads of a domain
every_model = pytest.mark.parametrize("name", NAMES)
splits = st.tuples(st.integers(1, 12), st.integers(1, 12)).map(lambda parts: split_between(*parts))


def machine_of(cpus: int, io: int, guest: int) -> HostMachine:
    return HostMachine(vcpus={IO: io, GUEST: guest}, vcpus_all={IO: io, GUEST: guest}, cpus=cpus)


@st.composite
def machines(draw):
    cpus = draw(st.integers(1, 256))
    return machine_of(cpus, draw(st.integers(1, cpus)), draw(st.integers(1, cpus)))


def total_cpus(name: str, machine: HostMachine, params) -> float:
    """Return the CPUs that the parameters allot, read as the host would."""
    one = HostMachine() if name in WHOLE else machine
    return sum(limit_cpus(each, domain, one) or math.inf for domain, each in params.items())


@every_model
@settings(max_examples=40)
@given(machine=machines(), split=splits)
def test_caps_on_many_cpus_mean_the_split_and_fit_the_set(name, machine, split):
    model = find_share_model(name, machine)
    try:
        encoding = model.encode(split, Mode.CAPS, 100_000)
    except SpecError:  # the text is a law of every share model, in test_share_models.py
        return
    clipped = any("cannot use more" in warning for warning in encoding.warnings)
    assert model.decode(encoding.params) == shares_to_split(encoding.achieved)
    assert encoding.total_frac <= (1 if name.startswith("cgroup") else 0.98)
    assert total_cpus(name, machine, encoding.params) == pytest.approx(encoding.total_frac * machine.cpus, rel=1e-6)
    if not clipped:
        assert encoding.rounding_error_frac <= 0.02
        assert encoding.total_frac >= 0.8
        factor = encoding.achieved[IO] / encoding.achieved[GUEST] / (split.io / split.guest)
        assert max(factor, 1 / factor) <= 1.0201


@every_model
@given(cpus=st.integers(2, 256), data=st.data())
@settings(max_examples=20)
def test_dedicated_cpus_have_no_limit_and_whole_cpus(name, cpus, data):
    split = parse_split(data.draw(st.sampled_from(preset_dedicated_splits(cpus))))
    model = find_share_model(name, machine_of(cpus, cpus, cpus))
    encoding = model.encode(split, Mode.DEDICATED, 20_000)
    assert model.decode(encoding.params) is None or name == "rtds"  # a full budget is a limit to one CPU per vCPU
    assert {d: share * cpus for d, share in encoding.achieved.items()} == count_whole_cpus(cpus, split)
    assert encoding.total_frac == 1
    assert not encoding.warnings


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("credit2", {IO: Credit2Params(341, 192), GUEST: Credit2Params(171, 576)}),
        ("cgroup-v2", {IO: CgroupParams(100, 200_000, 100_000), GUEST: CgroupParams(100, 600_000, 100_000)}),
        (
            "qemu-v2",
            {IO: LibvirtParams(100, 100_000, 96_000, 100_000), GUEST: LibvirtParams(100, 100_000, 72_000, 100_000)},
        ),
        ("lxc-v2", {IO: LibvirtParams(100, 100_000, 192_000), GUEST: LibvirtParams(100, 100_000, 576_000)}),
        (
            "qemu-emulator",
            {IO: LibvirtParams(None, None, None, 100_000, 192_000), GUEST: LibvirtParams(None, 100_000, 72_000)},
        ),
    ],
)
def test_caps_of_1_to_3_on_eight_cpus_are_two_and_six(name, params):
    found = find_share_model(name, machine_of(8, 2, 8)).encode(split_between(1, 3), Mode.CAPS, 100_000).params
    if name == "credit2":
        assert {d: each.cap_pct for d, each in found.items()} == {d: each.cap_pct for d, each in params.items()}
        assert found[IO].weight * 2 * 3 == pytest.approx(found[GUEST].weight * 8, rel=0.02)
    else:
        assert found == params


def test_rtds_budget_is_per_vcpu():
    found = find_share_model("rtds", machine_of(8, 4, 8)).encode(split_between(1, 3), Mode.CAPS, 10_000).params
    io, guest = found[IO], found[GUEST]
    assert isinstance(io, RtdsParams)
    assert [vcpu.budget_us for vcpu in io.vcpus] == [4_800] * 4
    assert [vcpu.budget_us for vcpu in guest.vcpus] == [7_200] * 8


@pytest.mark.parametrize("name", ["credit", "credit2", "rtds", "sedf", "sedf-xm", "qemu-v2", "qemu-emulator"])
def test_share_beyond_the_vcpus_is_clipped_and_said(name):
    machine = machine_of(8, 8, 2)
    encoding = find_share_model(name, machine).encode(split_between(1, 3), Mode.CAPS, 100_000)
    assert any("1:3 gives the guest 6 of 8 CPUs, but it has 2 vCPUs" in warning for warning in encoding.warnings)
    assert float(encoding.achieved[GUEST]) * 8 == pytest.approx(2, rel=0.05)
    assert float(encoding.achieved[IO]) * 8 == pytest.approx(1.92, rel=0.03)
    dedicated = find_share_model(name, machine).encode(split_between(2, 6), Mode.DEDICATED, 100_000)
    assert "cannot use more than 2" in dedicated.warnings[0]


@pytest.mark.parametrize("name", ["credit", "credit2", "rtds", "sedf-xm"])
def test_io_domain_keeps_five_percent_of_a_cpu_for_each_vcpu(name):
    split = split_between(1, 9)
    with pytest.raises(SpecError, match="each of the I/O domain's 16 vCPUs"):
        find_share_model(name, machine_of(8, 16, 8)).encode(split, Mode.CAPS, 100_000)
    assert find_share_model(name, machine_of(8, 8, 8)).encode(split, Mode.CAPS, 100_000)
    assert find_share_model(name, machine_of(1, 16, 8)).encode(split, Mode.CAPS, 100_000)


def test_dedicated_split_that_is_not_whole_names_those_that_are():
    with pytest.raises(SpecError, match=r"1:2 gives the I/O domain 1.33 of 4 CPUs") as refused:
        find_share_model("credit2", machine_of(4, 4, 4)).encode(split_between(1, 2), Mode.DEDICATED, 20_000)
    assert refused.value.hint == "Write for example 1:3 or 2:2."


@pytest.mark.parametrize(
    ("now", "message"),
    [
        (PlacementSupport(why="this account may not place domains"), "cannot be placed now: this account may not"),
        (PlacementSupport(possible=True, choices=(0, 1, 2)), "CPU 3 is not open to them now"),
    ],
)
def test_split_of_confined_domains_needs_a_host_that_can_place_them_again(now, message):
    then = msgspec.structs.replace(make_facts(), shared_cpus=(0, 1, 2, 3), confined=True)
    here = msgspec.structs.replace(make_facts(), placement=now)
    with pytest.raises(SpecError, match=f"run r1 confined the domains to CPU 0-3, and .*{message}"):
        require_placement("r1", then, here)
    require_placement("r1", msgspec.structs.replace(then, confined=False), here)


@pytest.mark.parametrize(("cpus", "vcpus", "least_cpus"), [(1, 4, 0.05), (8, 4, 0.4), (8, 16, 0.8)])
def test_least_io_cpus_is_the_larger_of_set_and_vcpus(cpus, vcpus, least_cpus):
    assert float(least_io_cpus(cpus, vcpus)) == pytest.approx(least_cpus)
