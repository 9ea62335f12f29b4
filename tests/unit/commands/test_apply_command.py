"""Laws of `apply` and `revert`: what was there before is never lost, and what cannot be taken back is named."""

import json

import msgspec
import pytest

from scheduler import places
from scheduler.commands.apply_command import measured_params
from scheduler.commands.host_changes import apply_words
from scheduler.commands.stored_runs import find_run
from scheduler.errors import ParameterRefused, SpecError
from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.hosts.host_registry import open_host
from scheduler.model.command_answers import ApplyResult, ParameterChange
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import UndoJournal, UndoRecord
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.store.result_cache import load_results
from scheduler.store.run_store import RunStore
from tests.settings import split_at

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


def test_revert_brings_back_what_was_there_before_the_first_of_two(call, run_id, home, url):
    found = host_of(home)
    assert call("apply", run_id, "--split", "1:2").code == 0
    assert call("apply", run_id, "--split", "1:1").code == 0
    assert host_of(home) != found
    assert call("revert", url).code == 0
    assert host_of(home) == found


def rows_of(said: dict) -> list[tuple]:
    return [(row["domain"], row["parameter"], row["before"], row["after"]) for row in said["changes"]]


def test_what_is_applied_is_listed_and_taking_it_back_can_be_looked_at_first(call, run_id, home, url):
    assert call("revert", "--list", "--json").json == {"clean": True, "items": [], "applied": [], "recorded_runs": []}
    found = host_of(home)
    assert call("apply", run_id, "--split", "1:2").code == 0
    applied = host_of(home)
    [item] = call("revert", "--list", "--json").json["items"]
    assert (item["host"], item["state"]) == (url, "applied")
    assert f"domtune revert {url}" in call("revert", "--list").out
    assert call("apply", "--list").out == call("revert", "--list").out
    would = call("revert", url, "--dry-run", "--json").json
    assert not would["done"]
    assert host_of(home) == applied
    did = call("revert", url, "--json").json
    assert rows_of(would) == rows_of(did) != []
    assert host_of(home) == found
    assert call("revert", "--list").out.startswith("No split is applied")


def test_applied_split_is_seen_by_every_command_and_is_nothing_that_is_due(call, run_id, home, url, plan):
    assert call("probe", url, "--json").json["applied"] is None
    assert call("apply", run_id, "--split", "1:2").code == 0
    word = f"domtune revert {url}"
    [item] = call("restore", "--list", "--json").json["applied"]
    assert (item["host"], item["state"]) == (url, "applied")
    assert call("probe", url, "--json").json["applied"] == item
    assert call("runs", "--json").json["applied"] == [item]
    for words in (("probe", url), ("runs",), ("restore", "--list"), ("restore",), ("run", plan(), "--dry-run")):
        said = call(*words)
        assert said.code == 0
        assert "a split is applied since" in said.out
        assert word in said.out
    swept = call("run", plan(), "--json", "--quiet").json
    assert any("a split is applied" in notice for notice in swept["notices"])
    assert call("revert", url).code == 0
    assert "a split is applied" not in call("probe", url).out + call("restore", "--list").out
    assert call("run", plan(), "--json", "--quiet").json["notices"] == []


def test_applied_record_that_cannot_be_used_hides_no_host(call, run_id, home, url):
    assert call("apply", run_id, "--split", "1:2").code == 0
    [record] = places.applied_dir().glob("*.json")
    record.write_bytes(b"{")
    for words in (("probe", url), ("runs",), ("restore", "--list")):
        said = call(*words)
        assert said.code == 0
        assert record.name in said.out


def test_applied_record_that_cannot_be_used_is_listed_is_listed_with_its_trouble(call, run_id, home):
    assert call("apply", run_id, "--split", "1:2").code == 0
    [record] = places.applied_dir().glob("*.json")
    record.write_bytes(record.read_bytes()[:-9])
    [item] = call("revert", "--list", "--json").json["items"]
    assert item["state"] == "corrupt"
    assert record.name in item["text"]


def test_run_that_recommends_none_can_be_ticketed_by_a_named_split(call, run_id, home):
    with RunStore(places.store_path()) as store:
        store.keep_results(
            run_id, msgspec.structs.replace(load_results(store, find_run(store, run_id)), simulated=False)
        )
    refused = call("export", run_id, "--to", "bundle", "--out", str(home / "none"))
    assert refused.code == 2
    assert "--split a:b" in refused.err
    assert call("export", run_id, "--to", "bundle", "--split", "1:2", "--out", str(home / "ticket")).code == 0
    assert "1:2 was chosen by hand" in (home / "ticket/README.txt").read_text()
    assert call("export", run_id, "--to", "csv", "--split", "1:2", "--out", str(home / "points")).code == 2


