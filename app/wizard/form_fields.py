"""The parts of the form: a load's fields, a protocol's windows. No Qt here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Self

from app.wizard import input_parsing
from app.wizard.key_texts import number_text, parameter_text
from app.wizard.plan_draft import PlanDraft
from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES, STANDARD_DATABASE, parse_database_name
from scheduler.model.load import LoadSpec
from scheduler.model.load_kind import LoadKind
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.parameters import Parameter, ParameterValue
from scheduler.model.protocols import WINDOWS as PROTOCOL_WINDOWS
from scheduler.model.protocols import SweepProtocol

WINDOWS = tuple(key.name for key in PROTOCOL_WINDOWS)


@dataclass
class LoadFields:
    """One load, as typed.

    Attributes:
        on: False leaves the load out of the sweep; what was typed stays.
        users: Number of closed-loop users.
        tuples: Rows per relation.
        parameters: The other parameters that its kind declares, by name.
        own_database: False for a database that DomTune brings.
        brought: Name of the one that it brings then; empty for whichever the kind runs on.
        database: URL of one's own; kept while `own_database` is off.
        password: For that URL; kept in memory only.
        probe: True for one extra reader, counted by itself.
        weight: How much the load counts; empty in a plan that says nothing about it.
    """

    on: bool = True
    users: str = "5"
    tuples: str = "10000"
    parameters: dict[str, str] = field(default_factory=dict)
    own_database: bool = False
    brought: str = STANDARD_DATABASE
    database: str = ""
    password: str = field(default="", repr=False)
    probe: bool = False
    weight: str = "1"

    @classmethod
    def each(cls, users: int = 5) -> dict[str, Self]:
        """Return every kind's fields, on where a plan that names no loads has the kind."""
        return {
            kind.name: cls(
                on=kind.standard,
                users=str(users),
                parameters={each.name: parameter_text(each.default) for each in other_parameters(kind)},
            )
            for kind in LOAD_KINDS.values()
        }

    @classmethod
    def of(cls, load: LoadSpec, weights: Mapping[str, float]) -> Self:
        """Return the fields of a load of a plan."""
        return cls(
            users=str(load.users),
            tuples=str(load.tuples),
            parameters={
                each.name: parameter_text(load.values[each.name]) for each in other_parameters(LOAD_KINDS[load.kind])
            },
            own_database=bool(load.url),
            brought=STANDARD_DATABASE if load.url else load.engine,
            database=load.url,
            probe=load.probe,
            weight=number_text(weights[load.kind]) if load.kind in weights else "",
        )

    @property
    def engine(self) -> str:
        """Name of the kind of database that is chosen; the standard one while a URL is none."""
        if not self.own_database:
            return self.brought
        try:
            return parse_database_name(self.database.strip())
        except SpecError:
            return STANDARD_DATABASE

    def put_into(self, draft: PlanDraft, index: int, kind: str) -> None:
        """Put the load into a draft of a plan; text of hidden fields is not read.

        Args:
            draft: The draft, whose `load` has a table for it.
            index: Its number among the loads.
            kind: Its kind.
        """
        field, path = f"loads.{kind}", ("load", index)
        draft.show_at(path, f"{field}.users")
        users = partial(input_parsing.parse_whole, self.users, "load.users")
        draft.put((*path, "users"), f"{field}.users", users)
        found = draft.put((*path, "database"), f"{field}.database", partial(self._read_database, kind))
        draft.values["load"][index]["probe"] = self.probe
        if any(each.name == "tuples" for each in LOAD_KINDS[kind].parameters):
            rows = partial(input_parsing.parse_whole, self.tuples, "load.tuples", "Try 10000.")
            draft.put((*path, "tuples"), f"{field}.tuples", rows)
        for each in other_parameters(LOAD_KINDS[kind]):
            text = self.parameters.get(each.name, parameter_text(each.default))
            if each.fits_database(self.engine_of(kind) if found else ""):
                draft.put((*path, each.name), f"{field}.{each.name}", partial(_read_parameter, each, text))

    def _read_database(self, kind: str) -> str:
        """Return the database as a plan has it; raises SpecError for what is no URL."""
        if self.own_database:
            return input_parsing.parse_database_url(self.database)
        return "" if self.brought in ("", LoadSpec(kind).engine) else DATABASES[self.brought].brought

    def engine_of(self, kind: str) -> str:
        """Return the name of the database that a load of that kind runs on."""
        return self.engine or LoadSpec(kind).engine


def window_texts(protocol: SweepProtocol) -> dict[str, str]:
    """Return the windows of a protocol as a person types them, by their keys."""
    return {name: str(getattr(protocol, name)) for name in WINDOWS}


def _read_parameter(declared: Parameter, text: str) -> ParameterValue | None:
    """Return what a plan says of a parameter; None for its default."""
    value = input_parsing.parse_parameter(declared, text)
    return None if value == declared.default else value


def other_parameters(kind: LoadKind) -> tuple[Parameter, ...]:
    """Return the parameters that a kind declares, but for the rows, which have a field of their own."""
    return tuple(each for each in kind.parameters if each.name != "tuples")
