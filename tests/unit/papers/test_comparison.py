"""A run beside the paper: when it is shown, ranks and shares without heights, and what differs."""

import msgspec
import pytest

from scheduler.model.load import LoadSpec
from scheduler.model.spec import PROTOCOLS, Mode
from scheduler.papers.comparison import compare_with_papers
from tests.data_maker import make_facts, make_spec
from tests.unit.papers.made_runs import AS_STATED, IR, OLTP, run_at

FACTS = make_facts()


def beside_of(results, **options):
    return compare_with_papers(results, make_spec(**options), FACTS)


def test_it_is_there_for_three_splits_and_one_load_of_the_paper_and_for_nothing_less():
    (whole,) = beside_of(run_at(AS_STATED))
    assert len(whole.standings) == 18
    (few,) = beside_of(run_at(AS_STATED, splits=("1:1", "1:2", "5:1")))
    assert tuple(row.item for row in few.columns) == ("1:2", "1:1", "5:1")
    assert beside_of(run_at(AS_STATED, splits=("1:1", "1:2"))) == ()
    (one,) = beside_of(run_at({IR: AS_STATED[IR]}), kinds=(IR,))
    assert one.loads == (IR,)
    other = run_at({"tpcb": AS_STATED[IR]})
    assert beside_of(other, kinds=("tpcb",)) == ()
    calibration = msgspec.structs.replace(make_spec(), protocol=PROTOCOLS["calibrate"])
    assert compare_with_papers(run_at(AS_STATED), calibration, FACTS) == ()


def test_on_a_machine_like_the_papers_every_rank_is_one_that_its_words_leave():
    (beside,) = beside_of(run_at(AS_STATED, blocks=8))
    for row in beside.standings:
        assert row.stated[0] <= row.found[0] <= row.rank <= row.found[1] <= row.stated[1], row
    for load in (IR, OLTP):
        assert sorted(row.rank for row in beside.standings if row.load == load) == list(range(1, 10))


def test_shares_are_of_the_best_and_known_of_the_paper_only_where_its_text_has_it():
    (beside,) = beside_of(run_at(AS_STATED, sd=0.002))
    rows = {(row.load, row.item): row for row in beside.standings}
    stated = {place: row.stated_frac for place, row in rows.items() if row.stated_frac is not None}
    assert stated == {(IR, "1:10"): 0.064, (OLTP, "1:1"): 0.503, (OLTP, "10:1"): 0.181}
    for place, share in stated.items():
        assert rows[place].found_frac == pytest.approx(share, abs=0.01)
    best = rows[IR, "1:1"]
    assert (best.rank, best.found_frac, best.found_ci95_frac) == (1, 1.0, None)
    for row in beside.standings:
        assert row.found_ci95_frac is None or row.found_ci95_frac[0] < row.found_frac < row.found_ci95_frac[1]


def test_same_run_ten_times_as_fast_looks_the_same():
    fast = {load: {split: 10 * rate for split, rate in rates.items()} for load, rates in AS_STATED.items()}
    (slow,), (quick,) = beside_of(run_at(AS_STATED)), beside_of(run_at(fast))
    assert [(row.rank, row.found) for row in slow.standings] == [(row.rank, row.found) for row in quick.standings]
    assert "tuples/s" not in msgspec.json.encode(slow).decode()


def test_what_differs_is_reported_and_what_is_alike_is_not():
    results = msgspec.structs.replace(run_at(AS_STATED), versions={"postgresql": "18.1"})
    (beside,) = beside_of(results)
    assert [row.what for row in beside.differences] == [
        "Machine",
        "Hypervisor and scheduler",
        "Database and load",
        "Repeats",
    ]
    said = " ".join(row.sentence for row in beside.differences)
    for words in ("Xen 3.0.1", "cgroup-v2", "MySQL 4.1", "postgresql 18.1", "5 trials of 10 s", FACTS.title):
        assert words in said
    assert beside.here == "cgroup-v2, nothing lent, postgresql 18.1, 5 users, 5 trials of 10 s"
    spec = msgspec.structs.replace(make_spec(mode=Mode.WEIGHTS), loads=(LoadSpec(IR, users=9), LoadSpec(OLTP, users=2)))
    (shared,) = compare_with_papers(results, spec, FACTS)
    assert "idle time lent" in shared.here
    assert "IR 9 users, OLTP 2 users" in shared.here
    assert "Users" in [row.what for row in shared.differences]


def test_simulated_run_reports_it_and_that_its_agreement_is_no_evidence():
    (beside,) = beside_of(msgspec.structs.replace(run_at(AS_STATED), simulated=True))
    assert beside.simulated
    assert beside.here.startswith("simulated, ")
    assert beside.summary.endswith("; simulated.")
    assert "no evidence" in beside.remarks[0]
    (measured,) = beside_of(run_at(AS_STATED))
    assert measured.summary == "12 statements of Calheiros et al. (2007): 12 hold here, 0 do not, 0 not decided."
    assert not any("no evidence" in remark for remark in measured.remarks)
