"""A run has one answer, derived from its documents; reading one run decodes no other."""

import msgspec
import pytest

from app.pages.result_data import read_run
from app.pages.sweep_rows import read_rows
from scheduler import places
from scheduler.commands.stored_runs import find_run
from scheduler.model.codec import encode_json
from scheduler.model.documents import HostSample, LoadSample, RunOutcome, RunStarted
from scheduler.stats import rules_version
from scheduler.stats.results import summarise_run
from scheduler.store import run_rows, run_store
from scheduler.store.result_cache import load_results, renew_results
from scheduler.store.run_store import RunStore
from scheduler.store.sample_compression import PACKED_TAG
from tests.data_maker import make_documents


class Idle:
    """A background job that nobody cancels."""

    cancelled = False


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    return places.store_path()


def put(path, run_id, *, cached=True, **options):
    started, *others = make_documents(repeats=2, run_id=run_id, **options)
    documents = [msgspec.structs.replace(started, wall_unix_s=1.7e9 + len(run_id)), *others]
    with RunStore(path) as store:
        for document in documents:
            store.append(run_id, document)
        if cached:
            store.keep_results(run_id, summarise_run(documents))
    return documents


@pytest.fixture
def decoded(monkeypatch):
    """Ids of the runs whose documents were decoded, in order."""
    found = []
    to_document = run_store.decode_document

    def counting(text):
        document = to_document(text)
        if isinstance(document, RunStarted):
            found.append(document.run_id)
        return document

    monkeypatch.setattr(run_store, "decode_document", counting)
    return found


def use_other_rules(monkeypatch):
    for module in (run_rows, run_store):
        monkeypatch.setattr(module, "RULES_VERSION", rules_version.RULES_VERSION + 1)


def test_result_page_of_one_run_decodes_no_other_run(path, decoded):
    for run_id in ("a", "bb", "ccc"):
        put(path, run_id, samples=False)
    finding = read_run("bb")(Idle())
    assert finding.run.run_id == "bb"
    assert set(decoded) == {"bb"}


def test_find_last_decodes_only_the_newest_run(path, decoded):
    for run_id in ("a", "bb", "ccc"):
        put(path, run_id, samples=False)
    with RunStore(path, read_only=True) as store:
        assert find_run(store, "last").run_id == "ccc"
    assert decoded == ["ccc"]


def test_list_of_runs_decodes_no_document(path, decoded):
    for run_id in ("a", "bb"):
        put(path, run_id, samples=False)
    assert [row.run_id for row in read_rows(path)] == ["bb", "a"]
    assert decoded == []


@pytest.mark.parametrize("simulated", [False, True])
def test_window_list_and_command_line_give_the_same_answer(path, simulated):
    documents = put(path, "one", simulated=simulated)
    derived = summarise_run(documents)
    with RunStore(path, read_only=True) as store:
        stored = load_results(store, find_run(store, "one"))
    finding = read_run("one")(Idle())
    (row,) = read_rows(path)
    assert stored.answer == finding.results.answer == derived.answer
    assert (row.newest.answer.decision.label, row.newest.answer.headline) == (
        derived.answer.label,
        derived.answer.headline,
    )
    assert finding.weighted(derived.answer.weights) == derived.answer


def test_results_of_derives_again_when_the_rules_changed(path, monkeypatch):
    documents = put(path, "one", samples=False)
    wrong = msgspec.structs.replace(summarise_run(documents), reason="by the rules of yesterday")
    with RunStore(path) as store:
        store.keep_results("one", wrong)
        assert load_results(store, find_run(store, "one")).reason == "by the rules of yesterday"
    use_other_rules(monkeypatch)
    with RunStore(path, read_only=True) as store:
        assert store.entry("one").answer is None
        assert load_results(store, find_run(store, "one")).reason == ""
        assert store.cached_results("one").reason == ""
        assert store.entry("one").answer.reason == ""


def test_renewing_answers_stops_in_time_and_goes_on_later(path, monkeypatch):
    for run_id in ("a", "bb", "ccc"):
        put(path, run_id, samples=False)
    use_other_rules(monkeypatch)
    renew_results(path, longest_s=-1.0)  # over at once
    with RunStore(path, read_only=True) as store:
        assert store.runs_without_answer() == ["ccc", "bb", "a"]
        assert len(store.runs()) == 3
    renew_results(path, longest_s=60.0)
    with RunStore(path, read_only=True) as store:
        assert all(run.answer is not None for run in store.runs())
        assert store.runs_without_answer() == []


def test_renewing_answers_tries_an_unreadable_run_once(path, caplog):
    put(path, "bad", cached=False, samples=False)
    with RunStore(path) as store:
        store._execute_change("UPDATE documents SET body = '{' WHERE seq = 3")
    renew_results(path)
    assert "no answer in the list" in caplog.text
    with RunStore(path, read_only=True) as store:
        assert store.runs_without_answer() == []
        assert [run.answer for run in store.runs()] == [None]


def test_results_of_a_run_that_has_not_ended_are_not_cached(path):
    put(path, "one", cached=False, outcome=None, trials=5)
    with RunStore(path, read_only=True) as store:
        assert load_results(store, find_run(store, "one")).outcome is RunOutcome.FAILED
        assert store.cached_results("one") is None


def test_samples_of_an_ended_run_are_compressed_and_read_back_in_order(path):
    documents = put(path, "one")
    with RunStore(path, read_only=True) as store:
        assert list(store.documents("one")) == documents
        kept = [document for document in documents if not isinstance(document, LoadSample | HostSample)]
        assert list(store.documents("one", samples=False)) == kept
        tags = {row["tag"] for row in store._select_rows("SELECT tag FROM documents")}
        (stored,) = store._select_rows("SELECT sum(length(body)) AS bytes FROM documents WHERE tag = ?", PACKED_TAG)
    assert PACKED_TAG in tags
    assert not tags & {"LoadSample", "HostSample"}
    plain = sum(len(encode_json(document)) for document in documents) - sum(
        len(encode_json(document)) for document in kept
    )
    assert stored["bytes"] < 0.3 * plain


def test_documents_appended_after_compression_come_last(path):
    *documents, stopped = put(path, "one")
    with RunStore(path) as store:
        store.append("one", stopped)
        assert list(store.documents("one")) == [*documents, stopped, stopped]


def test_store_of_an_earlier_format_is_quarantined_and_not_lost(path):
    put(path, "one", samples=False)
    with RunStore(path) as store:
        store._db.execute("PRAGMA user_version = 1")
    with run_store.open_store(path) as store:
        assert store.runs() == []
        assert "format 1" in str(store.quarantine_error)
    assert len(list(path.parent.glob("*.corrupt-*"))) >= 1
