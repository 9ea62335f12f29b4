"""What runs now: one load by itself, or the members of a mix, which begin, wait and end together."""

import contextlib
from collections.abc import Generator, Sequence

from scheduler.errors import LoadDied, MemberDied, SpecError
from scheduler.loads.load_protocols import (
    CanRunWorkload,
    LoadCheck,
    LoadGenerators,
    LoadSecond,
    SupportsColdDatabase,
    SupportsMixes,
)
from scheduler.model.load_name import title_of
from scheduler.model.sentence_texts import load_title
from scheduler.model.setting import DEFAULT_OPTIONS, RunOptions

_MOST_DEATHS = 2  # in a row: what dies in each trial is no accident


class LoadSet:
    """The loads of a sweep, of which one mix runs at a time.

    Args:
        loads: All of them.

    Attributes:
        mix: Names of those that run; empty while none does.
        how: How they were told to.
        held: They wait while the host is commanded.
    """

    def __init__(self, loads: LoadGenerators) -> None:
        self._loads = loads
        self._lanes: dict[str, CanRunWorkload] = {}
        self._asked = ""  # which of them was asked last
        self._deaths = 0
        self.mix: tuple[str, ...] = ()
        self.run_options = DEFAULT_OPTIONS
        self.held = False

    @property
    def title(self) -> str:
        """What people call it; empty while nothing runs."""
        return load_title(title_of(self.mix)) if self.mix else ""

    def begin(self, mix: tuple[str, ...], how: RunOptions) -> None:
        """Prepare the tables of all, then have all start together; raises LoadError, SpecError."""
        if len(mix) == 1:
            self._loads.prepare(mix[0], how)
            self._loads.start(mix[0], how)
        else:
            self._begin_together(mix, how)
        self.mix, self.run_options = mix, how

    def poll(self) -> Sequence[tuple[str, LoadSecond]]:
        """Return the seconds that became complete, each with its load. Raises LoadDied, MemberDied, ClientLost."""
        if not self._lanes:
            return [(self.mix[0], second) for second in self._loads.poll()] if self.mix else []
        with self._end_all_on_death():
            return [(name, second) for name in self.mix for second in self._runner_of(name).poll()]

    @property
    def cold(self) -> bool:
        """True while a user waits for a database that remembers nothing; in a mix nobody does (`model/cold.py`)."""
        return isinstance(self._loads, SupportsColdDatabase) and self._loads.cold

    def cooled(self, kept_bytes: int) -> None:
        """Let those users go on."""
        if isinstance(self._loads, SupportsColdDatabase):
            self._loads.cooled(kept_bytes)

    def note_trial_end(self) -> None:
        """A trial came to its end: nobody died in it."""
        self._deaths = 0

    def park(self) -> None:
        """Let all wait."""
        if not self.mix or self.held:
            return
        if self._lanes:
            with self._end_all_on_death():
                for name in self.mix:
                    self._runner_of(name).park()
        else:
            self._loads.park()
        self.held = True

    def unpark(self) -> None:
        """Let all go on."""
        if not self.mix or not self.held:
            return
        if self._lanes:
            with self._end_all_on_death():
                for name in self.mix:
                    self._runner_of(name).unpark()
        else:
            self._loads.unpark()
        self.held = False

    def stop(self) -> Sequence[tuple[str, LoadCheck]]:
        """End all users, then compare all tables; returns what was found of each load."""
        if not self._lanes:
            check = self._loads.stop()
            return [(self.mix[0], check)] if check is not None else []
        with self._end_all_on_death():
            for name in self.mix:
                self._runner_of(name).halt()
        checks = [(name, lane.check()) for name, lane in self._lanes.items()]
        return [(name, check) for name, check in checks if check is not None]

    def forget(self) -> None:
        """Nothing runs any more."""
        self._lanes, self.mix, self.held = {}, (), False

    def close(self) -> None:
        """End every process; never raises."""
        self._loads.close()

    def _begin_together(self, mix: tuple[str, ...], how: RunOptions) -> None:
        if not isinstance(self._loads, SupportsMixes):
            hint = "Leave the mix out, or take a host with a database."
            raise SpecError("mix", "the loads of this host run one at a time", hint=hint)
        self._lanes = {name: self._loads.runner_for(name, how) for name in mix}
        for lane in self._lanes.values():
            lane.prepare()
        for lane in self._lanes.values():
            lane.connect()
        for lane in self._lanes.values():
            lane.go()

    def _runner_of(self, name: str) -> CanRunWorkload:
        self._asked = name
        return self._lanes[name]

    @contextlib.contextmanager
    def _end_all_on_death(self) -> Generator[None]:
        """End all members when one died: those that are left are not the mix that was asked for."""
        try:
            yield
        except LoadDied as died:
            for lane in self._lanes.values():
                lane.end()
            self._deaths += 1
            said = f"{load_title(self._asked)}: {died}"
            if self._deaths > _MOST_DEATHS:
                raise LoadDied(f"{said}; so it was {self._deaths} times in a row", hint=died.hint) from died
            raise MemberDied(said, hint=died.hint) from died
