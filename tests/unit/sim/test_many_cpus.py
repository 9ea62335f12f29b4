import math

import msgspec
import numpy as np
import pytest

from scheduler.errors import SchedulerError, SpecError, WriteNotVerified
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.scheduler_params import Credit2Params
from scheduler.model.split import GUEST, IO, Mode, parse_split
from scheduler.run.factor import place_split
from scheduler.run.restore import write_and_verify
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.sim.demand import OperationDemand
from scheduler.sim.machine import MACHINE_SCHEMA, QueueMachine
from scheduler.sim.many_cpus import StationRights, share_cpus, solve_many_cpus
from scheduler.sim.steady_state import SteadyStates

WORK = OperationDemand(guest_ms=3.0, io_in_ms=1.0)


def rights(cpus, vcpus, limit=math.inf, weight=256.0):
    return StationRights(frozenset(cpus), vcpus, min(limit, vcpus), weight)


def rate_at(machine: QueueMachine, split: str | None, mode: Mode, users: int) -> tuple[float, tuple[float, float]]:
    """Return the undisturbed rate at a split, set as a sweep sets it, and the CPUs used."""
    host = open_host(f"sim:?cpus={machine.cpus}&scheduler={machine.scheduler}", ignore_command)
    host.world.machine = machine
    facts = host.facts()
    pair = {slot: host.baseline(slot) for slot in (IO, GUEST, *(PLACE_SLOTS[each] for each in (IO, GUEST)))}
    if split is not None:
        encoding = share_model_for_host(facts).encode(parse_split(split), mode, 20_000)
        pair |= {**place_split(pair, facts.shared_cpus, parse_split(split), mode), **encoding.params}
    steady = SteadyStates(machine).at(pair, "osdb-ir", users)
    return steady.tps, steady.cpu_frac


def machine_of(cpus: int, scheduler: str = "credit2", demand: OperationDemand = WORK) -> QueueMachine:
    return QueueMachine(
        schema_id=MACHINE_SCHEMA,
        loads={"osdb-ir": demand},
        scheduler=scheduler,
        cpus=cpus,
        io_vcpus=cpus,
        guest_vcpus=cpus,
    )


def test_one_user_takes_the_time_of_his_operation():
    solved = solve_many_cpus((rights(range(4), 4), rights(range(4), 4)), WORK, 1)
    assert solved.per_s == pytest.approx(250.0)
    assert solved.cpus == pytest.approx((0.25, 0.75))
    assert sum(solved.service_ms.values()) == pytest.approx(1.0)


def test_many_users_fill_all_cpus_and_caps_leave_some_idle():
    free = solve_many_cpus((rights(range(8), 8), rights(range(8), 8)), WORK, 64)
    assert sum(free.cpus) == pytest.approx(8.0, rel=1e-3)
    assert free.throttled_frac == (0.0, 0.0)
    capped = solve_many_cpus((rights(range(8), 8, 4.0), rights(range(8), 8, 4.0)), WORK, 64)
    assert capped.per_s == pytest.approx(4000 / 3, rel=1e-3)
    assert capped.throttled_frac[1] > 0.95
    assert capped.throttled_frac[0] < 0.05


def test_two_stations_of_one_cpu_each_have_the_rate_of_the_textbook():
    """Two exponential stations: X = (1 - r^N) / (1 - r^(N+1)) / D, with r = d / D and D the larger demand."""
    solved = solve_many_cpus((rights([0], 1), rights([1], 1)), WORK, 5)
    ratio = 1.0 / 3.0
    assert solved.per_s == pytest.approx(1000.0 / 3.0 * (1 - ratio**5) / (1 - ratio**6))


def test_cpus_that_one_domain_cannot_use_go_to_the_other():
    both = (rights(range(4), 4), rights(range(4), 4))
    io, guest = share_cpus(both, np.array([1.0, 4.0, 8.0]), np.array([8.0, 4.0, 0.0]))
    assert io.tolist() == pytest.approx([0.8, 2.0, 4.0])  # weights count per vCPU with work: 1 and 4
    assert guest.tolist() == pytest.approx([3.2, 2.0, 0.0])
    few = (rights(range(4), 2, weight=512.0), rights(range(4), 4))
    io, guest = share_cpus(few, np.array([2.0]), np.array([4.0]))
    assert (io[0], guest[0]) == (2.0, 2.0)


def test_weights_hardly_change_the_rate_of_a_loaded_host():
    found = [rate_at(machine_of(4), split, Mode.WEIGHTS, 32)[0] for split in (None, "1:1", "1:3", "3:1")]
    assert max(found) / min(found) < 1.01


