"""What stands in files and URLs that people write, and in those that damage may change: plans, machines, the store."""

import contextlib
import hashlib
import io
import sqlite3
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from random import Random

import msgspec

from scheduler.databases.postgresql import pg_client
from scheduler.databases.postgresql.external_postgresql import ExternalPostgresql
from scheduler.errors import HostError, SchedulerError, SpecError, StoreError
from scheduler.export.exporters import list_exporters
from scheduler.export.run_file_export import export_run_file
from scheduler.model.plan_file import parse_plan, read_plan_text, write_plan
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.setting import parse_split_setting
from scheduler.model.split import GUEST, IO
from scheduler.model.urls import redact_url, refuse_password
from scheduler.run.undo_record import UndoRecord, seal_record, unseal_record
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.machine_file import parse_machine
from scheduler.stats.results import summarise_run
from scheduler.store.layout import FORMAT
from scheduler.store.run_import import import_files
from scheduler.store.run_store import RunStore, open_store
from tests.data_maker import make_documents, make_spec
from tests.fuzz.spoiling import NUMBERS, PIECES, spoil, spoil_bytes

_OF_RUNS = ("run_id", "started_unix_s", "host_id", "continues", "plan", "outcome", "restored", "tags")
_RUNS = ("one", "two")
_PLANS = (write_plan(make_spec()), Path("resources/plans/quick-local.toml").read_text())
_URLS = (
    "postgresql://me@db1.example:5432/bank?sslmode=verify-full",
    "postgresql://me@/bank?host=/run/postgresql&port=5433",
    "mysql://me@/bank?socket=/run/mysqld/mysqld.sock",
    "postgres://[::1]:5432/bank",
    "postgresql://h/b?user=x&dbname=y&hostaddr=127.0.0.1",
)
_UNDO = seal_record(
    UndoRecord(
        host_url="fake:/x",
        host_id="x",
        context={"place": "{}"},
        originals={IO: CgroupParams(weight=100), GUEST: None},
        armed_unix_s=1.7e9,
        pid=1,
    )
)


def plan(rng: Random) -> object:
    """A plan that is taken is the same plan after it was written and read."""
    body = spoil_bytes(rng, rng.choice(_PLANS).encode())
    spec = parse_plan(read_plan_text(io.BytesIO(body), "plan"), "plan")
    assert parse_plan(write_plan(spec)) == spec
    return spec


def split(rng: Random) -> object:
    return parse_split_setting(spoil(rng, rng.choice(("1:2", "2.5:1", "1:1/2"))), "splits[0]")


def database_url(rng: Random) -> object:
    """What libpq takes for a password is refused, and shown nowhere."""
    secret = "hunter2"
    url = spoil(rng, rng.choice(_URLS).replace("me@", rng.choice(("me@", f"me:{secret}@"))))
    assert f":{secret}@" not in redact_url(url)
    try:
        refuse_password(url, "url")
        params = pg_client.parse_parameters(url)
        server = ExternalPostgresql(url)
    except SchedulerError as error:
        reported = f"{error} {error.hint}"
    else:
        reported = f"{pg_client.describe_place(params)} {server.address}"
        assert not params["password"]
    assert f":{secret}@" not in reported
    return reported


def machine(rng: Random) -> object:
    return parse_machine(spoil_bytes(rng, msgspec.json.encode(BUILT_IN_MACHINE)), "machine.json")


def undo_record(rng: Random) -> object:
    """A record that was changed by anything at all is never obeyed."""
    body = spoil_bytes(rng, _UNDO)
    undo = unseal_record(body, Path("record.json"))
    assert msgspec.json.decode(body) == msgspec.json.decode(_UNDO)
    return undo


@cache
def _whole() -> bytes:
    with tempfile.TemporaryDirectory(prefix="domtune-fuzz-") as folder:
        path = Path(folder, "state", "runs.sqlite3")
        with open_store(path) as store:
            for run_id in _RUNS:
                documents = make_documents(repeats=1, trials=3, run_id=run_id)
                for document in documents:
                    store.append(run_id, document)
                store.keep_results(run_id, summarise_run(documents))
        return path.read_bytes()


def _strange(rng: Random) -> object:
    text = rng.choice((*NUMBERS, *PIECES))
    return rng.choice((None, 7, -1, 1.5, 2**62, 1e300, float("inf"), b"\xff\0", text, spoil(rng, '{"$":"x"}')))


def _spoil_rows(rng: Random, path: Path) -> None:
    cells = [("runs", name) for name in _OF_RUNS]
    cells += [("results", name) for name in ["rules", "answer", "body"]]
    cells += [("documents", name) for name in ["run_id", "seq", "t_s", "tag", "body", "body", "body"]]
    db = sqlite3.connect(path)
    for _ in range(rng.randint(1, 3)):
        table, column = rng.choice(cells)
        where = "run_id = 'two'" if table != "documents" else f"run_id = 'two' AND seq = {rng.randrange(30)}"
        (old,) = db.execute(f"SELECT {column} FROM {table} WHERE {where}").fetchone() or ("",)  # noqa: S608
        value = spoil(rng, old) if isinstance(old, str) and rng.random() < 0.6 else _strange(rng)
        if isinstance(value, str):
            value = value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        with contextlib.suppress(sqlite3.Error), db:
            db.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,))  # noqa: S608
    db.close()


