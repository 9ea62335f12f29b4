"""Loads of two guests at once: a pool for each, on its own database, seconds aligned, each with its check."""

import contextlib
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Protocol, TypeVar

import msgspec

from scheduler.errors import LoadDied, MemberDied, SchedulerError
from scheduler.loads.load_protocols import LoadCheck, LoadGenerators, LoadSecond
from scheduler.model.sentence_texts import domain_title
from scheduler.model.setting import DEFAULT_OPTIONS, RunOptions
from scheduler.model.split import DomainId

_MOST_DEATHS = 2
"""Trials in a row in which users died before the study ends: what dies in each is no accident."""

_T = TypeVar("_T")


class CanEndUsers(LoadGenerators, Protocol):
    """Loads whose users can be ended without a word."""

    def end(self) -> None:
        """End the users, whatever they did; never raises, may be called twice."""
        ...


class TwoGuests:
    """One pool for each guest; a trial has the users of one of them, or of both.

    Args:
        pools: Guest to its loads, the first guest first.
        kinds: Guest to its load kind.
    """

    def __init__(self, pools: Mapping[DomainId, CanEndUsers], kinds: Mapping[DomainId, str]) -> None:
        self._pools = pools
        self._kinds = kinds
        self._loaded: tuple[DomainId, ...] = ()
        self._told: dict[DomainId, deque[LoadSecond]] = {}
        self._deaths = 0

    def preflight(self) -> Mapping[str, str]:
        first, *others = (pool.preflight() for pool in self._pools.values())
        differ = {
            f"{name} of the second guest": text
            for versions in others
            for name, text in versions.items()
            if first.get(name) != text
        }
        return {**first, **differ}

    def deviations(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(line for pool in self._pools.values() for line in pool.deviations()))

    def prepare(self, kind: str, how: RunOptions = DEFAULT_OPTIONS) -> None:
        """Bring the tables of the guests that are to be loaded into their starting state."""
        for guest in how.guests:
            self._pools[guest].prepare(self._kinds[guest])

    def start(self, kind: str, how: RunOptions = DEFAULT_OPTIONS) -> None:
        """Start the users of one guest or of both; return when all run."""
        for guest, pool in self._pools.items():
            if guest not in how.guests:
                pool.end()
        self._loaded = how.guests
        self._told = {guest: deque() for guest in how.guests}
        self._for_each_guest(lambda guest: self._pools[guest].start(self._kinds[guest]))

    def poll(self) -> Sequence[LoadSecond]:
        """Return the seconds that every loaded guest has told."""
        self._for_each_guest(lambda guest: self._told[guest].extend(self._pools[guest].poll()))
        return list(align_seconds(self._told))

    def park(self) -> None:
        self._for_each_guest(lambda guest: self._pools[guest].park())

    def unpark(self) -> None:
        for told in self._told.values():
            told.clear()  # seconds before the wait stand beside no later one's
        self._for_each_guest(lambda guest: self._pools[guest].unpark())

    def stop(self) -> LoadCheck | None:
        """Stop all users, then compare what each database holds."""
        loaded = self._loaded
        checks = dict(zip(loaded, self._for_each_guest(lambda guest: self._pools[guest].stop()), strict=True))
        self._clear_loaded()
        self._deaths = 0
        told = [(guest, check) for guest, check in checks.items() if check is not None]
        if not told:
            return None
        text = "; ".join(f"{domain_title(guest)}: {check.text}" for guest, check in told)
        return LoadCheck(passed=all(check.passed for _, check in told), text=text)

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()
        self._clear_loaded()

    def _clear_loaded(self) -> None:
        self._loaded, self._told = (), {}

    def _for_each_guest(self, do: Callable[[DomainId], _T]) -> list[_T]:
        """Do it for every loaded guest in turn."""
        done: list[_T] = []
        for guest in self._loaded:
            with self._ending_all(guest):
                done.append(do(guest))
        return done

    @contextlib.contextmanager
    def _ending_all(self, guest: DomainId) -> Generator[None]:
        """Void the trial when one guest's users died: the other one's by themselves are not what was asked for.

        Raises:
            MemberDied: With the guest's name; the trial is void.
            LoadDied: It was so in the trials before, too.
        """
        try:
            yield
        except LoadDied as died:
            for pool in self._pools.values():
                with contextlib.suppress(SchedulerError):
                    pool.end()
            self._clear_loaded()
            self._deaths += 1
            said = f"the users of {domain_title(guest)} died: {died}"
            if self._deaths > _MOST_DEATHS:
                raise LoadDied(f"{said}; so it was in {self._deaths} trials in a row", hint=died.hint) from died
            raise MemberDied(said, hint=died.hint) from died


def align_seconds(told: Mapping[DomainId, deque[LoadSecond]]) -> Generator[LoadSecond]:
    """Take the seconds that all guests have told, in order; what one told before another began is dropped."""
    while told and all(told.values()):
        latest = max(seconds[0].second for seconds in told.values())
        if all(seconds[0].second == latest for seconds in told.values()):
            yield merge_guest_seconds({guest: seconds.popleft() for guest, seconds in told.items()})
        else:
            for seconds in told.values():
                if seconds[0].second < latest:
                    seconds.popleft()


def merge_guest_seconds(parts: Mapping[DomainId, LoadSecond]) -> LoadSecond:
    """Return one second of one guest or both: the first one's, with what went wrong, and the CPU, of all."""
    seconds = list(parts.values())
    return msgspec.structs.replace(
        seconds[0],
        errors=sum(each.errors for each in seconds),
        retries=sum(each.retries for each in seconds),
        busiest_cpu_frac=max(each.busiest_cpu_frac for each in seconds),
        cpu_s=sum(each.cpu_s for each in seconds),
        missing_users=sum(each.missing_users for each in seconds),
        guests=dict(parts),
    )
