"""Laws of a damaged store: it is kept whole under another name, a new one is used, and no row hides another."""

import contextlib
import itertools
import resource
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from scheduler.errors import StoreCorrupt, StoreError
from scheduler.store import file_integrity, quarantine, run_store
from scheduler.store.layout import FORMAT
from scheduler.store.run_store import RunStore, open_store
from tests.data_maker import make_documents

PAGE_BYTES = 4096


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "runs.sqlite3"


def fill(path, *run_ids, trials=8):
    with open_store(path) as store:
        for run_id in run_ids:
            for document in make_documents(repeats=1, trials=trials, run_id=run_id):
                store.append(run_id, document)


def damage_pages(path, first=2, last=6):
    """Overwrite pages inside; the header stays as it is."""
    body = bytearray(path.read_bytes())
    assert len(body) > last * PAGE_BYTES
    for at in range((first - 1) * PAGE_BYTES, last * PAGE_BYTES):
        body[at] = 0xA5
    path.write_bytes(body)
    return bytes(body)


def kept_of(path):
    return sorted(each for each in path.parent.glob("*.corrupt-*") if not each.name.endswith(("-wal", "-shm")))


def test_store_damaged_inside_is_kept_whole_and_begun_again_with_both_names(path):
    fill(path, "old")
    body = damage_pages(path)
    with open_store(path) as store:
        reported = store.quarantine_error
        (kept,) = kept_of(path)
        assert f"moved to {kept}" in str(reported)
        assert str(path) in reported.hint
        assert str(kept) in reported.hint
    fill(path, "new")
    with RunStore(path, read_only=True) as store:
        assert [row.run_id for row in store.runs()] == ["new"]
    assert kept.read_bytes() == body
    assert kept_of(path) == [kept]


def test_damage_which_the_look_missed_is_met_with_the_first_document(path, monkeypatch):
    fill(path, "old")
    body = damage_pages(path, 2, 3)
    monkeypatch.setattr("scheduler.store.store_file.check_pages", lambda db: None)  # as where its time was over
    document, *more = make_documents(repeats=1, trials=1, run_id="new")
    with open_store(path) as store:
        store.append("new", document)
        assert "moved to" in str(store.quarantine_error)
        for each in more:
            store.append("new", each)
        assert list(store.documents("new")) == [document, *more]
    (kept,) = kept_of(path)
    assert kept.read_bytes()[PAGE_BYTES:] == body[PAGE_BYTES:]


def test_look_ends_in_time(path, monkeypatch):
    fill(path, *map(str, range(8)))
    db = sqlite3.connect(path)
    over, timer = threading.Event(), threading.Timer  # noqa: TID251 - what is replaced

    def interrupting(_, end):
        return timer(0, lambda: (end(), over.set()))

    monkeypatch.setattr(file_integrity.threading, "Timer", interrupting)
    db.set_progress_handler(lambda: not over.wait(5), 1)  # goes on only once the time is over
    file_integrity.check_pages(db)
    assert over.is_set()
    db.close()


@pytest.mark.parametrize("old", ["CREATE TABLE runs", "started_unix_s", "documents ("])
def test_damaged_schema_is_damage(path, old):
    fill(path, "old")
    body = path.read_bytes()
    assert old.encode() in body
    path.write_bytes(body.replace(old.encode(), old.encode()[:-2] + b"\xff\xfe"))
    with pytest.raises(StoreCorrupt):
        RunStore(path)
    fill(path, "new")


def test_file_that_another_sweep_writes_to_is_not_put_aside(path, monkeypatch):
    monkeypatch.setattr(quarantine, "_LONGEST_S", 0.1)
    fill(path, "old")
    with RunStore(path):
        damage_pages(path)
        with pytest.raises(StoreError, match="another sweep still writes"):
            open_store(path)
    assert kept_of(path) == []
    with open_store(path) as store:
        assert store.quarantine_error


def test_no_writer_puts_aside_the_new_file_of_another(path):
    fill(path, "old")
    damage_pages(path)
    seen = quarantine.read_file_identity(path)
    assert quarantine.quarantine_file(path, seen, "damaged")
    fill(path, "new")
    assert quarantine.quarantine_file(path, seen, "damaged") is None  # who looked at the old one, and comes late
    with RunStore(path, read_only=True) as store:
        assert [row.run_id for row in store.runs()] == ["new"]


def test_new_file_that_another_is_about_to_write_to_is_waited_for(path):
    path.parent.mkdir(mode=0o700)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(1) as pool:
        filled = pool.submit(fill, path, "new", trials=1)
        with pytest.raises(TimeoutError):
            filled.result(0.5)
        other.execute("COMMIT")
        other.close()
        filled.result(30)
    with RunStore(path, read_only=True) as store:
        assert [row.run_id for row in store.runs()] == ["new"]


