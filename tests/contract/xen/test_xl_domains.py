"""Domains of a doubled Xen host that restart, end, are renamed, or have names of any kind."""

import sys
import threading
import time

import psutil
import pytest

from scheduler.errors import DomainGone, DomainPaused, HostNotUsable, ParameterRefused
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.hosts.xen.toolstack_access import find_access
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.host_properties import Severity
from scheduler.model.scheduler_params import Credit2Params, SedfParams
from scheduler.model.split import GUEST, IO
from scheduler.run.restore import restore_originals
from tests.sshd import until
from tests.xen_double.looking import MOST_S, texts, until_gone, until_worked, weights
from tests.xen_double.state import GUEST_UUID, NO_UUID

WANTED = Credit2Params(weight=700, cap_pct=40)
FOUND = Credit2Params(weight=256)


def test_guest_that_restarts_stops_the_sweep_and_is_restored_in_its_new_life(double, host):
    host.boot()
    host.write(GUEST, WANTED)
    until_worked(host, 2.6)  # xentop counts whole seconds: a shorter life looks like the next one
    double.restart_guest()
    with pytest.raises(DomainGone, match=r"was restarted \(number 1 became 5\)"):
        until_gone(host)
    restore_originals(host, {IO: FOUND, GUEST: FOUND})
    assert weights(double) == [(256, 0), (256, 0)]


def test_write_to_a_restarted_guest_stops_before_it_changes_the_new_one(double, host):
    host.boot()
    host.write(GUEST, WANTED)
    double.restart_guest()
    with pytest.raises(DomainGone, match="was restarted"):
        host.write(GUEST, Credit2Params(weight=300))
    assert weights(double)[1] == (700, 40)
    restore_originals(host, {IO: FOUND, GUEST: FOUND})
    assert weights(double) == [(256, 0), (256, 0)]


def test_guest_that_ended_is_reported_and_the_other_is_restored(double, host):
    host.boot()
    for domain in (IO, GUEST):
        host.write(domain, WANTED)
    host.usage()
    double.end_guest()
    with pytest.raises(DomainGone, match="rt guest has ended"):
        until_gone(host)
    assert host.read(GUEST) is None
    restore_originals(host, {IO: FOUND, GUEST: FOUND})
    assert weights(double) == [(256, 0)]


def test_sweep_of_a_guest_that_crashed_and_is_preserved_stops_and_restores(double, host):
    host.boot()
    for domain in (IO, GUEST):
        host.write(domain, WANTED)
    host.usage()
    with double.changing() as state:
        state["domains"][1]["state"] = "---sc-"
    with pytest.raises(DomainGone, match="rt guest is crashed: still listed") as ended:
        until_gone(host)
    assert "does not count" in ended.value.hint
    restore_originals(host, {IO: FOUND, GUEST: FOUND})
    assert weights(double) == [(256, 0), (256, 0)]


def test_sweep_of_a_guest_that_is_paused_stops_and_restores(double, host):
    host.boot()
    for domain in (IO, GUEST):
        host.write(domain, WANTED)
    host.usage()
    with double.changing() as state:
        state["domains"][1]["state"] = "--p---"
    with pytest.raises(DomainPaused, match="rt guest is paused: listed") as ended:
        until_gone(host)
    assert "does not count" in ended.value.hint
    assert "xl unpause 1" in ended.value.hint
    restore_originals(host, {IO: FOUND, GUEST: FOUND})
    assert weights(double) == [(256, 0), (256, 0)]


def test_renamed_guest_is_followed(double, host):
    host.boot()
    before = host.usage()[GUEST]
    with double.changing() as state:
        state["domains"][1]["name"] = "renamed; $(touch x)"
    until_worked(host, before.user_s + 1.6)  # more than was on its way under the old name


def test_another_domain_under_the_old_number_is_not_touched(double, host):
    host.boot()
    host.write(GUEST, WANTED)
    double.restart_guest()
    with double.changing() as state:
        state["domains"][1]["weight"] = 999
    with pytest.raises(DomainGone):
        host.write(GUEST, WANTED)
    assert weights(double)[1] == (999, 40)


def test_hypervisor_that_sets_dom0s_weight_itself_is_reported_and_noticed(double, host):
    with double.changing() as state:
        state["privileged"] = True
        state["dmesg"] = "(XEN) setting dom 0 as the privileged domain"
    assert "sets the weight of Domain-0 itself" in texts(host.facts(), Severity.WARNING)
    host.write(IO, WANTED)
    assert host.read(IO) == Credit2Params(weight=2560, cap_pct=40)


@pytest.mark.parametrize("params", [Credit2Params(weight=0), Credit2Params(256, -1), Credit2Params(256, 201), None])
def test_what_xl_would_take_for_something_else_is_refused_before_anything_is_armed(double, host, guard, params):
    with pytest.raises(ParameterRefused):
        host.write(GUEST, params)
    assert guard().state == "none"


