"""What `runs` says of a run that has not ended."""

import msgspec
import pytest

from scheduler import places
from scheduler.commands.stored_runs import find_run, read_trials
from scheduler.model.documents import RunStarted, TrialDone
from scheduler.model.lock_owner import LockOwner
from scheduler.run.journal import HostLock, UndoJournal
from scheduler.store.run_store import RunStore


@pytest.fixture
def begun(call, plan) -> str:
    """Two runs that began and did not end; return the id of their host."""
    run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
    with RunStore(places.store_path()) as store:
        row = find_run(store, run_id)
        started = next(line for line in store.documents(run_id) if isinstance(line, RunStarted))
        for number, later_s in (("one", 10.0), ("two", 20.0)):
            wall_unix_s = started.wall_unix_s + later_s
            store.append(number, msgspec.structs.replace(started, run_id=number, wall_unix_s=wall_unix_s))
    return row.facts.host_id


def outcomes(call) -> dict[str, str]:
    lines = call("runs").out.splitlines()
    words = ("completed", "running", "unfinished")
    return {line.split()[0]: next(word for word in words if word in line) for line in lines}


def test_only_the_newest_run_of_a_host_that_is_held_is_running(call, begun):
    assert {outcomes(call)[run] for run in ("one", "two")} == {"unfinished"}
    with HostLock(places.journal_dir(), begun):
        said = outcomes(call)
    assert (said["one"], said["two"]) == ("unfinished", "running")
    assert sorted(said.values()) == ["completed", "running", "unfinished"]
    assert outcomes(call)["two"] == "unfinished"


def test_runs_that_go_on_with_each_other_are_one_line_and_json_has_them_all(call, begun):
    with RunStore(places.store_path()) as store:
        earlier = next(line for line in store.documents("one") if isinstance(line, RunStarted))
        for number, continues, later_s in (("three", "one", 30.0), ("four", "three", 40.0)):
            wall_unix_s = earlier.wall_unix_s + later_s
            store.append(
                number, msgspec.structs.replace(earlier, run_id=number, continues=continues, wall_unix_s=wall_unix_s)
            )
    lines = {line.split()[0]: line for line in call("runs").out.splitlines()}
    assert {"one", "three"}.isdisjoint(lines)
    assert "unfinished, continued 2 times" in lines["four"]
    assert "continued" not in lines["two"]
    assert {"one", "two", "three", "four"} <= set(listed(call))


def test_error_and_its_hint_are_two_sentences(call, plan):
    said = call("run", plan(host='host = "nowhere:"'), "--json").json["reason"]
    assert "knows. Known hosts" in said


@pytest.fixture
def run_id(call, plan) -> str:
    return call("run", plan(), "--json", "--quiet").json["run_id"]


def listed(call, *options: str) -> list[str]:
    return [row["run_id"] for row in call("runs", "--json", *options).json["runs"]]


def test_run_is_named_tagged_and_noted_and_what_comes_of_it_reports_it(call, home, run_id):
    (row,) = call("runs", run_id, "--rename", "Ticket 4711", "--tag", "lab", "paper", "--json").json["runs"]
    assert (row["title"], row["tags"]) == ("Ticket 4711", ["lab", "paper"])
    call("runs", "last", "--note=-- before the move\nof db1")
    shown = call("runs", run_id, "--json").json
    assert (shown["name"], shown["tags"], shown["note"]) == (
        "Ticket 4711",
        ["lab", "paper"],
        "-- before the move\nof db1",
    )
    assert "Ticket 4711" in call("runs").out
    assert "lab, paper" in call("runs").out
    page = home / "report.html"
    call("export", run_id, "--to", "html", "--out", str(page))
    text = page.read_text(encoding="utf-8")
    assert all(word in text for word in ("Ticket 4711", "lab, paper", "before the move"))
    call("runs", run_id, "--tag", "--rename", "")
    shown = call("runs", run_id, "--json").json
    assert (shown["name"], shown["tags"], shown["note"][:2]) == ("", [], "--")


def test_deleted_run_is_listed_as_deleted_until_it_is_reverted(call, run_id):
    done = call("runs", run_id, "--delete")
    assert done.code == 0
    assert f"domtune runs {run_id} --undelete" in done.out
    assert (listed(call), listed(call, "--deleted")) == ([], [run_id])
    assert call("runs", run_id, "--undelete").code == 0
    assert (listed(call), listed(call, "--deleted")) == ([run_id], [])


def test_run_that_is_being_measured_is_not_deleted(call, begun):
    with HostLock(places.journal_dir(), begun):
        refused = call("runs", "two", "--delete", "--json")
        assert call("runs", "one", "--delete").code == 0
    assert (refused.code, "being measured" in refused.json["error"]) == (5, True)
    assert "two" in listed(call)
    assert "one" not in listed(call)


def test_run_that_was_interrupted_does_not_run_because_its_host_is_followed_now(call, begun):
    for holder, goes_on in ((LockOwner.SWEEP, True), (LockOwner.FOLLOW, False)):
        with HostLock(places.journal_dir(), begun, holder):
            assert ("running" in call("runs").out) is goes_on
            assert (call("runs", "two", "--delete", "--json").code == 5) is goes_on


def test_run_whose_host_is_to_be_restored_is_not_deleted(call, run_id, begun):
    record = UndoJournal(places.journal_dir(), begun).path
    record.write_text("{", encoding="utf-8")
    refused = call("runs", "two", "--delete", "--json")
    assert (refused.code, "domtune restore" in refused.json["hint"]) == (1, True)
    assert call("runs", run_id, "--delete").code == 0, "its host was restored by itself"
    record.unlink()
    assert call("runs", "two", "--delete").code == 0


@pytest.mark.parametrize("words", [("--delete",), ("last", "--delete", "--undelete"), ("last", "--tag", "a,b")])
def test_change_of_no_run_or_against_itself_is_refused(call, run_id, words):
    assert call("runs", *words, "--json").code == 2
    assert listed(call) == [run_id]


def test_unfinished_run_that_is_continued_twice_loses_no_trial(call, run_id):
    with RunStore(places.store_path()) as store:
        started, *others = store.documents(run_id)
        for number, continues in (("empty", run_id), ("emptier", "empty")):
            store.append(number, msgspec.structs.replace(started, run_id=number, continues=continues))
        known = read_trials(store, store.run("emptier"))
        assert known == [done for done in others if isinstance(done, TrialDone)]
        assert known


def test_of_several_runs_all_are_deleted_or_none(call, run_id, begun):
    with HostLock(places.journal_dir(), begun):
        assert call("runs", run_id, "two", "--delete").code == 5
        assert run_id in listed(call)
        assert call("runs", run_id, "one", "--delete").code == 0
    assert listed(call, "--deleted") == [run_id, "one"] or listed(call, "--deleted") == ["one", run_id]
    assert call("runs", "one", "two").code == 2