def test_apply_refuses_a_decision_that_orders_no_change(call, run_id, home):
    assert call("runs", run_id, "--json").json["answer"]["decision"]["kind"] == "not_yet"
    found = host_of(home)
    refused = call("apply", run_id)
    assert refused.code == 2
    assert "advises no split: Keep the original settings for now" in refused.err
    assert host_of(home) == found


def test_split_that_the_sweep_came_to_by_itself_can_be_applied_and_one_that_it_only_proposes_cannot(run_id):
    with RunStore(places.store_path(), read_only=True) as store:
        row = find_run(store, run_id)
        results = load_results(store, row)
    added = msgspec.structs.replace(results.points[-1], setting=split_at("2:3"), params={})
    results = msgspec.structs.replace(results, points=(*results.points, added))
    host = open_host(row.spec.host_url, lambda *_: None)
    try:
        found = measured_params(row, results, split_at("2:3"), host)
        assert share_model_for_host(host.facts()).decode(found.params).label == "2:3"
        with pytest.raises(SpecError) as refused:
            measured_params(row, results, split_at("3:4"), host)
    finally:
        host.close()
    assert refused.value.hint == "Measured: 1:1, 1:2, 2:3."


def test_what_was_measured_is_applied_and_not_what_would_be_encoded_today(run_id):
    with RunStore(places.store_path(), read_only=True) as store:
        row = find_run(store, run_id)
        results = load_results(store, row)
    today = msgspec.structs.replace(row, spec=msgspec.structs.replace(row.spec, period_us=50_000))
    silent = [msgspec.structs.replace(point, params={}) for point in results.points]  # of an earlier version
    host = open_host(row.spec.host_url, lambda *_: None)
    try:
        measured = measured_params(today, results, split_at("1:2"), host)
        made_again = measured_params(
            today, msgspec.structs.replace(results, points=tuple(silent)), split_at("1:2"), host
        )
    finally:
        host.close()
    assert {params.period_us for params in measured.params.values()} == {row.spec.period_us}
    assert measured.remark == ""
    assert {params.period_us for params in made_again.params.values()} == {50_000}
    assert "recomputed" in made_again.remark
    assert run_id in made_again.remark


def test_apply_reports_when_the_run_does_not_know_its_parameters(call, run_id):
    with RunStore(places.store_path()) as store:
        row = find_run(store, run_id)
        points = tuple(msgspec.structs.replace(point, params={}) for point in load_results(store, row).points)
        store.keep_results(run_id, msgspec.structs.replace(load_results(store, row), points=points))
    said = call("apply", run_id, "--split", "1:2", "--dry-run", "--json").json
    assert "recomputed" in said["remark"]


def test_host_with_another_scheduler_is_not_given_what_was_measured_under_the_first(run_id):
    with RunStore(places.store_path(), read_only=True) as store:
        row = find_run(store, run_id)
        results = load_results(store, row)
    host = open_host(row.spec.host_url, lambda *_: None)
    elsewhere = msgspec.structs.replace(row, facts=msgspec.structs.replace(row.facts, scheduler="credit2"))
    try:
        with pytest.raises(SpecError, match=f"under credit2, but its scheduler is {row.facts.scheduler} now"):
            measured_params(elsewhere, results, split_at("1:2"), host)
    finally:
        host.close()


def test_apply_refuses_caps_measured_on_one_cpu_where_there_are_several(run_id):
    with RunStore(places.store_path(), read_only=True) as store:
        row = find_run(store, run_id)
        results = load_results(store, row)
    host = open_host(row.spec.host_url, lambda *_: None)
    here = host.facts()
    wide = tuple(msgspec.structs.replace(domain, cpus=(0, 1, 2, 3)) for domain in here.domains)
    try:
        host.facts = lambda: msgspec.structs.replace(here, domains=wide)
        with pytest.raises(SpecError, match="on one CPU, but the domains may run on 4 CPUs now"):
            measured_params(row, results, split_at("1:2"), host)
        as_then = msgspec.structs.replace(row, facts=msgspec.structs.replace(row.facts, domains=wide))
        assert measured_params(as_then, results, split_at("1:2"), host).params
    finally:
        host.close()


def test_second_apply_that_fails_leaves_the_first_one_and_its_way_back(call, run_id, home, url, monkeypatch):
    found = host_of(home)
    call("apply", run_id, "--split", "1:2")
    applied = host_of(home)
    with monkeypatch.context() as patch:
        break_after(patch, 1, ParameterRefused("as asked for"))
        assert call("apply", run_id, "--split", "1:1").code == 1
    assert host_of(home) == applied
    assert call("revert", url).code == 0
    assert host_of(home) == found


def test_interrupted_apply_leaves_the_host_as_it_was(call, run_id, home, monkeypatch):
    found = host_of(home)
    break_after(monkeypatch, 1, KeyboardInterrupt())
    assert call("apply", run_id, "--split", "1:2").code == 3
    assert host_of(home) == found
    assert not list((home / "state" / "applied").glob("*.json"))


