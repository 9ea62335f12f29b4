"""Record of a kind of load, and its checks."""

import re
from collections.abc import Iterable

import msgspec

from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES, STANDARD_DATABASE
from scheduler.model.load_looks import LoadColour, LoadMarker
from scheduler.model.parameters import Parameter

_FARTHEST = 1.2
"""Largest distance of a marker's corner from each axis, in half widths: the next mark must stay visible. Chosen."""


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
        marker: Shape of its marks in plots and tables; unique.
        colour: Colours of its marks, lines and texts; unique.
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
    marker: LoadMarker
    colour: LoadColour
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
        self._check_look()
        if "{n}" not in self.many_users:
            raise SpecError(
                f"kinds.{self.name}.many_users", "has no {n}", hint="Write {n} where the number of users belongs."
            )
        self._check_users()
        if not self.databases or not set(self.databases) <= set(DATABASES):
            hint = f"Take {' or '.join(DATABASES)}."
            raise SpecError(f"kinds.{self.name}.databases", f"{self.databases!r} are not all known", hint=hint)
        taken = {"kind", "users", "database", "parameters", "probe", "mix", "alone"}
        if taken & {parameter.name for parameter in self.parameters}:
            problem = f"{', '.join(sorted(taken))} are keys of every load"
            raise SpecError(f"kinds.{self.name}.parameters", problem, hint="Take another name.")

    def _check_look(self) -> None:
        marker, colour = self.marker, self.colour
        for field, name in (("marker", marker.name), ("colour", colour.name)):
            if not re.fullmatch("[a-z]+", name):
                hint = "Use lower-case letters: it is a name in style sheets."
                raise SpecError(f"kinds.{self.name}.{field}.name", f"{name!r} is no name", hint=hint)
        far = max((abs(value) for corner in marker.corners for value in corner), default=_FARTHEST)
        if len(marker.corners) in (1, 2) or far > _FARTHEST:
            problem = f"has {len(marker.corners)} corners, the farthest at {far:g}"
            hint = f"Take at least three, within {_FARTHEST:g} of each axis; none for a circle."
            raise SpecError(f"kinds.{self.name}.marker.corners", problem, hint=hint)
        for field in ("light", "light_text", "dark", "dark_text"):
            if not re.fullmatch("#[0-9A-F]{6}", shade := getattr(colour, field)):
                hint = "Write #RRGGBB in capital letters, for example #0072B2."
                raise SpecError(f"kinds.{self.name}.colour.{field}", f"{shade!r} is no colour", hint=hint)

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
            others = _unique_values(other)
            for field, value in _unique_values(kind).items():
                if value == others[field]:
                    problem = f"{value!r} is that of {other.name} already"
                    raise SpecError(f"kinds.{kind.name}.{field}", problem, hint="Take one that is free.")
        found[kind.name] = kind
    return found


def _unique_values(kind: LoadKind) -> dict[str, object]:
    marker, colour = kind.marker, kind.colour
    return {
        **{"name": kind.name, "title": kind.title, "short": kind.short},
        **{"marker": marker.name, "marker.corners": marker.corners},
        **{"colour": colour.name, "colour.light": colour.light, "colour.dark": colour.dark},
    }
