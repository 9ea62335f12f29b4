from itertools import product

import msgspec
import pytest

from scheduler.errors import PlacementChanged
from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.documents import Notice, RunOutcome, TrialStarted
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.plans.study_plan import choose_plan
from scheduler.run.engine import SweepEngine
from scheduler.run.engine_parts import EngineParts
from scheduler.run.factor import create_factor, lease_scope
from scheduler.run.lease import HostLease
from scheduler.run.monitor import HostMonitor
from scheduler.run.placing import list_placement_steps, sort_by_width
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.share_model import HostMachine
from tests.unit.run.conftest import FOUND, Bench

IO_PLACE, GUEST_PLACE = PLACE_SLOTS[IO], PLACE_SLOTS[GUEST]
CPUS = (0, 1, 2, 3)
FLOATING = PlacementParams(((), ()))
WHOLE = FLOATING.confined_to(CPUS)


def masks(io: tuple[int, ...], guest: tuple[int, ...]) -> dict[str, PlacementParams]:
    return {IO_PLACE: FLOATING.confined_to(io), GUEST_PLACE: FLOATING.confined_to(guest)}


@pytest.fixture
def placed(bench: Bench) -> Bench:
    """A bench whose domains float over four CPUs, and a lease that includes their placement."""
    bench.host.faults.cpus = 4
    bench.spec = msgspec.structs.replace(
        bench.spec, mode=Mode.DEDICATED, settings=tuple(map(parse_split_setting, ("1:3", "2:2", "3:1")))
    )
    scope = lease_scope(bench.spec, confined=True)
    bench.lease = HostLease(bench.host, bench.folder, bench.host_id, "fake:", bench.reopen, scope)
    return bench


def factor_of(bench: Bench):
    return create_factor(bench.spec, bench.lease, find_share_model("cgroup-v2", HostMachine(cpus=4)), CPUS)


def run(bench: Bench) -> RunOutcome:
    parts = EngineParts(
        host=bench.host,
        lease=bench.lease,
        open_loads=lambda: bench.loads,
        factor=factor_of(bench),
        monitor=HostMonitor(bench.host, 4),
        control=bench.control,
        emit=bench.documents.append,
        began_s=bench.clock.now(),
    )
    bench.engine = SweepEngine(parts)
    return bench.engine.run(choose_plan(bench.spec))


def stored(bench: Bench) -> dict[str, object]:
    """Return parameters and placements, read past every fault."""
    host = FakeHost(bench.host._path, InjectedFaults(), lambda *_: None)
    return {slot: host.read(slot) for slot in (IO, GUEST, IO_PLACE, GUEST_PLACE)}


def note_writes(bench: Bench) -> list:
    write, seen = bench.host.write, []
    bench.host.write = lambda slot, params: (seen.append((slot, params)), write(slot, params))
    return seen


ORIGINALS = {**FOUND, IO_PLACE: FLOATING, GUEST_PLACE: FLOATING}


def test_lease_records_placements_before_the_first_write_and_restores_them_last(placed):
    seen = note_writes(placed)
    with placed.lease:
        factor_of(placed).set(parse_split_setting("1:3"))
        assert placed.journal.read().originals == ORIGINALS
        assert stored(placed)[IO_PLACE] == FLOATING.confined_to((0,))
        assert stored(placed)[GUEST_PLACE] == FLOATING.confined_to((1, 2, 3))
        placed.lease.apply({IO: CgroupParams(weight=7)})
        seen.clear()
    assert [slot for slot, _ in seen] == [IO, IO_PLACE, GUEST_PLACE]
    assert stored(placed) == ORIGINALS
    assert not placed.journal.path.exists()


