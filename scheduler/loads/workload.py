"""Database side of a load: tables to prepare for the users and check afterwards."""

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

    To add a load kind, write a module with `open_workload` that returns these methods, and a module with
    `connect_user`. Then add a record in `model/load_kinds.py` that names both.
    """

    def preflight(self, session: WorkloadSession) -> None:
        """Refuse an unsuitable database; write nothing.

        Raises:
            DatabaseUnsuitable: The database must not be used.
        """
        ...

    def prepare(self, session: WorkloadSession) -> None:
        """Bring the tables into their initial state, and note the values for `check`.

        Raises:
            LoadError: The tables cannot be prepared.
        """
        ...

    def check(self, session: WorkloadSession, totals: UserTotals) -> LoadCheck:
        """Compare the database with the totals of all users.

        Args:
            session: Session on the database.
            totals: Totals of all users together.
        """
        ...

    def differences(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        """Return the load's differences from its benchmark, with this run's values.

        Args:
            spec: The plan.
            facts: Properties of the host.
            versions: Versions of the database and the driver.
        """
        ...


@runtime_checkable
class CanFingerprint(Protocol):
    """Workload that can identify its rows among others of the same size."""

    def fingerprint(self, session: WorkloadSession) -> Mapping[str, str]:
        """Return values that identify the prepared data, by names for people."""
        ...


class CanOpenWorkload(Protocol):
    """Function `open_workload(load)` of a load kind's module."""

    def __call__(self, load: LoadSpec) -> DatabaseWorkload:
        """Return the workload for one load of a plan."""
        ...
