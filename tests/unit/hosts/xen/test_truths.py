"""The truth panel names the scheduler of every CPU pool; surveys are made up, as in test_findings."""

from dataclasses import replace

from scheduler.hosts.xen.cpu_pools import PoolRow
from tests.unit.hosts.xen.test_xen_findings import CALM, DB1, DOM0, FOUR, facts_of


def rows(survey):
    return {truth.label: truth.value for truth in facts_of(survey).verified_properties}


def test_pool_of_the_two_domains_names_its_scheduler_and_where_that_was_read():
    assert rows(CALM) == {"Scheduler of Pool-0": "credit2, on CPU 0; Domain-0 and db1 run here"}
    assert "xl cpupool-list" in facts_of(CALM).verified_properties[0].evidence


def test_another_pools_scheduler_is_reported_too_and_comes_after_ours():
    other = replace(
        CALM,
        info=FOUR,
        pools=[PoolRow("A-pool", 2, "rtds"), PoolRow("Pool-0", 2, "credit")],
        pool_cpus={"A-pool": (2, 3), "Pool-0": (0, 1)},
    )
    assert list(rows(other).items()) == [
        ("Scheduler of Pool-0", "credit, on CPU 0-1; Domain-0 and db1 run here"),
        ("Scheduler of A-pool", "rtds, on CPU 2-3"),
    ]


def test_domains_in_two_pools_are_distinguished():
    split = replace(
        CALM,
        info=FOUR,
        domains=[DOM0, replace(DB1, pool="dbs")],
        pools=[PoolRow("Pool-0", 2, "credit"), PoolRow("dbs", 2, "credit2")],
        pool_cpus={"Pool-0": (0, 1), "dbs": (2, 3)},
    )
    assert rows(split) == {
        "Scheduler of Pool-0": "credit, on CPU 0-1; Domain-0 runs here",
        "Scheduler of dbs": "credit2, on CPU 2-3; db1 runs here",
    }


def test_host_too_old_for_pools_names_its_only_scheduler():
    old = replace(CALM, pools=[], pool_cpus={}, info={**CALM.info, "xen_scheduler": "credit"})
    assert rows(old) == {"Scheduler of the host": "credit"}
