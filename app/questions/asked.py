"""What was typed about another question than which split, and the plan that it makes."""

from dataclasses import dataclass
from typing import Any

from scheduler.errors import SpecError
from scheduler.model.plan_file import parse_plan
from scheduler.model.spec import RunSpec
from scheduler.model.studies import CAPACITY, ISOLATION, OVERHEAD, SCALE_UP


@dataclass
class Asked:
    """The dialog's fields, as typed.

    Attributes:
        study: Name of the study.
        host: The host's URL.
        load: Load kind.
        database: URL of the database; empty for the one that the host brings.
        users: The most users that are tried; of a capacity study.
        demand_users: How many there are to be carried, 0 where nobody says; likewise.
        splits: Splits `a:b`, separated by commas or blanks.
        base: URL of the database that is compared with; of an overhead study.
        guest: What the host calls the guest; of an isolation study, as the following.
        guest_2: What it calls the second one.
        neighbour: URL of the second guest's database.
    """

    study: str = CAPACITY
    host: str = "local:"
    load: str = ""
    database: str = ""
    users: int = 32
    demand_users: int = 0
    splits: str = ""
    base: str = ""
    guest: str = ""
    guest_2: str = ""
    neighbour: str = ""

    def to_spec(self) -> RunSpec:
        """Return the plan; raises SpecError that names the field, the value and what is allowed."""
        if not self.host.strip():
            raise SpecError("host", "none given", hint="Write local:, or the URL of a host.")
        plan: dict[str, Any] = {"host": self.host.strip(), "study": self.study}
        splits = self.splits.replace(",", " ").split()
        if splits and self.study != SCALE_UP:
            plan["splits"] = splits
        load: dict[str, Any] = {"kind": self.load}
        if self.database.strip():
            load["database"] = self.database.strip()
        if self.study == CAPACITY:
            load["users"] = self.users
            plan["demand_users"] = self.demand_users
        if self.study == OVERHEAD and self.base.strip():
            plan["base"] = self.base.strip()
        if self.study == ISOLATION:
            plan |= self._guests()
        return parse_plan(_toml({**plan, "load": [load]}))

    def _guests(self) -> dict[str, Any]:
        """Return what is said of two guests; what is empty the host knows, or brings."""
        named = {"guest": self.guest.strip(), "guest_2": self.guest_2.strip()}
        domains = {key: name for key, name in named.items() if name}
        said = {"neighbour_database": self.neighbour.strip(), "domains": domains}
        return {key: value for key, value in said.items() if value}


def _toml(plan: dict[str, Any]) -> str:
    import tomlkit  # a module of a hundred milliseconds, for who has typed something

    return tomlkit.dumps(plan)
