"""The simulated machine in time: it follows its clock, counts what it did, and is disturbed as described."""

import math
import statistics

import msgspec
import pytest

from scheduler.errors import LoadError
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.disturbance import RateDisturbance
from scheduler.sim.machine import SurfaceMachine
from scheduler.sim.noise import NOISES
from scheduler.sim.simulated_machine import SimulatedMachine
from tests.unit.sim.surveyed import pair_of, survey

QUIET = msgspec.structs.replace(BUILT_IN_MACHINE, noise="none")
SURFACE = SurfaceMachine(
    schema_id="domtune-machine/1",
    splits=("1:1", "1:2"),
    loads={"osdb-ir": (100.0, 200.0)},
    noise="none",
)


class Clock:
    def __init__(self):
        self.now_s = 100.25

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


def set_split(world, label):
    for domain, params in pair_of(label).items():
        world.write(domain, params)


def test_time_passes_only_by_the_clock(clock):
    world = SimulatedMachine(QUIET, clock)
    set_split(world, "1:2")
    world.begin("osdb-ir", 5)
    assert world.seconds() == []
    clock.now_s += 3.0
    assert [second.second for second in world.seconds()] == [101, 102]
    assert world.seconds() == []


def test_undisturbed_machine_does_its_steady_rate(clock):
    world = SimulatedMachine(QUIET, clock)
    set_split(world, "1:2")
    world.begin("osdb-oltp", 5)
    clock.now_s += 201.0
    counts = [second.count for second in world.seconds()]
    assert len(counts) == 200
    steady = survey("osdb-oltp")[2]
    assert sum(counts) / 200 == pytest.approx(steady.tps, rel=1e-3)
    assert max(counts) - min(counts) <= 1


def test_split_set_within_a_second_counts_from_then_on(clock):
    world = SimulatedMachine(SURFACE, clock)
    set_split(world, "1:1")
    world.begin("osdb-ir", 5)
    clock.now_s = 101.5
    set_split(world, "1:2")
    clock.now_s = 103.0
    assert [second.count for second in world.seconds()] == pytest.approx([150, 200], abs=1)


def test_counters_are_what_the_steady_simulation_saw(clock):
    world = SimulatedMachine(QUIET, clock)
    set_split(world, "1:5")
    world.begin("osdb-oltp", 5)
    before = world.usage()
    clock.now_s += 50.0
    after = world.usage()
    steady = survey("osdb-oltp")[3]
    for place, domain in enumerate((IO, GUEST)):
        used = (after[domain].user_s + after[domain].system_s - before[domain].user_s - before[domain].system_s) / 50
        assert used == pytest.approx(steady.cpu_frac[place], rel=0.01)
        assert (after[domain].throttled_s - before[domain].throttled_s) / 50 == pytest.approx(
            steady.throttled_frac[place], abs=0.001
        )
    assert (after[IO].in_bytes - before[IO].in_bytes) / 50 == pytest.approx(300.0 * steady.tps, rel=0.01)


@pytest.mark.parametrize("noise", ["lab", "drift"])
def test_both_domains_never_get_more_than_one_cpu_nor_one_more_than_its_limit(clock, noise):
    busy = msgspec.structs.replace(BUILT_IN_MACHINE, noise=noise, scheduler="credit")
    for mode, limits in ((Mode.WEIGHTS, (1.0, 1.0)), (Mode.CAPS, (0.32, 0.64))):
        world = SimulatedMachine(busy, clock)
        for domain, params in pair_of("1:2", "credit", mode).items():
            world.write(domain, params)
        world.begin("osdb-oltp", 5)
        before = {domain: usage.user_s + usage.system_s for domain, usage in world.usage().items()}
        for _ in range(600):
            clock.now_s += 1.0
            after = {domain: usage.user_s + usage.system_s for domain, usage in world.usage().items()}
            used = [after[domain] - before[domain] for domain in (IO, GUEST)]
            assert sum(used) <= 1.0 + 1e-9
            assert all(part <= limit + 0.01 for part, limit in zip(used, limits, strict=True))
            before = after


