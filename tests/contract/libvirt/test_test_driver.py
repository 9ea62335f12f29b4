"""libvirt's test driver: a made-up host that says yes to every write and keeps none of them.

It obeys the laws of reading; every write must end as `WriteNotVerified`, with nothing left to restore.
"""

import pytest

from scheduler.errors import ParameterRefused, SpecError, WriteNotVerified
from scheduler.hosts.host_registry import open_host, reopen_host
from scheduler.model.host_properties import Severity
from scheduler.model.scheduler_params import CreditParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.run.journal import UndoJournal
from scheduler.run.lease import HostLease
from scheduler.run.split_setter import host_differences
from tests.contract.watching import watched

pytestmark = pytest.mark.usefixtures("binding")

FOUND = CreditParams(50)  # test_driver.c: a constant

DOMAIN = """
<domain type='test'>
  <name>{name}</name><uuid>00000000-0000-4000-8000-00000000000{number}</uuid>
  <memory>65536</memory><vcpu>1</vcpu><os><type>hvm</type></os>
</domain>
"""

RUN_STATE = "<test:runstate xmlns:test='http://libvirt.org/schemas/domain/test/1.0'>{state}</test:runstate>"


def unheard(command, answer):
    """Be a command log without readers."""


@pytest.fixture
def machine(tmp_path):
    """Return a function that makes a machine with these domains and returns its URI."""

    def machine(*names):
        path = tmp_path / "machine.xml"
        domains = "".join(DOMAIN.format(name=name, number=number) for number, name in enumerate(names))
        path.write_text(f"<node>{domains}</node>")
        return f"test://{path}"

    return machine


@pytest.mark.parametrize(("state", "words"), [(1, ""), (3, "'db1' is paused")])
def test_guest_that_does_not_run_is_an_error_before_the_sweep(machine, tmp_path, state, words):
    uri = machine("Domain-0", "db1")
    text = (tmp_path / "machine.xml").read_text()
    first, second = text.split("<name>db1</name>")
    second = second.replace("</domain>", f"{RUN_STATE.format(state=state)}</domain>")
    (tmp_path / "machine.xml").write_text(f"{first}<name>db1</name>{second}")
    host = open_host(uri, unheard)
    try:
        errors = [
            each.text for each in host.facts().findings if each.level is Severity.ERROR and "is paused" in each.text
        ]
        assert bool(errors) == bool(words)
        assert all(words in text for text in errors)
    finally:
        host.close()


@pytest.fixture
def opened(machine):
    host = open_host(machine("Domain-0", "db1"), unheard)
    yield host
    host.close()


def test_host_reports_that_it_is_simulated(opened):
    facts = opened.facts()
    assert facts.simulated
    assert facts.title.startswith("Simulated")
    assert [domain.name for domain in facts.domains] == ["Domain-0", "db1"]
    assert facts.scheduler == "credit"


def test_host_that_throws_values_away_ends_as_not_taken_and_leaves_nothing(opened, tmp_path):
    facts = opened.facts()
    lease = HostLease(opened, tmp_path, facts.host_id, facts.url, lambda undo: reopen_host(undo.host_url, {}, unheard))

    def sweep():
        with lease:
            lease.apply({IO: CreditParams(64), GUEST: CreditParams(192)})

    with pytest.raises(WriteNotVerified, match="reads back"):
        sweep()
    assert {domain: opened.read(domain) for domain in (IO, GUEST)} == {IO: FOUND, GUEST: FOUND}
    assert not UndoJournal(tmp_path, facts.host_id).path.exists()


def test_no_flag_is_given_to_a_driver_that_takes_none(opened):
    assert all("--live" not in line for line in opened.commands(IO, FOUND))
    opened.write(IO, FOUND)
    assert opened.read(IO) == FOUND


@pytest.mark.parametrize("wrong", [CreditParams(0), CreditParams(-1), CreditParams(2**40), CreditParams(50, 40)])
def test_what_the_binding_itself_refuses_is_refused_first(opened, wrong):
    with pytest.raises(ParameterRefused):
        opened.write(IO, wrong)


def test_only_domain_cannot_be_both_sides():
    with pytest.raises(SpecError, match=r"domains\.io") as said:
        open_host("test:///default", unheard)
    assert said.value.hint
    with pytest.raises(SpecError, match="cannot be both"):
        open_host("test:///default", unheard, io_domain="test", guest_domain="test")


def test_wrong_name_is_answered_with_the_right_ones(machine):
    url = machine("Domain-0", "db1", "db2")
    with pytest.raises(SpecError, match="several domains") as said:
        open_host(url, unheard)
    assert "'db1', 'db2'" in said.value.hint
    with pytest.raises(SpecError, match="no domain 'db3'") as said:
        open_host(url, unheard, guest_domain="db3")
    assert "'db2'" in said.value.hint


def test_name_is_data_wherever_it_appears(machine):
    name = "a b;$(touch x)'"
    host = open_host(machine("Domain-0", name.replace("'", "&apos;")), unheard)
    try:
        assert host.facts().domains[1].name == name
        assert all(name not in line for line in host.commands(GUEST, FOUND))  # the identity stands there
    finally:
        host.close()


def test_it_can_be_watched_by_its_weights(machine):
    seen = watched(machine("Domain-0", "db1"))
    assert (seen.standing.mode, seen.standing.params) == (Mode.WEIGHTS, {IO: FOUND, GUEST: FOUND})
    assert seen.windows + sum(seen.dropped.values()) == 6
    assert seen.ended == ""


def test_vcpus_are_set_on_a_driver_that_keeps_them(tmp_path):
    sizes = DOMAIN.replace("<vcpu>1</vcpu>", "<vcpu current='1'>4</vcpu>")
    path = tmp_path / "machine.xml"
    domains = "".join(sizes.format(name=name, number=number) for number, name in enumerate(("Domain-0", "db1")))
    path.write_text(f"<node>{domains}</node>")
    host = open_host(f"test://{path}", unheard)
    assert (host.facts().vcpus.as_found, host.facts().vcpus.most) == (1, 4)
    for online in (4, 2, 1):
        host.write(GUEST_VCPUS, VcpuParams(online))
        assert host.read(GUEST_VCPUS) == VcpuParams(online)
    host.close()


def test_guest_with_one_vcpu_at_most_can_have_no_more(opened):
    assert opened.facts().vcpus.most == 1
    with pytest.raises(ParameterRefused, match=r"only 1\.\.1"):
        opened.write(GUEST_VCPUS, VcpuParams(2))


def test_host_without_a_guard_reports_it_when_it_is_followed_and_is_looked_at_again(opened):
    assert opened.follow(100.0) is False
    assert host_differences(opened.facts(), opened.look_again()) == []