def test_apply_that_cannot_be_reverted_names_the_word_that_does(call, run_id, home, url, monkeypatch):
    found = host_of(home)
    with monkeypatch.context() as patch:
        break_after(patch, 1, ParameterRefused("as asked for"), for_ever=True)
        left = call("apply", run_id, "--split", "1:2")
    assert left.code == 4
    assert "domtune revert" in left.err
    assert "domtune restore" not in left.err
    assert call("revert", url).code == 0
    assert host_of(home) == found


def test_nothing_is_reverted_under_a_broken_sweep(call, run_id, home, url):
    call("apply", run_id, "--split", "1:2")
    host = FakeHost(home / HOST, InjectedFaults(), lambda *_: None)
    host_id = call("probe", url, "--json").json["facts"]["host_id"]
    originals = {domain: host.read(domain) for domain in (IO, GUEST)}
    undo = UndoRecord(
        host_url=url, host_id=host_id, context=host.context(), originals=originals, armed_unix_s=1.0, pid=1
    )
    UndoJournal(home / "state" / "journal", host_id).arm(undo)
    refused = call("revert", url)
    assert refused.code == 5
    assert "domtune restore" in refused.err
    assert call("restore").code == 0
    assert call("revert", url).code == 0


def test_revert_needs_no_one_to_choose_among_a_hosts_domains_again(call, run_id, home, url, monkeypatch):
    found = host_of(home)
    call("apply", run_id, "--split", "1:2")

    def several(self):
        raise SpecError("domains.guest", "5 domains run there", hint="Name one.")

    monkeypatch.setattr(FakeHost, "facts", several)
    assert call("revert", url).code == 0
    assert host_of(home) == found
    assert call("revert", url).code == 2  # nothing is left to tell which host it was


def test_apply_lists_no_parameter_that_stays_as_it_is():
    kept = ParameterChange(domain="io", parameter="cpu_shares", before="none", after="none", read_back="none")
    changed = ParameterChange(domain="io", parameter="cap", before="0", after="33", read_back="33")
    other = ParameterChange(domain="guest", parameter="cap", before="0", after="0", read_back="67")
    words = apply_words(ApplyResult(changes=(kept, changed, other), done=True))
    assert words == ["io cap: 0 -> 33 (reads back 33)", "guest cap: 0 -> 0 (reads back 67)", "done"]


@pytest.fixture
def state_dir(tmp_path, monkeypatch):
    """Return the folder in which bundles keep their originals."""
    folder = tmp_path / "bundles"
    folder.mkdir()
    monkeypatch.setenv("DOMTUNE_STATE_DIR", str(folder))
    return folder


def test_revert_refuses_a_split_of_a_bundle_applied_since(call, run_id, home, url, state_dir):
    """Reverting below the bundle would be undone by its rollback.sh, which sets the first split again."""
    found = host_of(home)
    assert call("apply", run_id, "--split", "1:2").code == 0
    first = (home / HOST).read_bytes()
    (state_dir / "bundle-7.state").write_text("io 1 2\nguest 3 4\nfrom run 20260101, split 9:1\n")
    set_foreign(home, url)
    changed = (home / HOST).read_bytes()
    for words in (("revert", url), ("revert", url, "--dry-run")):
        refused = call(*words)
        assert refused.code != 0
        assert "the bundle from run 20260101, split 9:1 was applied" in refused.err
        assert "run rollback.sh of that bundle first" in refused.err
        assert (home / HOST).read_bytes() == changed
    assert call("revert", "--list", "--json").json["items"]
    (home / HOST).write_bytes(first)  # so does rollback.sh
    (state_dir / "bundle-7.state").unlink()
    assert call("revert", url).code == 0
    assert host_of(home) == found


def test_revert_with_force_restores_what_apply_found(call, run_id, home, url, state_dir):
    found = host_of(home)
    assert call("apply", run_id, "--split", "1:2").code == 0
    set_foreign(home, url)
    assert "another program changed it since" in call("revert", url).err
    assert call("revert", url, "--force").code == 0
    assert host_of(home) == found
    assert call("revert", "--list", "--json").json["items"] == []


def test_revert_after_two_applies_knows_both_as_its_own(call, run_id, home, url, monkeypatch):
    found = host_of(home)
    assert call("apply", run_id, "--split", "1:2").code == 0
    with monkeypatch.context() as broken:
        break_after(broken, 1, OSError("the second write fails"))
        assert call("apply", run_id, "--split", "1:1").code != 0
    assert call("apply", run_id, "--split", "1:1").code == 0
    assert call("revert", url).code == 0
    assert host_of(home) == found


def set_foreign(home, url):
    """Set the guest to values that DomTune did not set."""
    host = open_host(url, lambda *_: None)
    params = host.read(GUEST)
    host.write(GUEST, msgspec.structs.replace(params, weight=4321))
    host.close()
