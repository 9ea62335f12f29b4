"""Counters belong to the domains of the sweep: xentop knows names only, so what it cannot tell apart is refused."""

import pytest

from scheduler.commands.parser import main
from scheduler.errors import HostNotUsable
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.host_properties import Severity
from scheduler.model.split import GUEST
from tests.contract.watching import watched
from tests.contract.xen.test_xl_many_cpus import PLAN
from tests.xen_double.looking import texts, until_gone, until_worked
from tests.xen_double.standing import stand_up
from tests.xen_double.state import GUEST_UUID, NO_UUID, domain

TWIN_UUID = f"1{GUEST_UUID[1:]}"


@pytest.fixture
def opened():
    """Return a function that opens the host; it is closed after the test."""
    hosts = []

    def opened(guest):
        hosts.append(open_host("xl:", lambda *_: None, "", guest, ""))
        return hosts[-1]

    yield opened
    for host in hosts:
        host.close()


def refused(host):
    """Look until the host is refused; return the reason."""
    with pytest.raises(HostNotUsable) as caught:
        until_gone(host)
    return str(caught.value), caught.value.hint


def test_twins_of_one_name_are_refused_instead_of_mixed(tmp_path, monkeypatch, opened):
    twins = [domain(1, "db1", GUEST_UUID), domain(2, "db1", TWIN_UUID)]
    stand_up(tmp_path, monkeypatch, domains=[domain(0, "Domain-0", NO_UUID), *twins])
    host = opened(GUEST_UUID)
    assert "several running domains are called 'db1'" in texts(host.facts(), Severity.ERROR)
    text, hint = refused(host)
    assert "several running domains are called 'db1'" in text
    assert "Rename one of them" in hint
    assert host.passed() == {}


def test_twin_that_appears_in_a_sweep_ends_it(double, opened):
    host = opened("")
    until_worked(host, 0.3)
    with double.changing() as state:
        state["domains"].append(domain(9, "rt guest", TWIN_UUID))
    assert "several running domains are called 'rt guest'" in refused(host)[0]


def test_twin_of_another_guest_does_not_matter(double, opened):
    with double.changing() as state:
        state["domains"] += [domain(8, "web", TWIN_UUID), domain(9, "web", f"2{GUEST_UUID[1:]}")]
    host = opened(GUEST_UUID)
    until_worked(host, 0.3)
    assert GUEST in host.usage()
    assert set(host.passed()) == {"rt guest"}


def test_dom0_without_a_name_is_refused_by_sweep_and_watch(double, opened, tmp_path, capsys):
    with double.changing() as state:
        state["domains"][0]["name"] = "(null)"
    host = opened("")
    assert "does not list '(null)'" in texts(host.facts(), Severity.ERROR)
    text, hint = refused(host)
    assert "does not list '(null)'" in text
    assert "xen-init-dom0" in hint
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(mode="weights"))
    before = double.parameters()
    assert main(["run", str(plan), "--quiet"]) == 5
    assert "xen-init-dom0" in capsys.readouterr().err
    assert double.parameters() == before
    with double.changing() as state:
        for each in state["domains"]:
            each["cap"] = 40
    assert "does not list '(null)'" in watched("xl:").ended
