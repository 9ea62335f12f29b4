"""The first promise, where the record of it is broken: whatever is done and in whatever order, the host stays due."""

import contextlib
import io
import json
import os
import random
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from PySide6.QtCore import QObject, Signal

from app.core_process import CommandRunner
from app.pages.restore_banner import RestoreBanner
from app.theme.theme import Theme
from scheduler import places
from scheduler.commands import parser as command_line
from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import UndoJournal, UndoRecord
from scheduler.run.simulated_clock import SimulatedClock
from tests.bad_records import BAD, looks, remove_all
from tests.volume import times

ORDERS = times(15, 200)
PLAN = """
host = "{url}"
splits = ["1:1", "1:2"]
protocol = "grid"
repeats = 1
measure_s = 1
settle_s = 0
load_settle_s = 0
[[load]]
kind = "osdb-ir"
"""
SWEPT = {IO: CgroupParams(weight=100, quota_us=5000, period_us=20000), GUEST: CgroupParams(weight=77)}
FOUND = {IO: CgroupParams(weight=128), GUEST: CgroupParams(weight=256, quota_us=15000, period_us=20000)}


def core(*given: str) -> tuple[int, dict]:
    """Carry out a word of the command line in this process; return its exit code and its object."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = command_line.main([*given, "--json"])
    return code, json.loads(out.getvalue())


class Here(QObject):
    """A one-shot command that is carried out in this process."""

    finished = Signal(bytes, int)

    def __init__(self, given: list[str]) -> None:
        super().__init__()
        self.words = given

    def answer(self) -> None:
        code, found = core(*(word for word in self.words if word != "--json"))
        self.output = json.dumps(found).encode()
        self.finished.emit(self.output, code)

    def read(self, kind: type) -> object:
        return msgspec.json.decode(self.output, type=kind)


class HereRunner(CommandRunner):
    """Starts what the window asks for in this process, once the window listens."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Here] = []

    def run_once(self, words, stdin=b"", timeout_s=60.0, hosts=()):
        self.asked.append(Here(words))
        return self.asked[-1]


class World:
    """A made-up host that a sweep changed, a run to apply, and the record of what was found."""

    def __init__(self, home: Path, theme: Theme) -> None:
        self.file, self.theme = home / "host.json", theme
        self.url = f"fake:{self.file}"
        self.host = FakeHost(self.file, InjectedFaults(), lambda *_: None)
        self.host_id = self.host.facts().host_id
        self.plan = home / "plan.toml"
        self.plan.write_text(PLAN.format(url=self.url))
        self.run_id = core("run", str(self.plan), "--quiet")[1]["run_id"]
        self.journal = UndoJournal(places.journal_dir(), self.host_id)
        self.acts = [self.run, self.restore, self.list, self.probe, self.apply, self.open_window]

    def break_off(self, spoil) -> None:
        """Leave the host as a sweep that broke off, with a record that is then spoilt."""
        remove_all(places.journal_dir())
        for domain in (IO, GUEST):
            self.host.write(domain, SWEPT[domain])
        context = self.host.context()
        armed = UndoRecord(
            host_url=self.url, host_id=self.host_id, context=context, originals=FOUND, armed_unix_s=1.7e9, pid=1
        )
        self.journal.arm(armed)
        spoil(self.journal.path)
        self.before = looks(places.journal_dir())

    def run(self) -> None:
        code, answer = core("run", str(self.plan), "--quiet")
        assert (code, answer["restored"]) == (4, False)

    def restore(self, *more: str) -> None:
        code, answer = core("restore", *more)
        assert (code, answer["clean"]) == (4, False)
        [item] = answer["items"]
        assert item["host_id"] == self.host_id
        assert item["state"] in ("corrupt", "failed")

    def list(self) -> None:
        self.restore("--list")

    def probe(self) -> None:
        assert core("probe", self.url)[1]["busy"] is True

    def apply(self) -> None:
        code, answer = core("apply", self.run_id, "--split", "1:2")
        assert (code, answer["done"]) == (5, False)
        assert "left this host changed" in answer["error"]
        assert answer["hint"]

    def open_window(self) -> None:
        runner = HereRunner()
        banner = RestoreBanner(self.theme, runner)
        banner.check()
        for asked in runner.asked:
            asked.answer()
        assert [item.host_id for item in banner.due] == [self.host_id]
        assert not banner.isHidden()
        banner.deleteLater()

    def check(self) -> None:
        """The host is due, its record is as it was, and nothing was written to the host."""
        assert looks(places.journal_dir()) == self.before
        assert self.journal.files()
        assert {domain: self.host.read(domain) for domain in (IO, GUEST)} == SWEPT


@pytest.fixture
def world(home, theme, monkeypatch):
    clock = SimulatedClock()
    for made_up in ("scheduler.hosts.fake", "scheduler.loads.fake_loads"):
        monkeypatch.setattr(f"{made_up}.time", SimpleNamespace(monotonic=clock.now))
    monkeypatch.setattr("scheduler.commands.simulation.MonotonicClock", lambda: clock)
    monkeypatch.setattr("scheduler.commands.parser.log_to_file", lambda verbose: None)
    return World(home, theme)


def _share(name: str) -> range:
    """Return which of the orders are tried on this kind of record: all of them together are the 200."""
    kinds = [*BAD, "unreadable"]
    return range(kinds.index(name), ORDERS, len(kinds))


def _try_orders(world: World, name: str, spoil) -> None:
    for number in _share(name):
        dice = random.Random(number)
        world.break_off(spoil)
        for act in dice.choices(world.acts, k=dice.randint(2, 5)):
            act()
            world.check()


@pytest.mark.parametrize("name", BAD)
def test_host_with_a_record_that_cannot_be_used_stays_due_in_any_order(world, name):
    _try_orders(world, name, BAD[name])


def test_host_with_a_record_that_cannot_be_read_stays_due_in_any_order(world, monkeypatch):
    real = os.open

    def refused(path, *more, **options):
        if str(path).endswith(".json") and Path(path).parent == places.journal_dir():
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *more, **options)

    def forbid(record: Path) -> None:
        monkeypatch.setattr(os, "open", refused)

    for number in _share("unreadable"):
        dice = random.Random(number)
        monkeypatch.setattr(os, "open", real)
        world.break_off(forbid)
        for act in dice.choices(world.acts, k=dice.randint(2, 5)):
            act()
            world.check()


def test_window_that_cannot_look_for_records_reports_it(world):
    remove_all(places.journal_dir())
    places.journal_dir().rmdir()
    places.journal_dir().write_text("a file in the way")
    runner = HereRunner()
    banner = RestoreBanner(world.theme, runner)
    banner.check()
    for asked in runner.asked:
        asked.answer()
    assert not banner.isHidden()
    assert str(places.journal_dir()) in banner.text.text()
    banner.deleteLater()


@pytest.mark.parametrize("name", BAD)
def test_record_that_was_forgotten_is_kept_and_no_longer_due(world, name):
    world.break_off(BAD[name])
    before = looks(places.journal_dir())
    code, answer = core("restore", "--forget", world.host_id)
    assert (code, answer["done"], answer["host_id"]) == (0, True, world.host_id)
    assert all(record["text"] for record in answer["records"])
    after = looks(places.journal_dir())
    assert sorted(map(str, after.values())) == sorted(map(str, before.values())), "something was lost"
    assert core("restore")[1] == {"clean": True, "items": [], "applied": [], "recorded_runs": []}
    assert core("run", str(world.plan), "--quiet")[0] == 0
