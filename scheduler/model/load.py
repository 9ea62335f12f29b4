"""One load of a plan: its kind, its users, its database and its parameters."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import check_range
from scheduler.model.databases import DATABASES, STANDARD_DATABASE, database_url, parse_database_name
from scheduler.model.load_kinds import LOAD_KINDS, UNIT_PARAMETER
from scheduler.model.load_name import member_name
from scheduler.model.parameters import ParameterValue
from scheduler.model.urls import refuse_password

USERS_RANGE = (1, 64)
_TUPLES = 10_000


class LoadSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One load.

    Attributes:
        kind: Name of a kind of load, for example `osdb-ir`; the others are in `scheduler/model/load_kinds.py`.
        users: Closed-loop users, 1..64.
        database: URL of a database without a password, or `mariadb:` and the like for one that the host brings;
            empty is `postgresql:`.
        tuples: Rows per relation, a multiple of 1000 from 2000; of kinds whose record declares them.
        probe: Run one extra reader beside the users; its rate is reported by itself.
        parameters: What the plan sets of the other parameters that the kind's record declares.
        mix: Name of the mix that it is a member of; empty for one that runs alone.
    """

    kind: str
    users: int = 5
    database: str = ""
    tuples: int = _TUPLES
    probe: bool = False
    parameters: Mapping[str, ParameterValue] = {}
    mix: str = ""

    def __post_init__(self) -> None:
        """Refuse what no load can do; raises SpecError."""
        if self.kind not in LOAD_KINDS:
            known = ", ".join(LOAD_KINDS)
            raise SpecError("load.kind", f"{self.kind!r} is not a load", hint=f"Known loads: {known}.")
        if self.probe and not LOAD_KINDS[self.kind].probe:
            raise SpecError("load.probe", f"{self.kind} has no extra reader", hint="Leave it out.")
        check_range("load.users", self.users, USERS_RANGE)
        if "tuples" in self.parameters:
            raise SpecError("load.parameters", "tuples has a field of its own", hint="Give it there.")
        for name, value in {**self._own_values, **self.parameters}.items():
            LOAD_KINDS[self.kind].parameter(name).check(f"load.{name}", value)
        if self.engine not in LOAD_KINDS[self.kind].databases:
            hint = f"Take {' or '.join(DATABASES[name].title for name in LOAD_KINDS[self.kind].databases)}."
            raise SpecError("load.database", f"{self.kind} does not run on {DATABASES[self.engine].title}", hint=hint)
        for name, value in self.parameters.items():
            declared = LOAD_KINDS[self.kind].parameter(name)
            if value != declared.default and not declared.fits_database(self.engine):
                hint = f"Leave it out, or take {' or '.join(DATABASES[name].title for name in declared.databases)}."
                raise SpecError(f"load.{name}", f"{DATABASES[self.engine].title} has no such parameter", hint=hint)
        self._refuse_too_many_users()
        refuse_password(self.database, "load.database")

    def _refuse_too_many_users(self) -> None:
        name, each = LOAD_KINDS[self.kind].most_users
        there = int(self.values[name]) if name else 0
        if name and self.users > each * there:
            most, needed = each * there, -(-self.users // each)
            hint = f"Take at most {most} users, or {name} = {needed}."
            raise SpecError("load.users", f"{self.users} are more than {each} for each of {there} {name}", hint=hint)

    @property
    def name(self) -> str:
        """What its figures are kept by: its kind, `osdb-ir`; in a mix `noon/osdb-ir`."""
        return member_name(self.mix, self.kind)

    @property
    def own(self) -> str:
        """Whose tables it has to itself, where loads of other kinds share them; empty for the shared ones.

        In a mix who changes rows has rows of its own: else no other member's check could say what its users did.
        """
        return self.kind if self.mix and LOAD_KINDS[self.kind].changes_rows else ""

    @property
    def engine(self) -> str:
        """Name of the database that it runs on; where none is named, the standard one or the first of its kind's."""
        able = LOAD_KINDS[self.kind].databases
        return parse_database_name(self.database) if self.database or STANDARD_DATABASE in able else able[0]

    @property
    def url(self) -> str:
        """URL of its database; empty for one that the host brings."""
        return database_url(self.database)

    @property
    def values(self) -> Mapping[str, ParameterValue]:
        """Every parameter that its kind declares, with this load's value."""
        declared = {parameter.name: parameter.default for parameter in LOAD_KINDS[self.kind].parameters}
        return {**declared, **self._own_values, **self.parameters}

    @property
    def unit(self) -> str:
        """Unit of its rate: the plan's where it gives one, else its kind's."""
        return str(self.parameters.get(UNIT_PARAMETER, "")).strip() or LOAD_KINDS[self.kind].unit

    @property
    def _own_values(self) -> Mapping[str, ParameterValue]:
        """What has a field of its own, from before there were others; at its default it may be of no use."""
        declared = any(parameter.name == "tuples" for parameter in LOAD_KINDS[self.kind].parameters)
        return {"tuples": self.tuples} if declared or self.tuples != _TUPLES else {}
