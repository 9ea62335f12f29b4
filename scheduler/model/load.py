"""Load of a plan: its kind, its users, its database and its parameters."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import check_range
from scheduler.model.databases import DATABASES, STANDARD_DATABASE, database_url, parse_database_name
from scheduler.model.load_kinds import LOAD_KINDS, UNIT_PARAMETER
from scheduler.model.load_name import LoadName
from scheduler.model.parameters import ParameterValue
from scheduler.model.urls import refuse_password
from scheduler.translation import _

USERS_RANGE = (1, 256)
LEAST_USERS_PER_CPU = 2
"""Users for each shared CPU below which CPUs stay idle, so that splits are alike."""
_USERS_PER_CPU = 4
_TUPLES = 10_000


class LoadSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One load of a plan.

    Attributes:
        kind: Name of a kind of load, for example `osdb-ir`; all kinds are in `scheduler/model/load_kinds.py`.
        users: Closed-loop users, 1..256.
        database: URL of a database without a password, or a built-in database such as `mariadb:`; empty is
            `postgresql:`.
        tuples: Rows per relation, a multiple of 1000 from 2000; of kinds whose record declares them.
        probe: Run one extra reader next to the users; its rate is reported separately.
        parameters: Values of the other parameters that the kind's record declares.
        mix: Name of its mix; empty for a load that runs alone.
    """

    kind: str
    users: int = 5
    database: str = ""
    tuples: int = _TUPLES
    probe: bool = False
    parameters: Mapping[str, ParameterValue] = {}
    mix: str = ""

    def __post_init__(self) -> None:
        """Refuse a load that cannot run; raise SpecError."""
        if self.kind not in LOAD_KINDS:
            known = ", ".join(LOAD_KINDS)
            raise SpecError(
                "load.kind",
                _("{kind!r} is not a load").format(kind=self.kind),
                hint=_("Known loads: {known}.").format(known=known),
            )
        if self.probe and not LOAD_KINDS[self.kind].probe:
            raise SpecError(
                "load.probe", _("{kind} has no extra reader").format(kind=self.kind), hint=_("Leave it out.")
            )
        check_range("load.users", self.users, USERS_RANGE)
        if "tuples" in self.parameters:
            raise SpecError("load.parameters", _("tuples has a separate field"), hint=_("Give it there."))
        for name, value in {**self._own_values, **self.parameters}.items():
            LOAD_KINDS[self.kind].parameter(name).check(f"load.{name}", value)
        if self.dialect not in LOAD_KINDS[self.kind].databases:
            hint = _("Take {databases}.").format(
                databases=" or ".join(DATABASES[name].title for name in LOAD_KINDS[self.kind].databases)
            )
            raise SpecError(
                "load.database",
                _("{kind} does not run on {databases}").format(kind=self.kind, databases=DATABASES[self.engine].title),
                hint=hint,
            )
        for name, value in self.parameters.items():
            declared = LOAD_KINDS[self.kind].parameter(name)
            if value != declared.default and not declared.fits_database(self.dialect):
                hint = _("Leave it out, or take {databases}.").format(
                    databases=" or ".join(DATABASES[name].title for name in declared.databases)
                )
                raise SpecError(
                    f"load.{name}",
                    _("{databases} has no such parameter").format(databases=DATABASES[self.engine].title),
                    hint=hint,
                )
        self._refuse_too_many_users()
        refuse_password(self.database, "load.database")

    def with_users(self, users: int) -> "LoadSpec":
        """Return the load with so many users, or as many as it can have."""
        name, each = LOAD_KINDS[self.kind].most_users
        most = each * int(self.values[name]) if name else users
        return msgspec.structs.replace(self, users=min(users, most))

    def _refuse_too_many_users(self) -> None:
        name, each = LOAD_KINDS[self.kind].most_users
        there = int(self.values[name]) if name else 0
        if name and self.users > each * there:
            most, needed = each * there, -(-self.users // each)
            hint = _("Take at most {most} users, or {name} = {needed}.").format(most=most, name=name, needed=needed)
            raise SpecError(
                "load.users",
                _("{users} are more than {each} for each of {there} {name}").format(
                    users=self.users, each=each, there=there, name=name
                ),
                hint=hint,
            )

    @property
    def name(self) -> LoadName:
        """Name of the load in figures: its kind, `osdb-ir`; in a mix `noon/osdb-ir`."""
        return LoadName(self.kind, self.mix)

    @property
    def own(self) -> str:
        """Owner of its tables: its kind for tables of its own, empty for shared tables.

        In a mix, a load that changes rows has rows of its own. Otherwise the check of another member could not show the
        changes of its users.
        """
        return self.kind if self.mix and LOAD_KINDS[self.kind].changes_rows else ""

    @property
    def engine(self) -> str:
        """Name of its database; without a name, the standard one or the first of its kind."""
        able = LOAD_KINDS[self.kind].databases
        return parse_database_name(self.database) if self.database or STANDARD_DATABASE in able else able[0]

    @property
    def dialect(self) -> str:
        """Name of the database whose SQL its database has."""
        return DATABASES[self.engine].dialect

    @property
    def url(self) -> str:
        """URL of its database; empty for a built-in database."""
        return database_url(self.database)

    @property
    def values(self) -> Mapping[str, ParameterValue]:
        """Every parameter that its kind declares, with this load's value."""
        declared = {parameter.name: parameter.default for parameter in LOAD_KINDS[self.kind].parameters}
        return {**declared, **self._own_values, **self.parameters}

    @property
    def is_cold(self) -> bool:
        """True when the database restarts before each operation."""
        name = LOAD_KINDS[self.kind].cold
        return bool(name and self.values[name])

    @property
    def unit(self) -> str:
        """Unit of its rate: that of the plan where it has one, else that of its kind."""
        return str(self.parameters.get(UNIT_PARAMETER, "")).strip() or LOAD_KINDS[self.kind].unit

    @property
    def _own_values(self) -> Mapping[str, ParameterValue]:
        """Parameters with a field of their own; a default of other kinds is left out."""
        declared = any(parameter.name == "tuples" for parameter in LOAD_KINDS[self.kind].parameters)
        return {"tuples": self.tuples} if declared or self.tuples != _TUPLES else {}


def standard_users(cpus: int, least: int) -> int:
    """Return the number of users of a load where the plan names none.

    Args:
        cpus: Number of shared CPUs, >= 1.
        least: Smallest number: the study's own.
    """
    return max(least, min(_USERS_PER_CPU * cpus, USERS_RANGE[1]))