def _read_all(path: Path) -> None:
    with RunStore(path, read_only=True) as store:
        rows = store.runs()
        for run_id in (*_RUNS, *(row.run_id for row in rows)):
            for read in (store.run, lambda run: list(store.documents(run)), _results(store)):
                with contextlib.suppress(SchedulerError):
                    read(run_id)


def _results(store: RunStore):
    def read(run_id: str) -> None:
        row = store.run(run_id)
        found = store.cached_results(run_id) or summarise_run(store.documents(run_id))
        with tempfile.TemporaryDirectory(prefix="domtune-fuzz-") as folder:
            for name, exporter in list_exporters().items():
                if name == "pdf":  # a process lays out the HTML of another exporter
                    continue
                with contextlib.suppress(SpecError, HostError):
                    exporter.write(found, row.spec, row.facts, Path(folder, name))

    return read


def store_rows(rng: Random) -> None:
    with tempfile.TemporaryDirectory(prefix="domtune-fuzz-") as folder:
        path = Path(folder, "runs.sqlite3")
        path.write_bytes(_whole())
        _spoil_rows(rng, path)
        _read_all(path)


def store_bytes(rng: Random) -> None:
    """Whatever is damaged, readers get an error of ours, a sweep begins, and the old bytes are still there."""
    body = bytearray(_whole())
    for _ in range(rng.randint(1, 3)):
        at = rng.choice((rng.randrange(100), rng.randrange(len(body)), rng.randrange(len(body) // 4096) * 4096))
        for offset in range(min(rng.choice((1, 8, 200, 4096)), len(body) - at)):
            body[at + offset] = rng.randrange(256)
    del body[rng.choice((len(body), len(body), rng.randrange(len(body)))) :]
    with tempfile.TemporaryDirectory(prefix="domtune-fuzz-") as folder:
        path = Path(folder, "runs.sqlite3")
        path.write_bytes(body)
        with contextlib.suppress(StoreError):
            _read_all(path)
        assert path.read_bytes() == body, "a reader changed it"
        if int.from_bytes(body[60:64], signed=True) > FORMAT and body.startswith(b"SQLite format 3\0"):
            return  # perhaps of a newer version
        _begin(path, bytes(body))


def _begin(path: Path, body: bytes) -> None:
    try:
        with open_store(path) as store:
            store.append("new", make_documents(repeats=1, trials=1, run_id="new")[0])
            assert [row.run_id for row in store.runs()].count("new") == 1
    except StoreError as error:
        raise AssertionError(f"a sweep is refused: {error}") from error
    for kept in path.parent.glob("*.corrupt-*"):
        if not kept.name.endswith(("-wal", "-shm")):
            assert kept.read_bytes()[100:] == body[100:], "the old bytes are lost"


@cache
def _run_file() -> bytes:
    with tempfile.TemporaryDirectory(prefix="domtune-fuzz-") as folder:
        path = Path(folder, "runs.sqlite3")
        path.write_bytes(_whole())
        with RunStore(path, read_only=True) as store:
            (written,) = export_run_file(store, "one", Path(folder, "one"))
        return written.read_bytes()


def run_file(rng: Random) -> None:
    """A run file is refused or its run can be read; nothing else appears in the store or next to it."""
    with tempfile.TemporaryDirectory(prefix="domtune-fuzz-") as folder:
        spoilt, path = Path(folder, "one.domtune"), Path(folder, "store", "runs.sqlite3")
        spoilt.write_bytes(_spoil_members(rng) if rng.random() < 0.7 else spoil_bytes(rng, _run_file()))
        with RunStore(path) as store:
            answer = import_files(store, [spoilt])
            assert len(answer.runs) + len(answer.refused) == 1
            assert len(store.runs()) <= len(answer.runs)
            for run in answer.runs:
                with contextlib.suppress(SchedulerError):
                    _results(store)(run.run_id)
        assert {each.name for each in Path(folder).iterdir()} == {"one.domtune", "store"}


def _spoil_members(rng: Random) -> bytes:
    """Return the archive with one spoilt member, and mostly with the checksum of that member."""
    with zipfile.ZipFile(io.BytesIO(_run_file())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(members))
    if name == "documents.jsonl":
        lines = members[name].splitlines(keepends=True)
        at = rng.randrange(len(lines))
        lines[at] = spoil_bytes(rng, lines[at])
        members[name] = b"".join(lines)
    else:
        members[name] = spoil_bytes(rng, members[name])
    if name != "manifest.json" and rng.random() < 0.9:
        manifest = msgspec.json.decode(members["manifest.json"])
        manifest["sha256"][name] = hashlib.sha256(members[name]).hexdigest()
        members["manifest.json"] = msgspec.json.encode(manifest)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, body in members.items():
            archive.writestr(each, body)
    return made.getvalue()


TARGETS = {
    each.__name__: each for each in (plan, split, database_url, machine, undo_record, store_rows, store_bytes, run_file)
}
