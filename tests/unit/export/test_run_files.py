"""Run files: round trips, refused files, and the marks of imported runs."""

import hashlib
import json
import zipfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import pytest

from scheduler.errors import StoreError
from scheduler.export.run_file_export import export_run_file
from scheduler.model.codec import encode_json
from scheduler.model.documents import Document, RunOutcome, RunStopped
from scheduler.model.observation_documents import ObservationStarted, ObservationWindow, WatchResult
from scheduler.model.run_labels import RunLabels
from scheduler.model.spec import Mode
from scheduler.model.split import parse_split
from scheduler.store import run_file
from scheduler.store.result_cache import load_results
from scheduler.store.results_file import read_results_file
from scheduler.store.run_chains import chain_runs
from scheduler.store.run_file import documents_digest, read_run_file
from scheduler.store.run_import import import_files
from scheduler.store.run_store import RunStore
from tests.data_maker import make_documents
from tests.studies_maker import capacity_documents

MARKUP = "<b>bold</b><img src=x onerror=alert(1)>"
HALF = parse_split("1:1")
ENDED = RunStopped(t_s=10.0, outcome=RunOutcome.COMPLETED, restored=True)


@cache
def sweep(run_id: str = "one", **options) -> Sequence[Document]:
    return tuple(make_documents(repeats=1, trials=4, seconds_per_trial=2, run_id=run_id, **options))


def study() -> Sequence[Document]:
    started, *others = capacity_documents()
    return [msgspec.structs.replace(started, run_id="one"), *others]


def watch() -> Sequence[Document]:
    windows = [
        ObservationWindow(t_s=10.0 * at, split=HALF, io_allowed_cpus=0.5, guest_allowed_cpus=0.5) for at in range(1, 4)
    ]
    started = ObservationStarted(
        host="fake:x", host_id="x", title="X", simulated=True, mode=Mode.CAPS, cpus=1, split=HALF, for_s=60.0
    )
    return [started, *windows, WatchResult(host="fake:x", title="X", t_s=30.0, windows=3, mode=Mode.CAPS), ENDED]


def put(path: Path, documents: Sequence[Document], run_id: str = "one", labels: RunLabels = RunLabels()) -> None:  # noqa: B008 - frozen
    with RunStore(path) as store:
        for document in documents:
            store.append(run_id, document)
        store.set_labels(run_id, labels)


@pytest.fixture
def here(tmp_path) -> Path:
    return tmp_path / "here" / "runs.sqlite3"


@pytest.fixture(scope="module")
def first(tmp_path_factory) -> bytes:
    """Return the run file of a sweep with a name that is markup."""
    folder = tmp_path_factory.mktemp("there")
    labels = RunLabels(title=MARKUP, tags=("course",), note="first\nsecond")
    put(folder / "there.sqlite3", sweep(), labels=labels)
    planned, shown = {"osdb-ir": 0.5}, {"osdb-ir": 0.8}
    with RunStore(folder / "there.sqlite3", read_only=True) as store:
        (path,) = export_run_file(store, "one", folder / "one", planned_weights=planned, shown_weights=shown)
    return path.read_bytes()


@pytest.fixture
def made(tmp_path, first) -> Path:
    """Return a copy of the run file, to spoil."""
    path = tmp_path / "one.domtune"
    path.write_bytes(first)
    return path


