"""The simulated host obeys the laws of hosts, under every scheduler that it knows."""

import json

import pytest

from scheduler.errors import HostNotUsable, ParameterRefused, SpecError
from scheduler.hosts.host_registry import ignore_command, open_host, reopen_host
from scheduler.hosts.sim import SimHost
from scheduler.model.scheduler_params import Credit2Params, CreditParams, RtdsParams, RtdsVcpu, SedfParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from tests.contract.host_contract import HostContract

SURFACE = {
    "schema": "domtune-machine/1",
    "kind": "surface",
    "splits": ["1:1", "1:2"],
    "loads": {"osdb-ir": [1.0, 0.9]},
    "scale_tps": {"osdb-ir": 400},
}


class SimSubject:
    """A simulated machine; what can be changed of it lives in the process that opened it."""

    def __init__(self, url):
        self.url = url
        self._opened: list[SimHost] = []

    def open(self, command_log):
        host = open_host(self.url, command_log)
        assert isinstance(host, SimHost)
        self._opened.append(host)
        return host

    def snapshot(self):
        return {domain: self._opened[0].world.read(domain) for domain in (IO, GUEST)}


class TestSimHost(HostContract):
    @pytest.fixture(params=["?scheduler=credit", "?scheduler=credit2"])
    def subject(self, request):
        return SimSubject(f"sim:{request.param}")


class TestSimHostWithoutWeights(HostContract):
    """SEDF, which runs where nothing else is asked for, and RTDS."""

    modes = (Mode.CAPS,)

    @pytest.fixture(params=["", "?scheduler=rtds"])
    def subject(self, request):
        return SimSubject(f"sim:{request.param}")


@pytest.mark.parametrize(
    ("scheduler", "wrong", "number"),
    [
        ("credit", CreditParams(weight=65_536), "65536"),
        ("credit2", Credit2Params(weight=256, cap_pct=101), "101"),
        ("rtds", RtdsParams((RtdsVcpu(period_us=10_000, budget_us=5, extratime=False),)), "5"),
        ("rtds", RtdsParams((RtdsVcpu(10_000, 4_000, extratime=False),) * 2), "2"),
        ("sedf-xm", SedfParams(period_ms=20, slice_ms=21), "21"),
        ("sedf-xm", SedfParams(period_ms=20, slice_ms=0), "0"),
        ("sedf-xm", SedfParams(period_ms=20, slice_ms=5, weight=3), "3"),
    ],
)
def test_each_scheduler_refuses_what_xen_refuses(scheduler, wrong, number):
    host = open_host(f"sim:?scheduler={scheduler}", ignore_command)
    before = host.read(IO)
    with pytest.raises(ParameterRefused, match=number):
        host.write(IO, wrong)
    assert host.read(IO) == before


def test_it_reports_in_every_fact_that_it_is_simulated(tmp_path):
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(SURFACE))
    for url in ("sim:", f"sim:{path}"):
        facts = open_host(url, ignore_command).facts()
        assert facts.simulated
        assert facts.title.startswith("Simulated")
        assert any("simulated" in finding.text for finding in facts.findings)


def test_built_in_machine_is_titled_by_its_scheduler_and_described_in_its_facts():
    for url, title in (("sim:", "Simulated Xen, sedf-xm"), ("sim:?scheduler=credit2", "Simulated Xen, credit2")):
        facts = open_host(url, ignore_command).facts()
        assert facts.title == title
        assert [truth.value for truth in facts.verified_properties] == [BUILT_IN_MACHINE.title]


def test_two_machines_have_two_identities_and_one_has_one():
    ids = [
        open_host(url, ignore_command).facts().host_id for url in ("sim:", "sim:", "sim:?seed=2", "sim:?scheduler=rtds")
    ]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


def test_process_that_died_left_nothing_behind():
    host = open_host("sim:", ignore_command)
    original = host.read(IO)
    host.write(IO, SedfParams(period_ms=20, slice_ms=5))
    assert reopen_host("sim:", host.context(), ignore_command).read(IO) == original


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("sim:?scheduler=bvt", "bvt"),
        ("sim:?noise=loud", "loud"),
        ("sim:?seed=minus", "minus"),
        ("sim:?seed=-1", "seed"),
        ("sim:?speed=9", "speed"),
    ],
)
def test_wrong_query_is_named(url, words):
    with pytest.raises(SpecError, match=words):
        open_host(url, ignore_command)


def test_missing_file_is_named():
    with pytest.raises(HostNotUsable, match=r"nowhere\.json"):
        open_host("sim:nowhere.json", ignore_command)


def test_other_names_of_domains_are_refused():
    with pytest.raises(SpecError, match="driver-domain"):
        open_host("sim:", ignore_command, io_domain="driver-domain")
    open_host("sim:", ignore_command, io_domain="Domain-0", guest_domain="db1").close()
