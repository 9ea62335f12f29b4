"""The simulated schedulers do what Xen's do: who gets what, and who has to wait."""

import pytest

from scheduler.sim.credit import CreditDispatcher
from scheduler.sim.credit2 import Credit2Dispatcher
from scheduler.sim.reservations import CpuReservation, RtdsDispatcher, SedfDispatcher
from scheduler.sim.weighted_domain import WeightedDomain
from tests.unit.sim.hungry import longest_pause_us, shares

WEIGHING = (CreditDispatcher, Credit2Dispatcher)
RESERVING = (RtdsDispatcher, SedfDispatcher)
MS = 1_000.0


def weighted(kind, io, guest, caps=(0.0, 0.0)):
    return kind((WeightedDomain(io, caps[0]), WeightedDomain(guest, caps[1])))


def reserved(kind, io_ms, guest_ms, period_ms=20.0, extra=False):
    return kind(tuple(CpuReservation(period_ms * MS, budget_ms * MS, extra) for budget_ms in (io_ms, guest_ms)))


@pytest.mark.parametrize("kind", WEIGHING)
@pytest.mark.parametrize(("io", "guest"), [(256, 256), (128, 256), (512, 128), (100, 1000)])
def test_weights_divide_the_cpu_while_both_want_it(kind, io, guest):
    got = shares(weighted(kind, io, guest))
    assert sum(got) == pytest.approx(1.0, abs=0.001)
    assert got[0] == pytest.approx(io / (io + guest), abs=0.02)


@pytest.mark.parametrize("kind", WEIGHING)
def test_weights_leave_idle_time_to_the_other(kind):
    assert shares(weighted(kind, 100, 1000), awake=(0,)) == pytest.approx([1.0, 0.0], abs=0.001)


@pytest.mark.parametrize("kind", WEIGHING)
@pytest.mark.parametrize("caps", [(0.09, 0.87), (0.32, 0.64), (0.64, 0.32)])
def test_cap_limits_each_domain_by_itself(kind, caps):
    weights = [round(512 * cap) for cap in caps]
    got = shares(weighted(kind, *weights, caps), seconds=20)
    assert got == pytest.approx(caps, abs=0.02)


@pytest.mark.parametrize("kind", WEIGHING)
def test_cap_holds_on_an_idle_cpu(kind):
    got = shares(weighted(kind, 256, 256, (0.3, 0.0)), awake=(0,), seconds=20)
    assert got[0] == pytest.approx(0.3, abs=0.02)


def test_credit_runs_for_a_slice_and_pays_for_it_while_credit2_pauses_for_a_period_at_most():
    caps = (0.1, 0.86)
    assert longest_pause_us(weighted(CreditDispatcher, 51, 461, caps), 0) > 60 * MS
    assert longest_pause_us(weighted(Credit2Dispatcher, 51, 461, caps), 0) < 20 * MS


@pytest.mark.parametrize("kind", RESERVING)
@pytest.mark.parametrize("budgets", [(1.75, 17.45), (6.4, 12.8), (9.6, 9.6), (17.45, 1.75)])
def test_reservation_is_kept_and_not_exceeded(kind, budgets):
    assert shares(reserved(kind, *budgets)) == pytest.approx([budget / 20 for budget in budgets], abs=0.002)


@pytest.mark.parametrize("kind", RESERVING)
def test_reservations_leave_idle_time_idle(kind):
    assert shares(reserved(kind, 5.0, 14.0), awake=(0,)) == pytest.approx([0.25, 0.0], abs=0.002)


@pytest.mark.parametrize("kind", RESERVING)
def test_extra_time_lends_what_no_one_uses(kind):
    assert shares(reserved(kind, 5.0, 14.0, extra=True), awake=(0,))[0] == pytest.approx(1.0, abs=0.001)


@pytest.mark.parametrize("kind", RESERVING)
def test_extra_time_takes_nothing_from_a_reservation(kind):
    servers = (CpuReservation(20 * MS, 5 * MS, extra=True), CpuReservation(20 * MS, 14 * MS))
    assert shares(kind(servers)) == pytest.approx([0.3, 0.7], abs=0.005)


@pytest.mark.parametrize("kind", RESERVING)
def test_different_periods_can_be_kept_together(kind):
    servers = (CpuReservation(10 * MS, 3 * MS), CpuReservation(40 * MS, 26 * MS))
    assert shares(kind(servers)) == pytest.approx([0.3, 0.65], abs=0.005)


def test_sedf_without_reservations_shares_what_there_is_in_turn():
    servers = (CpuReservation(100 * MS, 0.0, extra=True), CpuReservation(100 * MS, 0.0, extra=True))
    assert shares(SedfDispatcher(servers)) == pytest.approx([0.5, 0.5], abs=0.001)


def run_until_block(dispatcher, domain, at_us, took_us):
    dispatcher.wake(domain, at_us)
    chosen, _ = dispatcher.choose(at_us)
    assert chosen == domain
    dispatcher.ran(domain, took_us, at_us + took_us)
    dispatcher.block(domain, at_us + took_us)


@pytest.mark.parametrize("kind", RESERVING)
def test_what_is_left_of_a_budget_waits_for_a_domain_that_blocks(kind):
    servers = reserved(kind, 6.0, 12.0)
    run_until_block(servers, 0, 0.0, 2 * MS)
    servers.wake(0, 8 * MS)
    chosen, until_us = servers.choose(8 * MS)
    assert chosen == 0
    assert until_us == pytest.approx(12 * MS)  # 4 of 6 ms are left


def test_sedf_as_released_gives_nothing_more_before_the_next_period():
    servers = SedfDispatcher((CpuReservation(20 * MS, 6 * MS), CpuReservation(20 * MS, 12 * MS)), forfeits=True)
    run_until_block(servers, 0, 0.0, 2 * MS)
    servers.wake(0, 8 * MS)
    chosen, until_us = servers.choose(8 * MS)
    assert (chosen, until_us) == (-1, pytest.approx(20 * MS))
    assert servers.held(0)


def test_waking_late_begins_a_new_period_under_sedf_only():
    for kind, ends_ms in ((SedfDispatcher, 56.0), (RtdsDispatcher, 56.0)):
        servers = reserved(kind, 6.0, 12.0)
        run_until_block(servers, 0, 0.0, 2 * MS)
        servers.wake(0, 50 * MS)
        assert servers.choose(50 * MS) == (0, pytest.approx(ends_ms * MS))
        servers.ran(0, 6 * MS, 56 * MS)
        assert servers.held(0)
        _, again_us = servers.choose(56 * MS)
        assert again_us == pytest.approx((70.0 if kind is SedfDispatcher else 60.0) * MS)


def test_credit_lets_a_domain_that_wakes_run_at_once():
    scheduler = weighted(CreditDispatcher, 256, 256)
    scheduler.wake(1, 0.0)
    scheduler.choose(0.0)
    scheduler.ran(1, 12 * MS, 12 * MS)  # longer than a tick: its own boost is over
    scheduler.wake(0, 12 * MS)
    assert scheduler.choose(12 * MS)[0] == 0


def test_no_one_is_preempted_within_a_millisecond():
    scheduler = weighted(CreditDispatcher, 256, 256)
    scheduler.wake(1, 0.0)
    scheduler.choose(0.0)
    scheduler.ran(1, 0.5 * MS, 0.5 * MS)
    scheduler.wake(0, 0.5 * MS)
    chosen, until_us = scheduler.choose(0.5 * MS)
    assert chosen == 1
    assert until_us == pytest.approx(1.0 * MS)
