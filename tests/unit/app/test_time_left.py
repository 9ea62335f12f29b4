import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.plots.run_board import RunBoard
from app.plots.time_left import TrialPace, pace_of
from scheduler.model.documents import Notice, RunState, StateChanged, TrialStarted
from scheduler.model.host_properties import Severity
from scheduler.model.protocols import PROTOCOLS
from scheduler.plans.study_plan import duration_s
from tests.data_maker import make_documents, make_spec


def test_first_estimate_lies_between_the_plans_best_and_worst():
    spec = make_spec()
    best_s, worst_s = duration_s(spec)
    assert best_s <= pace_of(spec, 58).left_s(0.0) <= worst_s


def test_plan_of_unknown_length_is_estimated_by_its_mean_trial():
    spec = make_spec()
    assert pace_of(spec, 29).left_s(0.0) == pytest.approx(pace_of(spec, 58).left_s(0.0) / 2, rel=0.01)


def test_time_left_is_right_to_a_tenth_all_the_way():
    documents = make_documents(repeats=6)
    end_s = documents[-1].t_s
    board = RunBoard()
    for document in documents[:-1]:
        board.take(document)
        if document.t_s > 20.0:
            assert board.left_s == pytest.approx(end_s - document.t_s, rel=0.1, abs=20.0)


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["start", "done", "pause"]), st.integers(0, 12), st.floats(0, 5000)), max_size=40
    ),
    now_s=st.floats(0, 1e6),
)
def test_time_left_is_never_negative_whatever_happens(steps, now_s):
    pace = TrialPace([14.0] * 10, 0.5)
    t_s = 0.0
    for what, trial, later_s in steps:
        t_s += later_s
        match what:
            case "start":
                pace.started(trial, t_s, 14.0)
            case "done":
                pace.done(trial, t_s)
            case _:
                pace.note_interruption()
        assert pace.left_s(now_s) >= 0.0


def test_slow_host_teaches_the_pace():
    pace = TrialPace([10.0] * 20, 0.0)
    t_s = 0.0
    for trial in range(10):
        pace.started(trial, t_s + 5.0, 10.0)
        t_s += 15.0
        pace.done(trial, t_s)
    assert pace.left_s(t_s) == pytest.approx(10 * (10.0 + 5.0 * 9 / 13))


def test_pause_teaches_nothing_and_the_trial_counts_in_full_again():
    pace = TrialPace([10.0] * 4, 0.0)
    pace.started(0, 0.0, 10.0)
    pace.done(0, 10.0)
    pace.started(1, 10.0, 10.0)
    assert pace.left_s(16.0) == pytest.approx(24.0)
    pace.note_interruption()
    assert pace.left_s(16.0) == pytest.approx(30.0)
    pace.started(1, 5000.0, 10.0)
    pace.done(1, 5010.0)
    assert pace.left_s(5010.0) == pytest.approx(20.0)


def test_trials_taken_over_from_an_earlier_run_are_not_waited_for():
    pace = TrialPace([10.0] * 4, 0.0)
    pace.done(0, 0.1)
    pace.done(1, 0.1)
    pace.done(1, 0.1)
    assert pace.left_s(0.1) == pytest.approx(20.0)


def test_trials_own_length_replaces_the_planned_one():
    pace = TrialPace([10.0, 10.0], 0.0)
    pace.started(0, 0.0, 30.0)
    assert pace.left_s(0.0) == pytest.approx(40.0)
    assert pace.left_s(100.0) == pytest.approx(10.0)


def test_board_paused_reports_it_and_repeats_the_trial():
    documents = make_documents()
    start = next(i for i, d in enumerate(documents) if isinstance(d, TrialStarted) and d.trial == 3)
    board = RunBoard()
    for document in documents[: start + 6]:
        board.take(document)
    running_s = board.left_s
    board.take(StateChanged(t_s=board.now_s, state=RunState.PAUSED, text="the host is as it was found"))
    assert board.left_s > running_s
    assert board.span is None
    assert board.spans[-1].result is None
    assert not board.changed_host
    board.take(Notice(t_s=board.now_s + 3600.0, level=Severity.INFO, text="still here"))
    assert board.left_s > running_s


def test_plan_that_decides_as_it_goes_reports_when_it_ends_at_the_latest():
    """Its limit counts settling and measuring, and so does what is left of it."""
    spec = msgspec.structs.replace(make_spec(), protocol=PROTOCOLS["adaptive"])
    pace = pace_of(spec, 22)
    assert pace.left_s(0.0) == 180 * 60
    pace.started(0, 10.0, 25.0)
    assert pace.left_s(20.0) == 180 * 60 - 10
    pace.done(0, 40.0)
    assert pace.left_s(300.0) == 180 * 60 - 25
    pace.started(1, 300.0, 16.0)
    pace.note_interruption()
    assert pace.left_s(900.0) == 180 * 60 - 25


def test_plan_without_limit_promises_no_end():
    endless = msgspec.structs.replace(PROTOCOLS["adaptive"], limit_min=0)
    assert pace_of(msgspec.structs.replace(make_spec(), protocol=endless), 22) is None


def test_race_of_few_repeats_ends_with_them_however_late_its_limit():
    once = msgspec.structs.replace(PROTOCOLS["adaptive"], repeats=1)
    spec = msgspec.structs.replace(make_spec(), protocol=once)
    assert pace_of(spec, 22).left_s(0.0) == duration_s(spec)[1] < 180 * 60
