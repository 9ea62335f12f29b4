"""A simulated guest with several vCPUs: what it does is known from its demands."""

import msgspec
import pytest

from scheduler.errors import ParameterRefused, SpecError
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.model.plan_file import parse_plan
from scheduler.model.split import GUEST, IO
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.demand import OperationDemand
from scheduler.sim.machine import MACHINE_SCHEMA, QueueMachine
from scheduler.sim.scheduler_params import initial_params
from scheduler.sim.steady_state import simulate
from tests.volume import few

ONLY_GUEST = OperationDemand(guest_ms=10.0, variation=0.5)


def machine_of(demand, scheduler="credit2"):
    return QueueMachine(schema_id=MACHINE_SCHEMA, scheduler=scheduler, loads={"tpcb": demand}, guest_vcpus=8)


def rate(machine, vcpus, users):
    pair = {**initial_params(machine.scheduler), GUEST_VCPUS: VcpuParams(vcpus)}
    seen = simulate(machine, pair, "tpcb", users)
    return seen.operations / seen.seconds, seen.cpu_frac


@pytest.mark.parametrize("scheduler", ["credit", "credit2", "rtds", "sedf-xm"])
@pytest.mark.parametrize("vcpus", few([2], [1, 4, 8]))
def test_guest_alone_does_as_much_as_its_vcpus_or_its_users(scheduler, vcpus):
    machine = machine_of(ONLY_GUEST, scheduler)
    for users in few([1, 16], [3]):
        tps, (_, guest) = rate(machine, vcpus, users)
        assert tps == pytest.approx(100.0 * min(vcpus, users), rel=0.03)
        assert guest == pytest.approx(min(vcpus, users), rel=0.03)


def test_throughput_never_falls_with_vcpus_and_stays_below_what_any_station_can_do():
    demand = BUILT_IN_MACHINE.loads["order-entry"]
    before = 0.0
    for vcpus in sorted(few([1, 2, 8], [4])):
        tps, (io, _) = rate(machine_of(demand), vcpus, 16)
        io_ms = demand.io_in_ms + demand.io_out_ms + demand.disk_requests * demand.io_disk_ms
        most = min(
            vcpus / demand.guest_ms, 1 / (demand.disk_requests * demand.disk_ms), 1 / demand.client_ms, 1 / io_ms
        )
        assert before * 0.99 <= tps <= 1000.0 * most * 1.02
        assert io <= 1.0
        before = tps


def test_first_vcpu_is_the_one_that_the_io_domain_competes_with():
    heavy = machine_of(OperationDemand(guest_ms=5.0, io_in_ms=5.0, variation=0.5))
    one, two = rate(heavy, 1, 8), rate(heavy, 2, 8)
    assert one[0] == pytest.approx(100.0, rel=0.03)  # 10 ms of one CPU
    assert 150.0 < two[0] < 200.0  # the guest has a CPU of its own, and still takes the shared one from the I/O domain
    assert two[1][0] > one[1][0]


def test_one_vcpu_is_what_it_was_before_there_were_several():
    pair = initial_params("credit2")
    less = {domain: pair[domain] for domain in (IO, GUEST)}
    machine = machine_of(BUILT_IN_MACHINE.loads["osdb-ir"])
    assert simulate(machine, pair, "tpcb", 5) == simulate(machine, less, "tpcb", 5)


def test_host_reports_how_many_there_are_and_takes_no_more():
    host = open_host("sim:", ignore_command)
    assert host.facts().vcpus.choices == (1, 2, 4, 8)
    host.write(GUEST_VCPUS, VcpuParams(8))
    assert host.read(GUEST_VCPUS) == VcpuParams(8)
    with pytest.raises(ParameterRefused, match=r"9 is outside 1\.\.8"):
        host.write(GUEST_VCPUS, VcpuParams(9))
    host.close()
    assert host.read(GUEST_VCPUS) == host.baseline(GUEST_VCPUS) == VcpuParams(1)


def test_machine_whose_guest_has_one_vcpu_is_refused_in_plan_checking(tmp_path):
    path = tmp_path / "machine.json"
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(machine_of(ONLY_GUEST), guest_vcpus=1)))
    host = open_host(f"sim:{path}", ignore_command)
    with pytest.raises(SpecError, match="guest_vcpus = 1") as refused:
        parse_plan(f'host = "sim:{path}"\nstudy = "scale-up"\n').fit_to_host(host.facts())
    assert "guest_vcpus" in refused.value.hint
