"""The event simulation agrees with what is known exactly, and keeps the laws of closed systems."""

import msgspec
import pytest

from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.credit import CreditDispatcher
from scheduler.sim.demand import OperationDemand
from scheduler.sim.event_simulation import EventSimulation, GuestUsers, SimulationCase
from scheduler.sim.reservations import CpuReservation, RtdsDispatcher
from scheduler.sim.steady_state import simulate
from scheduler.sim.weighted_domain import WeightedDomain
from tests.unit.sim.surveyed import pair_of
from tests.volume import few, times

ALWAYS = (WeightedDomain(256), WeightedDomain(256))


def run(demand, dispatcher, users=5, seconds=30.0, **more):
    case = SimulationCase(guests=(GuestUsers(demand=demand, users=users),), **more)
    return EventSimulation(case, dispatcher).run(seconds, warm_up_s=2.0)


def mva(users, think_ms, demands_ms):
    """Return operations per second of a closed network of single servers (exact mean value analysis)."""
    queues = [0.0] * len(demands_ms)
    rate = 0.0
    for population in range(1, users + 1):
        times = [demand * (1 + queue) for demand, queue in zip(demands_ms, queues, strict=True)]
        rate = population / (think_ms + sum(times))
        queues = [rate * time for time in times]
    return 1000.0 * rate


@pytest.mark.parametrize("users", few([1, 5], [2, 20]))
def test_simulation_agrees_with_exact_mean_value_analysis(users):
    """A disk and nothing else to wait for: exponential service, first come first served, and thinking."""
    demand = OperationDemand(guest_ms=1e-6, wire_ms=12.0, disk_requests=1.0, disk_ms=5.0, variation=1.0)
    seen = run(demand, CreditDispatcher(ALWAYS), users=users, seconds=times(75, 300))
    # Each operation's size is drawn once and its thinking is fixed; the throughput depends on the mean think time only.
    assert seen.operations / seen.seconds == pytest.approx(mva(users, 12.0, [5.0]), rel=0.02)


def test_one_user_pays_the_sum_of_all_stages():
    demand = BUILT_IN_MACHINE.loads["osdb-oltp"]
    seen = run(demand, CreditDispatcher(ALWAYS), users=1)
    total_ms = demand.client_ms + demand.wire_ms + demand.io_in_ms + demand.io_out_ms + demand.guest_ms
    total_ms += demand.disk_requests * (demand.io_disk_ms + demand.disk_ms)
    backlog = demand.io_backlog_frac * (demand.io_in_ms + demand.io_out_ms + demand.io_disk_ms)
    assert seen.operations / seen.seconds == pytest.approx(1000.0 / (total_ms + backlog), rel=0.02)


@pytest.mark.parametrize("kind", ["osdb-ir", "osdb-oltp"])
@pytest.mark.parametrize("limits", [(0.09, 0.87), (0.32, 0.64), (0.87, 0.09)])
def test_no_resource_gives_more_than_it_has(kind, limits):
    demand = BUILT_IN_MACHINE.loads[kind]
    servers = tuple(CpuReservation(20_000.0, limit * 20_000.0) for limit in limits)
    seen = run(demand, RtdsDispatcher(servers), seconds=10.0)
    rate = seen.operations / seen.seconds
    io_ms = demand.io_in_ms + demand.io_out_ms + demand.disk_requests * demand.io_disk_ms
    bounds = {
        "guest": limits[1] / demand.guest_ms,
        "I/O domain": limits[0] / io_ms,
        "disk": 1.0 / (demand.disk_requests * demand.disk_ms),
        "client": 1.0 / demand.client_ms,
    }
    assert rate <= 1.02 * 1000.0 * min(bounds.values()), bounds
    assert seen.cpu_frac[0] <= limits[0] + 0.001
    assert seen.cpu_frac[1] <= limits[1] + 0.001


def test_little_law_holds():
    demand = BUILT_IN_MACHINE.loads["osdb-oltp"]
    seen = run(demand, RtdsDispatcher((CpuReservation(20_000.0, 6_400.0), CpuReservation(20_000.0, 12_800.0))))
    cycle_ms = sum(seen.times_ms) / len(seen.times_ms) + demand.wire_ms + demand.client_ms
    users = seen.operations / seen.seconds * cycle_ms / 1000.0
    assert users == pytest.approx(5.0, rel=0.03)  # waiting for the client machine is not in the service time


def test_longer_backlog_costs_the_io_domain_user_time():
    calm = OperationDemand(guest_ms=1.0, io_in_ms=1.0, io_out_ms=1.0, io_user_frac=0.0)
    busy = msgspec.structs.replace(calm, io_backlog_frac=0.05)
    servers = (CpuReservation(20_000.0, 2_000.0), CpuReservation(20_000.0, 17_000.0))
    without, with_backlog = run(calm, RtdsDispatcher(servers)), run(busy, RtdsDispatcher(servers))
    assert without.io_user_frac == 0.0
    assert with_backlog.io_user_frac == pytest.approx(0.05, abs=0.002)
    assert with_backlog.operations == pytest.approx(without.operations / 2, rel=0.03)


def test_switching_costs_cpu():
    demand = BUILT_IN_MACHINE.loads["osdb-oltp"]
    assert (
        run(demand, CreditDispatcher(ALWAYS), switch_us=200.0).operations
        < run(demand, CreditDispatcher(ALWAYS)).operations
    )


def test_being_throttled_is_seen_where_it_happens():
    demand = BUILT_IN_MACHINE.loads["osdb-oltp"]
    starved = run(
        demand, RtdsDispatcher((CpuReservation(20_000.0, 1_800.0), CpuReservation(20_000.0, 17_000.0))), seconds=20.0
    )
    assert starved.throttled_frac[0] > 0.8
    assert starved.throttled_frac[1] < 0.1


def test_equal_seeds_give_equal_runs_and_other_seeds_nearly_so():
    pair = pair_of("1:2")
    first, again = (simulate(BUILT_IN_MACHINE, pair, "osdb-ir", 5, seed=7) for _ in range(2))
    other = simulate(BUILT_IN_MACHINE, pair, "osdb-ir", 5, seed=8)
    assert first == again
    assert first.operations != other.operations
    assert first.operations == pytest.approx(other.operations, rel=0.02)
