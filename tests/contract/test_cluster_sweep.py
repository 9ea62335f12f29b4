"""A whole sweep whose load a Dask cluster makes: a worker is killed in the middle, the host is as found at the end."""

import os
import signal
import socket
import threading
import time

import msgspec

from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.documents import LoadSample, RunOutcome, RunStopped, TrialDone
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import parse_split_setting
from scheduler.plans.study_plan import choose_plan
from scheduler.run.control import MonotonicClock, RunControl
from scheduler.run.engine import SweepEngine
from scheduler.run.engine_parts import EngineParts
from scheduler.run.factor import SplitFactor
from scheduler.run.lease import HostLease
from scheduler.run.monitor import HostMonitor
from scheduler.shares.model_lookup import find_share_model
from scheduler.waiting import use_abort_flag
from tests.contract.cluster_fixture import dask
from tests.contract.postgres_fixture import small, spec_of

__all__ = ["dask"]


def test_worker_killed_in_a_trial_voids_that_trial_and_the_sweep_ends_with_the_host_original(dask, database, tmp_path):
    host = FakeHost(tmp_path / "host.json", InjectedFaults(), lambda *_: None)
    found = host.read("io"), host.read("guest")
    protocol = msgspec.structs.replace(PROTOCOLS["grid"], repeats=1, measure_s=2, settle_s=0, load_settle_s=1)
    settings = (parse_split_setting("1:1"), parse_split_setting("1:2"))
    spec = msgspec.structs.replace(spec_of(small("osdb-oltp")), settings=settings, protocol=protocol)
    control, documents = RunControl(MonotonicClock()), []

    def emit(document) -> None:
        documents.append(document)
        killed = any(isinstance(each, TrialDone) for each in documents[:-1])  # the second trial measures already
        if isinstance(document, LoadSample) and document.trial == 1 and killed and not kills:
            kills.append(dask.worker_pid(0))
            os.kill(kills[0], signal.SIGKILL)

    kills: list[int] = []
    lease = HostLease(host, tmp_path / "journal", host.facts().host_id, "fake:", lambda _: host)
    parts = EngineParts(
        host=host,
        lease=lease,
        open_loads=lambda: dask.pool(database),
        factor=SplitFactor(lease, find_share_model("cgroup-v2"), spec.mode, spec.period_us),
        monitor=HostMonitor(host, 1),
        control=control,
        emit=emit,
        began_s=control.clock.now(),
        units=spec.units,
    )
    assert SweepEngine(parts).run(choose_plan(spec)) is RunOutcome.COMPLETED
    trials = [document for document in documents if isinstance(document, TrialDone)]
    assert [trial.valid for trial in trials] == [True, False, True]
    assert "the worker 0" in trials[1].reason
    assert "was lost" in trials[1].reason
    for trial in (trials[0], *trials[2:]):
        assert set(trial.clients) == {"0", "1"}
        rates = sum(client.rate_tps for client in trial.clients.values())
        assert abs(rates - trial.mean_tps) < 1e-6 * trial.mean_tps
        assert all(0 < client.clock_error_ms < 50 for client in trial.clients.values())
    assert isinstance(documents[-1], RunStopped)
    assert documents[-1].restored
    again = FakeHost(tmp_path / "host.json", InjectedFaults(), lambda *_: None)
    assert (again.read("io"), again.read("guest")) == found


def test_sweep_whose_scheduler_is_silent_ends_soon_after_an_abort(dask, database, tmp_path, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # connections are made by the kernel, nobody answers
        monkeypatch.setattr(dask, "address", f"tcp://127.0.0.1:{silent.getsockname()[1]}")
        host = FakeHost(tmp_path / "host.json", InjectedFaults(), lambda *_: None)
        spec = spec_of(small("osdb-oltp"))
        control, documents, asked_s = RunControl(MonotonicClock()), [], []

        def abort() -> None:
            silent.accept()[0].close()  # the first look; Dask's own connection stays in the kernel's queue
            asked_s.append(time.monotonic())
            control.abort_soon("stopped by SIGTERM")

        lease = HostLease(host, tmp_path / "journal", host.facts().host_id, "fake:", lambda _: host)
        parts = EngineParts(
            host=host,
            lease=lease,
            open_loads=lambda: dask.pool(database),
            factor=SplitFactor(lease, find_share_model("cgroup-v2"), spec.mode, spec.period_us),
            monitor=HostMonitor(host, 1),
            control=control,
            emit=documents.append,
            began_s=control.clock.now(),
            units=spec.units,
        )
        aborting = threading.Thread(target=abort)
        aborting.start()
        with use_abort_flag(control.abort_asked):
            assert SweepEngine(parts).run(choose_plan(spec)) is RunOutcome.ABORTED
        assert time.monotonic() - asked_s[0] < 5
        aborting.join()
    assert documents[-1].restored