def rewrite(path: Path, **changed: bytes | None) -> Path:
    """Write the archive again with other members, by stem; correct their checksums unless the manifest is given."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for stem, body in changed.items():
        name = next((name for name in members if name.startswith(stem)), stem)
        if body is None:
            del members[name]
        else:
            members[name] = body
    if "manifest" not in changed:
        manifest = json.loads(members["manifest.json"])
        bodies = {name: body for name, body in members.items() if name != "manifest.json"}
        manifest["sha256"] = {name: hashlib.sha256(body).hexdigest() for name, body in bodies.items()}
        members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return path


def manifest_of(path: Path, **changed: object) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return json.dumps({**json.loads(archive.read("manifest.json")), **changed}).encode()


def lines_of(documents: Sequence[Document]) -> bytes:
    return b"".join(encode_json(document) + b"\n" for document in documents)


@pytest.mark.parametrize("documents", [sweep, study, watch])
def test_run_file_round_trip_keeps_every_document(here, tmp_path, documents):
    there = tmp_path / "there.sqlite3"
    put(there, documents())
    with RunStore(there, read_only=True) as store:
        (path,) = export_run_file(store, "one", tmp_path / "one")
        before = list(store.documents("one"))
    with RunStore(here) as store:
        answer = import_files(store, [path])
        assert [(run.run_id, run.already) for run in answer.runs] == [("one", False)]
        assert list(store.documents("one")) == before
        (entry,) = store.runs()
        assert entry.origin is not None
        assert (entry.origin.file, entry.outcome, entry.restored) == ("one.domtune", RunOutcome.COMPLETED, True)
        assert entry.answer is not None
        assert import_files(store, [path]).runs[0].already
        assert import_files(store, [export_run_file(store, "one", tmp_path / "again")[0]]).runs[0].already


def test_imported_run_keeps_labels_and_both_weights_as_text(here, made):
    with RunStore(here) as store:
        import_files(store, [made])
        (entry,) = store.runs()
        assert (entry.title, entry.tags, entry.note) == (MARKUP, ("course",), "first\nsecond")
        assert (entry.origin.planned_weights, entry.origin.shown_weights) == ({"osdb-ir": 0.5}, {"osdb-ir": 0.8})
        assert load_results(store, store.run("one")).name == MARKUP


def test_imported_run_is_no_run_of_this_computer(here, made):
    with RunStore(here) as store:
        import_files(store, [rewrite(made, documents=lines_of(sweep(restored=False)))])
        (entry,) = store.runs()
        assert entry.restored is False
        assert (store.newest(), store.recent_runs(5), store.unfinished()) == ("", [], [])
        assert store.recent_runs(5, entry.host_id) == []


def test_imported_run_cannot_hide_a_run_that_it_claims_to_continue(here, made):
    started, *others = sweep()
    with RunStore(here) as store:
        for document in sweep("mine"):
            store.append("mine", document)
        import_files(
            store, [rewrite(made, documents=lines_of([msgspec.structs.replace(started, continues="mine"), *others]))]
        )
        assert sorted(len(chain) for chain in chain_runs(store.runs())) == [1, 1]
        assert not store.continued("mine")


def test_import_refuses_other_content_of_a_known_run(here, made):
    mine = list(sweep(seed=2))
    put(here, mine)
    with RunStore(here) as store:
        (refused,) = import_files(store, [made]).refused
        assert documents_digest(store.documents("one")) in refused.error
        assert read_run_file(made).digest in refused.error
        assert list(store.documents("one")) == mine


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def flip(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 0xFF
    path.write_bytes(body)


def bomb(path: Path) -> None:
    rewrite(path, documents=b" " * (8 << 20))


def many_parts(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(1000):
            archive.writestr(str(number), b"")


def other_paths(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("manifest.json", "documents.jsonl", "shown.json", "../../etc/cron.d/x"):
            archive.writestr(name, b"{}")


def zip64(path: Path) -> None:
    end = path.read_bytes()[-22:]
    path.write_bytes(path.read_bytes()[:-22] + b"PK\x06\x07" + bytes(16) + end)


def huge(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(run_file.MOST_FILE_BYTES + 1)


BAD = {
    "truncated": (cut, "its end is missing: the file was truncated"),
    "bit": (flip, "damaged|cannot be read|checksum"),
    "zip bomb": (bomb, "would unpack to 8 MiB"),
    "many parts": (many_parts, "it has 1004 parts"),
    "path of another folder": (other_paths, "a part that no run file has: '../../etc/cron.d/x'"),
    "zip64": (zip64, "its end is missing"),
    "huge": (huge, "it has 64 MiB"),
    "empty": (lambda path: path.write_bytes(b""), "it is no run file"),
    "short": (lambda path: path.write_bytes(b"PK\x03\x04"), "its end is missing"),
    "text": (lambda path: path.write_text("host = 'local:'"), "it is no run file"),
    "newer": (lambda path: rewrite(path, manifest=b'{"format":2,"parts":[]}'), "a newer DomTune wrote it (format 2"),
    "tampered": (lambda path: rewrite(path, documents=lines_of(sweep(seed=3)), manifest=manifest_of(path)), "checksum"),
    "tampered plan": (lambda path: rewrite(path, plan=b"", manifest=manifest_of(path)), "the checksum of plan.toml"),
    "wrong id": (lambda path: rewrite(path, manifest=manifest_of(path, run_id="two")), "names run two"),
    "path as id": (lambda path: rewrite(path, manifest=manifest_of(path, run_id="../x")), "'../x' is no id of a run"),
    "part missing": (lambda path: rewrite(path, shown=None), "a part of it is missing"),
    "no end": (lambda path: rewrite(path, documents=lines_of(sweep()[:-1])), "its run has no end"),
    "no start": (lambda path: rewrite(path, documents=lines_of(sweep()[1:])), "not those of one run"),
    "two runs": (lambda path: rewrite(path, documents=lines_of(sweep() * 2)), "not those of one run"),
    "other lines": (lambda path: rewrite(path, documents=b'{"$":"evil"}\n'), "a document in it cannot be read"),
    "weights": (lambda path: rewrite(path, shown=b'{"shown_weights":{"a":2}}'), "not between 0 and 1"),
    "labels": (lambda path: rewrite(path, shown=b'{"labels":{"title":"a\\u001bb"}}'), "its names cannot be read"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_run_file_is_refused_with_its_reason(made, name):
    spoil, why = BAD[name]
    spoil(made)
    with pytest.raises(StoreError) as refused:
        read_run_file(made)
    assert str(refused.value).startswith("one.domtune was not")
    assert any(part in str(refused.value) for part in why.split("|")), refused.value
    assert refused.value.hint


def test_thirty_files_of_which_two_are_broken_give_28_runs(here, tmp_path):
    paths = []
    with RunStore(tmp_path / "there.sqlite3") as there:
        for number in range(30):
            for document in (sweep(f"run-{number}")[0], ENDED):
                there.append(f"run-{number}", document)
            paths += export_run_file(there, f"run-{number}", tmp_path / f"{number}")
    cut(paths[3])
    flip(paths[17])
    with RunStore(here) as store:
        answer = import_files(store, paths)
        assert (len(answer.runs), len(store.runs())) == (28, 28)
    assert [Path(refused.file).name for refused in answer.refused] == ["3.domtune", "17.domtune"]


def test_run_that_has_not_ended_has_no_run_file(tmp_path):
    put(tmp_path / "there.sqlite3", sweep()[:-1])
    with RunStore(tmp_path / "there.sqlite3") as store, pytest.raises(StoreError, match="has not ended"):
        export_run_file(store, "one", tmp_path / "one")
    assert not (tmp_path / "one.domtune").exists()


def test_results_file_is_shown_and_not_stored(here, tmp_path):
    from scheduler.stats.results import summarise_run

    path, results = tmp_path / "results.json", summarise_run(sweep())
    path.write_bytes(encode_json(results))
    with RunStore(here) as store:
        assert import_files(store, [path]).results == (str(path),)
        assert store.runs() == []
    assert read_results_file(path) == results
    for body, why in (
        (path.read_bytes().replace(b"results/1", b"results/2"), "a newer DomTune wrote it"),
        (b"[1]", "it is no JSON object"),
        (b'{"lines":[]}', "it holds no results"),
        (path.read_bytes()[:-9], "it is no JSON object"),
        (path.read_bytes().replace(b'"mean_tps":', b'"mean_tps":-'), "a rate in it is negative"),
        (b"[" * 9000, "it is no JSON object"),
    ):
        path.write_bytes(body)
        with pytest.raises(StoreError, match=why):
            read_results_file(path)