def test_factor_sets_the_split_to_the_whole_set_with_caps(placed):
    placed.spec = msgspec.structs.replace(placed.spec, mode=Mode.CAPS)
    seen = note_writes(placed)
    with placed.lease:
        factor = factor_of(placed)
        factor.set(parse_split_setting("1:3"))
        assert [slot for slot, _ in seen] == [GUEST_PLACE, IO_PLACE, IO, GUEST]
        assert stored(placed)[IO_PLACE] == stored(placed)[GUEST_PLACE] == WHOLE
        assert stored(placed)[IO].quota_us == 20_000
        seen.clear()
        factor.set(parse_split_setting("3:1"))
        assert [slot for slot, _ in seen] == [IO, GUEST]  # their placement stays
        seen.clear()
        factor.set(None)
        assert [slot for slot, _ in seen] == [IO, GUEST, GUEST_PLACE, IO_PLACE]  # the caps first
        assert stored(placed) == ORIGINALS


SETS = [(0,), (0, 1), (0, 1, 2), (2, 3), (3,), CPUS, ()]


@pytest.mark.parametrize(("old", "new"), list(product(SETS, SETS)))
def test_placement_steps_never_leave_io_domain_with_less_than_old_or_new(old, new):
    now, wanted = masks(old, (1,)), masks(new, (2, 3))
    every = set(range(8))

    def cpus_of(params: PlacementParams) -> set[int]:
        return set(params.vcpus[0]) or every

    present = dict(now)
    for slot, params in list_placement_steps(now, wanted):
        assert params != present[slot]
        present[slot] = params
        has = cpus_of(present[IO_PLACE])
        assert has >= cpus_of(now[IO_PLACE]) or has >= cpus_of(wanted[IO_PLACE])
        if present[GUEST_PLACE] != wanted[GUEST_PLACE]:
            assert has >= cpus_of(now[IO_PLACE])  # the guest has not left the new ones yet
    assert present == wanted


def test_placements_are_restored_after_caps_and_wide_before_narrow():
    originals = {IO: FOUND[IO], IO_PLACE: FLOATING.confined_to((0,)), GUEST: FOUND[GUEST], GUEST_PLACE: FLOATING}
    assert list(sort_by_width(originals)) == [IO, GUEST, GUEST_PLACE, IO_PLACE]


def test_killed_sweep_is_restored_from_the_record(placed):
    placed.lease.restore_host = lambda: None  # a killed process does not
    with placed.lease:
        factor_of(placed).set(parse_split_setting("3:1"))
    assert stored(placed)[GUEST_PLACE] == FLOATING.confined_to((3,))
    with HostLease(placed.host, placed.folder, placed.host_id, "fake:", placed.reopen):
        assert stored(placed) == ORIGINALS


def test_run_measures_dedicated_cpus_and_restores_them(placed):
    assert run(placed) is RunOutcome.COMPLETED, placed.engine.error
    started = [each.params[GUEST_PLACE].vcpus[0] for each in placed.of(TrialStarted)]
    assert {(), (1, 2, 3), (2, 3), (3,)} == set(started)
    assert stored(placed) == ORIGINALS


def test_pin_changed_by_another_program_discards_the_trial_and_names_both(placed):
    other = FakeHost(placed.host._path, InjectedFaults(), lambda *_: None)
    placed.clock.at(20.0, lambda: other.write(GUEST_PLACE, FLOATING.confined_to((0, 1))))
    assert run(placed) is RunOutcome.COMPLETED, placed.engine.error
    (notice,) = [each for each in placed.of(Notice) if "another program placed" in each.text]
    assert "vCPUs CPU 0-1" in notice.text or "on CPU 0-1" in notice.text
    assert stored(placed) == ORIGINALS


def test_changed_number_of_vcpus_is_named(placed):
    with placed.lease:
        factor_of(placed).set(parse_split_setting("1:3"))
        placed.host.write(GUEST_PLACE, PlacementParams(((0,),)))
        with pytest.raises(PlacementChanged, match="has 1 vCPUs now and had 2"):
            placed.lease.confirm()
        placed.host.write(GUEST_PLACE, FLOATING)


def test_pin_without_effect_ends_the_sweep_and_restores(placed):
    placed.host.faults.ignore_writes_after = 4
    assert run(placed) is RunOutcome.FAILED
    assert "reads back" in str(placed.engine.error)
