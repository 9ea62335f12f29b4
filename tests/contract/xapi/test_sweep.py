"""A whole sweep of a doubled XenServer with the real engine, lease and journal; only the load is made up."""

import msgspec
import pytest

from scheduler.hosts.host_registry import reopen_host
from scheduler.hosts.xapi.xapi_host import open_host
from scheduler.loads.fake_loads import FakeLoadGenerators
from scheduler.model.codec import encode_json
from scheduler.model.documents import Notice, RunOutcome, RunStopped, TrialDone
from scheduler.model.host_properties import Severity
from scheduler.model.load import LoadSpec
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import RunSpec
from scheduler.plans.study_plan import choose_plan
from scheduler.run.control import MonotonicClock, RunControl
from scheduler.run.engine import SweepEngine
from scheduler.run.engine_parts import EngineParts
from scheduler.run.factor import SplitFactor
from scheduler.run.journal import list_pending_records
from scheduler.run.lease import HostLease
from scheduler.run.monitor import HostMonitor
from scheduler.shares.model_lookup import share_model_for_host
from tests.xapi_double.pool import Fault

VM = "OpaqueRef:v1"
QUICK = msgspec.structs.replace(PROTOCOLS["grid"], repeats=1, measure_s=1, settle_s=0, load_settle_s=0)


@pytest.fixture
def sweep(url, tmp_path):
    """Return a function that sweeps and returns the outcome, the documents and the undo records that are left."""

    def sweep(emit=lambda document: None):
        spec = RunSpec(
            host_url=url,
            settings=tuple(parse_split_setting(text) for text in ("1:1", "1:2")),
            loads=(LoadSpec("osdb-ir"),),
            protocol=QUICK,
        )
        host = open_host(url, lambda *_: None, "", "", "")
        facts = host.facts()
        folder, clock, documents = tmp_path / "journal", MonotonicClock(), []
        lease = HostLease(
            host, folder, facts.host_id, url, lambda undo: reopen_host(url, undo.context, lambda *_: None)
        )

        def take(document):
            documents.append(document)
            emit(document)

        parts = EngineParts(
            host=host,
            lease=lease,
            open_loads=lambda: FakeLoadGenerators(lambda domain: 0.5, clock.now),
            factor=SplitFactor(lease, share_model_for_host(facts), spec.mode, spec.period_us),
            monitor=HostMonitor(host, 1),
            control=RunControl(clock),
            emit=take,
            began_s=clock.now(),
        )
        try:
            outcome = SweepEngine(parts).run(choose_plan(spec))
        finally:
            host.close()
        return outcome, documents, list(list_pending_records(folder))

    return sweep


def test_sweep_ends_with_everything_original(sweep, pool, dom0):
    before = dom0.parameters()
    outcome, documents, left = sweep()
    assert outcome is RunOutcome.COMPLETED
    assert [document.valid for document in documents if isinstance(document, TrialDone)].count(True) >= 2
    assert dom0.parameters() == before
    assert left == []
    assert pool.sessions == {}
    assert pool.vms[VM]["VCPUs_params"] == {}


def test_guest_rebooted_in_mid_sweep_ends_it_with_everything_original(sweep, pool, dom0):
    before = dom0.parameters()
    seen = []

    def reboot(document):
        if isinstance(document, TrialDone) and not seen:
            seen.append(document)
            dom0.restart_guest()
            pool.alter(VM, domid="7")

    outcome, documents, left = sweep(reboot)
    assert seen
    assert outcome is not RunOutcome.COMPLETED
    [stopped] = [document for document in documents if isinstance(document, RunStopped)]
    assert stopped.restored
    assert dom0.parameters() == before
    assert left == []
    assert pool.sessions == {}
    assert b"".join(map(encode_json, documents)).count(b"db1") > 0


def test_sweep_without_events_warns_once_and_keeps_the_warning(sweep, pool):
    pool.fail_at("event.from", *[Fault("fail", ("MESSAGE_METHOD_UNKNOWN", "event.from"))] * 99)
    outcome, documents, left = sweep()
    assert (outcome, left) == (RunOutcome.COMPLETED, [])
    [warning] = [each for each in documents if isinstance(each, Notice) and "events did not come" in each.text]
    assert warning.level is Severity.WARNING
    assert "need not have been seen" in warning.text
