"""A whole run in memory: the real engine, lease, journal and plan on a made-up host, with time that only we move."""

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.loads.fake_loads import FakeLoadGenerators
from scheduler.model.documents import Document, HostSample, LoadSample, RunOutcome, RunStopped, StateChanged, TrialDone
from scheduler.model.load import LoadSpec
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, IO
from scheduler.plans.study_plan import choose_plan
from scheduler.run.control import RunControl
from scheduler.run.engine import SweepEngine
from scheduler.run.engine_parts import EngineParts
from scheduler.run.factor import SplitFactor
from scheduler.run.journal import UndoJournal, UndoRecord
from scheduler.run.lease import HostLease
from scheduler.run.monitor import HostMonitor
from scheduler.shares.model_lookup import find_share_model

SPEC = RunSpec(
    host_url="fake:",
    settings=tuple(parse_split_setting(text) for text in ("1:1", "1:2", "2:1")),
    loads=(LoadSpec("osdb-ir"), LoadSpec("osdb-oltp")),
    protocol=msgspec.structs.replace(PROTOCOLS["grid"], repeats=2, measure_s=3, settle_s=1, load_settle_s=2),
)
FOUND = {IO: CgroupParams(weight=100), GUEST: CgroupParams(weight=100)}


class FakeClock:
    """Time that passes only when somebody waits; callbacks fire on the way."""

    def __init__(self) -> None:
        self.time_s = 1000.3
        self.slept_s = 0.0
        self._due: list[tuple[float, Callable[[], None]]] = []

    def now(self) -> float:
        return self.time_s

    def sleep(self, seconds: float, wake: threading.Event) -> None:
        self.time_s += seconds
        for due in [due for due in self._due if due[0] <= self.time_s]:
            self._due.remove(due)
            due[1]()

    def asleep_s(self) -> float:
        return self.slept_s

    def at(self, t_s: float, callback: Callable[[], None]) -> None:
        """Call back when the run's time has reached `t_s`."""
        self._due.append((1000.3 + t_s, callback))


class Bench:
    """Everything that a run needs, and what came of it."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "journal"
        self.command_log: list[str] = []
        self.host = FakeHost(
            tmp_path / "host.json", InjectedFaults(), lambda command, _: self.command_log.append(command)
        )
        self.host_id = self.host.facts().host_id
        self.clock = FakeClock()
        self.control = RunControl(self.clock)
        self.loads = FakeLoadGenerators(self.share_of, self.clock.now)
        self.documents: list[Document] = []
        self.lease = HostLease(self.host, self.folder, self.host_id, "fake:", self.reopen)
        self.spec = SPEC
        self.hold = False

    def share_of(self, domain: str) -> float:
        params = self.host.read(domain)
        return 0.6 if params is None or params.quota_us is None else params.quota_us / params.period_us

    def reopen(self, undo: UndoRecord) -> FakeHost:
        return FakeHost(Path(undo.context["path"]), InjectedFaults(), lambda *_: None)

    def run(self, known: tuple[TrialDone, ...] = (), emit: Callable[[Document], None] | None = None) -> RunOutcome:
        factor = SplitFactor(self.lease, find_share_model("cgroup-v2"), self.spec.mode, self.spec.period_us)
        parts = EngineParts(
            host=self.host,
            lease=self.lease,
            open_loads=lambda: self.loads,
            factor=factor,
            monitor=HostMonitor(self.host, 1),
            control=self.control,
            emit=emit or self.documents.append,
            began_s=self.clock.now(),
            hold=self.hold,
        )
        self.engine = SweepEngine(parts, known)
        return self.engine.run(choose_plan(self.spec))

    def found(self) -> dict[str, CgroupParams | None]:
        """Return the host's parameters, read past every fault."""
        host = FakeHost(Path(self.host.context()["path"]), InjectedFaults(), lambda *_: None)
        return {domain: host.read(domain) for domain in (IO, GUEST)}

    @property
    def journal(self) -> UndoJournal:
        return UndoJournal(self.folder, self.host_id)

    def of(self, kind: type) -> list:
        return [document for document in self.documents if isinstance(document, kind)]

    def states(self) -> list[str]:
        states = [document.state.value for document in self.of(StateChanged)]
        return [state for i, state in enumerate(states) if i == 0 or states[i - 1] != state]

    def last(self) -> RunStopped:
        (stopped,) = self.of(RunStopped)
        assert self.documents[-1] is stopped
        return stopped

    def samples(self) -> tuple[list[LoadSample], list[HostSample]]:
        return self.of(LoadSample), self.of(HostSample)


def assert_as_found(bench: Bench) -> None:
    assert bench.found() == FOUND
    assert not bench.journal.path.exists()
    assert bench.last().restored


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
