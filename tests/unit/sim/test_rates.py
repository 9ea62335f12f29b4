"""What simulations say of loads beyond the papers': rates of the right order of magnitude, and who assumed them."""

import pytest

from scheduler.loads.fake_loads import FakeLoadGenerators
from scheduler.loads.simulated_loads import SimulatedLoads
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE, is_assumed, simulated_kind
from scheduler.sim.simulated_machine import SimulatedMachine
from tests.one_load import OneLoad
from tests.unit.sim.surveyed import survey

# Least and most at the best split, over that of osdb-oltp; queries take a fifth of a second of the guest's CPU each.
ORDERS = {
    "tpcb": (0.2, 0.9),
    "order-entry": (0.1, 0.5),
    "tpch": (0.002, 0.05),
    "brokerage": (0.15, 0.5),
    "bulk": (0.3, 0.9),
    "compute": (0.05, 0.2),
}


def best_tps(kind: str) -> float:
    return max(steady.tps for steady in survey(kind).values())


def made_up_tps(kind: str, share: float) -> float:
    clock = iter(range(10_000))
    loads = OneLoad(FakeLoadGenerators(lambda _: share, lambda: float(next(clock))))
    loads.start(kind)
    seconds = [second for _ in range(100) for second in loads.poll()]
    return sum(second.count for second in seconds) / len(seconds)


@pytest.mark.parametrize("kind", ORDERS)
def test_simulated_load_has_rates_of_its_own_order_of_magnitude(kind):
    least, most = ORDERS[kind]
    assert least <= best_tps(kind) / best_tps("osdb-oltp") <= most


@pytest.mark.parametrize("kind", ORDERS)
def test_made_up_load_has_rates_of_its_own_order_of_magnitude(kind):
    _, most = ORDERS[kind]
    assert 0 < made_up_tps(kind, 0.5) / made_up_tps("osdb-oltp", 0.5) <= most


@pytest.mark.parametrize("kind", [name for name, kind in LOAD_KINDS.items() if kind.round])
def test_load_of_long_operations_is_never_simulated_as_one_of_short_ones(kind):
    assert simulated_kind(kind) == kind


def test_query_that_takes_longer_than_a_second_is_counted_once():
    assert made_up_tps("tpch", 0.05) == pytest.approx(0.05 / 0.225, rel=0.05)


def test_slow_load_has_some_operations_at_every_split():
    assert min(steady.tps for steady in survey("tpch").values()) > 0.1


@pytest.mark.parametrize("kind", LOAD_KINDS)
def test_simulated_result_reports_its_assumptions(kind):
    said = " ".join(SimulatedLoads(SimulatedMachine(BUILT_IN_MACHINE, lambda: 0.0), [kind]).differences())
    assert ("are assumed" in said) == is_assumed(kind)
    assert ("is simulated as" in said) == (simulated_kind(kind) != kind)
