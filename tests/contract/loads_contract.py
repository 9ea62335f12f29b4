"""The laws that all load generators obey; a test file derives from `LoadsContract` and gives it a subject."""

import math
import threading
import time
from collections.abc import Callable, Sequence

import pytest

from scheduler.loads.latency import quantile_ms
from scheduler.loads.load_protocols import LoadSecond
from scheduler.model import load_kinds
from tests import volume
from tests.one_load import OneLoad

KINDS = tuple(load_kinds.LOAD_KINDS)
DEADLINE_S = 30.0


def wait(seconds: float) -> None:
    """Let time pass, where the law is about time."""
    threading.Event().wait(seconds)


def wait_until(law: Callable[[], bool], what: str, deadline_s: float = 10.0) -> None:
    end_s = time.monotonic() + deadline_s
    while not law():
        assert time.monotonic() < end_s, f"{what} did not happen within {deadline_s:g} s"
        wait(0.02)


def seconds_until(loads: OneLoad, enough: Callable[[Sequence[LoadSecond]], bool], what: str) -> list[LoadSecond]:
    """Ask until enough seconds are complete, as the engine does: just after each second's end."""
    found: list[LoadSecond] = []
    deadline_s = time.monotonic() + DEADLINE_S
    while not enough(found):
        assert time.monotonic() < deadline_s, f"{what} did not come within {DEADLINE_S:g} s, but {len(found)} seconds"
        wait(1.05 - time.monotonic() % 1.0)
        found.extend(loads.poll())
    return found


def seconds_of(loads: OneLoad, at_least: int) -> list[LoadSecond]:
    """Ask until that many seconds are complete."""
    return seconds_until(loads, lambda found: len(found) >= at_least, f"{at_least} seconds")


def working(loads: OneLoad, at_least: int = 1) -> list[LoadSecond]:
    """Ask until that many seconds are complete, one with work: others' load may let no user through for a second."""
    return seconds_until(
        loads, lambda found: len(found) >= at_least and any(second.count for second in found), "a second with work"
    )


def retried(loads: OneLoad) -> list[LoadSecond]:
    """Ask until the server had something repeated."""
    return seconds_until(loads, lambda found: any(second.retries for second in found), "a repeated operation")


def assert_without_gaps(seconds: Sequence[LoadSecond]) -> None:
    numbers = [getattr(second, "second", second) for second in seconds]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def of_the_users(law: Callable[..., None]) -> Callable[..., None]:
    """Say that a law hangs on those who run a kind, not on what they run: one kind of each sort shows it."""
    law.of_the_users = True  # type: ignore[attr-defined]
    return law


def one_of_each_sort(kinds: Sequence[str]) -> Sequence[str]:
    """Return a kind that users of ours run, the one that writes to the fewest tables, and each engine's."""
    return [kind for kind in kinds if kind == "osdb-oltp" or load_kinds.LOAD_KINDS[kind].engine]


class LoadsContract:
    """Derive from it and provide `loads`, a fixture that returns fresh loads of every kind, or of those in `kinds`."""

    kinds = KINDS

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a case of each law for every kind that runs there, or of one of each sort of users."""
        if "kind" in metafunc.fixturenames and metafunc.cls is not None:
            kinds = metafunc.cls.kinds
            of_the_users = hasattr(metafunc.function, "of_the_users") and not volume.deep()
            metafunc.parametrize("kind", metafunc.cls.sorts(kinds) if of_the_users else kinds)

    @staticmethod
    def sorts(kinds: Sequence[str]) -> Sequence[str]:
        """Return a kind of each sort of users; override it where all are of one."""
        return one_of_each_sort(kinds)

    @pytest.fixture
    def loads(self) -> OneLoad:
        raise NotImplementedError

    @pytest.fixture
    def running(self, loads: OneLoad) -> Callable[[str], OneLoad]:
        def running(kind: str) -> OneLoad:
            loads.preflight()
            loads.prepare(kind)
            loads.start(kind)
            return loads

        return running

    def test_preflight_reports_what_was_found_and_deviations_are_sentences(self, loads: OneLoad) -> None:
        versions = loads.preflight()
        assert versions
        assert all(isinstance(value, str) for value in versions.values())
        assert loads.differences()
        assert all(sentence.endswith(".") for sentence in loads.differences())

    def test_nothing_is_reported_before_the_start(self, loads: OneLoad) -> None:
        assert list(loads.poll()) == []
        assert loads.stop() is None

    def test_whole_seconds_come_in_order_with_times_and_check_passes_once(
        self, running: Callable[[str], OneLoad], kind: str
    ) -> None:
        """Four laws on the same two seconds: what takes them is users who work as fast as they can."""
        began_s = time.monotonic()
        loads = running(kind)
        seconds = working(loads, 2)
        assert_without_gaps(seconds)
        assert seconds[0].second >= int(began_s)
        assert seconds[-1].second + 1 <= time.monotonic()
        for second in seconds:
            if not second.count or (
                load_kinds.LOAD_KINDS[kind].engine and not second.histogram
            ):  # tells no service times
                assert quantile_ms(second.histogram, 0.5) is None
            else:
                assert sum(second.histogram.values()) == second.count
                assert 0 < quantile_ms(second.histogram, 0.5) <= quantile_ms(second.histogram, 0.99)
            assert (second.errors, second.missing_users) == (0, 0)
            assert 0.0 <= second.busiest_cpu_frac <= 1.1
            assert second.cpu_s >= second.busiest_cpu_frac
        check = loads.stop()
        assert check.passed, check.text
        assert check.text
        assert loads.stop() is None
        assert list(loads.poll()) == []

    @of_the_users
    def test_parked_users_report_nothing_and_then_go_on(self, running: Callable[[str], OneLoad], kind: str) -> None:
        loads = running(kind)
        usual = max(second.count for second in working(loads, 2))
        loads.park()
        list(loads.poll())
        wait(1.1)  # longer than any second that could still be complete
        assert list(loads.poll()) == []
        unparked_s = time.monotonic()
        loads.unpark()
        after = working(loads, 2)
        assert_without_gaps(after)
        assert after[0].second >= int(unparked_s)
        assert after[0].count < 5 * usual
        assert loads.stop().passed

    @of_the_users
    def test_first_whole_second_after_they_go_on_is_reported(
        self, running: Callable[[str], OneLoad], kind: str
    ) -> None:
        loads = running(kind)
        loads.park()
        wait((0.97 - time.monotonic()) % 1.0)  # the next second begins before users who need a while have begun
        loads.unpark()
        gone_on_s = time.monotonic()
        assert seconds_of(loads, 1)[0].second <= math.ceil(gone_on_s)

    @of_the_users
    def test_users_parked_before_their_first_operation_go_on_later(
        self, running: Callable[[str], OneLoad], kind: str
    ) -> None:
        loads = running(kind)
        loads.park()
        loads.unpark()
        assert_without_gaps(working(loads, 2))
        assert loads.stop().passed

    def test_loads_follow_each_other(self, running: Callable[[str], OneLoad]) -> None:
        kinds = self.kinds if volume.deep() else (self.kinds[0], *self.sorts(self.kinds))
        for kind in (*kinds[::-1], kinds[-1]):
            loads = running(kind)
            working(loads)
            assert loads.stop().passed

    @of_the_users
    def test_closing_while_they_run_ends_everything_and_may_be_repeated(
        self, running: Callable[[str], OneLoad], kind: str
    ) -> None:
        loads = running(kind)
        loads.close()
        loads.close()
        assert list(loads.poll()) == []