def test_sedf_of_a_historic_host_is_swept_and_restored(double, host):
    with double.changing() as state:
        state["scheduler"], state["version"] = "sedf", [4, 4]
    original = host.read(IO)
    assert original == SedfParams(100, 0, 0, extratime=True)
    host.write(IO, SedfParams(100, 24))
    assert host.read(IO) == SedfParams(100, 24)
    host.write(IO, original)
    assert host.read(IO) == original


def test_domains_are_chosen_or_asked_for(double):
    with double.changing() as state:
        state["domains"].append({**state["domains"][1], "domid": 2, "name": "other", "uuid": f"1{GUEST_UUID[1:]}"})
    with pytest.raises(HostNotUsable, match="2 guests run there: 'rt guest', 'other'"):
        open_host("xl:", lambda *_: None, "", "", "").facts()


def test_missing_name_is_reported_with_those_that_run(double):
    with pytest.raises(HostNotUsable, match="no domain 'db9'") as missing:
        open_host("xl:", lambda *_: None, "Domain-0", "db9", "").facts()
    assert "'rt guest'" in missing.value.hint


def test_guest_with_dom0s_uuid_is_not_swept(double, host, guard):
    with double.changing() as state:
        state["domains"][1]["uuid"] = NO_UUID  # xenstore's own domain has none, for example
    with pytest.raises(HostNotUsable, match="no UUID, which DomTune needs"):
        host.write(GUEST, WANTED)
    assert guard().state == "none"
    assert weights(double) == [(256, 0), (256, 0)]


def test_host_without_xen_is_reported(double, monkeypatch):
    monkeypatch.delenv("DOMTUNE_XEN_SBIN")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(HostNotUsable, match=r"neither xl nor xm in .* nor on PATH") as refused:
        open_host("xl:", lambda *_: None, "", "", "").facts()
    assert "DOMTUNE_XEN_SBIN" in refused.value.hint


def test_find_access_with_xl_on_path_only_uses_its_whole_path(double, monkeypatch):
    monkeypatch.delenv("DOMTUNE_XEN_SBIN")
    monkeypatch.setenv("PATH", f"{double.sbin}:/usr/bin:/bin")
    assert find_access(LocalShell()).program == f"{double.sbin}/xl"


def test_find_access_never_takes_xl_of_the_current_folder(double, monkeypatch):
    monkeypatch.delenv("DOMTUNE_XEN_SBIN")
    monkeypatch.chdir(double.sbin)
    monkeypatch.setenv("PATH", ".:/usr/bin:/bin")
    with pytest.raises(HostNotUsable, match="neither xl nor xm"):
        find_access(LocalShell())


def test_domains_that_never_meet_are_an_error(double, host):
    with double.changing() as state:
        state["cpus"] = 4
        state["domains"][0]["hard"], state["domains"][1]["hard"] = "0", "2-3"
    facts = host.facts()
    assert "with the original settings they never compete" in texts(facts, Severity.INFO)


def test_counters_grow_with_the_clock_and_cost_no_call_of_xl(double, host):
    host.facts()
    first, began_s = host.usage(), time.monotonic()
    calls = double.load()["calls"]

    def as_the_clock():
        second, elapsed_s = host.usage(), time.monotonic() - began_s
        grown = [(second[domain].user_s - first[domain].user_s) / elapsed_s for domain in (IO, GUEST)]
        return grown == pytest.approx([0.25, 0.5], abs=0.15)

    threading.Event().wait(4)
    until(as_the_clock, time.monotonic() + MOST_S, "they do not grow with the clock")  # a look may come late
    assert double.load()["calls"] == calls


def test_names_are_data(double, tmp_path):
    name = f"a b;$(touch {tmp_path}/x)'\""
    with double.changing() as state:
        state["domains"][1]["name"] = name
    host = open_host("xl:", lambda *_: None, "", name, "")
    host.write(GUEST, WANTED)
    assert host.read(GUEST) == WANTED
    assert host.usage()[GUEST].user_s >= 0
    host.close()
    assert not (tmp_path / "x").exists()
    assert weights(double) == [(256, 0), (256, 0)]


def test_host_whose_toolstack_is_slow_is_looked_at_less_often(double, host):
    xl = double.sbin / "xl"
    xl.rename(double.sbin / "quick-xl")
    busy = f"""{sys.executable} -Sc "from time import process_time as t
while t() < 0.5: pass" """  # of CPU time, on whatever computer
    xl.write_text(f'#!/bin/sh\n[ "$1" = list ] && {busy}\nexec {double.sbin}/quick-xl "$@"\n')
    xl.chmod(0o755)
    assert set(host.usage()) == {IO, GUEST}
    tops = [one.info["cmdline"] for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"]]
    (top,) = [words for words in tops if str(double.path) in words and "xentop" in words]
    assert top[-2:] in (["-d", "2"], ["-d", "3"])
