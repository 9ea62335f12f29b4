"""Tests of the choice of the earlier run that a race begins with, and of second sweeps."""

import msgspec
import pytest

from scheduler import places
from scheduler.commands.earlier_run import find_history
from scheduler.model.clients import ClientsSpec
from scheduler.model.documents import RunOutcome, RunStarted, TrialDone
from scheduler.model.load import LoadSpec
from scheduler.model.objective import Objective
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import Mode
from scheduler.store.result_cache import load_results
from scheduler.store.run_store import RunStore
from tests.data_maker import make_documents, make_facts, make_spec

DAY_S = 86_400.0
EARLIER_UNIX_S = 1_760_000_000.0


def race(**changes):
    spec = msgspec.structs.replace(make_spec(), protocol=PROTOCOLS["adaptive"])
    return msgspec.structs.replace(spec, **changes)


@pytest.fixture
def store(tmp_path):
    with RunStore(tmp_path / "runs.db") as store:
        yield store


def keep(store, run_id="run-1", day=0, *, facts=None, change=lambda documents: documents, **options):
    options.setdefault("spec", make_spec())
    documents = make_documents(run_id=run_id, samples=False, facts=facts, **options)
    begun = msgspec.structs.replace(documents[0], wall_unix_s=EARLIER_UNIX_S + day * DAY_S)
    for document in change([begun, *documents[1:]]):
        store.append(run_id, document)


def test_find_history_without_earlier_run_returns_none(store):
    assert find_history(store, race(), make_facts()) is None


def test_find_history_returns_means_of_all_settings(store):
    keep(store)
    found = find_history(store, race(), make_facts())
    assert (found.run_id, found.unused) == ("run-1", "")
    assert set(found.loads) == {"osdb-ir", "osdb-oltp"}
    assert set(found.loads["osdb-ir"].means) == {*(setting.label for setting in race().settings), "baseline"}


def test_find_history_takes_the_newest_run_that_fits(store):
    keep(store, "run-1", 0)
    keep(store, "run-2", 1)
    keep(store, "run-3", 2, spec=make_spec(mode=Mode.WEIGHTS))
    found = find_history(store, race(), make_facts())
    assert (found.run_id, found.unused) == ("run-2", "")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"mode": Mode.WEIGHTS}, "its mode differs"),
        ({"loads": (LoadSpec("osdb-ir"),)}, "its loads differ"),
        ({"loads": (LoadSpec("osdb-ir", users=7), LoadSpec("osdb-oltp"))}, "its users differ"),
        (
            {"loads": tuple(LoadSpec(kind, database="mariadb:") for kind in ("osdb-ir", "osdb-oltp"))},
            "its database differs",
        ),
        ({"period_us": 10_000}, "the period of its caps differs"),
        ({"server": {"io_method": "sync"}}, "its database differs"),
        (
            {"loads": (LoadSpec("osdb-ir", tuples=20_000), LoadSpec("osdb-oltp"))},
            "the parameters of its loads differ",
        ),
        ({"clients": ClientsSpec(scheduler="tcp://10.0.0.1:8786")}, "its clients differ"),
    ],
)
def test_find_history_refuses_run_of_another_experiment(store, changes, reason):
    keep(store)
    found = find_history(store, race(**changes), make_facts())
    assert (found.run_id, found.unused, found.loads) == ("run-1", reason, {})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"host_id": "another"}, "its host differs"),
        ({"scheduler": "cgroup-v1"}, "its scheduler differs"),
        ({"scheduler_settings": {"tslice_ms": 5}}, "its scheduler differs"),
        ({"pcpus": 8}, "its CPUs differ"),
        ({"shared_cpus": (0, 1)}, "its CPUs differ"),
    ],
)
def test_find_history_refuses_run_of_another_host(store, changes, reason):
    keep(store)
    found = find_history(store, race(), msgspec.structs.replace(make_facts(), **changes))
    assert found.unused == reason


def test_find_history_ignores_seed_protocol_weights_and_order_of_loads(store):
    keep(store, spec=make_spec(weights={"osdb-ir": 3.0}, seed=9))
    loads = tuple(reversed(race().loads))
    assert find_history(store, race(seed=4, weights={"osdb-oltp": 1.0}, loads=loads), make_facts()).unused == ""


@pytest.mark.parametrize(
    "changes",
    [
        {"history": False},
        {"protocol": PROTOCOLS["strict"]},
        {"protocol": PROTOCOLS["grid"]},
        {"objective": Objective("worst-case")},
    ],
)
def test_find_history_of_plan_without_history_returns_none(store, changes):
    keep(store)
    assert find_history(store, race(**changes), make_facts()) is None


@pytest.mark.parametrize(("trials", "used"), [(55, True), (30, False)])
@pytest.mark.parametrize("outcome", [RunOutcome.ABORTED, RunOutcome.FAILED, None])
def test_find_history_of_interrupted_run_needs_two_trials_of_each_split(store, outcome, trials, used):
    keep(store, outcome=outcome, trials=trials)
    found = find_history(store, race(), make_facts())
    assert (found.unused == "") is used
    assert used or found.unused == "it ended before every split had two valid trials under each load"


def test_find_history_of_invalid_trials_ignores_the_run(store):
    keep(store, change=lambda documents: [invalid(document) for document in documents])
    assert find_history(store, race(), make_facts()) is None