def test_parked_users_do_nothing_and_nothing_is_made_up_for_the_pause(clock):
    world = SimulatedMachine(QUIET, clock)
    world.begin("osdb-ir", 5)
    clock.now_s += 2.0
    world.park(parked=True)
    before = world.usage()
    clock.now_s += 1000.0
    assert world.seconds() == []
    assert world.usage() == before
    world.park(parked=False)
    clock.now_s += 2.0
    assert [second.second for second in world.seconds()] == [1103]


def test_machine_described_by_its_throughput_shows_no_cpu(clock):
    assert SimulatedMachine(SURFACE, clock).usage() == {}
    reported = msgspec.structs.replace(SURFACE, delivered={"osdb-ir": ((0.2, 0.4), (0.1, 0.6))})
    world = SimulatedMachine(reported, clock)
    set_split(world, "1:2")
    world.begin("osdb-ir", 5)
    clock.now_s += 10
    usage = world.usage()
    assert usage[IO].system_s == pytest.approx(1.0)
    assert usage[GUEST].system_s == pytest.approx(6.0)


def test_load_that_it_lacks_cannot_be_started(clock):
    with pytest.raises(LoadError, match="osdb-oltp"):
        SimulatedMachine(SURFACE, clock).begin("osdb-oltp", 5)


def test_equal_seeds_repeat_a_sweep_and_others_do_not(clock):
    def counts(seed):
        clock.now_s = 100.0
        world = SimulatedMachine(BUILT_IN_MACHINE, clock)
        world.reseed(seed)
        set_split(world, "1:2")
        world.begin("osdb-ir", 5)
        clock.now_s += 60.0
        return [second.count for second in world.seconds()]

    assert counts(1) == counts(1)
    assert counts(1) != counts(2)


def factors(noise, seconds, *, trials=1, kind="osdb-oltp", seed=1):
    machine = msgspec.structs.replace(BUILT_IN_MACHINE, noise=noise)
    disturbance, found = RateDisturbance(machine, seed), []
    for trial in range(trials):
        disturbance.enter(kind, 1.0 + trial % 2, 100.0, cold=trial == 0, new_load=False)
        at = trial * seconds
        found.append([disturbance.second(kind, float(at + second), 100.0)[0] for second in range(seconds)])
    return found


def only(**changes):
    return msgspec.structs.replace(NOISES["none"], **changes)


def test_trials_deviate_as_described_and_not_on_average():
    means = [trial[0] for trial in factors(only(trial_sd={"IR": 0.2, "OLTP": 0.2}), 1, trials=4000)]
    logs = [math.log(mean) for mean in means]
    assert statistics.stdev(logs) == pytest.approx(0.2, rel=0.05)
    assert statistics.fmean(means) == pytest.approx(1.0, abs=0.015)


def test_seconds_deviate_and_remember_as_described():
    (series,) = factors(only(ar_sd=0.1, ar_phi=0.7), 20_000)
    logs = [math.log(factor) for factor in series]
    assert statistics.stdev(logs) == pytest.approx(0.1, rel=0.05)
    assert statistics.correlation(logs[:-1], logs[1:]) == pytest.approx(0.7, abs=0.03)


@pytest.mark.parametrize("tau_s", [0.01, 0.5, 1.0])
def test_drift_forgotten_within_a_second_deviates_as_described(tau_s):
    drift = msgspec.structs.replace(NOISES["none"].drift, ou_sd=0.1, ou_tau_s=tau_s)
    (series,) = factors(only(drift=drift), 20_000)
    assert statistics.stdev(math.log(factor) for factor in series) == pytest.approx(0.1, rel=0.05)


