"""Laws of waiting: every button interrupts, a signal's flag is seen, nothing is lost."""

import threading

import pytest

from scheduler.run.control import AbortRequested, MonotonicClock, PauseRequested, RunControl


def test_wait_lasts_as_long_as_asked(bench):
    start_s = bench.clock.now()
    bench.control.wait(3.7)
    assert bench.clock.now() - start_s == pytest.approx(3.7)


def test_pause_interrupts_a_wait_and_stays_until_resume(bench):
    bench.clock.at(1.0, bench.control.pause)
    with pytest.raises(PauseRequested):
        bench.control.wait(10)
    with pytest.raises(PauseRequested):
        bench.control.check()
    bench.clock.at(5.0, bench.control.resume)
    bench.control.wait_while_paused()
    bench.control.check()


def test_first_reason_for_an_abort_is_kept(bench):
    bench.control.abort("first")
    bench.control.abort("second")
    with pytest.raises(AbortRequested, match="first"):
        bench.control.wait(1)


def test_signals_flag_ends_a_long_wait_soon():
    control = RunControl(MonotonicClock())
    threading.Thread(target=control.abort_soon, args=["signal"]).start()
    begin_s = control.clock.now()
    with pytest.raises(AbortRequested):
        control.wait(30)
    assert control.clock.now() - begin_s < 10
