"""Record of a kind of load, and its checks."""

from collections.abc import Iterable

import msgspec

from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES, STANDARD_DATABASE
from scheduler.model.parameters import Parameter

MARKERS = (
    *("circle", "square", "star", "cross", "saltire", "pentagon", "wedge", "hourglass", "chevron", "bar", "tee"),
)
"""Markers that plots and reports can draw and that no domain has; `model/marker_shapes.py` has their shapes."""

COLOURS = (*("ir", "oltp", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),)
"""Roles of colours; `app/theme/tokens.py` and `resources/report/report.css.j2` define a colour for each."""


class LoadKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of load.

    Attributes:
        name: Name in plan files, for example `osdb-ir`.
        title: Heading of its card.
        short: Short name for legends, tables and sentences, for example `IR`.
        does: One sentence about its users, for its card and its tooltip.
        one_user: Work of a single user, for example `1 user reads rows`.
        many_users: Work of several users, with `{n}` for their number.
        counts: Operations that its rate counts, for example `rows read`.
        unit: Unit of its rate.
        changes_rows: False for a load that does not change its tables.
        marker: One of `MARKERS`; unique.
        colour: One of `COLOURS`; unique.
        workload: Module with `open_workload(load)` for its tables; empty for an engine with tables of its own.
        operation: Module with `connect_user(begin)` for its users, in DomTune's processes; empty for an engine.
        engine: Module with `open_engine(begin, users)`, `versions(load)` and `sentences(load)` for a program that runs
            its own users; else empty.
        runs: Parameter with a command line that runs on this computer after the consent of a person; empty for none.
        probe: Kind of the extra reader that may run next to its users; empty for none.
        standard: True for a kind that a plan without loads has, and that a new form selects.
        databases: Names of the databases that it runs on (`scheduler/model/databases.py`).
        parameters: Parameters that a plan may set, other than users and database.
        most_users: Parameter and the largest number of users per unit of it; an empty name for no such limit.
        round: Number of operations of unequal cost that a user runs in turn, each once; 0 where all cost about the
            same. No second of such a load is a stall, and a trial without a whole round of each user gets a notice.
        cold: Parameter that restarts the database before each operation; empty for none.
        limit: Parameter with the seconds that one operation may take; empty where all are short.
    """

    name: str
    title: str
    short: str
    does: str
    one_user: str
    many_users: str
    counts: str
    unit: str
    changes_rows: bool
    marker: str
    colour: str
    workload: str = ""
    operation: str = ""
    engine: str = ""
    runs: str = ""
    probe: str = ""
    standard: bool = False
    databases: tuple[str, ...] = (STANDARD_DATABASE,)
    parameters: tuple[Parameter, ...] = ()
    most_users: tuple[str, int] = ("", 0)
    round: int = 0
    limit: str = ""
    cold: str = ""

    def __post_init__(self) -> None:
        """Refuse an inconsistent record; raise SpecError."""
        for field in msgspec.structs.fields(self):
            if field.required and getattr(self, field.name) == "":
                raise SpecError(f"kinds.{self.name}.{field.name}", "is empty", hint="Every kind needs one.")
        for field, known in (("marker", MARKERS), ("colour", COLOURS)):
            value = getattr(self, field)
            if value not in known:
                raise SpecError(f"kinds.{self.name}.{field}", f"{value!r} is none", hint=f"Take {' or '.join(known)}.")
        if "{n}" not in self.many_users:
            raise SpecError(f"kinds.{self.name}.many_users", "has no {n}", hint="Write it where the number stands.")
        self._check_users()
        if not self.databases or not set(self.databases) <= set(DATABASES):
            hint = f"Take {' or '.join(DATABASES)}."
            raise SpecError(f"kinds.{self.name}.databases", f"{self.databases!r} are not all known", hint=hint)
        taken = {"kind", "users", "database", "parameters", "probe", "mix", "alone"}
        if taken & {parameter.name for parameter in self.parameters}:
            problem = f"{', '.join(sorted(taken))} are keys of every load"
            raise SpecError(f"kinds.{self.name}.parameters", problem, hint="Take another name.")

    def _check_users(self) -> None:
        if not self.workload and not self.engine:
            raise SpecError(f"kinds.{self.name}.workload", "is empty", hint="Users of ours need tables of ours.")
        if bool(self.operation) == bool(self.engine) or (self.engine and self.probe):
            problem = "has operation and engine, or none of them, or an engine and a probe"
            hint = "Its users are the processes of an operation, one more of which may probe, or an engine."
            raise SpecError(f"kinds.{self.name}.engine", problem, hint=hint)

        if self.most_users[0] and self.most_users[0] not in {parameter.name for parameter in self.parameters}:
            problem = f"{self.most_users[0]!r} is no parameter of it"
            raise SpecError(f"kinds.{self.name}.most_users", problem, hint="Name one.")
        texts = {parameter.name for parameter in self.parameters if isinstance(parameter.default, str)}
        if self.runs and not (self.engine and self.runs in texts):
            hint = "The value is a text among the parameters of an engine."
            raise SpecError(f"kinds.{self.name}.runs", f"{self.runs!r} is none", hint=hint)
        switches = {parameter.name for parameter in self.parameters if isinstance(parameter.default, bool)}
        if self.cold and not (self.operation and self.cold in switches):
            hint = "The value is a boolean among the parameters of a kind with built-in users."
            raise SpecError(f"kinds.{self.name}.cold", f"{self.cold!r} is none", hint=hint)

    def parameter(self, name: str) -> Parameter:
        """Return the declaration of a parameter.

        Raises:
            SpecError: The kind has no parameter of that name.
        """
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(parameter.name for parameter in self.parameters)
        hint = f"It has {known}." if known else "Leave it out: it has none."
        raise SpecError(f"load.{name}", f"{self.name} has no such parameter", hint=hint)


def index_kinds(kinds: Iterable[LoadKind]) -> dict[str, LoadKind]:
    """Return name to kind.

    Raises:
        SpecError: Two kinds share a name, title, marker or colour.
    """
    found: dict[str, LoadKind] = {}
    for kind in kinds:
        for other in found.values():
            for field in ("name", "title", "short", "marker", "colour"):
                if getattr(kind, field) == getattr(other, field):
                    problem = f"{getattr(kind, field)!r} is that of {other.name} already"
                    raise SpecError(f"kinds.{kind.name}.{field}", problem, hint="Take one that is free.")
        found[kind.name] = kind
    return found
