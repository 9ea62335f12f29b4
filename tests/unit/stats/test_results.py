import msgspec
import pytest

from scheduler.errors import StoreError
from scheduler.model.codec import encode_json, make_decoder
from scheduler.model.documents import LoadChecked, RunOutcome, RunState, RunStopped, StateChanged, TrialStarted
from scheduler.model.results import RESULTS_SCHEMA, Results, SplitVerdict
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents


def test_whole_run_is_summed_up():
    results = summarise_run(make_documents())
    assert results.schema_id == RESULTS_SCHEMA
    assert (results.outcome, results.restored, results.simulated) == (RunOutcome.COMPLETED, True, False)
    assert len(results.points) == 20
    assert results.answer.verdict is SplitVerdict.RECOMMEND
    assert results.versions["domtune"] == "0.1.0"
    assert "postgresql" in results.versions
    assert results.differences
    assert len(results.notices) == 1


def test_measured_time_includes_settling():
    results = summarise_run(make_documents(seconds_per_trial=10))
    trials, load_changes, warm_up_s = 2 * 10 * 3, 3, 24
    assert results.measured_s == pytest.approx(trials * 14 + load_changes * 4 + warm_up_s - 4, abs=4)


def test_aborted_run_has_its_points_and_no_recommendation():
    results = summarise_run(make_documents(trials=8, outcome=RunOutcome.ABORTED))
    assert results.outcome is RunOutcome.ABORTED
    assert results.reason == "aborted by the user"
    assert results.answer.verdict is SplitVerdict.NONE
    assert len(results.points) == 8


def test_core_that_died_counts_as_failed_and_unrestored():
    documents = make_documents(trials=8, outcome=None)
    results = summarise_run(documents)
    assert (results.outcome, results.restored) == (RunOutcome.FAILED, False)
    assert "still active or was interrupted" in results.reason


def test_stay_that_was_interrupted_counts_as_measured_time():
    documents = make_documents(trials=5, outcome=None)
    begun = max(i for i, doc in enumerate(documents) if isinstance(doc, TrialStarted))
    whole = summarise_run(documents[:begun]).measured_s
    cut = documents[: begun + 1 + 2 * 6]
    assert summarise_run(cut).measured_s == pytest.approx(whole + 6, abs=0.01)
    paused = [*cut, StateChanged(t_s=cut[-1].t_s, state=RunState.PAUSED)]
    paused.append(RunStopped(t_s=cut[-1].t_s + 100, outcome=RunOutcome.ABORTED, restored=True))
    assert summarise_run(paused).measured_s == pytest.approx(whole + 6, abs=0.01)


def test_run_can_be_summed_up_after_each_document():
    documents = make_documents(repeats=1, samples=False)
    for length in range(1, len(documents) + 1):
        assert summarise_run(documents[:length]).run_id


def test_simulated_results_report_it_in_the_answer_itself():
    results = summarise_run(make_documents(host_url="sim:", simulated=True))
    assert results.simulated
    assert results.answer.headline.endswith(" (simulated).")
    assert "Simulated" in results.answer.sentences[0]


def test_same_documents_give_the_same_results():
    assert summarise_run(make_documents(seed=4)) == summarise_run(make_documents(seed=4))


def test_documents_without_a_beginning_are_refused():
    with pytest.raises(StoreError):
        summarise_run(make_documents()[1:])


def test_failed_check_is_a_notice():
    documents = make_documents()
    failed = LoadChecked(t_s=documents[-1].t_s, load="osdb-oltp", passed=False, text="12 tuples are missing")
    results = summarise_run([*documents[:-1], failed, documents[-1]])
    assert "Check of osdb-oltp failed: 12 tuples are missing" in results.notices


def test_each_load_has_its_model_next_to_the_points():
    results = summarise_run(make_documents())
    assert [model.load for model in results.model] == ["osdb-ir", "osdb-oltp"]
    for model in results.model:
        assert [reported.label for reported in model.points] == [
            point.label for point in results.points if point.load == model.load and point.allotted_share
        ]


def test_run_broken_off_early_reports_why_it_has_no_model():
    results = summarise_run(make_documents(trials=4, outcome=RunOutcome.ABORTED))
    assert all("no model" in model.reason for model in results.model)


def test_results_from_before_there_was_a_model_are_read():
    results = summarise_run(make_documents())
    stored = msgspec.json.decode(encode_json(results))
    del stored["model"]
    assert make_decoder(Results).decode(encode_json(stored)) == msgspec.structs.replace(results, model=())
