"""Laws between libvirt's words and ours: what is read, and in which order it is set."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import HostNotUsable, ParameterRefused
from scheduler.model.scheduler_params import CgroupParams, Credit2Params, CreditParams, LibvirtParams
from scheduler.model.split import GUEST, IO
from scheduler.toolstacks.virsh import IoSide, dialects_for, format_schedinfo, model_name

QEMU = {
    "cpu_shares": 1024,
    "vcpu_period": 100_000,
    "vcpu_quota": -1,
    "emulator_period": 100_000,
    "emulator_quota": 5_000,
    "global_period": 100_000,
    "global_quota": -1,
}
NO_LIMIT_IN_VERSION_2 = 18_446_744_073_709_551  # libvirt reads "max" as the largest number of its own


def steps_applied(raw, steps):
    now = dict(raw)
    for name, value in steps:
        now[name] = -1 if value < 0 else value
    return now


def test_qemu_containers_and_both_sides_of_a_guest_read_what_is_theirs():
    pair = dialects_for("qemu", "posix", IoSide.DOMAIN)
    assert pair[IO].read(QEMU) == LibvirtParams(1024, 100_000, None, 100_000, 5_000)
    assert dialects_for("lxc", "posix", IoSide.DOMAIN)[GUEST].read(QEMU) == LibvirtParams(1024, 100_000, None)
    sides = dialects_for("qemu", "posix", IoSide.EMULATOR)
    assert sides[IO].read(QEMU) == LibvirtParams(None, None, None, 100_000, 5_000)
    assert sides[GUEST].read(QEMU) == LibvirtParams(None, 100_000, None)


@pytest.mark.parametrize("quota", [-1, -7, NO_LIMIT_IN_VERSION_2])
def test_no_limit_is_read_in_every_way_it_is_written(quota):
    raw = {"cpu_shares": 100, "vcpu_period": 100_000, "vcpu_quota": quota}
    assert dialects_for("lxc", "posix", IoSide.DOMAIN)[IO].read(raw).vcpu_quota_us is None


periods = st.integers(1_000, 1_000_000)
quotas = st.none() | st.integers(1_000, 10_000_000)


@given(st.integers(2, 262_144), periods, quotas, periods, quotas)
def test_what_is_set_reads_back_whatever_was_there(shares, period, quota, emulator_period, emulator_quota):
    dialect = dialects_for("qemu", "posix", IoSide.DOMAIN)[GUEST]
    wanted = LibvirtParams(shares, period, quota, emulator_period, emulator_quota)
    assert dialect.read(steps_applied(QEMU, dialect.steps(wanted))) == wanted


@given(periods, st.integers(1_000, 10_000_000), periods, st.integers(1_000, 10_000_000))
def test_no_step_in_between_is_tighter_than_both_ends(old_period, old_quota, period, quota):
    now = {"cpu_shares": 1024, "vcpu_period": old_period, "vcpu_quota": old_quota}
    least = min(old_quota / old_period, quota / period)
    for name, value in dialects_for("lxc", "posix", IoSide.DOMAIN)[IO].steps(LibvirtParams(1024, period, quota)):
        now[name] = value
        assert now["vcpu_quota"] < 0 or now["vcpu_quota"] / now["vcpu_period"] >= least


@pytest.mark.parametrize(
    "wrong",
    [
        LibvirtParams(0, 100_000, None),
        LibvirtParams(1024, 0, None),
        LibvirtParams(1024, 100_000, 0),
        LibvirtParams(1024, 100_000, -1),
        LibvirtParams(1024, 100_000, 2**60),
        LibvirtParams(1024, None, None),
        LibvirtParams(1024, 100_000, None, 100_000, None),
        CgroupParams(1024),
        CreditParams(256),
    ],
)
def test_container_takes_nothing_else(wrong):
    with pytest.raises(ParameterRefused):
        dialects_for("lxc", "posix", IoSide.DOMAIN)[IO].steps(wrong)


def test_xen_takes_plain_calls_and_each_scheduler_its_own_parameters():
    credit = dialects_for("xen", "credit", IoSide.DOMAIN)[IO]
    assert credit.flag == ""
    assert credit.read({"weight": 256, "cap": 40}) == CreditParams(256, 40)
    assert list(credit.steps(CreditParams(512, 30))) == [("weight", 512), ("cap", 30)]
    credit2 = dialects_for("xen", "credit2", IoSide.DOMAIN)[IO]
    assert credit2.read({"weight": 256, "cap": 0}) == Credit2Params(256)
    for wrong in (CreditParams(256), Credit2Params(0), Credit2Params(65_536), Credit2Params(256, -1)):
        with pytest.raises(ParameterRefused):
            credit2.steps(wrong)


def test_driver_without_a_cap_is_never_given_one():
    dialect = dialects_for("test", "fair", IoSide.DOMAIN)[IO]
    assert dialect.read({"weight": 50}) == CreditParams(50)
    with pytest.raises(ParameterRefused, match="weights only"):
        dialect.steps(CreditParams(50, 10))


@pytest.mark.parametrize("scheduler", ["sedf", "arinc653", ""])
def test_scheduler_libvirt_cannot_set_is_not_usable(scheduler):
    with pytest.raises(HostNotUsable) as said:
        dialects_for("xen", scheduler, IoSide.DOMAIN)
    assert "xl+ssh" in said.value.hint


def test_missing_parameter_is_named_with_those_that_are_there():
    with pytest.raises(HostNotUsable, match=r"vcpu_quota.*cpu_shares"):
        dialects_for("lxc", "posix", IoSide.DOMAIN)[IO].read({"cpu_shares": 1024})


def test_model_names_follow_driver_version_and_side():
    assert model_name("lxc", "posix", IoSide.DOMAIN, 1) == "lxc-v1"
    assert model_name("qemu", "posix", IoSide.DOMAIN, 2) == "qemu-v2"
    assert model_name("qemu", "posix", IoSide.EMULATOR, 2) == "qemu-emulator"
    assert model_name("xen", "credit2", IoSide.DOMAIN, 1) == "credit2"


def test_line_is_safe_to_type_whatever_is_in_the_uri():
    typed = format_schedinfo("lxc+unix:///system?socket=/a b;$(touch x)'", "u-u-i-d", "--live", ("cpu_shares", 2))
    words = ["virsh", "-c", "lxc+unix:///system?socket=/a b;$(touch x)'", "schedinfo", "u-u-i-d", "--live", "--set"]
    assert shlex.split(typed) == [*words, "cpu_shares=2"]
