"""Laws of the store: what was appended is read back, whatever happened in between."""

import sqlite3

import pytest

from scheduler.errors import StoreError
from scheduler.model.documents import RunOutcome, RunStarted
from scheduler.model.run_labels import RunLabels
from scheduler.store.run_store import RunStore, open_store
from tests.data_maker import make_documents


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "runs.sqlite3"


def fill(path, **options):
    documents = make_documents(**options)
    run_id = documents[0].run_id
    with RunStore(path) as store:
        for document in documents:
            store.append(run_id, document)
    return run_id, documents


def test_documents_come_back_as_they_were_in_their_order(path):
    run_id, documents = fill(path, repeats=1, seconds_per_trial=3)
    with RunStore(path, read_only=True) as store:
        assert list(store.documents(run_id)) == documents


def test_finished_run_reports_how_it_ended(path):
    run_id, documents = fill(path, repeats=1, samples=False)
    with RunStore(path, read_only=True) as store:
        row = store.run(run_id)
    assert (row.outcome, row.restored) == (RunOutcome.COMPLETED, True)
    assert (row.spec, row.facts) == (documents[0].spec, documents[0].facts)
    assert not row.simulated


def test_run_whose_core_died_is_kept_as_far_as_it_got(path):
    run_id, documents = fill(path, repeats=1, trials=5, outcome=None)
    with RunStore(path, read_only=True) as store:
        assert store.run(run_id).outcome is None
        assert list(store.documents(run_id)) == documents


def test_reader_of_nothing_finds_no_runs(path):
    with RunStore(path, read_only=True) as store:
        assert store.runs() == []
        with pytest.raises(StoreError, match="no run 'x'"):
            store.run("x")
    assert not path.exists()


def test_damaged_file_is_quarantined_and_a_new_one_is_used(path):
    path.parent.mkdir()
    path.write_bytes(b"this is no database" * 100)
    with open_store(path) as store:
        assert store.runs() == []
        reported = store.quarantine_error
    (kept,) = path.parent.glob("*.corrupt-*")
    assert str(kept) in str(reported)
    assert kept.read_bytes().startswith(b"this is no database")


def test_reader_never_moves_a_damaged_file(path):
    path.parent.mkdir()
    path.write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreError, match="damaged"):
        RunStore(path, read_only=True)
    assert path.exists()


def test_file_of_a_newer_version_is_left_alone(path):
    fill(path, repeats=1, trials=1, samples=False)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreError, match="newer"):
        RunStore(path)


@pytest.mark.parametrize(("old", "new"), [('"osdb-ir"', '"tpcx"'), ('"seed":', '"germ":'), ("{", "")])
def test_run_that_cannot_be_read_hides_no_others(path, old, new, caplog):
    for run_id in ("good", "strange"):
        with RunStore(path) as store:
            for document in make_documents(repeats=1, trials=1, samples=False, run_id=run_id):
                store.append(run_id, document)
    db = sqlite3.connect(path)
    with db:
        db.execute("UPDATE runs SET plan = replace(plan, ?, ?) WHERE run_id = 'strange'", ("{", ""))
        db.execute("UPDATE documents SET body = replace(body, ?, ?) WHERE run_id = 'strange'", (old, new))
    db.close()
    with RunStore(path, read_only=True) as store:
        assert [row.run_id for row in store.runs()] == ["good"]
        with pytest.raises(StoreError, match="run strange cannot be read"):
            store.run("strange")
        with pytest.raises(StoreError, match="run strange cannot be read"):
            list(store.documents("strange"))
    assert "excluded from the list: run strange" in caplog.text


def test_two_runs_stay_apart_and_the_newest_comes_first(path):
    first = make_documents(repeats=1, trials=1, samples=False, run_id="a")
    second = make_documents(repeats=1, trials=1, samples=False, run_id="b")
    second[0] = type(second[0])(
        **{f: getattr(second[0], f) for f in second[0].__struct_fields__} | {"wall_unix_s": 2e9}
    )
    with RunStore(path) as store:
        for one, two in zip(first, second, strict=True):
            store.append("a", one)
            store.append("b", two)
        store.set_labels("a", RunLabels(tags=("paper", "lab")))
        assert [row.run_id for row in store.runs()] == ["b", "a"]
        assert store.run("a").tags == ("paper", "lab")
        assert isinstance(next(store.documents("a")), RunStarted)
