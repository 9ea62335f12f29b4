"""What a simulated machine does by itself: turns, and days whose mix changes little by little."""

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.demand_mix import NO_ADDED_LOAD, AddedLoad, mix_demands
from scheduler.sim.machine import SurfaceMachine
from scheduler.sim.own_load import LoadMoment, OwnSimulatedLoad
from tests.unit.sim.surveyed import survey


def own_load(**asked: str) -> OwnSimulatedLoad:
    return OwnSimulatedLoad.take_from_query({"load": "bulk,compute", "users": "12", **asked})


def test_in_turns_each_load_is_alone_for_as_long_and_they_go_round():
    own = own_load(turn_s="600")
    assert [own.at(lived_s) for lived_s in (0, 599, 600, 1200)] == [
        *[LoadMoment("bulk", 12)] * 2,
        LoadMoment("compute", 12),
        LoadMoment("bulk", 12),
    ]


def test_day_goes_from_the_first_load_by_night_to_the_second_at_noon_and_back():
    own = own_load(day_s="86400")
    day = [own.at(hour * 3600) for hour in range(25)]
    assert day[0] == day[24] == LoadMoment("bulk", 6, AddedLoad("compute", 0.0))
    assert day[12] == LoadMoment("bulk", 12, AddedLoad("compute", 1.0))
    assert day[6].added.frac == 0.5
    parts = [moment.added.frac for moment in day]
    assert parts[:13] == sorted(parts[:13])
    assert parts == pytest.approx(parts[::-1], abs=0.101)  # halves are rounded as they come
    assert all(moment.users == 6 + round(6 * moment.added.frac) for moment in day)


@pytest.mark.parametrize("other_frac", [0.0, 1.0])
def test_mix_of_one_load_alone_is_that_load(other_frac: float):
    kinds = ("osdb-oltp", "bulk")
    one, other = (BUILT_IN_MACHINE.loads[kind] for kind in kinds)
    alone = msgspec.to_builtins(BUILT_IN_MACHINE.loads[kinds[round(other_frac)]])
    mix = msgspec.to_builtins(mix_demands(one, other, other_frac))
    unused = {"guest_stretch", *(("disk_ms", "io_disk_ms") if not alone["disk_requests"] else ())}
    assert {name: mix[name] for name in mix if name not in unused} == pytest.approx(
        {name: alone[name] for name in alone if name not in unused}
    )
    limits = [limit / 20 for limit in range(1, 20)]
    stretches = [BUILT_IN_MACHINE.loads[kinds[round(other_frac)]].stretch_at(limit) for limit in limits]
    assert [mix_demands(one, other, other_frac).stretch_at(limit) for limit in limits] == pytest.approx(stretches)


def test_mix_costs_each_domain_what_its_operations_cost_it():
    bulk, compute = BUILT_IN_MACHINE.loads["bulk"], BUILT_IN_MACHINE.loads["compute"]
    mix = mix_demands(bulk, compute, 0.3)
    assert mix.guest_ms == pytest.approx(0.7 * bulk.guest_ms + 0.3 * compute.guest_ms)
    assert mix.io_out_ms == pytest.approx(0.7 * bulk.io_out_ms + 0.3 * compute.io_out_ms)
    assert bulk.guest_user_frac < mix.guest_user_frac < compute.guest_user_frac


def test_bulk_and_compute_cost_the_domains_at_least_four_times_apart():
    ratios = []
    for kind in ("bulk", "compute"):
        io, guest = survey(kind)[1].cpu_frac
        ratios.append(io / guest)
    assert ratios[0] >= 4 * ratios[1]


def test_machine_of_which_only_rates_are_known_has_no_day():
    rates = SurfaceMachine(
        schema_id="domtune-machine/1", splits=("1:1",), loads={"bulk": (1.0,), "compute": (2.0,)}, noise="none"
    )
    own_load(turn_s="600").refuse_unknown(rates)
    assert own_load(turn_s="600").at(0).added == NO_ADDED_LOAD
    with pytest.raises(SpecError, match="cannot predict a mix"):
        own_load(day_s="3600").refuse_unknown(rates)
