"""Whoever looks after the host of a run that broke off tells the store; whoever is refused leaves no run in it."""

import time

import msgspec
import pytest

from scheduler import places
from scheduler.errors import HostBusy
from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.documents import RunOutcome, RunStarted, RunStopped
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord
from scheduler.store.run_store import RunStore
from tests.data_maker import make_documents, make_facts

CHANGED = CgroupParams(weight=77)


class Broken:
    """A made-up host whose sweep was killed at its fifth trial."""

    def __init__(self, home) -> None:
        self.file = home / "host.json"
        self.url = f"fake:{self.file}"
        self.host = FakeHost(self.file, InjectedFaults(), lambda *_: None)
        self.host_id = self.host.facts().host_id
        self.journal = UndoJournal(places.journal_dir(), self.host_id)

    def break_off(self, *, armed: bool, **options) -> str:
        """Keep the documents of a run that was killed, with its undo record if it had changed the host."""
        facts = msgspec.structs.replace(make_facts(self.url), host_id=self.host_id)
        options = {"trials": 5, "outcome": None, "repeats": 1, "samples": False, **options}
        documents = make_documents(host_url=self.url, facts=facts, **options)
        with RunStore(places.store_path()) as store:
            for document in documents:
                store.append(documents[0].run_id, document)
        if armed:
            originals = {domain: self.host.read(domain) for domain in (IO, GUEST)}
            undo = UndoRecord(
                host_url=self.url,
                host_id=self.host_id,
                context=self.host.context(),
                originals=originals,
                armed_unix_s=1.8e9,
                pid=1,
            )
            self.journal.arm(undo)
            self.host.write(IO, CHANGED)
        return documents[0].run_id


@pytest.fixture
def broken(call, home) -> Broken:
    return Broken(home)


def row_of(run_id: str):
    with RunStore(places.store_path(), read_only=True) as store:
        return store.run(run_id)


def words_of(run_id: str) -> list[RunStopped]:
    with RunStore(places.store_path(), read_only=True) as store:
        return [document for document in store.documents(run_id) if isinstance(document, RunStopped)]


def test_restore_reports_the_store_where_a_run_was_interrupted_and_when_its_host_was_restored(broken, call):
    run_id = broken.break_off(armed=True)
    before_s = time.time()
    assert call("restore", "--json").json["recorded_runs"] == [run_id]
    row = row_of(run_id)
    assert (row.outcome, row.restored) == (RunOutcome.FAILED, True)
    assert (row.answer.interrupted, row.answer.restored) == (True, True)
    assert before_s <= row.answer.restored_unix_s <= time.time()
    assert row.answer.reason == "interrupted at trial 5 of 20"
    assert call("restore", "--json").json["recorded_runs"] == []
    assert len(words_of(run_id)) == 1
    said = call("runs", run_id).out
    assert "interrupted at trial 5 of 20" in said
    assert "restored and verified by another process at" in said


def test_looking_reports_a_run_that_left_nothing_on_its_host_and_keeps_quiet_of_one_that_did(broken, call):
    clean = broken.break_off(armed=False)
    assert call("restore", "--list", "--json").json["recorded_runs"] == [clean]
    assert (row_of(clean).answer.restored, row_of(clean).answer.restored_unix_s) == (True, 0.0)
    due = broken.break_off(armed=True, run_id="due")
    assert call("restore", "--list", "--json").json["recorded_runs"] == []
    assert row_of(due).outcome is None
    assert not words_of(due)


def test_nothing_is_reported_of_a_run_that_a_living_process_holds(broken, call):
    run_id = broken.break_off(armed=False)
    with HostLock(places.journal_dir(), broken.host_id):
        assert call("restore", "--json").json["recorded_runs"] == []
    assert row_of(run_id).outcome is None


@pytest.mark.parametrize("words", [("restore", "--json"), ("restore", "--list", "--json")])
def test_restore_names_the_host_that_a_living_process_holds(broken, call, words):
    broken.break_off(armed=True)
    with HostLock(places.journal_dir(), broken.host_id):
        (item,) = call(*words).json["items"]
    assert (item["state"], item["host_id"]) == ("running", broken.host_id)
    assert item["host"].startswith("fake:")
    assert item["armed_unix_s"] > 0


def test_run_that_left_its_host_changed_learns_when_another_put_it_back(broken, call):
    run_id = broken.break_off(armed=True, outcome=RunOutcome.FAILED, restored=False)
    call("restore", "--list")
    assert row_of(run_id).restored is False
    call("restore")
    assert row_of(run_id).restored is True
    first, last = words_of(run_id)
    assert (first.restored, last.restored, last.interrupted, last.reason) == (False, True, False, first.reason)
    assert row_of(run_id).answer.restored_unix_s == last.restored_unix_s > 0


def test_next_sweep_reports_the_one_before(broken, call, plan, caplog):
    run_id = broken.break_off(armed=True)
    assert call("run", plan(), "--json", "--quiet").code == 0
    row = row_of(run_id)
    assert (row.outcome, row.answer.interrupted, row.answer.restored) == (RunOutcome.FAILED, True, True)
    assert row.answer.restored_unix_s > 0


def test_record_that_was_forgotten_is_never_reported_as_restored(broken, call):
    run_id = broken.break_off(armed=True)
    call("restore", "--forget", broken.host_id, "--json")
    row = row_of(run_id)
    assert (row.outcome, row.restored) == (RunOutcome.FAILED, False)
    assert "nothing was restored" in row.answer.reason
    broken.break_off(armed=True, run_id="later")
    assert call("restore", "--json").json["recorded_runs"] == ["later"]
    assert row_of(run_id).restored is False


def test_sweep_that_is_refused_leaves_no_run(broken, call, plan):
    with HostLock(places.journal_dir(), broken.host_id):
        refused = call("run", plan(), "--json", "--quiet")
    assert (refused.code, refused.json["busy"], refused.json["restored"]) == (5, True, False)
    assert call("runs", "--json").json["runs"] == []


def test_host_is_held_until_the_last_word_of_its_sweep_is_kept(call, plan, monkeypatch):
    held = []

    class Watching(RunStore):
        def append(self, run_id, document):
            if isinstance(document, RunStarted | RunStopped):
                with pytest.raises(HostBusy), HostLock(places.journal_dir(), host_id):
                    pass
                held.append(type(document))
            super().append(run_id, document)

    host_id = FakeHost(places.home_dir() / "host.json", InjectedFaults(), lambda *_: None).facts().host_id
    monkeypatch.setattr("scheduler.commands.sweep.open_store", Watching)
    assert call("run", plan(), "--json", "--quiet").code == 0
    assert held == [RunStarted, RunStopped]


def test_results_that_cannot_be_written_do_not_keep_a_host_from_being_restored(broken, call):
    broken.break_off(armed=True)
    places.store_path().write_bytes(b"this is no store" * 1000)
    answer = call("restore", "--json")
    assert (answer.code, answer.json["clean"], answer.json["recorded_runs"]) == (0, True, [])
    assert places.store_path().read_bytes().startswith(b"this is no store")
    assert broken.host.read(IO) != CHANGED
