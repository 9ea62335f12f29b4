"""Print the CPU seconds of the tests by folder; fail a run that exceeds the budget of a folder or of all tests.

Loaded by `-p tests.cpu_budget` where all folders run. Each worker measures its own process and the children that it has
waited for (`os.times`). Servers that live as long as their worker are counted by themselves, when they end.

Budgets hold for a machine on which `_loop` takes REFERENCE_LOOP_S. The same loop is timed several times in each run.
Where it takes longer, because the machine is slower or because others use it, all budgets grow in proportion.
"""

import os
import statistics
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path

import pytest

# CPU seconds on the reference machine. A new test that does not fit replaces another one, or goes to `make test-deep`.
BUDGETS_S: Mapping[str, float] = {
    "contract": 86,
    "contract/libvirt": 37,
    "contract/local": 24,
    "contract/sim": 2,
    "contract/xapi": 8,
    "contract/xen": 38,
    "crash": 60,
    "fuzz": 5,
    "golden": 9,
    "live": 3,
    "ui": 70,
    "ui/observe": 7,
    "ui/plots": 8,
    "ui/wizard": 25,
    "unit": 11,
    "unit/app": 3,
    "unit/commands": 23,
    "unit/export": 31,
    "unit/follow": 9,
    "unit/hosts": 10,
    "unit/labs": 6,
    "unit/lessons": 2,
    "unit/loads": 9,
    "unit/model": 4,
    "unit/papers": 1,
    "unit/plans": 2,
    "unit/run": 4,
    "unit/shares": 3,
    "unit/sim": 7,
    "unit/stats": 10,
    "unit/store": 3,
    "unit/studies": 4,
    "unit/toolstacks": 1,
}
REFERENCE_LOOP_S = 0.0078
MARGIN = 1.25  # two runs of the same tests on the same machine differ by up to a fifth
ALL_S = 626.0  # of the whole run; 420 is the aim
ALL_MARGIN = 1.1  # differences of folders between two runs even out
START_S = 3.2  # of each process that runs tests: imports and collection
SERVERS_S = 66.0  # of databases that a process's tests share
_OTHERS_S = 3.0  # of a folder that has no budget
_NOISE_S = 2.0  # of any folder
_LOOP_EVERY = 200  # tests of a process
_LOOP_STEPS = 200_000

_USED, _STARTED, _ENDED, _LOOP = "cpu_s", "start_cpu_s", "servers_cpu_s", "loop_cpu_s"
_START, _SERVERS, _ALL = "start and collection", "servers shared by tests", "in all"
_SPLIT_FURTHER = ("unit", "ui", "contract")  # their subfolders are listed one by one
_used_s: dict[str, float] = defaultdict(float)
_loops_s: list[float] = []
_processes = [0]
_last = [False]


class _Meter:
    """CPU seconds since the last test of this process."""

    def __init__(self) -> None:
        self._last_s = 0.0
        self.started = False

    def take(self) -> float:
        """Return the CPU seconds since the last call, of this process and its reaped children."""
        now_s = sum(os.times()[:4])
        used_s, self._last_s, self.started = now_s - self._last_s, now_s, True
        return round(used_s, 3)


_meter = _Meter()


def _loop() -> float:
    """Run a fixed loop; return its CPU seconds."""
    began_s = time.process_time()
    sum(number * number % 7 for number in range(_LOOP_STEPS))
    return time.process_time() - began_s


class _Calibration:
    """Times the loop in this process before the first test and after every so many."""

    def __init__(self) -> None:
        self._tests = 0

    def due(self) -> bool:
        self._tests += 1
        return self._tests % _LOOP_EVERY == 1


_calibration = _Calibration()


def allowed_s(folder: str, loops_s: Iterable[float], processes: int) -> float:
    """Return the CPU seconds that a folder may use in this run.

    Args:
        folder: As `folder_of` names it, `start and collection`, `servers shared by tests` or `in all`.
        loops_s: CPU seconds that the loop took in this run; may be empty.
        processes: How many processes ran tests.
    """
    measured = list(loops_s)
    slowness = max(1.0, statistics.median(measured) / REFERENCE_LOOP_S) if measured else 1.0
    if folder == _ALL:
        return ALL_S * ALL_MARGIN * slowness
    whole_run_s = {_START: START_S * processes, _SERVERS: SERVERS_S}
    budget_s = whole_run_s[folder] if folder in whole_run_s else BUDGETS_S.get(folder, _OTHERS_S)
    return (budget_s * MARGIN + _NOISE_S) * slowness


def folder_of(nodeid: str) -> str:
    """Return the folder below `tests` that a test is counted in, such as `unit/run`."""
    parts = Path(nodeid.partition("::")[0]).parts[1:-1]
    return "/".join(parts[:2] if parts and parts[0] in _SPLIT_FURTHER else parts[:1]) or "tests"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if not _meter.started:
        item.user_properties.append((_STARTED, _meter.take()))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    _last[0] = nextitem is None  # what all tests of this process share ends with it


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "call":
        item.user_properties.append((_USED, _meter.take()))  # the report of the teardown has them
    if call.when == "teardown":
        report.user_properties.append((_ENDED if _last[0] else _USED, _meter.take()))
        if _calibration.due():
            report.user_properties.append((_LOOP, _loop()))
            _meter.take()  # the loop is no test's
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when != "teardown":
        return
    for name, reported in report.user_properties:
        value = float(str(reported))
        if name == _LOOP:
            _loops_s.append(value)
        elif name == _STARTED:
            _processes[0] += 1
            _used_s[_START] += value
        elif name == _ENDED:
            _used_s[_SERVERS] += value
        elif name == _USED:
            _used_s[folder_of(report.nodeid)] += value


def passed_budgets(
    used_s: Mapping[str, float], loops_s: Iterable[float], processes: int
) -> list[tuple[str, float, float]]:
    """Return folder, CPU seconds used and CPU seconds allowed of each folder that used more."""
    measured = list(loops_s)
    limits_s = {folder: allowed_s(folder, measured, processes) for folder in used_s}
    return [(folder, used_s[folder], limit_s) for folder, limit_s in limits_s.items() if used_s[folder] > limit_s]


def _folders_and_all() -> dict[str, float]:
    """Return the CPU seconds of each folder, of starts, of servers and of the whole run."""
    return {**_used_s, _ALL: sum(_used_s.values())}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("CPU seconds: used, allowed")
    used_by_folder_s = _folders_and_all()
    for folder, used_s in sorted(used_by_folder_s.items(), key=lambda each: -each[1]):
        limit_s = allowed_s(folder, _loops_s, _processes[0])
        terminalreporter.write_line(f"{used_s:8.1f} {limit_s:8.1f}  {folder}")
    if _loops_s:
        slowness = statistics.median(_loops_s) / REFERENCE_LOOP_S
        terminalreporter.write_line(f"Python ran {slowness:.2f} times as long as on the reference machine.")
    for folder, used_s, limit_s in passed_budgets(used_by_folder_s, _loops_s, _processes[0]):
        terminalreporter.write_line(
            f"{folder} used {used_s:.1f} CPU seconds of {limit_s:.1f}: make its tests cheaper, or move "
            "repetitions to `make test-deep` (tests/volume.py)",
            red=True,
        )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        return
    if passed_budgets(_folders_and_all(), _loops_s, _processes[0]):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
