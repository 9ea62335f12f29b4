"""The laws that every host obeys; an adapter's test file derives from `HostContract` and gives it a subject."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import msgspec
import pytest

from scheduler.errors import ParameterRefused
from scheduler.hosts.protocols import CommandLog, Host
from scheduler.model.scheduler_params import CgroupParams, SchedParams
from scheduler.model.spec import PAPER_SPLITS, Mode
from scheduler.model.split import GUEST, IO, DomainId, parse_split
from scheduler.shares.model_lookup import share_model_for_host
from tests.contract.placement_contract import PlacementContract
from tests.contract.sizing_contract import SizingContract
from tests.volume import deep

DOMAINS = (IO, GUEST)
PERIOD_US = 20_000
RESTORE_S = 30
REPO = Path(__file__).resolve().parents[2]

# What `domtune restore` does, in a process that knows nothing but the undo record.
RESTORE = """
import json, sys, msgspec
from scheduler.hosts.host_registry import reopen_host
from scheduler.model.scheduler_params import SchedParams
undo = json.load(sys.stdin)
host = reopen_host(undo["url"], undo["context"], lambda command, answer: None)
for domain, original in undo["originals"].items():
    wanted = None if original is None else msgspec.convert(original, SchedParams)
    host.write(domain, wanted)
    assert host.read(domain) == wanted
