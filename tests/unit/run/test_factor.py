"""Laws of the factor: what it says is configured is what the domains may have."""

import pytest

from scheduler.hosts.registry import open_host, unheard
from scheduler.model.params import SedfParams
from scheduler.model.setting import split_setting
from scheduler.model.spec import Mode
from scheduler.run.factor import SplitFactor
from scheduler.run.lease import DOMAINS, Lease
from scheduler.shares.base import machine_of
from scheduler.shares.registry import model_for


def test_that_what_is_left_to_the_hypervisor_is_configured_for_nobody(tmp_path):
    host = open_host("sim:", unheard)
    facts = host.facts()
    with Lease(host, tmp_path, facts.host_id, "sim:", lambda undo: host) as lease:
        factor = SplitFactor(lease, model_for(facts.scheduler, machine_of(facts)), Mode.PARTITION, 100_000)
        configured, set_with = factor.set(split_setting("1:3"))
        for domain in DOMAINS:
            params = host.read(domain)
            assert isinstance(params, SedfParams)
            assert set_with[domain] == params
            assert configured[domain] == pytest.approx(params.slice_ms / params.period_ms)
    assert sum(configured.values()) < 1