def test_of_many_writers_each_keeps_its_run(path):
    fill(path, "old")
    body = damage_pages(path)
    names = [f"new-{number}" for number in range(8)]
    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(lambda name: fill(path, name, trials=1), names))
    assert [kept.read_bytes() for kept in kept_of(path)] == [body]
    with RunStore(path, read_only=True) as store:
        assert sorted(row.run_id for row in store.runs()) == names


STRANGERS = (7, 1.5, b"\xff\x00", "", "x", "[" * 3000, '"\udcff"', 2**62, 1e300, "1e999")
OF_RUNS = ("run_id", "started_unix_s", "host_id", "continues", "plan", "outcome", "restored", "tags", "title", "note")
CELLS = [("runs", name) for name in OF_RUNS] + [("results", name) for name in ("rules", "answer", "body")]
CELLS += [("documents", name) for name in ("t_s", "tag", "body")]


@pytest.mark.parametrize(("table", "column"), CELLS)
def test_value_of_another_type_is_one_error_and_hides_no_other_run(path, table, column):
    fill(path, "good", "bad", trials=2)
    body = path.read_bytes()
    for stranger in STRANGERS:
        path.write_bytes(body)
        db = sqlite3.connect(path)
        value = stranger.encode("utf-8", "surrogateescape") if isinstance(stranger, str) else stranger
        cast = "CAST(? AS TEXT)" if isinstance(stranger, str) else "?"
        with db:
            db.execute(f"UPDATE {table} SET {column} = {cast} WHERE run_id = 'bad'", (value,))  # noqa: S608
        db.close()
        with RunStore(path, read_only=True) as store:
            assert "good" in [row.run_id for row in store.runs()]
            for read in (store.run, lambda run: list(store.documents(run))):
                try:
                    read("bad")
                except StoreError as error:
                    str(error).encode()


def test_full_disk_does_not_keep_anybody_from_reading(path):
    fill(path, "old")
    program = "import pathlib, sys; from scheduler.store.run_store import RunStore\n"
    program += "with RunStore(pathlib.Path(sys.argv[1]), read_only=True) as store: print(store.runs()[0].run_id)"

    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=full,
    )
    assert (done.stdout, done.returncode) == ("old\n", 0), done.stderr


def test_whatever_bytes_are_damaged_a_sweep_can_begin_and_the_old_bytes_are_kept(path):
    fill(path, "old", trials=2)
    whole = path.read_bytes()
    rng = Random(13)
    for number in range(60):
        body = bytearray(whole)
        at = rng.randrange(100) if number % 2 else rng.randrange(len(body))
        for offset in range(rng.choice((1, 40, 5000))):
            body[(at + offset) % len(body)] = rng.randrange(256)
        for each in itertools.chain(path.parent.glob("*.corrupt-*"), path.parent.glob("*-wal")):
            each.unlink()
        path.write_bytes(body)
        if int.from_bytes(body[60:64], signed=True) > FORMAT and body.startswith(b"SQLite format 3\0"):
            continue  # it may be of a newer version: left alone
        fill(path, f"new-{number}", trials=1)
        assert [kept.read_bytes() for kept in kept_of(path)] in ([], [bytes(body)])


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
CODE = {
    "a view": f"ALTER TABLE runs RENAME TO others; CREATE VIEW runs AS {ENDLESS}",
    "a view beside": f"CREATE VIEW extra AS {ENDLESS}",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON runs BEGIN SELECT count(*) FROM documents, runs; END",
    "a virtual table": "CREATE VIRTUAL TABLE extra USING fts5(x)",
}


@pytest.mark.parametrize("name", CODE)
def test_store_with_code_in_it_is_refused_and_left_as_it_is(path, name):
    fill(path, "old", trials=1)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript(CODE[name])
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(StoreError, match="view, a trigger or a virtual table") as caught:
            RunStore(path, read_only=read_only)
        assert caught.value.hint
    assert path.read_bytes() == before
    assert kept_of(path) == []


def test_statement_that_never_ends_is_ended(path, monkeypatch):
    fill(path, "old", trials=1)
    monkeypatch.setattr(file_integrity, "MOST_STATEMENT_S", 0.2)
    monkeypatch.setattr(run_store, "_ENTRIES", " ".join(("SELECT count(*) FROM (", ENDLESS, "), runs")))
    with RunStore(path, read_only=True) as store, pytest.raises(StoreError, match="took longer than"):
        store.runs()
