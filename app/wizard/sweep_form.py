"""The wizard's form: what was typed, as it was typed, and the sweep that it means. No Qt here.

Bad input stays as it is: `to_spec` returns either the sweep or, by field, what is wrong. Fields are named `host`,
`io_domain`, `guest_domain`, `mode`, `splits`, `splits[2]`, `period_ms`, `loads`, `loads.KIND.users` (and `tuples`,
`database`, `weight`), `weights`, `objective`, `limit_pct`, `worth_pct`, `indifference_pct`, `repeats`, `measure_s`,
`settle_s`, `load_settle_s`, `limit_min`, `seed`, `clients` (`clients.workers` ...), `study`, `demand_users`, `base`,
`vcpus`, `threes`, `neighbour_users`, `neighbour_database`, `guest_2_domain`, `mixes`, `mixes[0].name` (and `loads`,
`weights.KIND`). What a study does not ask for is not read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Self

import msgspec

from app.wizard import input_parsing
from app.wizard.client_fields import ClientFields
from app.wizard.form_fields import LoadFields, ObjectiveFields, WindowFields
from app.wizard.input_parsing import FormReader, describe_error
from app.wizard.mix_fields import NO_MIX_ELSEWHERE, MixFields
from app.wizard.page_names import PAGE_OF, page_of
from app.wizard.split_rows import SplitRow, split_rows
from app.wizard.study_inputs import StudyInputs
from app.wizard.varied_fields import VariedFields, refuse_host
from scheduler.errors import SpecError
from scheduler.model.checks import check_unique
from scheduler.model.clients import ClientsSpec
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.objective import WEIGHTED, Objective
from scheduler.model.plan_file import parse_plan
from scheduler.model.plan_settings import build_settings
from scheduler.model.protocols import PROTOCOLS, SweepProtocol
from scheduler.model.setting import Setting
from scheduler.model.spec import PAPER_SPLITS, Mode, RunSpec
from scheduler.model.split import Split
from scheduler.model.studies import (
    CAPACITY,
    ISOLATION,
    OVERHEAD,
    SCALE_UP,
    SPLIT,
    STUDIES,
    CapacityStudy,
    IsolationStudy,
    OverheadStudy,
    ScaleUpStudy,
    Study,
    build_study,
)
from scheduler.model.study_kind import StudyKind
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.share_model import HostMachine, ShareModel

_USUAL = PROTOCOLS["adaptive"]


def takes_period(model: ShareModel | None, mode: Mode) -> bool:
    """Return whether a period has to be asked for; while the scheduler is unknown it may have one."""
    return mode is Mode.CAPS and (model is None or model.takes_period)


_NO_SUCH_MODE = "This scheduler has no weights: choose caps, or another host."

_GUESTS_HERE = "The users of two guests run on this computer only: choose it."

_STANDARD = parse_plan('host = "local:"')  # what a plan means that says nothing but its host


@dataclass
class SweepForm:
    """A sweep, as typed.

    Attributes:
        host: URL of the host.
        io_domain: Name of the I/O domain; empty where the host has an obvious one.
        guest_domain: Likewise for the guest.
        mode: `weights` or `caps`.
        splits: Splits `a:b` in the order in which they were given; a study of another factor may have none.
        period_ms: Period of the quotas.
        loads: Load kind to its fields; those that are off keep theirs.
        protocol: Name of the protocol chosen.
        windows: Protocol to its windows; those not chosen keep theirs.
        refine: True to go on between the measured splits, where the protocol decides as it goes.
        seed: Seed of the order of the trials.
        objective: What "best" means.
        clients: Which computers make the load.
        name: What the user calls the sweep.
        scheduler: Name of the host's share model; empty until the host was tested.
        machine: What translating needs of the host beside that name.
        facts: What the host answered; None until it was tested.
        study: Name of the study, one of `STUDIES`; `ask` changes it.
        demand_users: How many users it has to carry; may be empty.
        base: URL of the database that is compared with; may be empty. Likewise.
        varied: What studies vary other than splits of two.
        mixes: Which loads run together.
        aside: Study to what was typed for it, of those that are not asked now.
    """

    host: str = _STANDARD.host_url
    io_domain: str = ""
    guest_domain: str = ""
    mode: str = _STANDARD.mode.value
    splits: list[str] = field(default_factory=lambda: list(PAPER_SPLITS))
    period_ms: str = f"{_STANDARD.period_us / 1000:.6g}"
    loads: dict[str, LoadFields] = field(default_factory=LoadFields.each)
    protocol: str = _STANDARD.protocol.name
    windows: dict[str, WindowFields] = field(
        default_factory=lambda: {name: WindowFields.of(protocol) for name, protocol in PROTOCOLS.items()}
    )
    refine: bool = _STANDARD.protocol.refine
    seed: str = str(_STANDARD.seed)
    objective: ObjectiveFields = field(default_factory=ObjectiveFields)
    clients: ClientFields = field(default_factory=ClientFields)
    mixes: MixFields = field(default_factory=MixFields)
    name: str = ""
    scheduler: str = ""
    machine: HostMachine = field(default_factory=HostMachine)
    facts: HostProperties | None = None
    study: str = SPLIT
    demand_users: str = ""
    base: str = ""
    varied: VariedFields = field(default_factory=VariedFields)
    aside: dict[str, StudyInputs] = field(default_factory=dict)

    def ask(self, study: str) -> None:
        """Ask another question; what was typed for this one is kept for when it is asked again."""
        if study == self.study:
            return
        before = StudyInputs.of(self.study, self.splits, self.protocol, self.loads)
        if before != StudyInputs.fresh(self.study):
            self.aside[self.study] = before
        self.study = study
        asked = self.aside.pop(study, StudyInputs.fresh(study))
        self.splits, self.protocol = [*asked.splits], asked.protocol
        asked.put_into(self.loads, study)

    @property
    def kind(self) -> StudyKind:
        """The study's record."""
        return STUDIES[self.study]

    @property
    def weighs_splits(self) -> bool:
        """True where splits compete, so that there is an objective, and weights, and something between them."""
        return self.kind.recommends_split

    @classmethod
    def from_spec(cls, spec: RunSpec) -> Self:
        """Return the form that `to_spec` turns into the same sweep."""
        form = cls(
            host=spec.host_url,
            io_domain=spec.io_domain,
            guest_domain=spec.guest_domain,
            mode=spec.mode.value,
            splits=[split.label for split in spec.splits if spec.kind.has_two_way_splits],
            period_ms=f"{spec.period_us / 1000:.7g}",
            protocol=spec.protocol.name,
            refine=spec.protocol.refine,
            seed=str(spec.seed),
            objective=ObjectiveFields.of(spec),
            clients=ClientFields.of(spec.clients),
            name=spec.name,
            study=spec.kind.name,
            demand_users=str(msgspec.structs.asdict(spec.study).get("demand_users") or ""),
            base=spec.study.reference_url,
            varied=VariedFields.of(spec),
            loads=LoadFields.each(spec.kind.users),
        )
        form.windows[spec.protocol.name] = WindowFields.of(spec.protocol)
        given = {load.kind: LoadFields.of(load, spec.weights) for load in spec.loads}
        form.mixes = MixFields.of(spec)
        form.loads = given | {kind: replace(load, on=False) for kind, load in form.loads.items() if kind not in given}
        return form

    def to_spec(self) -> RunSpec | dict[str, str]:
        """Return the sweep, or by field what is wrong with what was typed."""
        reader = FormReader()
        host_url = reader.take("host", lambda: input_parsing.parse_host_url(self.host), "")
        io_domain, guest_domain = self._domains(reader)
        mode, period_us, splits = self._read_splits(reader)
        loads, weights = self._loads(reader)
        settings = self._settings(reader, splits, loads, period_us)
        protocol = self.read_protocol(self.protocol, reader)
        objective = self._read_objective(reader, loads, protocol)
        seed = reader.take("seed", lambda: input_parsing.parse_whole_key("seed", self.seed), 1)
        clients = self.clients.read(reader, host_url, loads)
        if clients.remote and any(load.mix for load in loads):
            reader.messages["clients"] = NO_MIX_ELSEWHERE
        study = self._read_study(reader, loads, clients)
        if reader.messages:
            return reader.messages
        return RunSpec(
            host_url=host_url,
            settings=settings,
            loads=loads,
            name=self.name.strip(),
            mode=mode,
            protocol=protocol,
            objective=objective,
            weights=weights,
            period_us=period_us,
            io_domain=io_domain,
            guest_domain=guest_domain,
            seed=seed,
            clients=clients,
            study=study,
            baseline=self.objective.baseline,
            history=self.objective.history,
            server=self.varied.started_with(study, host_url, loads),
        )

    def read_protocol(self, name: str, reader: FormReader) -> SweepProtocol:
        """Return a protocol with the windows that were typed for it.

        Args:
            name: Name of the protocol.
            reader: Takes what is wrong with the windows.
        """
        standard = PROTOCOLS.get(name, _USUAL)
        read = self.windows[name].read(standard, reader)
        refines = self.refine and self.weighs_splits and self.objective.name == WEIGHTED
        return msgspec.structs.replace(read, name=name, refine=refines and standard.adapts)

    def messages(self, page: str = "review") -> dict[str, str]:
        """Return by field what is wrong on one page, on `review` everything; empty when all is well."""
        spec = self.to_spec()
        wrong = {} if isinstance(spec, RunSpec) else spec
        return {name: text for name, text in wrong.items() if page in ("review", page_of(name))}

    def corrected(self, messages: Mapping[str, str]) -> "SweepForm":
        """Return the form with the defaults of every page on which something is wrong.

        Args:
            messages: What is wrong, by field.
        """
        wrong = {page_of(name) for name in messages if name != "study"}
        standard = SweepForm()
        standard.ask(self.study)
        names = {part.name for part in fields(self) if PAGE_OF.get(part.name) in wrong}
        if "indifference_pct" in messages:  # stands on another page than the objective that it is part of
            names.add("objective")
        names |= {"facts"} if {"study", "neighbour_database"} & messages.keys() else set()  # of a host that could
        given = {name: getattr(standard, name) for name in names}
        return replace(self, **given, varied=self.varied.corrected(messages.keys()))

    def secrets(self) -> dict[str, str]:
        """Return database URL to password, for the loads that are on."""
        if self.simulated:
            return {}
        loads = [load for load in self.loads.values() if load.on and load.own_database and load.password]
        return {load.database.strip(): load.password for load in loads}

    def _domains(self, reader: FormReader) -> tuple[str, str]:
        io, guest = self.io_domain.strip(), self.guest_domain.strip()
        if io and io == guest:
            error = SpecError("guest_domain", f"{guest!r} is the I/O domain already", hint="Name the other domain.")
            reader.messages["guest_domain"] = describe_error(error)
        return io, guest

    @property
    def brings_domains(self) -> bool:
        """True where the host brings its one pair of domains and nobody named another: there is nothing to choose."""
        one_pair = self.simulated or self.host.strip() == "local:"
        return one_pair and not (self.io_domain.strip() or self.guest_domain.strip())

    @property
    def takes_period(self) -> bool:
        """True where a period has to be asked for."""
        return self._asks_period(*self._read_dialect(FormReader())[:2])

    def _asks_period(self, model: ShareModel | None, mode: Mode) -> bool:
        if self.kind.has_two_way_splits:
            return takes_period(model, mode)
        takes = model is None or model.takes_period
        return self.kind.has_two_guests and takes and "caps" in self.varied.compared

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes that the host's scheduler has; all while the host is unknown."""
        model = self._read_dialect(FormReader())[0]
        return tuple(Mode) if model is None else model.modes

    @property
    def simulated(self) -> bool:
        """True where the host is simulated: it has no PostgreSQL that could be exchanged for another."""
        return self.host.strip().startswith("sim:")

    def split_rows(self) -> list[SplitRow]:
        """Return what each split means and becomes."""
        return split_rows(self.splits, *self._read_dialect(FormReader()))

    def _read_splits(self, reader: FormReader) -> tuple[Mode, int, tuple[Split, ...]]:
        model, mode, period_us = self._read_dialect(reader)
        if not self.kind.has_two_way_splits:
            return mode, period_us, ()
        if model and mode not in model.modes:
            reader.messages["mode"] = _NO_SUCH_MODE
            model = None  # what the splits would become has nothing to do with what is wrong
        rows = split_rows(self.splits, model, mode, period_us)
        reader.messages.update({f"splits[{i}]": row.message for i, row in enumerate(rows) if row.message})
        splits = tuple(row.setting.split for row in rows if row.setting)
        if len(splits) == len(rows) and (rows or self.weighs_splits):  # else there may be none
            reader.take("splits", lambda: check_unique("splits", [split.label for split in splits]), None)
        return mode, period_us, splits

    def _settings(
        self, reader: FormReader, splits: tuple[Split, ...], loads: tuple[LoadSpec, ...], period_us: int
    ) -> tuple[Setting, ...]:
        """Return what is measured; what is wrong with the users stands at the first load's."""
        facts = refuse_host(self.kind, self.facts, reader)
        if self.kind.varies_vcpus:
            return reader.take("vcpus", lambda: self.varied.sizes(self.kind, facts), ())
        if not self.kind.has_two_way_splits:
            scheduler = facts.scheduler if facts else ""
            return reader.take("threes", lambda: self.varied.shared(self.kind, scheduler, self.machine, period_us), ())
        labels = [split.label for split in splits]
        name = f"loads.{loads[0].kind}.users" if loads else "loads"
        return reader.take(name, lambda: build_settings(self.kind, labels, loads), ()) if loads else ()

    def _read_study(self, reader: FormReader, loads: tuple[LoadSpec, ...], clients: ClientsSpec) -> Study:
        """Return the study with the fields that only it has; those of other studies are not read."""
        readers: Mapping[str, Callable[[], Study]] = {
            CAPACITY: lambda: self._read_capacity(reader),
            OVERHEAD: lambda: self._read_overhead(reader),
            SCALE_UP: lambda: ScaleUpStudy(self.varied.base),
            ISOLATION: lambda: self._read_isolation(reader, loads, clients),
        }
        return readers[self.study]() if self.study in readers else build_study(self.study, {})

    def _read_capacity(self, reader: FormReader) -> CapacityStudy:
        if not self.demand_users.strip():
            return CapacityStudy()
        demand = partial(input_parsing.parse_whole_key, "demand_users", self.demand_users, "Or leave it empty.")
        return CapacityStudy(reader.take("demand_users", demand, 0))

    def _read_overhead(self, reader: FormReader) -> OverheadStudy:
        if not self.base.strip():
            return OverheadStudy()
        return OverheadStudy(reader.take("base", lambda: input_parsing.parse_database_url(self.base), ""))

    def _read_isolation(self, reader: FormReader, loads: tuple[LoadSpec, ...], clients: ClientsSpec) -> IsolationStudy:
        if clients.remote:
            reader.messages["clients"] = _GUESTS_HERE
        others = (self.io_domain.strip(), self.guest_domain.strip())
        return self.varied.read_second(reader, self.facts, others, loads)

    def _read_objective(self, reader: FormReader, loads: tuple[LoadSpec, ...], protocol: SweepProtocol) -> Objective:
        reader.take("protocol", lambda: self.kind.refuse_protocol(protocol.name), None)
        if not self.weighs_splits:
            return Objective()
        return self.objective.read_for({load.name for load in loads}, protocol, reader)

    def _read_dialect(self, reader: FormReader) -> tuple[ShareModel | None, Mode, int]:
        model = reader.take(
            "host", lambda: find_share_model(self.scheduler, self.machine) if self.scheduler else None, None
        )
        mode = Mode.CAPS if self.kind.has_two_guests else Mode(self.mode)  # chosen, never typed
        # Where the period is not asked for, what stands in the hidden field must not get in the way.
        asked = reader if self._asks_period(model, mode) else FormReader()
        period_us = asked.take("period_ms", lambda: input_parsing.parse_period_us(self.period_ms), _STANDARD.period_us)
        return model, mode, period_us

    def _loads(self, reader: FormReader) -> tuple[tuple[LoadSpec, ...], dict[str, float]]:
        on = {kind: fields for kind, fields in self.loads.items() if fields.on}
        if self.simulated:  # what stands in the hidden fields must not get in the way
            on = {kind: replace(fields, own_database=False, brought="") for kind, fields in on.items()}
        reader.take("loads", lambda: check_unique("load", list(on)), None)
        loads = tuple(fields.read(kind, reader) for kind, fields in on.items())
        loads = self.mixes.read(loads, reader, simulated=self.simulated) if self.weighs_splits else loads
        if self.kind.has_two_guests:
            loads = reader.take("loads", lambda: self.varied.in_guests(loads), loads)
        if self.objective.name != WEIGHTED or not self.weighs_splits:  # hidden fields must not get in the way
            return loads, {}
        return loads, self.mixes.read_weights(on, loads, reader)
