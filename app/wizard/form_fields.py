"""The parts of the form: a load's fields, the objective, a protocol's windows. No Qt here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Self

import msgspec

from app.wizard import input_parsing
from app.wizard.input_parsing import FormReader
from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES, STANDARD_DATABASE, parse_database_name
from scheduler.model.decision import SweepPurpose
from scheduler.model.load import LoadSpec
from scheduler.model.load_kind import LoadKind
from scheduler.model.load_kinds import LOAD_KINDS, list_standard_kinds
from scheduler.model.objective import INDIFFERENCE_FRAC, LIMITED, WEIGHTED, Objective, check_objective
from scheduler.model.parameters import Parameter, ParameterValue
from scheduler.model.protocols import SweepProtocol
from scheduler.model.spec import RunSpec

WINDOWS = ("repeats", "measure_s", "settle_s", "load_settle_s", "limit_min", "restart_settle_s")


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

    def read(self, kind: str, reader: FormReader) -> LoadSpec:
        """Return the load; what is wrong goes to `reader` under `loads.KIND.FIELD`."""
        name = f"loads.{kind}"
        users = reader.take(f"{name}.users", lambda: input_parsing.parse_whole_key("load.users", self.users), 1)
        rows = partial(input_parsing.parse_whole_key, "load.tuples", self.tuples, "Try 10000.")
        tuples = reader.take(f"{name}.tuples", rows, 10_000)
        url = reader.take(f"{name}.database", lambda: self._read_database(kind), "")
        engine = LoadSpec(kind, database=url).engine
        given = self._read_parameters(kind, engine, reader)
        make = partial(LoadSpec, kind, users, url, tuples, self.probe, given)
        return reader.take(f"{name}.users", make, LoadSpec(kind, database=url))  # too many for what was given

    def _read_database(self, kind: str) -> str:
        """Return the database as a plan has it; raises SpecError where the kind does not run on it."""
        url = "" if self.brought in ("", LoadSpec(kind).engine) else DATABASES[self.brought].brought
        if self.own_database:
            url = input_parsing.parse_database_url(self.database)
        return LoadSpec(kind, database=url).database

    def _read_parameters(self, kind: str, database: str, reader: FormReader) -> dict[str, ParameterValue]:
        """Return those that this database has and that are not at their defaults."""
        found: dict[str, ParameterValue] = {}
        for each in other_parameters(LOAD_KINDS[kind]):
            if not each.fits_database(database):
                continue
            text = self.parameters.get(each.name, parameter_text(each.default))
            value = reader.take(
                f"loads.{kind}.{each.name}",
                lambda each=each, text=text: input_parsing.parse_parameter(each, text),
                each.default,
            )
            if value != each.default:
                found[each.name] = value
        return found


@dataclass
class ObjectiveFields:
    """What "best" means, as typed; load and limit are kept while another objective than `limited` is chosen.

    Attributes:
        name: Name of the objective.
        load: Kind of the load to favour.
        limit_pct: What each other load may lose, percent.
        indifference_pct: Differences up to this count as none, percent.
        purpose: Value of the `SweepPurpose` of the sweep.
        worth_pct: Smallest gain that is worth a change, percent; empty for `indifference_pct`.
        baseline: False where the plan leaves out the original settings; nothing on the screen changes it.
        history: False where the plan leaves out earlier runs; nothing on the screen changes it.
    """

    name: str = WEIGHTED
    load: str = list_standard_kinds()[0]
    limit_pct: str = "5"
    indifference_pct: str = f"{100 * INDIFFERENCE_FRAC:.10g}"
    purpose: str = SweepPurpose.IMPROVE.value
    worth_pct: str = ""
    baseline: bool = True
    history: bool = True

    @classmethod
    def of(cls, spec: RunSpec) -> Self:
        """Return the fields of a plan's objective."""
        objective = spec.objective
        made = cls(objective.name, purpose=objective.purpose.value, baseline=spec.baseline, history=spec.history)
        made.indifference_pct = f"{100 * objective.indifference_frac:.10g}"
        made.worth_pct = "" if objective.worth_frac is None else f"{100 * objective.worth_frac:.10g}"
        if objective.name == LIMITED:
            made.load, made.limit_pct = objective.load, f"{100 * objective.limit_frac:.10g}"
        return made

    def read(self, reader: FormReader) -> Objective:
        """Return the objective; what is wrong goes to `reader`."""
        zone = reader.take(
            "indifference_pct", lambda: input_parsing.parse_indifference_frac(self.indifference_pct), INDIFFERENCE_FRAC
        )
        worth_frac = reader.take("worth_pct", lambda: input_parsing.parse_worth_frac(self.worth_pct), None)
        purpose = SweepPurpose(self.purpose)
        if self.name != LIMITED:
            return Objective(self.name, indifference_frac=zone, purpose=purpose, worth_frac=worth_frac)
        limit_frac = reader.take("limit_pct", lambda: input_parsing.parse_limit_frac(self.limit_pct), 0.05)
        return Objective(LIMITED, self.load, limit_frac, zone, purpose, worth_frac)

    def read_for(self, kinds: set[str], protocol: SweepProtocol, reader: FormReader) -> Objective:
        """Return the objective of these loads under a protocol; likewise."""
        objective = self.read(reader)
        if kinds:  # else that there is none is what is wrong
            check = partial(check_objective, objective, {}, kinds)
            reader.take("objective", partial(check, certifies=False, refines=False), None)
            if "objective" not in reader.messages:
                limits = {"certifies": protocol.needs_certificates, "refines": protocol.refine}
                reader.take("protocol", partial(check, **limits), None)
        return objective


@dataclass
class WindowFields:
    """The windows of one protocol, as typed."""

    repeats: str
    measure_s: str
    settle_s: str
    load_settle_s: str
    limit_min: str
    restart_settle_s: str

    @classmethod
    def of(cls, protocol: SweepProtocol) -> Self:
        """Return the fields of a protocol."""
        return cls(*(str(getattr(protocol, name)) for name in WINDOWS))

    def read(self, standard: SweepProtocol, reader: FormReader) -> SweepProtocol:
        """Return `standard` with these windows; what is wrong goes to `reader`."""
        protocol = standard
        for name in WINDOWS:
            protocol = reader.take(name, lambda name=name, so_far=protocol: self._replace(so_far, name), protocol)
        return protocol

    def _replace(self, protocol: SweepProtocol, name: str) -> SweepProtocol:
        return msgspec.structs.replace(protocol, **{name: input_parsing.parse_whole(getattr(self, name), name)})


def other_parameters(kind: LoadKind) -> tuple[Parameter, ...]:
    """Return the parameters that a kind declares, but for the rows, which have a field of their own."""
    return tuple(each for each in kind.parameters if each.name != "tuples")


def parameter_text(value: ParameterValue) -> str:
    """Return a parameter's value as a person types it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else number_text(value)


def number_text(value: float) -> str:
    """Return a number so that reading it gives the same one, without a needless `.0`."""
    return str(int(value)) if value == int(value) else repr(value)
