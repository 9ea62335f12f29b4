"""The database side of a load: what is prepared before its users start and checked after they stopped."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec


class DatabaseWorkload(Protocol):
    """One load kind on one database.

    To add one: a module with `open_workload` that returns these methods, one with `connect_user`, and a record in
    `model/load_kinds.py` that names both.
    """

    def preflight(self, session: WorkloadSession) -> None:
        """Refuse a database that must not be used; writes nothing. Raises DatabaseUnsuitable."""
        ...

    def prepare(self, session: WorkloadSession) -> None:
        """Bring the tables into their starting state; remember what `check` compares with. Raises LoadError."""
        ...

    def check(self, session: WorkloadSession, totals: UserTotals) -> LoadCheck:
        """Compare the database with what all users together say they did."""
        ...

    def deviations(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        """Return how the load differs from its benchmark, with this run's values."""
        ...


@runtime_checkable
class CanFingerprint(Protocol):
    """A workload that can tell its rows from others of the same size."""

    def fingerprint(self, session: WorkloadSession) -> Mapping[str, str]:
        """Return what tells the prepared tables' data, by names for people."""
        ...


class CanOpenWorkload(Protocol):
    """What makes a workload: `open_workload(load)` of its module."""

    def __call__(self, load: LoadSpec) -> DatabaseWorkload:
        """Return the workload for one load of a plan."""
        ...