def test_what_is_frozen_at_a_start_stays_until_the_next():
    first = [trial[0] for trial in factors(only(epoch_sd=0.1), 1, trials=6)]
    assert first[0] == first[2] == first[4] != first[1]
    machine = msgspec.structs.replace(BUILT_IN_MACHINE, noise=only(epoch_sd=0.1))
    disturbance = RateDisturbance(machine, 1)
    seen = set()
    for _ in range(3):
        disturbance.restart()
        disturbance.enter("osdb-ir", 1.0, 100.0, cold=True, new_load=False)
        seen.add(disturbance.second("osdb-ir", 0.0, 100.0)[0])
    assert len(seen) == 3


def test_checkpoints_come_at_their_period_and_stall_by_their_factor():
    (series,) = factors(only(checkpoint=NOISES["lab"].checkpoint), 30_000)
    stalled = [second for second, factor in enumerate(series) if factor < 0.999]
    begins = [second for second in stalled if second - 1 not in stalled]
    assert len(begins) == pytest.approx(98, abs=4)  # 300 s and 5.5 s apart
    assert min(series) == pytest.approx(0.35)
    assert len(stalled) / len(begins) == pytest.approx(6.5, abs=1.0)


def test_neighbours_steal_cpu_and_not_only_throughput():
    noise = only(neighbour=msgspec.structs.replace(NOISES["drift"].neighbour, per_hour=20))
    disturbance = RateDisturbance(msgspec.structs.replace(BUILT_IN_MACHINE, noise=noise), 1)
    disturbance.enter("osdb-ir", 1.0, 100.0, cold=True, new_load=False)
    seen = [disturbance.second("osdb-ir", float(second), 100.0) for second in range(20_000)]
    assert all(factor == pytest.approx(stolen) for factor, stolen in seen)
    assert 0.7 <= min(stolen for _, stolen in seen) < 0.8
    assert 0.1 < sum(stolen < 1 for _, stolen in seen) / len(seen) < 0.6


def test_machine_counts_what_its_neighbours_steal_while_a_load_runs(clock):
    busy = msgspec.structs.replace(NOISES["drift"].neighbour, per_hour=60, factor=(0.8, 0.8))
    world = SimulatedMachine(msgspec.structs.replace(QUIET, noise=only(neighbour=busy)), clock)
    set_split(world, "1:2")
    clock.now_s += 1000.0
    assert world.stolen_s() == 0
    world.begin("osdb-ir", 5)
    clock.now_s += 2000.0
    assert 0.2 * 0.4 * 2000 < world.stolen_s() <= 0.2 * 2000 + 1e-6


def test_cold_start_rises_from_below_and_a_new_split_begins_at_the_old_rate():
    (cold,) = factors(only(ramp=NOISES["lab"].ramp), 120)
    assert cold[0] == pytest.approx(0.3, abs=0.01)
    assert cold == sorted(cold)
    assert cold[-1] == pytest.approx(1.0, abs=0.001)
    disturbance = RateDisturbance(msgspec.structs.replace(BUILT_IN_MACHINE, noise=only(ramp=NOISES["lab"].ramp)), 1)
    disturbance.enter("osdb-ir", 1.0, 100.0, cold=True, new_load=False)
    for second in range(100):
        disturbance.second("osdb-ir", float(second), 100.0)
    disturbance.enter("osdb-ir", 2.0, 200.0, cold=False, new_load=False)
    assert disturbance.second("osdb-ir", 100.0, 200.0)[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("name", sorted(NOISES))
def test_every_noise_can_be_simulated_for_an_hour(name):
    for kind in ("osdb-ir", "osdb-oltp"):
        (series,) = factors(name, 3600, kind=kind)
        assert all(math.isfinite(factor) and factor > 0 for factor in series)


def test_built_in_machine_names_its_spare_cpus():
    assert BUILT_IN_MACHINE.guest_vcpus == 8
    assert "one shared CPU and 7 spare ones" in BUILT_IN_MACHINE.title
