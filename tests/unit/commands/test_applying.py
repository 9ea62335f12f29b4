"""Laws of `apply` and `revert`: what was there before is never lost, and what cannot be taken back is named."""

import json

import msgspec
import pytest

from scheduler import places
from scheduler.commands.applying import encoded
from scheduler.commands.runs_word import find, results_of
from scheduler.errors import ParameterRefused, SpecError
from scheduler.hosts.fake import FakeHost, Faults
from scheduler.hosts.registry import open_host
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import Journal, Undo
from scheduler.shares.registry import model_of
from scheduler.store.runs import RunStore

HOST = "host.json"


@pytest.fixture
def run_id(call, plan) -> str:
    return call("run", plan(), "--json", "--quiet").json["run_id"]


@pytest.fixture
def url(home) -> str:
    return f"fake:{home / HOST}"


def host_of(home) -> dict:
    return json.loads((home / HOST).read_text())


def break_after(monkeypatch, writes: int, error: BaseException, *, for_ever: bool = False) -> None:
    """Let one write, or all from then on, be broken off."""
    write, seen = FakeHost.write, []

    def broken(self, domain, params):
        seen.append(domain)
        if len(seen) == writes + 1 or (for_ever and len(seen) > writes):
            raise error
        write(self, domain, params)

    monkeypatch.setattr(FakeHost, "write", broken)


def test_that_revert_brings_back_what_was_there_before_the_first_of_two(call, run_id, home, url):
    found = host_of(home)
    assert call("apply", run_id, "--split", "1:2").code == 0
    assert call("apply", run_id, "--split", "1:1").code == 0
    assert host_of(home) != found
    assert call("revert", url).code == 0
    assert host_of(home) == found


def test_that_a_guess_is_not_applied_unasked(call, run_id, home):
    assert call("runs", run_id, "--json").json["recommendation"]["verdict"] == "none"
    found = host_of(home)
    refused = call("apply", run_id)
    assert refused.code == 2
    assert "recommends none" in refused.err
    assert host_of(home) == found


def test_that_a_split_that_the_sweep_came_to_by_itself_can_be_applied_and_one_that_it_only_proposes_cannot(run_id):
    with RunStore(places.store_path(), read_only=True) as store:
        row = find(store, run_id)
        results = results_of(store, row)
    added = msgspec.structs.replace(results.points[-1], split="2:3")
    results = msgspec.structs.replace(results, points=(*results.points, added))
    host = open_host(row.spec.host_url, lambda *_: None)
    try:
        assert model_of(host.facts()).decode(encoded(row, results, "2:3", host)).label == "2:3"
        with pytest.raises(SpecError) as refused:
            encoded(row, results, "3:4", host)
    finally:
        host.close()
    assert refused.value.hint == "Visited: 1:1, 1:2, 2:3."


def test_that_a_second_apply_that_fails_leaves_the_first_one_and_its_way_back(call, run_id, home, url, monkeypatch):
    found = host_of(home)
    call("apply", run_id, "--split", "1:2")
    applied = host_of(home)
    with monkeypatch.context() as patch:
        break_after(patch, 1, ParameterRefused("as asked for"))
        assert call("apply", run_id, "--split", "1:1").code == 1
    assert host_of(home) == applied
    assert call("revert", url).code == 0
    assert host_of(home) == found


def test_that_an_interrupted_apply_leaves_the_host_as_it_was(call, run_id, home, monkeypatch):
    found = host_of(home)
    break_after(monkeypatch, 1, KeyboardInterrupt())
    assert call("apply", run_id, "--split", "1:2").code == 3
    assert host_of(home) == found
    assert not list((home / "state" / "applied").glob("*.json"))


def test_that_an_apply_that_cannot_be_taken_back_names_the_word_that_does(call, run_id, home, url, monkeypatch):
    found = host_of(home)
    with monkeypatch.context() as patch:
        break_after(patch, 1, ParameterRefused("as asked for"), for_ever=True)
        left = call("apply", run_id, "--split", "1:2")
    assert left.code == 4
    assert "domtune revert" in left.err
    assert "domtune restore" not in left.err
    assert call("revert", url).code == 0
    assert host_of(home) == found


def test_that_nothing_is_reverted_under_a_broken_sweep(call, run_id, home, url):
    call("apply", run_id, "--split", "1:2")
    host = FakeHost(home / HOST, Faults(), lambda *_: None)
    host_id = call("probe", url, "--json").json["facts"]["host_id"]
    originals = {domain: host.read(domain) for domain in (IO, GUEST)}
    undo = Undo(host_url=url, host_id=host_id, context=host.context(), originals=originals, armed_unix_s=1.0, pid=1)
    Journal(home / "state" / "journal", host_id).arm(undo)
    refused = call("revert", url)
    assert refused.code == 5
    assert "domtune restore" in refused.err
    assert call("restore").code == 0
    assert call("revert", url).code == 0


def test_that_revert_needs_nobody_to_choose_among_a_hosts_domains_again(call, run_id, home, url, monkeypatch):
    found = host_of(home)
    call("apply", run_id, "--split", "1:2")

    def several(self):
        raise SpecError("domains.guest", "5 domains run there", hint="Name one.")

    monkeypatch.setattr(FakeHost, "facts", several)
    assert call("revert", url).code == 0
    assert host_of(home) == found
    assert call("revert", url).code == 2  # nothing is left to tell which host it was
