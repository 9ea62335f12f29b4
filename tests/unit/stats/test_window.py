import msgspec
import pytest

from scheduler.model.documents import DomainSample, HostSample, LoadSample
from scheduler.model.split import GUEST, IO
from scheduler.stats.window import figures


def load(t_s, tps, *, settling=False, **rest):
    return LoadSample(t_s=t_s, visit=0, load="osdb-ir", settling=settling, throughput_tps=tps, **rest)


def host(t_s, io, guest, *, throttled=0.0):
    domains = {
        IO: DomainSample(io / 2, io / 2, 0, 0, 0, throttled),
        GUEST: DomainSample(guest, 0.0, 0, 0, 0),
    }
    return HostSample(t_s=t_s, visit=0, domains=domains, idle_frac=1 - io - guest)


def test_that_a_figure_is_the_mean_over_whole_measured_seconds():
    samples = [load(1, 10.0, settling=True), load(2, 100.0, client_cpu_frac=0.2), load(3, 300.0, client_cpu_frac=0.4)]
    found = figures(samples, [host(2, 0.2, 0.5), host(3, 0.4, 0.5)])
    assert found.client_cpu_frac == pytest.approx(0.3)
    assert found.delivered_frac == pytest.approx({IO: 0.3, GUEST: 0.5})


def test_that_errors_and_retries_are_summed():
    found = figures([load(1, 1, errors=2, retries=1), load(2, 1, errors=3)], [])
    assert (found.errors, found.retries) == (5, 1)


def test_that_every_domain_says_how_long_its_quota_held_it_back():
    found = figures([load(1, 1)], [host(1, 0.1, 0.2, throttled=0.6)])
    assert found.throttled_frac == {IO: 0.6, GUEST: 0.0}


def test_that_what_others_took_is_a_mean_over_the_seconds_that_know_it_and_none_without_any():
    hosts = [
        msgspec.structs.replace(host(t, 0.1, 0.2), stolen_frac=value) for t, value in ((1, 0.1), (2, None), (3, 0.3))
    ]
    found = figures([load(1, 1)], hosts)
    assert found.stolen_frac == pytest.approx(0.2)
    assert (found.foreign_frac, found.clock_mhz) == (None, None)


def test_that_a_probe_is_none_when_nobody_probes():
    assert figures([load(1, 1)], []).probe_tps is None
    assert figures([load(1, 1, probe_tps=4.0), load(2, 1, probe_tps=6.0)], []).probe_tps == 5.0


def test_that_an_empty_window_counts_nothing():
    found = figures([load(1, 9, settling=True)], [])
    assert (found.client_cpu_frac, found.delivered_frac) == (0.0, {})
