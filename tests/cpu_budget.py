"""Print the CPU seconds of the tests by folder, and fail a whole run that uses more than its budget.

Loaded by `-p tests.cpu_budget` where all folders run. Each worker measures its own process and the children that it has
waited for (`os.times`); a server that lives as long as its worker is counted where it is ended.
"""

import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

_USED, _STARTED = "cpu_s", "start_cpu_s"
_START = "start and collection"
_SPLIT_FURTHER = ("unit", "ui", "contract")  # their subfolders are listed one by one
_used_s: dict[str, float] = defaultdict(float)


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


def folder_of(nodeid: str) -> str:
    """Return the folder below `tests` that a test is counted in, such as `unit/run`."""
    parts = Path(nodeid.partition("::")[0]).parts[1:-1]
    return "/".join(parts[:2] if parts and parts[0] in _SPLIT_FURTHER else parts[:1]) or "tests"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu-budget-s", type=float, default=0.0, help="most CPU seconds of all tests")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if not _meter.started:
        item.user_properties.append((_STARTED, _meter.take()))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        report.user_properties.append((_USED, _meter.take()))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when != "teardown":
        return
    for name, value in report.user_properties:
        if name in (_USED, _STARTED):
            _used_s[folder_of(report.nodeid) if name == _USED else _START] += float(value)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    total_s, budget_s = sum(_used_s.values()), config.getoption("--cpu-budget-s")
    terminalreporter.section("CPU seconds")
    for folder, used_s in sorted(_used_s.items(), key=lambda each: -each[1]):
        terminalreporter.write_line(f"{used_s:8.1f}  {folder}")
    within = f" of {budget_s:.0f} that are allowed" if budget_s else ""
    terminalreporter.write_line(f"{total_s:8.1f}  in all{within}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    budget_s = session.config.getoption("--cpu-budget-s")
    if budget_s and sum(_used_s.values()) > budget_s and not hasattr(session.config, "workerinput"):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
