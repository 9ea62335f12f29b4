"""Laws of the monitor: what else the shared CPUs were busy with, and what is said where nobody knows."""

import pytest

from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.host_properties import CpuUsage, DomainUsage
from scheduler.model.split import GUEST, IO
from scheduler.run.monitor import HostMonitor


class WatchedHost(FakeHost):
    """A made-up host with counters that a test sets."""

    def __init__(self, path):
        super().__init__(path, InjectedFaults(), lambda *_: None)
        self.domain_s = 0.0
        self.cpus: CpuUsage | None = CpuUsage(0.0, 0.0)

    def usage(self):
        return {domain: DomainUsage(self.domain_s, 0.0, 0, 0, 0) for domain in (IO, GUEST)}

    def cpu_usage(self):
        return self.cpus


@pytest.fixture
def host(tmp_path):
    return WatchedHost(tmp_path / "host.json")


def sample(host, cpus, *, domain_s=0.0, shared_cpus=1):
    monitor = HostMonitor(host, shared_cpus)
    monitor.restart(10.0)
    host.cpus, host.domain_s = cpus, domain_s
    return monitor.sample(12.0, 2.0, 0, {})


def test_what_others_took_is_what_the_cpu_did_beyond_both_domains(host):
    seen = sample(host, CpuUsage(stolen_s=0.5, busy_s=1.2, clock_mhz=2400.0), domain_s=0.5)
    assert seen.stolen_frac == pytest.approx(0.25)
    assert seen.foreign_frac == pytest.approx(0.1)
    assert seen.clock_mhz == 2400


def test_it_is_a_part_of_all_cpus_that_the_domains_share(host):
    seen = sample(host, CpuUsage(stolen_s=0.5, busy_s=1.2), domain_s=0.5, shared_cpus=2)
    assert (seen.stolen_frac, seen.foreign_frac) == pytest.approx((0.125, 0.05))


def test_counters_of_two_clocks_never_give_less_than_nothing(host):
    seen = sample(host, CpuUsage(stolen_s=0.0, busy_s=0.99), domain_s=0.5)
    assert (seen.stolen_frac, seen.foreign_frac) == (0, 0)


def test_what_no_one_knows_is_none(host, tmp_path):
    seen = sample(host, CpuUsage(stolen_s=0.5))
    assert (seen.stolen_frac, seen.foreign_frac, seen.clock_mhz) == (pytest.approx(0.25), None, None)
    blind = sample(host, None)
    assert (blind.stolen_frac, blind.foreign_frac, blind.clock_mhz) == (None, None, None)
    plain = FakeHost(tmp_path / "plain.json", InjectedFaults(), lambda *_: None)
    monitor = HostMonitor(plain, 1)
    monitor.restart(0.0)
    assert monitor.sample(1.0, 1.0, 0, {}).stolen_frac is None
