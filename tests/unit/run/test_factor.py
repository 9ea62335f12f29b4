"""Laws of the factor: what it says is configured is what the domains may have."""

import pytest

from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.model.scheduler_params import SedfParams
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import Mode
from scheduler.run.factor import SplitFactor
from scheduler.run.lease import DOMAINS, HostLease
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.share_model import build_host_machine


def test_what_is_left_to_the_hypervisor_is_configured_for_no_one(tmp_path):
    host = open_host("sim:", ignore_command)
    facts = host.facts()
    with HostLease(host, tmp_path, facts.host_id, "sim:", lambda undo: host) as lease:
        factor = SplitFactor(lease, find_share_model(facts.scheduler, build_host_machine(facts)), Mode.CAPS, 100_000)
        configured, set_with = factor.set(parse_split_setting("1:3"))
        for domain in DOMAINS:
            params = host.read(domain)
            assert isinstance(params, SedfParams)
            assert set_with[domain] == params
            assert configured[domain] == pytest.approx(params.slice_ms / params.period_ms)
    assert sum(configured.values()) < 1
