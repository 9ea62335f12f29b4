"""What `runs` says of a run that has not ended."""

import msgspec
import pytest

from scheduler import places
from scheduler.commands.runs_word import find
from scheduler.model.documents import RunStarted
from scheduler.run.journal import HostLock
from scheduler.store.runs import RunStore


@pytest.fixture
def begun(call, plan) -> str:
    """Two runs that began and did not end; return the id of their host."""
    run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
    with RunStore(places.store_path()) as store:
        row = find(store, run_id)
        started = next(line for line in store.documents(run_id) if isinstance(line, RunStarted))
        for number, later_s in (("one", 10.0), ("two", 20.0)):
            wall_unix_s = started.wall_unix_s + later_s
            store.append(number, msgspec.structs.replace(started, run_id=number, wall_unix_s=wall_unix_s))
    return row.facts.host_id


def outcomes(call) -> dict[str, str]:
    lines = call("runs").out.splitlines()
    words = ("completed", "running", "unfinished")
    return {line.split()[0]: next(word for word in words if word in line) for line in lines}


def test_that_only_the_newest_run_of_a_host_that_is_held_is_running(call, begun):
    assert {outcomes(call)[run] for run in ("one", "two")} == {"unfinished"}
    with HostLock(places.journal_dir(), begun):
        said = outcomes(call)
    assert (said["one"], said["two"]) == ("unfinished", "running")
    assert sorted(said.values()) == ["completed", "running", "unfinished"]
    assert outcomes(call)["two"] == "unfinished"


def test_that_an_error_and_its_hint_are_two_sentences(call, plan):
    said = call("run", plan(host='host = "nowhere:"'), "--json").json["reason"]
    assert "knows. Known hosts" in said
