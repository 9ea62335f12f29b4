"""Members of a trial, which begin, wait and end together.

A load that runs alone is the only member.
"""

import contextlib
from collections.abc import Generator, Sequence

from scheduler.errors import LoadDied, MemberDied
from scheduler.loads.load_protocols import LoadCheck, LoadGenerators, LoadSecond, MemberRun, SupportsColdDatabase
from scheduler.model.load_name import title_of
from scheduler.model.member import Member, load_names
from scheduler.model.sentence_texts import load_title, member_title
from scheduler.translation import _

_MOST_DEATHS = 2  # trials in a row; more deaths are no accident


class LoadSet:
    """Loads of a sweep; the members of one trial run at a time.

    Args:
        loads: The load generators.

    Attributes:
        members: The members that run; empty while no load runs.
        held: True while the users are parked because the host is commanded.
    """

    def __init__(self, loads: LoadGenerators) -> None:
        self._loads = loads
        self._runs: dict[Member, MemberRun] = {}
        self._asked: Member | None = None  # member of the last call
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
        """Prepare the tables of all members, then start all users together.

        Raises:
            LoadError: A member cannot start.
            SpecError: The members cannot run together, or the data of two compared databases differ.
        """
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
        """Return the seconds that became complete, each with its member.

        Raises:
            LoadDied: The only load died, or members died in too many trials in a row.
            MemberDied: One of several members died.
            ClientLost: A client computer was lost.
        """
        with self._ending_all_on_death():
            return [(member, second) for member, run in self._each_run() for second in run.poll()]

    @property
    def cold(self) -> bool:
        """True while a user waits for a database with an empty cache.

        In a mix, no user waits for a cold database (`model/cold_start`).
        """
        return any(isinstance(run, SupportsColdDatabase) and run.cold for run in self._runs.values())

    def cooled(self, kept_bytes: int) -> None:
        """Let users continue that wait for a cold database.

        Args:
            kept_bytes: Bytes of the database's files that stayed in the page cache.
        """
        for run in self._runs.values():
            if isinstance(run, SupportsColdDatabase):
                run.cooled(kept_bytes)

    def note_trial_end(self) -> None:
        """Reset the count of deaths: no member died in this trial."""
        self._deaths = 0

    def park(self) -> None:
        """Make all users wait."""
        if not self._runs or self.held:
            return
        with self._ending_all_on_death():
            for _, run in self._each_run():
                run.park()
        self.held = True

    def unpark(self) -> None:
        """Let all users continue."""
        if not self._runs or not self.held:
            return
        with self._ending_all_on_death():
            for _, run in self._each_run():
                run.unpark()
        self.held = False

    def stop(self) -> Sequence[tuple[Member, LoadCheck]]:
        """End all users, then check all tables; return the check of each member."""
        with self._ending_all_on_death():
            for _, run in self._each_run():
                run.halt()
        checks = [(member, run.check()) for member, run in self._runs.items()]
        return [(member, check) for member, check in checks if check is not None]

    def forget(self) -> None:
        """End all members that still run."""
        for run in self._runs.values():
            run.end()
        self._runs, self.held = {}, False

    def close(self) -> None:
        """End every process; never raise."""
        self._loads.close()

    def _each_run(self) -> Generator[tuple[Member, MemberRun]]:
        for member, run in self._runs.items():
            self._asked = member
            yield member, run

    @contextlib.contextmanager
    def _ending_all_on_death(self) -> Generator[None]:
        """Discard the trial when a member died: the rest is not the planned load.

        In a study of two guests, this also holds for a guest with a load of its own.

        Raises:
            MemberDied: A member died; the text names the member.
            LoadDied: A load that runs alone died, or members also died in the trials before.
        """
        try:
            yield
        except LoadDied as died:
            asked = self._asked
            if asked is None or (len(self._runs) == 1 and asked.guest is None):
                raise  # no other load runs
            for run in self._runs.values():
                run.end()
            self._deaths += 1
            reason = f"{member_title(asked.load, asked.guest)}: {died}"
            if self._deaths > _MOST_DEATHS:
                raise LoadDied(
                    _("{reason}; so it was {deaths} times in a row").format(reason=reason, deaths=self._deaths),
                    hint=died.hint,
                ) from died
            raise MemberDied(reason, hint=died.hint) from died
