"""A whole sweep of a doubled XenServer with the real engine, lease and journal; only the load is made up."""

import json

import msgspec
import pytest

from scheduler.hosts.registry import reopen_host
from scheduler.hosts.xapi.host import open_host
from scheduler.loads.fake import FakeLoads
from scheduler.model.documents import Notice, Outcome, RunStopped, VisitDone
from scheduler.model.facts import Level
from scheduler.model.load import LoadSpec
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import split_setting
from scheduler.model.spec import RunSpec
from scheduler.plans.choice import plan_for
from scheduler.run.control import Control, MonotonicClock
from scheduler.run.engine import Engine
from scheduler.run.factor import SplitFactor
from scheduler.run.journal import armed
from scheduler.run.lease import Lease
from scheduler.run.monitor import Monitor
from scheduler.run.parts import Parts
from scheduler.shares.registry import model_of
from tests.xapi_double.pool import Fault

VM = "OpaqueRef:v1"
QUICK = msgspec.structs.replace(PROTOCOLS["grid"], repeats=1, measure_s=1, settle_s=0, load_settle_s=0)


@pytest.fixture
def sweep(url, tmp_path):
    """Return a function that sweeps and returns the outcome, the documents and the undo records that are left."""

    def sweep(emit=lambda document: None):
        spec = RunSpec(
            host_url=url,
            settings=tuple(split_setting(text) for text in ("1:1", "1:2")),
            loads=(LoadSpec("osdb-ir"),),
            protocol=QUICK,
        )
        host = open_host(url, lambda *_: None, "", "", "")
        facts = host.facts()
        folder, clock, documents = tmp_path / "journal", MonotonicClock(), []
        lease = Lease(host, folder, facts.host_id, url, lambda undo: reopen_host(url, undo.context, lambda *_: None))

        def take(document):
            documents.append(document)
            emit(document)

        parts = Parts(
            host=host,
            lease=lease,
            open_loads=lambda: FakeLoads(lambda domain: 0.5, clock.now),
            factor=SplitFactor(lease, model_of(facts), spec.mode, spec.period_us),
            monitor=Monitor(host, 1),
            control=Control(clock),
            emit=take,
            began_s=clock.now(),
        )
        try:
            outcome = Engine(parts).run(plan_for(spec))
        finally:
            host.close()
        return outcome, documents, list(armed(folder))

    return sweep


def test_that_a_sweep_ends_with_everything_as_found(sweep, pool, dom0):
    before = dom0.parameters()
    outcome, documents, left = sweep()
    assert outcome is Outcome.COMPLETED
    assert [document.valid for document in documents if isinstance(document, VisitDone)].count(True) >= 2
    assert dom0.parameters() == before
    assert left == []
    assert pool.sessions == {}
    assert pool.vms[VM]["VCPUs_params"] == {}


def test_that_a_guest_rebooted_in_mid_sweep_ends_it_with_everything_as_found(sweep, pool, dom0):
    before = dom0.parameters()
    seen = []

    def reboot(document):
        if isinstance(document, VisitDone) and not seen:
            seen.append(document)
            dom0.restart_guest()
            pool.alter(VM, domid="7")

    outcome, documents, left = sweep(reboot)
    assert seen
    assert outcome is not Outcome.COMPLETED
    [stopped] = [document for document in documents if isinstance(document, RunStopped)]
    assert stopped.restored
    assert dom0.parameters() == before
    assert left == []
    assert pool.sessions == {}
    assert json.dumps(msgspec.to_builtins(documents)).count("db1") > 0


def test_a_sweep_without_events_warns_once_and_keeps_the_warning(sweep, pool):
    pool.fail_at("event.from", *[Fault("fail", ("MESSAGE_METHOD_UNKNOWN", "event.from"))] * 99)
    outcome, documents, left = sweep()
    assert (outcome, left) == (Outcome.COMPLETED, [])
    [warning] = [each for each in documents if isinstance(each, Notice) and "events did not come" in each.text]
    assert warning.level is Level.WARNING
    assert "need not have been seen" in warning.text
