import math

import numpy as np
import pytest

from app.plots.load_seconds import SecondKind
from app.plots.run_board import RunBoard
from scheduler.model.documents import (
    HostCommand,
    HostSample,
    LoadSample,
    Notice,
    RunOutcome,
    RunStarted,
    RunState,
    StateChanged,
    TrialDone,
    TrialStarted,
)
from scheduler.model.domain_sample import DomainSample
from scheduler.model.host_properties import Severity
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.stats.points import build_points
from tests.data_maker import make_documents, make_facts


def _board(documents) -> RunBoard:
    board = RunBoard()
    for document in documents:
        board.take(document)
    return board


@pytest.fixture(scope="module")
def documents():
    return make_documents()


def test_empty_board_knows_nothing_and_reports_it():
    board = RunBoard()
    assert (board.run, board.state, board.span, board.left_s, board.points) == (None, None, None, None, {})
    assert not board.changed_host


def test_every_load_sample_is_kept_in_its_loads_arrays(documents):
    board = _board(documents)
    for kind in ("osdb-ir", "osdb-oltp"):
        samples = [d for d in documents if isinstance(d, LoadSample) and d.load == kind]
        series = board.loads[kind]
        assert np.array_equal(series.column("t_s"), [d.t_s for d in samples])
        assert np.array_equal(series.column("tps"), [d.throughput_tps for d in samples])
        assert np.array_equal(series.column("kind") == SecondKind.SETTLING, [d.settling for d in samples])


def test_cpu_received_is_a_fraction_of_the_contended_cpu(documents):
    board = _board(documents)
    samples = [d for d in documents if isinstance(d, HostSample)]
    assert np.allclose(board.cpu.column("io"), [d.domains[IO].used_frac for d in samples])
    assert np.allclose(board.cpu.column("guest"), [d.domains[GUEST].used_frac for d in samples])
    assert np.array_equal(board.cpu.column("idle"), [d.idle_frac for d in samples])


def test_use_of_two_shared_cpus_is_counted_in_cpus():
    facts = make_facts()
    started = next(d for d in make_documents() if isinstance(d, RunStarted))
    board = RunBoard()
    board.take(RunStarted(**_fields(started, facts=type(facts)(**_fields(facts, shared_cpus=(0, 1))))))
    assert board.cpus == 2
    usage = DomainSample(user_frac=1.0, system_frac=0.5, memory_bytes=1, in_bytes=0, out_bytes=0)
    board.take(HostSample(t_s=1.0, trial=0, domains={GUEST: usage}, idle_frac=0.25))
    assert board.cpu.column("guest")[0] == 1.5
    assert board.cpu.column("idle")[0] == 0.5
    assert board.cpu.column("io")[0] == 0.0
    assert math.isnan(board.cpu.column("io_allotted")[0])
    assert math.isnan(board.cpu.column("guest_allotted")[0])


def test_seconds_of_stalls_and_of_a_trial_measured_again_are_marked_and_nothing_else(documents):
    board = _board(documents)
    low = board.trials[5]
    last = [d.t_s for d in documents if isinstance(d, LoadSample) and d.trial == low.trial]
    again = TrialStarted(
        t_s=900.0, trial=99, setting=low.setting, load=low.load, block=low.block, settle_s=0, measure_s=3
    )
    seconds = [LoadSample(t_s=900.0 + i, trial=99, load=low.load, settling=False, throughput_tps=9) for i in (1, 2, 3)]
    stalled = TrialDone(**_fields(low, t_s=903.1, trial=99, seconds=3.0, settled_s=0, stalled_at_s=(902.0, 950.0)))
    board = _board([*documents[: documents.index(low) + 1], again, *seconds, stalled])
    series = board.loads[low.load]
    kinds = dict(zip(series.column("t_s"), series.column("kind"), strict=True))
    assert [t_s for t_s, kind in kinds.items() if kind == SecondKind.AGAIN] == last[-10:]
    assert [t_s for t_s, kind in kinds.items() if kind == SecondKind.STALLED] == [902.0]
    assert len(series) == len([d for d in board_samples(documents, low) if d.load == low.load]) + 3


def board_samples(documents, until):
    return [d for d in documents[: documents.index(until)] if isinstance(d, LoadSample)]


