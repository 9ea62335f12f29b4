"""Watched and followed hosts are runs in the store: listed, shown, exported, and closed after a crash."""

import csv
import json

import pytest

from scheduler import places
from scheduler.commands.observation_recorder import ObservationRecorder
from scheduler.commands.orphaned_runs import close_orphaned_runs
from scheduler.errors import StoreError
from scheduler.model.documents import RunOutcome
from scheduler.model.observation_documents import ObservationStarted, ObservationWindow, WatchResult
from scheduler.model.split import Mode, parse_split
from scheduler.store.run_store import RunStore

WATCHED = "sim:?load=osdb-oltp&users=5&split=1:1&scheduler=rtds"
FOLLOWED = "sim:?load=bulk,compute&turn_s=1800&split=1:2&scheduler=rtds&users=12"
HALF = parse_split("1:1")
STARTED = ObservationStarted(
    host="fake:x", host_id="x", title="X", simulated=False, mode=Mode.CAPS, cpus=1, split=HALF, for_s=3600.0
)


def window(t_s: float) -> ObservationWindow:
    return ObservationWindow(t_s=t_s, split=HALF, io_allowed_cpus=0.5, guest_allowed_cpus=0.5)


def entries():
    with RunStore(places.store_path(), read_only=True) as store:
        return store.runs()


def test_watch_is_listed_shown_and_exported_like_a_sweep(call, home, tmp_path):
    assert call("watch", WATCHED, "--for", "5m", "--quiet").code == 0
    (entry,) = entries()
    assert (entry.plan.study, entry.outcome, entry.restored) == ("watch", RunOutcome.COMPLETED, True)
    assert entry.answer.headline.startswith("Keep the current split for now: 1:")
    assert "watch" in call("runs").out
    assert "30 windows of 10 s in 5 min" in call("runs", "last").out
    for kind in ("html", "csv", "json"):
        assert call("export", "last", "--to", kind, "--out", str(tmp_path / "watched")).code == 0
    rows = list(csv.DictReader((tmp_path / "watched.csv").read_text().splitlines()))
    assert [float(row["until (s)"]) for row in rows] == [10.0 * (place + 1) for place in range(30)]
    page = (tmp_path / "watched.html").read_text()
    assert entry.answer.headline in page
    assert "No figure on this page was measured on a real machine." in page
    assert "<script" not in page
    reported = json.loads((tmp_path / "watched.json").read_text())
    assert (len(reported["lines"]), reported["last"]["$"], reported["stopped"]["outcome"]) == (
        30,
        "watch_done",
        "completed",
    )


def test_follow_is_listed_shown_and_exported_like_a_sweep(call, home, tmp_path):
    assert call("follow", FOLLOWED, "--for", "1h", "--seed", "3", "--yes", "--quiet").code == 0
    (entry,) = entries()
    assert (entry.plan.study, entry.outcome, entry.restored) == ("follow", RunOutcome.COMPLETED, True)
    assert "throughput compared with the fixed split" in entry.answer.headline
    shown = call("runs", entry.run_id).out
    assert "->" in shown
    assert "The original settings of both domains are restored and verified." in shown
    assert call("export", "last", "--to", "html", "--out", str(tmp_path / "followed")).code == 0
    page = (tmp_path / "followed.html").read_text()
    assert "Changes and holds" in page
    assert "The original settings of both domains are restored and verified." in page


def test_ended_observation_is_never_listed_without_its_answer(home, monkeypatch):
    seen, pack = [], RunStore._pack_samples

    def look(store, run_id):  # what takes long after the end of a long observation
        seen.extend(entries())
        pack(store, run_id)

    monkeypatch.setattr(RunStore, "_pack_samples", look)
    with ObservationRecorder() as recorder:
        recorder.emit(STARTED)
        recorder.finish(WatchResult(t_s=60.0, headline="Keep the current split."))
    (entry,) = seen
    assert (entry.outcome, entry.answer and entry.answer.headline) == (
        RunOutcome.COMPLETED,
        "Keep the current split.",
    )


def test_export_kind_of_sweeps_only_is_refused_with_the_kinds(call, home):
    call("watch", WATCHED, "--for", "1m", "--quiet")
    done = call("export", "last", "--to", "plan")
    assert done.code == 2
    assert "html, pdf, csv, json, bundle" in done.err


def test_declined_follow_leaves_no_run(call, home):
    assert call("follow", FOLLOWED, "--for", "10m", stdin="no\n").code != 0
    assert not places.store_path().exists() or entries() == []


def test_last_sweep_skips_observations_and_an_observation_has_no_plan(home):
    with ObservationRecorder() as recorder:
        recorder.emit(STARTED)
    with RunStore(places.store_path(), read_only=True) as store:
        assert store.newest() == recorder.run_id
        assert store.newest(sweep=True) == ""
        with pytest.raises(StoreError, match="observed a host"):
            store.run(recorder.run_id)


def test_interrupted_watch_is_closed_only_after_its_process_is_gone(home):
    recorder = ObservationRecorder()
    recorder.emit(STARTED)
    recorder.emit(window(10.0))
    assert close_orphaned_runs({}) == ()
    recorder._lock.__exit__(None, None, None)  # as the kernel does when the process dies: no end is written
    assert close_orphaned_runs({}) == (recorder.run_id,)
    (entry,) = entries()
    assert (entry.outcome, entry.restored) == (RunOutcome.FAILED, True)
    assert (entry.answer.interrupted, entry.answer.reason) == (True, "interrupted after 10 s")
    assert not list((places.state_dir() / "observations").iterdir())


def test_windows_of_a_week_are_kept_in_less_than_two_megabytes(home):
    with ObservationRecorder() as recorder:
        recorder.emit(STARTED)
        for place in range(2_000):
            recorder.emit(window(10.0 * place))
    with RunStore(places.store_path(), read_only=True) as store:
        assert sum(1 for _ in store.documents(recorder.run_id)) == 2_002
        [[size]] = store._db.execute("SELECT sum(length(body)) FROM documents").fetchall()
    assert size * 7 * 8_640 / 2_000 < 2_000_000


def test_observation_goes_on_when_it_cannot_be_kept(call, home):
    places.store_path().parent.mkdir(parents=True)
    places.store_path().mkdir()
    done = call("watch", WATCHED, "--for", "1m", "--quiet")
    assert done.code == 0
    assert "is not kept" in done.err