def invalid(document):
    return msgspec.structs.replace(document, valid=False) if isinstance(document, TrialDone) else document


@pytest.mark.parametrize(
    "body", ["", "{", '{"$": "RunStarted"}', '{"$": "Notice", "t_s": 0, "level": "info", "text": "x"}']
)
def test_find_history_skips_damaged_run_and_takes_the_one_before(store, body):
    keep(store, "run-1", 0)
    keep(store, "run-2", 1)
    store._db.execute("UPDATE documents SET body = ? WHERE run_id = 'run-2' AND seq = 0", (body,))
    assert find_history(store, race(), make_facts()).run_id == "run-1"


@pytest.mark.parametrize("tps", [1e300, 1e-300])
def test_find_history_ignores_run_with_figures_that_no_host_has(store, tps):
    def change(documents):
        trials = [each for each in documents if isinstance(each, TrialDone)]
        odd = {id(trial): tps for trial in trials[::7]}
        return [
            msgspec.structs.replace(each, mean_tps=odd[id(each)]) if id(each) in odd else each for each in documents
        ]

    keep(store, change=change)
    assert find_history(store, race(), make_facts()) is None


def test_find_history_of_deleted_run_returns_none(store):
    keep(store)
    store.set_deleted("run-1", 1.0)
    assert find_history(store, race(), make_facts()) is None


def test_find_history_of_continued_run_keeps_its_history(store):
    keep(store)
    history = find_history(store, race(), make_facts())

    def change(documents):
        return [msgspec.structs.replace(documents[0], history=history), *documents[1:]]

    keep(store, "run-2", 1, spec=race(), trials=40, outcome=RunOutcome.ABORTED, change=change)
    assert find_history(store, race(), make_facts(), continues="run-2") == history
    keep(store, "run-3", 2, spec=race(), trials=40, outcome=RunOutcome.ABORTED)
    assert find_history(store, race(), make_facts(), continues="run-3") is None


QUICK = 'protocol = "quick"'
SHORT = f"{QUICK}\nlimit_min = 5"
FOUR = 'splits = ["1:2", "1:1", "2:1", "5:1"]'
LOADS = '[[load]]\nkind = "osdb-ir"\n[[load]]\nkind = "osdb-oltp"'


@pytest.fixture
def sweep(call, plan):
    def sweep(*, key=QUICK, loads=LOADS, words=("--json", "--quiet")):
        return call("run", plan(host='host = "sim:"', splits=FOUR, windows=key, load=loads), *words)

    return sweep


def test_second_sweep_is_shorter_and_reports_what_it_counts(sweep, call):
    first = sweep().json
    other_seed = f"{QUICK}\nseed = 2"
    dry = sweep(key=other_seed, words=("--dry-run",))
    assert "info: Begins with the run of " in dry.out
    second = sweep(key=other_seed).json
    assert second["measured_s"] < first["measured_s"]
    sentence = second["answer"]["history"]
    assert sentence.startswith("Counts the run of ")
    assert sentence in second["answer"]["reasons"]
    assert second["answer"]["decision"]["kind"] == first["answer"]["decision"]["kind"]
    with RunStore(places.store_path()) as store:
        entry = store.entry(second["run_id"])
        begun = next(each for each in store.documents(entry.run_id) if isinstance(each, RunStarted))
        assert begun.history.run_id == first["run_id"]
        store.drop(first["run_id"])
        store.keep_results(entry.run_id, None)  # so that the results are derived from the documents alone
        again = load_results(store, entry)
    assert again.answer.decision.gain_frac == second["answer"]["decision"]["gain_frac"]
    assert again.answer.history == sentence


def test_second_simulated_sweep_of_same_seed_does_not_count_its_noise_twice(sweep):
    first, second = sweep(key=SHORT).json, sweep(key=SHORT).json
    assert "was not used: the earlier run is simulated with the same seed" in second["answer"]["history"]
    assert second["answer"]["decision"] == first["answer"]["decision"]


def test_second_sweep_with_history_false_repeats_the_first(sweep):
    key = f"{SHORT}\nhistory = false"
    first, second = sweep(key=key).json, sweep(key=key).json
    assert second["answer"] == first["answer"]
    assert second["answer"]["history"] == ""
    assert "the run of" not in sweep(key=key, words=("--dry-run",)).out


def test_second_sweep_under_other_loads_reports_why_history_is_not_used(sweep):
    sweep(key=f"{SHORT}\nseed = 2")
    dry = sweep(key=SHORT, loads='[[load]]\nkind = "osdb-ir"', words=("--dry-run",))
    assert "is not used: its loads differ." in dry.out
    answer = sweep(key=SHORT, loads='[[load]]\nkind = "osdb-ir"', words=("--quiet",))
    assert "was not used: its loads differ." in answer.out


def test_history_of_split_that_was_not_planned_before_is_missing(store):
    keep(store, spec=make_spec(splits=("1:1", "1:2", "2:1")))
    found = find_history(store, race(settings=(parse_split_setting("1:1"), parse_split_setting("2:5"))), make_facts())
    assert set(found.loads["osdb-ir"].means) == {"1:1", "1:2", "2:1", "baseline"}
