"""A host that is only looked at cannot be changed through any method of the protocol."""

import inspect

import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.hosts.observed_host import ObservedHost
from scheduler.hosts.protocols import Host
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import IO

CHANGES = {
    **dict.fromkeys(("boot", "add_guest", "restart_database"), ()),
    "follow": (60.0,),
    "write": (IO, CgroupParams(weight=50)),
    "release_domain": (IO,),
}
READS = {
    **dict.fromkeys(("facts", "look_again", "usage", "cpu_usage", "passed", "warnings", "failure_details"), ()),
    **dict.fromkeys(("context", "creation_context", "close"), ()),
    "read": (IO,),
    "baseline": (IO,),
    "commands": (IO, CgroupParams(weight=50)),
}


@pytest.fixture
def state(tmp_path):
    return tmp_path / "host.json"


@pytest.fixture
def host(state):
    return open_host(f"fake:{state}", ignore_command)


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_a_host_is_refused_and_does_not_reach_it(host, state, name):
    before = state.read_bytes()
    with pytest.raises(HostNotUsable, match="opened read-only") as caught:
        getattr(ObservedHost(host), name)(*CHANGES[name])
    assert caught.value.hint
    assert state.read_bytes() == before


@pytest.mark.parametrize("name", READS)
def test_what_reads_answers_as_the_host_itself(host, name):
    if name == "usage":  # counts on between two looks
        assert ObservedHost(host).usage().keys() == host.usage().keys()
        return
    assert getattr(ObservedHost(host), name)(*READS[name]) == getattr(host, name)(*READS[name])


def test_every_method_of_the_protocol_is_one_or_the_other():
    methods = {name for name, _ in inspect.getmembers(Host, inspect.isfunction) if not name.startswith("_")}
    assert methods == {*CHANGES, *READS}
    assert {name for name in vars(ObservedHost) if not name.startswith("_")} == methods  # inherits nothing open


def test_observed_host_has_no_part_that_changes_the_host(state):
    whole = open_host(f"fake:{state}?fires=1&direct=1", ignore_command)
    assert whole.guard is not None
    assert whole.database is not None
    assert (ObservedHost(whole).guard, ObservedHost(whole).database) == (None, None)


def test_what_else_the_cpus_do_is_passed_on_where_the_host_reports(host):
    assert (ObservedHost(host).cpu_usage(), ObservedHost(host).passed()) == (None, {})
    simulated = open_host("sim:", ignore_command)
    assert ObservedHost(simulated).cpu_usage() == simulated.cpu_usage()
