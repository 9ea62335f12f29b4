"""Laws of what a person says of a run afterwards: its name, tags and note, and that it is not wanted any more."""

import sqlite3

import msgspec
import pytest

from scheduler.errors import SpecError, StoreError
from scheduler.model.run_labels import MOST_NOTE, MOST_TAGS, RunLabels
from scheduler.store.run_store import RunStore
from tests.data_maker import make_documents


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "runs.sqlite3"


def put(path, run_id, continues=""):
    started, *others = make_documents(repeats=1, trials=2, samples=False, run_id=run_id)
    with RunStore(path) as store:
        for document in (msgspec.structs.replace(started, continues=continues), *others):
            store.append(run_id, document)


def test_deleted_run_is_out_of_the_list_and_comes_back_whole(path):
    put(path, "a")
    put(path, "b")
    with RunStore(path) as store:
        whole = list(store.documents("a"))
        store.set_deleted("a", 1000.0)
        assert [row.run_id for row in store.runs()] == ["b"]
        assert [row.run_id for row in store.deleted_runs()] == ["a"]
        store.set_deleted("a", None)
        assert {row.run_id for row in store.runs()} == {"a", "b"}
        assert list(store.documents("a")) == whole


def test_only_what_was_deleted_long_enough_ago_is_removed_for_good(path):
    for run_id in ("kept", "deleted", "long ago"):
        put(path, run_id)
    with RunStore(path) as store:
        store.set_deleted("deleted", 2000.0)
        store.set_deleted("long ago", 1000.0)
        assert store.remove_deleted(1500.0) == 1
        with pytest.raises(StoreError, match="no run"):
            store.run("long ago")
        assert list(store.documents("long ago")) == []
        assert list(store.documents("deleted"))
        assert list(store.documents("kept"))
        assert store.remove_deleted(1500.0) == 0


def test_removal_in_many_steps_leaves_nothing_behind(path, monkeypatch):
    monkeypatch.setattr("scheduler.store.run_removal._STEP", 3)
    put(path, "long ago")
    with RunStore(path) as store:
        store.set_deleted("long ago", 1.0)
        assert store.remove_deleted(2.0) == 1
        assert store._db.execute("SELECT count(*) FROM documents").fetchone()[0] == 0


def test_run_that_goes_on_with_another_reports_it_and_is_called_the_same(path):
    put(path, "one")
    with RunStore(path) as store:
        store.set_labels("one", RunLabels(title="Ticket", tags=("lab",), note="why"))
    put(path, "two", continues="one")
    put(path, "three", continues="gone")
    with RunStore(path, read_only=True) as store:
        rows = {row.run_id: row for row in store.runs()}
    assert {run_id: row.continues for run_id, row in rows.items()} == {"one": "", "two": "one", "three": "gone"}
    assert rows["two"].labels == rows["one"].labels
    assert rows["three"].labels == RunLabels()


@pytest.mark.parametrize("body", ["{", "[]", b"\0", 17, '"text"', None])
def test_damaged_first_document_hides_no_run(path, body):
    put(path, "good")
    put(path, "damaged")
    with sqlite3.connect(path) as db:
        if body is None:
            db.execute("DELETE FROM documents WHERE run_id = 'damaged' AND seq = 0")
        else:
            db.execute("UPDATE documents SET body = ? WHERE run_id = 'damaged' AND seq = 0", (body,))
    db.close()
    with RunStore(path, read_only=True) as store:
        assert {row.run_id for row in store.runs()} == {"good", "damaged"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"title": "two\nlines"}, "name"),
        ({"title": "x" * 201}, "201 characters"),
        ({"note": "\x1b[31m"}, "note"),
        ({"note": "x" * (MOST_NOTE + 1)}, "characters"),
        ({"tags": ("a,b",)}, "tag"),
        ({"tags": (" ",)}, "tag"),
        ({"tags": ("a", "a")}, "once"),
        ({"tags": tuple(map(str, range(MOST_TAGS + 1)))}, "At most"),
    ],
)
def test_labels_that_no_list_could_show_are_refused(wrong, said):
    with pytest.raises(SpecError) as error:
        RunLabels(**wrong)
    assert said in f"{error.value} {error.value.hint}"