host.close()
"""

Originals = Mapping[DomainId, SchedParams | None]


class Subject(Protocol):
    """One adapter, ready to be tested."""

    url: str

    def open(self, command_log: CommandLog) -> Host:
        """Open the host, as the registry would."""
        ...

    def snapshot(self) -> object:
        """Return everything that a sweep may change on the host, read without the adapter."""
        ...


class Opened:
    """An open host with its command_log, and what it was like before."""

    def __init__(self, subject: Subject, splits: Sequence[str] = PAPER_SPLITS) -> None:
        self.url = subject.url
        self._splits = splits
        self.snapshot = subject.snapshot
        self.command_log: list[tuple[str, str]] = []
        self.host = subject.open(lambda command, answer: self.command_log.append((command, answer)))
        self.facts = self.host.facts()
        self.originals: Originals = {domain: self.host.read(domain) for domain in DOMAINS}
        self.before = subject.snapshot()
        self.closed = False

    def put_back(self) -> None:
        for domain, original in self.originals.items():
            self.host.write(domain, original)

    def close(self) -> None:
        """As a process that ends lets go."""
        self.closed = True
        self.host.close()

    def restore_elsewhere(self, context: Mapping[str, str], originals: Originals) -> None:
        """Restore from another process, which knows nothing but an undo record."""
        restore_elsewhere(self.url, context, originals)

    def encodings(self, mode: Mode) -> list[Mapping[DomainId, SchedParams]]:
        model = share_model_for_host(self.facts)
        mode = mode if mode in model.modes else model.modes[0]  # not every scheduler has weights
        return [model.encode(parse_split(label), mode, PERIOD_US).params for label in self._splits]

    def lines(self) -> list[str]:
        return [command for command, _ in self.command_log]


def restore_elsewhere(url: str, context: Mapping[str, str], originals: Originals) -> None:
    """Put originals back from another process; raises CalledProcessError."""
    undo = {"url": url, "context": dict(context), "originals": msgspec.to_builtins(originals)}
    subprocess.run(
        [sys.executable, "-c", RESTORE], input=json.dumps(undo), text=True, cwd=REPO, check=True, timeout=RESTORE_S
    )


class HostContract(SizingContract, PlacementContract):
    """Derive from it and define the fixture `subject`.

    Attributes:
        splits: Those that are set; fewer, five at least, where each takes minutes.
        modes: Those that the scheduler has; the laws of modes are checked for each.
    """

    splits: Sequence[str] = PAPER_SPLITS
    modes: Sequence[Mode] = tuple(Mode)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "mode" in metafunc.fixturenames:
            metafunc.parametrize("mode", self.modes)
        if "restored_mode" in metafunc.fixturenames:  # the originals are the same, whatever was set
            metafunc.parametrize("restored_mode", self.modes if deep() else self.modes[-1:])

    @pytest.fixture
    def opened(self, subject):
        opened = Opened(subject, self.splits)
        try:
            yield opened
            opened.put_back()
        finally:
            opened.host.close()
        assert opened.snapshot() == opened.before

    @pytest.fixture
    def fresh(self, opened):
        """The host, opened for this law alone: nothing was booted or written."""
        return opened

    @pytest.fixture
    def booted(self, opened):
        opened.host.boot()
        return opened

    def test_every_split_reads_back_as_written(self, booted, mode):
        for params in booted.encodings(mode):
            for domain, wanted in params.items():
                booted.host.write(domain, wanted)
                assert booted.host.read(domain) == wanted

    def test_modes_may_follow_each_other_in_any_order(self, opened):
        quotas, weights = opened.encodings(Mode.CAPS)[3], opened.encodings(Mode.WEIGHTS)[4]
        for params in (quotas, weights, quotas, {d: opened.host.baseline(d) for d in DOMAINS}, weights):
            for domain, wanted in params.items():
                opened.host.write(domain, wanted)
                assert opened.host.read(domain) == wanted

    def test_baseline_can_be_set_and_means_no_split(self, booted):
        params = {domain: booted.host.baseline(domain) for domain in DOMAINS}
        for domain, wanted in params.items():
            booted.host.write(domain, wanted)
            assert booted.host.read(domain) == wanted
        assert share_model_for_host(booted.facts).decode(params) is None

    def test_booting_changes_no_parameter(self, fresh):
        fresh.host.boot()
        assert {domain: fresh.host.read(domain) for domain in DOMAINS} == fresh.originals
        assert fresh.snapshot() == fresh.before

    def test_host_that_is_taken_again_is_as_it_was_found_and_can_be_swept_on(self, booted):
        host = booted.host
        if host.guard is None:
            return  # nobody but the sweep puts it back
        for params in booted.encodings(Mode.CAPS)[:2]:
            for domain, wanted in params.items():
                host.write(domain, wanted)
            assert host.guard.unresponsive_reason() == ""
            host.guard.check_guard()
            host.guard.rearm_guard()
            assert {domain: host.read(domain) for domain in DOMAINS} == booted.originals
        host.guard.check_guard()

    def test_original_restored_leaves_nothing(self, booted):
        for domain, wanted in booted.encodings(Mode.CAPS)[0].items():
            booted.host.write(domain, wanted)
        assert booted.snapshot() != booted.before
        booted.put_back()
        assert {domain: booted.host.read(domain) for domain in DOMAINS} == booted.originals
        assert booted.snapshot() == booted.before

    def test_original_can_be_restored_twice_and_before_any_write(self, fresh):
        fresh.put_back()
        fresh.put_back()
        assert fresh.snapshot() == fresh.before

    def test_host_can_be_restored_and_taken_again(self, booted):
        for params in booted.encodings(Mode.CAPS)[:3]:
            for domain, wanted in params.items():
                booted.host.write(domain, wanted)
                assert booted.host.read(domain) == wanted
            booted.put_back()
            assert booted.snapshot() == booted.before

    def test_withdrawing_changes_no_parameter(self, booted, mode):
        for domain, wanted in booted.encodings(mode)[1].items():
            booted.host.write(domain, wanted)
            for _ in range(2):
                booted.host.release_domain(domain)
                assert booted.host.read(domain) == wanted

    def test_host_that_nothing_happened_to_has_no_trouble(self, booted):
        assert booted.host.failure_details() == ""

    def test_writing_twice_is_writing_once(self, booted):
        wanted = booted.encodings(Mode.CAPS)[1]
        for domain, params in wanted.items():
            booted.host.write(domain, params)
        after = booted.snapshot()
        for domain, params in wanted.items():
            booted.host.write(domain, params)
            assert booted.host.read(domain) == params
        assert booted.snapshot() == after

    def test_another_process_restores_from_the_context(self, opened, restored_mode):
        context = opened.host.context()
        assert json.loads(json.dumps(dict(context))) == context
        for domain, wanted in opened.encodings(restored_mode)[3].items():
            opened.host.write(domain, wanted)
        assert opened.snapshot() != opened.before
        opened.close()
        restore_elsewhere(opened.url, context, opened.originals)
        assert opened.snapshot() == opened.before
        if restored_mode is self.modes[-1]:  # a restore may itself be killed and repeated, whatever was set
            restore_elsewhere(opened.url, context, opened.originals)
            assert opened.snapshot() == opened.before

    def test_ledger_holds_what_commands_announced(self, booted):
        steps = [*booted.encodings(Mode.CAPS)[:2], *booted.encodings(Mode.WEIGHTS)[3:5], booted.originals]
        for params in steps:
            for domain, wanted in params.items():
                announced = booted.host.commands(domain, wanted)
                booted.command_log.clear()
                booted.host.write(domain, wanted)
                assert booted.lines() == list(announced)

    def test_commands_touches_nothing(self, booted):
        booted.command_log.clear()  # the commands of booting
        for params in (*booted.encodings(Mode.CAPS), booted.originals, dict.fromkeys(DOMAINS)):
            for domain, wanted in params.items():
                booted.host.commands(domain, wanted)
        assert booted.command_log == []
        assert booted.snapshot() == booted.before

    def test_every_change_is_announced_before_it_is_made(self, opened):
        for params in opened.encodings(Mode.CAPS):
            for domain, wanted in params.items():
                assert opened.host.commands(domain, wanted)
        for domain in DOMAINS:
            assert opened.host.commands(domain, None)

    @pytest.mark.parametrize(
        "wrong",
        [
            CgroupParams(weight=0),
            CgroupParams(weight=-5),
            CgroupParams(weight=10_000_000),
        ],
    )
    def test_value_out_of_range_is_refused_and_the_host_untouched(self, booted, wrong):
        with pytest.raises(ParameterRefused, match=str(wrong.weight)):
            booted.host.write(IO, wrong)
        assert booted.snapshot() == booted.before

    def test_facts_are_stable_and_complete(self, subject, opened):
        facts = opened.facts
        again = subject.open(lambda command, answer: None)
        assert again.facts().host_id == facts.host_id
        again.close()
        assert facts.title
        assert facts.pcpus >= 1
        assert len(facts.shared_cpus) >= 1
        assert {domain.id for domain in facts.domains} == set(DOMAINS)
        assert set(share_model_for_host(facts).modes) <= set(self.modes)

    def test_usage_never_runs_backwards(self, booted):
        def counters():
            # A host that has told how long a domain was held back goes on telling it.
            return {
                domain: (
                    usage.user_s,
                    usage.system_s,
                    usage.in_bytes,
                    usage.out_bytes,
                    -1.0 if usage.throttled_s is None else usage.throttled_s,
                )
                for domain, usage in booted.host.usage().items()
            }

        looks = [counters()]
        for params in (*booted.encodings(Mode.CAPS)[:3], booted.originals, *booted.encodings(Mode.WEIGHTS)[:2]):
            for domain, wanted in params.items():
                booted.host.write(domain, wanted)
                looks.append(counters())
        for before, after in pairwise(looks):
            assert set(after) == set(DOMAINS)
            for domain in DOMAINS:
                assert all(b <= a for b, a in zip(before[domain], after[domain], strict=True))

    def test_closing_twice_is_closing_once(self, subject):
        host = subject.open(lambda command, answer: None)
        host.boot()
        host.close()
        host.close()
