"""Laws of the scheduler parameters: they survive the undo record, say what they are, and stay in their dialect."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import ParameterRefused
from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.scheduler_params import (
    CgroupParams,
    Credit2Params,
    CreditParams,
    LibvirtParams,
    RtdsParams,
    RtdsVcpu,
    SchedParams,
    SedfParams,
)
from scheduler.model.split import GUEST, IO

_whole = st.integers(0, 1_000_000)
_maybe = st.none() | _whole
_vcpus = st.lists(st.builds(RtdsVcpu, _whole, _whole, st.booleans()), min_size=1, max_size=8).map(tuple)
any_params = st.one_of(
    st.builds(CgroupParams, _whole, _maybe, _whole),
    st.builds(CreditParams, _whole, _whole),
    st.builds(Credit2Params, _whole, _whole),
    st.builds(RtdsParams, _vcpus),
    st.builds(SedfParams, st.floats(0, 1e4), st.floats(0, 1e4), st.floats(0, 1e4), st.booleans(), _whole),
    st.builds(LibvirtParams, _maybe, _maybe, _maybe, _maybe, _maybe),
)
KINDS = (CgroupParams, CreditParams, Credit2Params, RtdsParams, SedfParams, LibvirtParams)


@given(params=any_params)
def test_parameters_of_every_dialect_survive_a_record_on_disk(params):
    assert msgspec.json.decode(msgspec.json.encode(params), type=SchedParams) == params


@given(params=any_params)
def test_every_dialect_has_words_and_rows_for_people(params):
    assert params.words
    assert params.rows
    assert all(isinstance(text, str) and text for row in params.rows.items() for text in row)


@given(params=any_params)
def test_parameters_are_only_taken_by_their_own_dialect(params):
    for kind in KINDS:
        if isinstance(params, kind):
            assert narrow_params(params, kind, "a domain") is params
            continue
        with pytest.raises(ParameterRefused) as caught:
            narrow_params(params, kind, "a domain")
        assert params.words in str(caught.value)
        assert f"takes {kind.__struct_config__.tag} parameters" in str(caught.value)
        assert caught.value.hint


def test_records_of_earlier_versions_are_still_read():
    body = b'{"dialect":"cgroup","weight":100,"quota_us":null,"period_us":100000}'
    assert msgspec.json.decode(body, type=SchedParams) == CgroupParams(100)


def test_same_settings_on_all_vcpus_are_reported_once():
    one, other = RtdsVcpu(10_000, 3_200, extratime=False), RtdsVcpu(10_000, 4_000, extratime=True)
    assert RtdsParams((one, one)).words == "3200 us per 10000 us on 2 vCPUs"
    assert RtdsParams((one, other)).words == "vCPU 0: 3200 us per 10000 us; vCPU 1: 4000 us per 10000 us, extra time"
    assert RtdsParams((one, other)).rows["vCPU 1"] == "4000 us per 10000 us, extra time"


def test_no_limit_and_nothing_reported_are_distinguished():
    assert LibvirtParams(1024, 100_000, None).rows["vcpu_quota"] == "none (period 100000 us)"
    assert LibvirtParams(1024, None, None).rows["vcpu_quota"] == "not reported"


def test_host_refuses_another_hosts_dialect_and_stays_as_it_is(tmp_path):
    reported = []
    host = FakeHost(tmp_path / "host.json", InjectedFaults(), lambda command, answer: reported.append(command))
    before = {domain: host.read(domain) for domain in (IO, GUEST)}
    with pytest.raises(ParameterRefused, match="not credit parameters"):
        host.write(IO, CreditParams(256))
    assert {domain: host.read(domain) for domain in (IO, GUEST)} == before
    assert reported == []
