"""`domtune import` and `domtune FILE`: exchange of runs between two computers."""

import msgspec
import pytest

from scheduler import places
from scheduler.commands.exit_codes import ExitCode
from scheduler.model.run_labels import RunLabels
from scheduler.store.run_store import RunStore


@pytest.fixture
def sent(call, plan, home, monkeypatch):
    """Return the run file of a sweep that another computer made, and the id of the run."""
    run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
    assert call("export", "last", "--to", "file", "--out", str(home / "sent")).code == 0
    assert call("export", "last", "--to", "json", "--out", str(home / "sent")).code == 0
    monkeypatch.setenv("DOMTUNE_HOME", str(home / "elsewhere"))
    return home / "sent.domtune", run_id


def test_file_without_a_command_is_imported_and_its_results_are_printed(call, sent):
    path, run_id = sent
    reported = call(str(path))
    assert reported.code == ExitCode.DONE
    assert "95 % interval" in reported.out
    assert f"run {run_id} is imported" in reported.out
    assert "completed, from elsewhere" in call("runs").out
    assert call("runs", run_id).out.startswith("FROM ELSEWHERE: imported on ")
    assert call("runs", "last").code != 0, "an imported run is not the last run of this computer"
    assert call("import", str(path), "--json").json["runs"][0]["already"] is True
    assert call("runs", run_id, "--delete").code == 0
    assert f"run {run_id} is among the deleted runs here" in call("import", str(path)).out


def test_imported_run_is_neither_continued_nor_applied_to_another_host(call, sent, home):
    path, run_id = sent
    call("import", str(path))
    assert "is from elsewhere and cannot be continued" in call("run", "--continue", run_id, "--for", "5m").err
    with RunStore(places.store_path()) as store:
        documents, origin = list(store.documents(run_id)), store.entry(run_id).origin
        facts = msgspec.structs.replace(documents[0].facts, host_id="another")
        store.drop(run_id)
        store.add_run(run_id, [msgspec.structs.replace(documents[0], facts=facts), *documents[1:]], RunLabels(), origin)
    reported = call("apply", run_id, "--split", "1:2", "--anyway")
    assert reported.code == ExitCode.BAD_INPUT
    assert "is from elsewhere, and was measured on another host" in reported.err


def test_refused_file_is_named_and_stops_no_other(call, sent, home):
    path, _ = sent
    (home / "broken.domtune").write_bytes(path.read_bytes()[:-40])
    reported = call("import", str(home / "broken.domtune"), str(path))
    assert reported.code == ExitCode.BAD_INPUT
    assert "broken.domtune was not opened: its end is missing" in reported.out
    assert "1 imported, 0 already here, 1 refused" in reported.out


def test_exported_results_are_shown_and_stored_nowhere(call, sent, home):
    _, run_id = sent
    shown = call(str(home / "sent.json"))
    assert shown.code == ExitCode.DONE
    assert "95 % interval" in shown.out
    assert f"run {run_id} completed" in shown.out
    assert call("runs").out == "No runs yet.\n"


def test_replay_of_an_imported_run_is_marked_and_follows_its_documents(call, sent):
    path, run_id = sent
    call("import", str(path))
    whole = call("runs", run_id, "--json").json
    begin = call("runs", run_id, "--at", "0s").out
    assert begin.startswith("FROM ELSEWHERE: imported on ")
    assert "So far: no measurements yet" in begin
    assert call("runs", run_id, "--at", "1d", "--json").json["results"] == whole