@pytest.mark.parametrize("scheduler", ["credit", "credit2", "rtds", "sedf-xm"])
def test_caps_and_dedicated_cpus_agree_and_the_best_is_where_the_work_is(scheduler):
    machine = machine_of(8, scheduler)
    splits = ("1:7", "2:6", "4:4", "6:2")
    capped = {split: rate_at(machine, split, Mode.CAPS, 64)[0] for split in splits}
    own = {split: rate_at(machine, split, Mode.DEDICATED, 64)[0] for split in splits}
    assert max(own, key=own.get) == max(capped, key=capped.get) == "2:6"
    for split in splits:
        assert capped[split] == pytest.approx(0.96 * own[split], rel=0.02)
    assert rate_at(machine, None, Mode.CAPS, 64)[0] > max(own.values())


def test_cpu_use_is_throughput_times_demand():
    tps, (io, guest) = rate_at(machine_of(4), "1:3", Mode.DEDICATED, 16)
    assert (io, guest) == pytest.approx((tps / 1000, tps * 3 / 1000))
    assert io <= 1.0
    assert guest <= 3.0


def test_host_of_several_cpus_says_what_can_be_placed():
    facts = open_host("sim:?cpus=8&io_vcpus=4&guest_vcpus=6", ignore_command).facts()
    assert facts.shared_cpus == facts.placement.choices == tuple(range(8))
    assert [domain.vcpus for domain in facts.domains] == [4, 6]
    assert len(facts.topology) == 8
    assert facts.title == "Simulated Xen, sedf-xm, 8 CPUs"
    one = open_host("sim:", ignore_command).facts()
    assert (one.pcpus, one.topology, one.placement.possible) == (1, (), False)
    with_one = open_host("sim:?cpus=1", ignore_command).facts()
    assert with_one.shared_cpus == (0,)


@pytest.mark.parametrize("query", ["cpus=0", "cpus=257", "cpus=x", "io_vcpus=2", "guest_vcpus=200", "pin=on"])
def test_host_url_with_wrong_counts_is_refused(query):
    with pytest.raises(SpecError):
        open_host(f"sim:?{query}", ignore_command)


def test_placement_that_the_machine_does_not_have_is_refused():
    host = open_host("sim:?cpus=4&io_vcpus=2&guest_vcpus=4", ignore_command)
    for params in (PlacementParams(((0,),)), PlacementParams(((4,), (4,))), Credit2Params(256)):
        with pytest.raises(SchedulerError, match="io-place"):
            host.write(PLACE_SLOTS[IO], params)
    host.write(PLACE_SLOTS[IO], PlacementParams(((0,), (1,))))
    assert host.read(PLACE_SLOTS[IO]).vcpus == ((0,), (1,))
    host.close()
    assert host.read(PLACE_SLOTS[IO]).vcpus == ((), ())


def test_lost_pin_is_seen_by_its_read_back():
    host = open_host("sim:?cpus=4&pin=lost", ignore_command)
    with pytest.raises(WriteNotVerified, match="reads back vCPUs on any CPU"):
        write_and_verify(host, PLACE_SLOTS[GUEST], PlacementParams(((1, 2),) * 4))


def test_machine_of_one_cpu_has_no_vcpus_of_the_io_domain():
    with pytest.raises(SpecError, match="io_vcpus"):
        msgspec.structs.replace(machine_of(1), io_vcpus=2)


def test_sharing_adds_work_for_each_further_cpu_of_the_io_domain():
    plain, costly = machine_of(8), msgspec.structs.replace(machine_of(8), sharing=0.1)
    assert rate_at(costly, "1:7", Mode.DEDICATED, 32) == rate_at(plain, "1:7", Mode.DEDICATED, 32)
    tps, (io_cpus, guest_cpus) = rate_at(costly, None, Mode.DEDICATED, 32)
    assert io_cpus == pytest.approx(1.7 * guest_cpus * WORK.io_in_ms / WORK.guest_ms)
    assert rate_at(plain, "2:6", Mode.DEDICATED, 32)[0] < rate_at(plain, None, Mode.DEDICATED, 32)[0]
    assert rate_at(costly, "2:6", Mode.DEDICATED, 32)[0] > 1.05 * tps


@pytest.mark.parametrize("query", ["sharing=0.1", "cpus=8&sharing=2", "cpus=8&sharing=nan", "cpus=8&sharing=x"])
def test_sharing_is_refused_on_one_cpu_and_outside_its_range(query):
    with pytest.raises(SpecError):
        open_host(f"sim:?{query}", ignore_command)
