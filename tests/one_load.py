"""One load at a time: the steps of a member's run, taken in the order in which the engine takes them."""

from collections.abc import Mapping, Sequence

from scheduler.loads import database_loads
from scheduler.loads.database_side import DatabaseSide
from scheduler.loads.load_protocols import LoadCheck, LoadGenerators, LoadSecond, MemberRun, SupportsColdDatabase
from scheduler.model.host_properties import HostProperties
from scheduler.model.member import Member
from scheduler.model.spec import RunSpec


class OneLoad:
    """Loads of which one runs at a time.

    Args:
        loads: The load generators.
        users: Number of users of each load; a load that is not named has one.
    """

    def __init__(self, loads: LoadGenerators, users: Mapping[str, int] = {}) -> None:
        self.loads = loads
        self._users = users
        self._run: MemberRun | None = None

    @property
    def pids(self) -> tuple[int, ...]:
        return self.loads.pids

    @property
    def cold(self) -> bool:
        return isinstance(self._run, SupportsColdDatabase) and self._run.cold

    def cooled(self, kept_bytes: int) -> None:
        self._run.cooled(kept_bytes)

    def preflight(self) -> Mapping[str, str]:
        return self.loads.preflight()

    def differences(self) -> tuple[str, ...]:
        return self.loads.differences()

    def prepare(self, name: str) -> None:
        self._of(name).prepare()

    def start(self, name: str) -> None:
        if self._run is not None:
            self._run.end()
        self._run = self._of(name)
        self._run.connect()
        self._run.go()

    def poll(self) -> Sequence[LoadSecond]:
        return self._run.poll() if self._run is not None else ()

    def park(self) -> None:
        self._run.park()

    def unpark(self) -> None:
        self._run.unpark()

    def stop(self) -> LoadCheck | None:
        run, self._run = self._run, None
        if run is None:
            return None
        run.halt()
        return run.check()

    def close(self) -> None:
        self.loads.close()

    def _of(self, name: str) -> MemberRun:
        return self.loads.member(Member(name, users=self._users.get(name, 1)))


def side_of(loads: database_loads.DatabaseLoads) -> DatabaseSide:
    """Return the studied side of loads on a real database."""
    return next(iter(loads._sides.values()))


def one_load(loads: LoadGenerators, spec: RunSpec) -> OneLoad:
    """Return the loads of a plan, of which one runs at a time, each with the plan's users."""
    return OneLoad(loads, {load.name: load.users for load in spec.loads})


def open_pool(spec: RunSpec, facts: HostProperties, url: str, secrets: Mapping[str, str]) -> OneLoad:
    """Return the loads of a plan on a real database, of which one runs at a time."""
    return one_load(database_loads.open_pool(spec, facts, url, secrets), spec)
