"""Keeping a weight and a cap in XAPI: whole maps, read back, put back; and what cannot be kept is refused."""

import pytest

from scheduler.errors import DomainGone, HostUnreachable, ParameterRefused, WriteNotVerified
from scheduler.hosts.xapi import next_boot
from scheduler.hosts.xapi.xapi_records import VmRecord, parse_record
from scheduler.model.scheduler_params import Credit2Params, CreditParams
from tests.xapi_double.pool import DOM0_UUID, GUEST_UUID, Fault

GUEST = "OpaqueRef:v1"
SET = "VM.set_VCPUs_params"
WANTED = CreditParams(weight=512, cap_pct=50)


@pytest.fixture
def told():
    return []


@pytest.fixture
def keep(line, told):
    def keep(params=WANTED, uuid=GUEST_UUID, vcpus=1):
        return next_boot.store_params(line, uuid, params, vcpus=vcpus, ledger=lambda *words: told.append(words))

    return keep


def kept_now(pool):
    return pool.vms[GUEST]["VCPUs_params"]


@pytest.mark.parametrize("before", [{}, {"weight": "256"}, {"weight": "1", "cap": "10", "mask": "1,2"}, {"mask": "0"}])
def test_what_is_kept_can_be_restored(pool, line, keep, told, before):
    pool.vms[GUEST]["VCPUs_params"] = dict(before)
    kept = keep()
    assert kept_now(pool) == kept.after == {**before, "weight": "512", "cap": "50"}
    assert kept.before == before
    assert next_boot.restore_params(line, kept, lambda *words: told.append(words)).after == before
    assert kept_now(pool) == before
    assert [label for _, label in told] == [next_boot.LABEL] * 2


def test_label_promises_nothing_live(keep):
    assert keep().label == "applies when the VM is next built: at its next start, reboot, resume or migration"


def test_mask_set_meanwhile_survives_the_way_back(pool, line, keep):
    kept = keep()
    kept_now(pool)["mask"] = "0,1"
    next_boot.restore_params(line, kept, lambda *_: None)
    assert kept_now(pool) == {"mask": "0,1"}


def test_nothing_is_written_that_is_there_already(pool, member, keep, told):
    keep()
    keep()
    assert member.asked.count(SET) == 1
    assert len(told) == 1


def test_key_is_never_added_or_removed_alone(member, keep):
    keep()
    assert [method for method in member.asked if "_to_" in method or "_from_" in method] == []


@pytest.mark.parametrize("kind", ["drop", "cut"])
def test_connection_that_breaks_around_the_write_ends_in_the_wanted_map(pool, keep, kind):
    pool.fail_at(SET, Fault(kind), Fault(kind))
    assert keep().after == kept_now(pool) == {"weight": "512", "cap": "50"}


def test_write_that_was_done_is_seen_although_every_answer_was_lost(pool, member, keep):
    pool.fail_at(SET, *[Fault("drop")] * 9)
    assert keep().after == {"weight": "512", "cap": "50"}
    assert member.asked.count(SET) == 2


def test_last_write_too_is_looked_for_when_its_answer_is_lost(pool, keep, told):
    pool.fail_at(SET, Fault("cut"), Fault("cut"), Fault("drop"), Fault("drop"))
    assert keep().after == kept_now(pool) == {"weight": "512", "cap": "50"}
    assert len(told) == 1


def test_write_that_never_arrives_is_an_error(pool, keep, told):
    pool.fail_at(SET, *[Fault("cut")] * 9)
    with pytest.raises(HostUnreachable):
        keep()
    assert kept_now(pool) == {}
    assert told == []


def test_write_that_is_not_taken_is_an_error(pool, member, keep, told):
    pool.forgetful = True
    with pytest.raises(WriteNotVerified, match="reads back"):
        keep()
    assert member.asked.count(SET) == 2
    assert told == []


@pytest.mark.parametrize(
    ("params", "vcpus"),
    [
        (CreditParams(weight=0), 1),
        (CreditParams(weight=65_536), 1),
        (CreditParams(weight=-5), 1),
        (CreditParams(weight=256, cap_pct=-1), 1),
        (CreditParams(weight=256, cap_pct=101), 1),
        (CreditParams(weight=256, cap_pct=201), 2),
        (Credit2Params(weight=256), 1),
    ],
)
def test_what_xapi_would_swallow_in_silence_is_refused(pool, member, keep, params, vcpus):
    """XAPI looks at no value: one that cannot be used becomes the default at the next boot, without a word."""
    with pytest.raises(ParameterRefused, match="db1"):
        keep(params, vcpus=vcpus)
    assert kept_now(pool) == {}
    assert SET not in member.asked


def test_dom0_is_refused_because_xapi_would_take_it_and_never_use_it(pool, keep):
    with pytest.raises(ParameterRefused, match="never uses it"):
        keep(uuid=DOM0_UUID)
    assert pool.vms["OpaqueRef:d1"]["VCPUs_params"] == {}


def test_machine_that_is_gone_is_reported_to_be(keep):
    with pytest.raises(DomainGone):
        keep(uuid="00000000-0000-4000-8000-000000000000")


@pytest.mark.parametrize(
    ("kept", "live", "words"),
    [
        ({}, CreditParams(256), ""),
        ({"weight": "256", "cap": "0"}, CreditParams(256), ""),
        ({"weight": "512"}, CreditParams(512), ""),
        ({"weight": "512"}, CreditParams(256), "weight 256 live, 512 kept"),
        ({"weight": "a lot", "cap": ""}, CreditParams(256), ""),  # XAPI takes what is no number for the default
        ({}, CreditParams(128, 30), "weight 128 live, 256 kept, cap 30 live, 0 kept"),
        ({"weight": "512"}, Credit2Params(256), ""),  # another scheduler gets none of it
        ({"weight": "512"}, None, ""),
    ],
)
def test_difference_to_the_live_values_is_reported(pool, kept, live, words):
    vm = parse_record({**pool.vms[GUEST], "VCPUs_params": kept}, VmRecord)
    assert next_boot.describe_difference(vm, live) == words


def test_hostile_keys_are_quoted_in_the_lines_for_people():
    hostile = {"a b;$(touch x)'\"": "1"}
    assert next_boot.format_xe_commands("u", hostile, {}).endswith("param-key='a b;$(touch x)'\"'\"'\"'")
    assert "'VCPUs-params:weight=$(touch x)'" in next_boot.format_xe_commands("u", {}, {"weight": "$(touch x)"})
