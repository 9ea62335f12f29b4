"""Record of a kind of load, and its checks."""

import re
from collections.abc import Iterable

import msgspec

from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES, STANDARD_DATABASE
from scheduler.model.load_looks import LoadColour, LoadMarker
from scheduler.model.parameters import Parameter
from scheduler.translation import _

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
                raise SpecError(f"kinds.{self.name}.{field.name}", _("is empty"), hint=_("Every kind needs one."))
        self._check_look()
        if "{n}" not in self.many_users:
            raise SpecError(
                f"kinds.{self.name}.many_users", _("has no {n}"), hint=_("Write {n} where the number of users belongs.")
            )
        self._check_users()
        if not self.databases or not set(self.databases) <= set(DATABASES):
            hint = _("Take {databases}.").format(databases=" or ".join(DATABASES))
            raise SpecError(
                f"kinds.{self.name}.databases",
                _("{databases!r} are not all known").format(databases=self.databases),
                hint=hint,
            )
        taken = {"kind", "users", "database", "parameters", "probe", "mix", "alone"}
        if taken & {parameter.name for parameter in self.parameters}:
            problem = _("{taken} are keys of every load").format(taken=", ".join(sorted(taken)))
            raise SpecError(f"kinds.{self.name}.parameters", problem, hint=_("Take another name."))

    def _check_look(self) -> None:
        marker, colour = self.marker, self.colour
        for field, name in (("marker", marker.name), ("colour", colour.name)):
            if not re.fullmatch("[a-z]+", name):
                hint = _("Use lower-case letters: it is a name in style sheets.")
                raise SpecError(
                    f"kinds.{self.name}.{field}.name", _("{name!r} is no name").format(name=name), hint=hint
                )
        far = max((abs(value) for corner in marker.corners for value in corner), default=_FARTHEST)
        if len(marker.corners) in (1, 2) or far > _FARTHEST:
            problem = _("has {count} corners, the farthest at {far:g}").format(count=len(marker.corners), far=far)
            hint = _("Take at least three, within {farthest:g} of each axis; none for a circle.").format(
                farthest=_FARTHEST
            )
            raise SpecError(f"kinds.{self.name}.marker.corners", problem, hint=hint)
        for field in ("light", "light_text", "dark", "dark_text"):
            if not re.fullmatch("#[0-9A-F]{6}", shade := getattr(colour, field)):
                hint = _("Write #RRGGBB in capital letters, for example #0072B2.")
                raise SpecError(
                    f"kinds.{self.name}.colour.{field}", _("{shade!r} is no colour").format(shade=shade), hint=hint
                )

    def _check_users(self) -> None:
        if not self.workload and not self.engine:
            raise SpecError(f"kinds.{self.name}.workload", _("is empty"), hint=_("Users of ours need tables of ours."))
        if bool(self.operation) == bool(self.engine) or (self.engine and self.probe):
            problem = _("has operation and engine, or none of them, or an engine and a probe")
            hint = _("Its users are the processes of an operation, one more of which may probe, or an engine.")
            raise SpecError(f"kinds.{self.name}.engine", problem, hint=hint)

        if self.most_users[0] and self.most_users[0] not in {parameter.name for parameter in self.parameters}:
            problem = _("{most_users!r} is no parameter of it").format(most_users=self.most_users[0])
            raise SpecError(f"kinds.{self.name}.most_users", problem, hint=_("Name one."))
        texts = {parameter.name for parameter in self.parameters if isinstance(parameter.default, str)}
        if self.runs and not (self.engine and self.runs in texts):
            hint = _("The value is a text among the parameters of an engine.")
            raise SpecError(f"kinds.{self.name}.runs", _("{runs!r} is none").format(runs=self.runs), hint=hint)
        switches = {parameter.name for parameter in self.parameters if isinstance(parameter.default, bool)}
        if self.cold and not (self.operation and self.cold in switches):
            hint = _("The value is a boolean among the parameters of a kind with built-in users.")
            raise SpecError(f"kinds.{self.name}.cold", _("{cold!r} is none").format(cold=self.cold), hint=hint)

    def parameter(self, name: str) -> Parameter:
        """Return the declaration of a parameter.

        Raises:
            SpecError: The kind has no parameter of that name.
        """
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(parameter.name for parameter in self.parameters)
        hint = _("It has {known}.").format(known=known) if known else _("Leave it out: it has none.")
        raise SpecError(f"load.{name}", _("{value} has no such parameter").format(value=self.name), hint=hint)


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
                    problem = _("{value!r} is that of {other} already").format(value=value, other=other.name)
                    raise SpecError(f"kinds.{kind.name}.{field}", problem, hint=_("Take one that is free."))
        found[kind.name] = kind
    return found


def _unique_values(kind: LoadKind) -> dict[str, object]:
    marker, colour = kind.marker, kind.colour
    return {
        **{"name": kind.name, "title": kind.title, "short": kind.short},
        **{"marker": marker.name, "marker.corners": marker.corners},
        **{"colour": colour.name, "colour.light": colour.light, "colour.dark": colour.dark},
    }
