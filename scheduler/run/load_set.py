"""The members of a trial, which begin, wait and end together; a load that runs alone is the only member."""

import contextlib
from collections.abc import Generator, Sequence

from scheduler.errors import LoadDied, MemberDied
from scheduler.loads.load_protocols import LoadCheck, LoadGenerators, LoadSecond, MemberRun, SupportsColdDatabase
from scheduler.model.load_name import title_of
from scheduler.model.member import Member, load_names
from scheduler.model.sentence_texts import load_title, member_title

_MOST_DEATHS = 2  # in a row: a member that dies in each trial is no accident


class LoadSet:
    """The loads of a sweep, of which the members of one trial run at a time.

    Args:
        loads: The load generators.

    Attributes:
        members: The members that run; empty while none does.
        held: True while the users wait because the host is commanded.
    """

    def __init__(self, loads: LoadGenerators) -> None:
        self._loads = loads
        self._runs: dict[Member, MemberRun] = {}
        self._asked: Member | None = None  # the member that was asked last
        self._deaths = 0
        self.held = False

    @property
    def members(self) -> tuple[Member, ...]:
        """The members that run."""
        return tuple(self._runs)

    @property
    def title(self) -> str:
        """Title of the load or mix that runs; empty while nothing runs."""
        return load_title(title_of(load_names(self.members))) if self._runs else ""

    def begin(self, members: tuple[Member, ...]) -> None:
        """Prepare the tables of all members, then start all users together; raises LoadError, SpecError."""
        runs = {member: self._loads.member(member) for member in members}
        with contextlib.ExitStack() as on_error:
            for run in runs.values():
                on_error.callback(run.end)
                run.prepare()
            for run in runs.values():
                run.connect()
            for run in runs.values():
                run.go()
            on_error.pop_all()
        self._runs = runs

    def poll(self) -> Sequence[tuple[Member, LoadSecond]]:
        """Return the seconds that became complete, each with its member. Raises LoadDied, MemberDied, ClientLost."""
        with self._ending_all_on_death():
            return [(member, second) for member, run in self._each_run() for second in run.poll()]

    @property
    def cold(self) -> bool:
        """True while a user waits for a database with nothing in memory; in a mix no user does (`model/cold_start`)."""
        return any(isinstance(run, SupportsColdDatabase) and run.cold for run in self._runs.values())

    def cooled(self, kept_bytes: int) -> None:
        """Let the users that wait for a cold database go on."""
        for run in self._runs.values():
            if isinstance(run, SupportsColdDatabase):
                run.cooled(kept_bytes)

    def note_trial_end(self) -> None:
        """Forget earlier deaths: no member died in this trial."""
        self._deaths = 0

    def park(self) -> None:
        """Let all users wait."""
        if not self._runs or self.held:
            return
        with self._ending_all_on_death():
            for _, run in self._each_run():
                run.park()
        self.held = True

    def unpark(self) -> None:
        """Let all users go on."""
        if not self._runs or not self.held:
            return
        with self._ending_all_on_death():
            for _, run in self._each_run():
                run.unpark()
        self.held = False

    def stop(self) -> Sequence[tuple[Member, LoadCheck]]:
        """End all users, then compare all tables; returns the check of each member."""
        with self._ending_all_on_death():
            for _, run in self._each_run():
                run.halt()
        checks = [(member, run.check()) for member, run in self._runs.items()]
        return [(member, check) for member, check in checks if check is not None]

    def forget(self) -> None:
        """End what still runs; no member is left."""
        for run in self._runs.values():
            run.end()
        self._runs, self.held = {}, False

    def close(self) -> None:
        """End every process; never raises."""
        self._loads.close()

    def _each_run(self) -> Generator[tuple[Member, MemberRun]]:
        for member, run in self._runs.items():
            self._asked = member
            yield member, run

    @contextlib.contextmanager
    def _ending_all_on_death(self) -> Generator[None]:
        """Discard the trial when a member died: the members that are left are not what the plan asked for.

        In a study of two guests, this also holds for a guest that is loaded alone.

        Raises:
            MemberDied: With the member's title.
            LoadDied: A load that runs alone died, or a member died in the trials before, too.
        """
        try:
            yield
        except LoadDied as died:
            asked = self._asked
            if asked is None or (len(self._runs) == 1 and asked.guest is None):
                raise  # there is nothing but this load
            for run in self._runs.values():
                run.end()
            self._deaths += 1
            reason = f"{member_title(asked.load, asked.guest)}: {died}"
            if self._deaths > _MOST_DEATHS:
                raise LoadDied(f"{reason}; so it was {self._deaths} times in a row", hint=died.hint) from died
            raise MemberDied(reason, hint=died.hint) from died
