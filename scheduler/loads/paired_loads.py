"""Loads on two sides: the database whose host is studied, and a base elsewhere that it is compared with."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from scheduler.loads.data_fingerprint import DataFingerprint, refuse_different
from scheduler.loads.load_protocols import LoadCheck, LoadGenerators, LoadSecond
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.setting import DEFAULT_OPTIONS, RunOptions

BASE, STUDIED = "the base", "the studied side"


class HasFingerprint(LoadGenerators, Protocol):
    """Loads that can say what they run on."""

    def fingerprint(self, kind: str) -> DataFingerprint:
        """Return what is on the database of a load that was prepared."""
        ...


class PairedLoads:
    """One load at a time on one of the two; they are compared only where data and settings are the same.

    Args:
        studied: Loads on the host's database.
        base: Loads on the other one.
    """

    def __init__(self, studied: HasFingerprint, base: HasFingerprint) -> None:
        self._studied = studied
        self._base = base
        self._now = studied
        self._prepared: set[tuple[str, bool]] = set()
        self._notes: tuple[str, ...] = ()

    def preflight(self) -> Mapping[str, str]:
        found, base = self._studied.preflight(), self._base.preflight()
        differ = {f"base {name}": value for name, value in base.items() if found.get(name) != value}
        return {**found, **differ}

    def deviations(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self._studied.deviations(), *self._base.deviations())))

    def prepare(self, kind: str, how: RunOptions = DEFAULT_OPTIONS) -> None:
        """Bring one side's tables into their starting state; raises SpecError where the other one's differ."""
        self._loads_of_side(how).prepare(kind)
        self._prepared.add((kind, how.base))
        if (kind, not how.base) not in self._prepared:
            self._loads_of_side(RunOptions(base=not how.base)).prepare(kind)
            self._prepared.add((kind, not how.base))
            sides = {BASE: self._base.fingerprint(kind), STUDIED: self._studied.fingerprint(kind)}
            self._notes = refuse_different(sides)

    @property
    def difference_notes(self) -> tuple[str, ...]:
        """What else differs between the two, since the loads were prepared."""
        return self._notes

    def start(self, kind: str, how: RunOptions = DEFAULT_OPTIONS) -> None:
        self._now = self._loads_of_side(how)
        self._now.start(kind, RunOptions(how.users))

    def poll(self) -> Sequence[LoadSecond]:
        return self._now.poll()

    def park(self) -> None:
        self._now.park()

    def unpark(self) -> None:
        self._now.unpark()

    def stop(self) -> LoadCheck | None:
        check = self._now.stop()
        if check is None or not self._notes:
            return check
        return LoadCheck(
            check.passed, join_sentences(check.text, *self._notes)
        )  # what differs is read where checks are

    def close(self) -> None:
        try:
            self._studied.close()
        finally:
            self._base.close()

    def _loads_of_side(self, how: RunOptions) -> HasFingerprint:
        return self._base if how.base else self._studied