def _fields(struct, **changed):
    return {name: getattr(struct, name) for name in struct.__struct_fields__} | changed


def test_points_so_far_are_the_ones_that_the_results_will_state(documents):
    board = RunBoard()
    done: list[TrialDone] = []
    for document in documents:
        board.take(document)
        if isinstance(document, TrialDone):
            done.append(document)
            if len(done) % 13 == 0:
                expected = build_points(done, mode=Mode.CAPS)
                assert board.points == {(point.label, point.load): point for point in expected}


def test_spans_follow_the_trials(documents):
    board = _board(documents)
    starts = [d for d in documents if isinstance(d, TrialStarted)]
    assert [span.trial for span in board.spans] == [d.trial for d in starts]
    assert all(span.result is not None and span.result.trial == span.trial for span in board.spans)
    original = next(span for span in board.spans if span.setting is None)
    number, swept = next((n, span) for n, span in enumerate(board.spans) if span.setting is not None)
    assert original.io_frac is None
    assert swept.io_frac == starts[number].allotted_frac[IO]
    assert swept.began_s < swept.settled_s < swept.ended_s


def test_current_span_is_the_one_that_goes_on(documents):
    board = RunBoard()
    for document in documents:
        board.take(document)
        if isinstance(document, LoadSample):
            assert board.span is not None
            assert board.span.trial == document.trial
        if isinstance(document, TrialDone):
            assert board.span is None


def test_trial_started_again_closes_the_interrupted_one(documents):
    start = next(i for i, d in enumerate(documents) if isinstance(d, TrialStarted))
    board = _board(documents[: start + 3])
    board.take(TrialStarted(**_fields(documents[start], t_s=99.0)))
    assert [span.ended_s for span in board.spans] == [99.0, None]
    assert board.spans[0].result is None


def test_results_taken_over_from_an_earlier_run_count_without_a_span(documents):
    taken = [d for d in documents if isinstance(d, TrialDone)][:4]
    board = _board([documents[0], *taken])
    assert board.trials == taken
    assert board.spans == []
    assert board.left_s < _board(documents[:1]).left_s


def test_host_may_be_changed_only_while_running_or_restoring(documents):
    board = RunBoard()
    seen = {}
    for document in documents:
        board.take(document)
        if isinstance(document, StateChanged):
            seen[board.state] = board.changed_host
    assert seen == {
        RunState.PREPARING: False,
        RunState.RUNNING: True,
        RunState.RESTORING: True,
        RunState.CLOSED: False,
    }


def test_ledger_and_log_divide_what_a_person_may_read(documents):
    board = _board(documents)
    assert board.command_log == [d for d in documents if isinstance(d, HostCommand)]
    drawn = (HostCommand, LoadSample, HostSample, TrialStarted)
    assert board.log == [d for d in documents if not isinstance(d, drawn)]


@pytest.mark.parametrize("outcome", list(RunOutcome))
def test_run_that_stopped_has_no_time_left(outcome):
    board = _board(make_documents(trials=7, outcome=outcome))
    assert board.stopped.outcome is outcome
    assert board.left_s == 0.0
    assert board.span is None


def test_run_whose_core_died_in_a_trial_still_has_time_left(documents):
    half = documents[: len(documents) // 2]
    board = _board(half)
    assert board.stopped is None
    assert board.left_s > 0


def test_board_without_a_first_document_still_shows_what_comes(documents):
    board = _board(documents[1:400])
    assert board.left_s is None
    assert board.trials
    board.take(StateChanged(t_s=999.0, state=RunState.PAUSED))
    assert board.state is RunState.PAUSED


def test_changes_grow_with_every_document(documents):
    assert _board(documents).changes == len(documents)


def test_warnings_and_trials_that_do_not_count_are_counted():
    board = _board(make_documents(failing=[("5:2", "osdb-ir")]))
    board.take(Notice(t_s=9999.0, level=Severity.INFO, text="nothing to worry about"))
    notices = [d for d in board.log if isinstance(d, Notice) and d.level is not Severity.INFO]
    assert board.warnings == len(notices) + 3


def test_what_the_core_does_is_forgotten_when_the_trial_begins():
    board = RunBoard()
    for document in make_documents():
        board.take(document)
        if isinstance(document, TrialStarted):
            assert board.doing == ""
