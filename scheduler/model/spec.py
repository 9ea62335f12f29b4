"""Specification of a run: the value behind wizard, plan file and command line."""

from collections.abc import Mapping
from typing import Literal, TypeVar

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import check_range, check_unique
from scheduler.model.clients import ClientsSpec, refuse_local_loads
from scheduler.model.databases import DATABASES, STANDARD_DATABASE
from scheduler.model.host_properties import HostProperties
from scheduler.model.lesson_entry import LessonEntry
from scheduler.model.load import LoadSpec, standard_users
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.load_name import LoadName, group_by_mix
from scheduler.model.mixes import refuse_mixes, refuse_unfit_mix
from scheduler.model.objective import Objective, check_objective
from scheduler.model.placement import preset_dedicated_splits
from scheduler.model.problems import Problems
from scheduler.model.protocols import PROTOCOLS, STANDARD_PROTOCOL, SweepProtocol
from scheduler.model.server_settings import refuse_server_settings
from scheduler.model.setting import has_direct_route, mode_of, parse_split_setting, split_of
from scheduler.model.shared_set import CpusSpec, SharedSet, choose_shared_set, place_domains
from scheduler.model.split import DomainId, Mode, Split
from scheduler.model.studies import Setting, Study
from scheduler.model.study_kind import StudyKind
from scheduler.model.study_spec import PlanContext, StudySpec
from scheduler.model.urls import redact_url, refuse_distant_socket
from scheduler.studies.split.declaration import SplitStudy
from scheduler.translation import _

PAPER_SPLITS = SplitStudy.kind.splits
"""The nine splits of Calheiros et al., in the paper's order."""

OneStudy = TypeVar("OneStudy", bound=StudySpec)
PERIOD_US_RANGE = (1_000, 1_000_000)  # kernel documentation, sched-bwc: period of a quota
SEED_RANGE = (0, 2**32 - 1)
HostKey = Literal["users", "splits"]
"""Key of a plan that the host decides where the plan does not have it."""


class RunSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Complete specification of one run, for the engine.

    Attributes:
        name: The user's name of the run.
        host_url: URL of the host.
        mode: Caps or weights.
        settings: Values of the swept factor, each once; those of an adaptive capacity study are the first ones.
        loads: The loads, each once; loads that run together name the same mix.
        protocol: Windows and repeats.
        objective: Meaning of "best".
        weights: Load to its weight in the objective `weighted`, >= 0, not all 0; empty for equal weights.
        period_us: Period of the quotas, where the scheduler has one.
        io_domain: The host's name of the I/O domain; empty where the host has an obvious one.
        guest_domain: The host's name of the guest; empty where the host has an obvious one.
        seed: Seed of the order of the trials and of the users' keys.
        clients: Computers that make the load.
        study: The question, with the fields that only its plans have. Where it varies the users, a load's users are the
            largest number.
        server: Setting to its value, of the built-in database server; missing settings have the server's defaults.
        baseline: True when the original settings are measured in every block; without them no change is advised.
        history: True when a race begins with the last run of the same host, mode, loads and database.
        cpus: CPUs that the domains share.
        lesson: The lesson that the sweep belongs to, with the student and the prediction.
        by_host: Keys that the plan does not have and the number of shared CPUs decides: `users`, `splits`.
    """

    host_url: str
    settings: tuple[Setting, ...]
    loads: tuple[LoadSpec, ...]
    name: str = ""
    mode: Mode = Mode.CAPS
    protocol: SweepProtocol = PROTOCOLS[STANDARD_PROTOCOL]
    objective: Objective = msgspec.field(default_factory=Objective)
    weights: Mapping[str, float] = {}
    period_us: int = 20_000
    io_domain: str = ""
    guest_domain: str = ""
    seed: int = 1
    clients: ClientsSpec = ClientsSpec()
    study: Study = SplitStudy()
    server: Mapping[str, str] = {}
    baseline: bool = True
    history: bool = True
    cpus: CpusSpec = CpusSpec()
    lesson: LessonEntry = LessonEntry()
    by_host: tuple[HostKey, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a run that cannot be carried out; raise SpecError."""
        problems = Problems()
        for check in (
            self._refuse_study,
            self._refuse_repeated,
            self._refuse_mix,
            self._refuse_places,
            self._refuse_rest,
        ):
            problems.take(check, None)
        problems.raise_found()

    def _refuse_repeated(self) -> None:
        check_unique("splits", [setting.label for setting in self.settings])
        check_unique("load", [load.name for load in self.loads])

    def _refuse_places(self) -> None:
        if self.io_domain and self.io_domain == self.guest_domain:
            problem = _("{guest_domain!r} is the I/O domain already").format(guest_domain=self.guest_domain)
            raise SpecError("domains.guest", problem, hint=_("Name the other domain."))
        refuse_server_settings(self.server, self.host_url, self.loads)
        for load in self.loads:
            refuse_distant_socket(load.url, "load.database", self.host_url)
        refuse_local_loads(self.clients, self.host_url, {load.kind for load in self.loads})

    def _refuse_rest(self) -> None:
        check_range("period_us", self.period_us, PERIOD_US_RANGE)
        check_range("seed", self.seed, SEED_RANGE)
        names: set[str] = {load.name for load in self.loads}
        protocol = self.protocol
        check_objective(self.objective, self.weights, names, certifies=self.needs_certificates, refines=protocol.refine)

    def _refuse_study(self) -> None:
        domains = (self.io_domain, self.guest_domain)
        self.study.check(
            PlanContext(
                self.host_url, self.settings, self.loads, self.protocol, self.mode, domains, self.clients.remote
            )
        )

    def _refuse_mix(self) -> None:
        if any(load.mix for load in self.loads):
            refuse_mixes(self.mixes, LOAD_KINDS)
            refuse_unfit_mix(self.loads, self.kind, remote=self.clients.remote)

    @property
    def mixes(self) -> tuple[tuple[LoadName, ...], ...]:
        """Groups of loads that run together, by name, in order; a single load is a group."""
        return group_by_mix(load.name for load in self.loads)

    @property
    def kind(self) -> StudyKind:
        """Record of its study."""
        return self.study.kind

    def fit_to_host(self, facts: HostProperties) -> "RunSpec":
        """Return the plan with the settings and the users of a host.

        Raises:
            SpecError: The study needs more settings than the host has.
        """
        settings, loads = self.study.fit_to_host(self.settings, facts), self.loads
        cpus = len(facts.shared_cpus)
        if "splits" in self.by_host:
            settings = tuple(map(parse_split_setting, preset_dedicated_splits(cpus)))
        if "users" in self.by_host:
            loads = tuple(load.with_users(standard_users(cpus, load.users)) for load in loads)
        return msgspec.structs.replace(self, settings=settings, loads=loads, by_host=())

    def fit_to_shared_set(self, facts: HostProperties) -> "RunSpec":
        """Return the plan fitted to the CPUs that the domains would share.

        Args:
            facts: Properties of a host that is not prepared for the plan yet.

        Raises:
            SpecError: The plan's CPUs or settings do not fit the host.
        """
        return self.fit_to_host(place_domains(facts, self.choose_shared_set(facts)))

    def choose_shared_set(self, facts: HostProperties) -> SharedSet:
        """Return the CPUs that the domains share during the sweep.

        Args:
            facts: Properties of the host.

        Raises:
            SpecError: The plan's CPUs do not fit the host.
        """
        modes = () if self.kind.varies_vcpus else (mode for _, mode in self.split_modes)
        return choose_shared_set(facts, self.cpus, modes)

    def study_as(self, wanted: type[OneStudy]) -> OneStudy:
        """Return its study, for code of one study only.

        Raises:
            TypeError: The plan has another study.
        """
        if not isinstance(self.study, wanted):
            raise TypeError(f"{self.study!r} is no {wanted.__name__}")
        return self.study

    @property
    def has_reference(self) -> bool:
        """True when one of its settings is the reference, measured without the I/O domain."""
        return any(map(has_direct_route, self.settings))

    @property
    def splits(self) -> tuple[Split, ...]:
        """The splits among its settings, each once, in their order."""
        found = (split_of(setting) for setting in self.settings)
        return tuple(dict.fromkeys(split for split in found if split is not None))

    @property
    def split_modes(self) -> tuple[tuple[Split, Mode], ...]:
        """Each split with each mode that it is set in, in the order of the settings."""
        found = ((split_of(each), mode_of(each, self.mode)) for each in self.settings)
        return tuple(dict.fromkeys((split, mode) for split, mode in found if split is not None))

    def weight_of(self, name: str) -> float:
        """Return the load's normalised weight in the objective, 0..1; all sum to 1."""
        missing = 0 if self.weights else 1
        raw: dict[str, float] = {load.name: float(self.weights.get(load.name, missing)) for load in self.loads}
        return raw[name] / sum(raw.values())

    @property
    def guest_loads(self) -> dict[DomainId, LoadSpec]:
        """Guest to its load, in an isolation study; else empty."""
        return self.study.guest_loads(self.loads)

    @property
    def units(self) -> dict[str, str]:
        """Load to the unit of its rates."""
        return {load.name: load.unit for load in self.loads}

    @property
    def adapts(self) -> bool:
        """True when results decide how often each setting is measured."""
        return self.protocol.adapts

    @property
    def needs_certificates(self) -> bool:
        """True when nothing is claimed without a certificate."""
        return self.protocol.needs_certificates

    @property
    def can_use_history(self) -> bool:
        """True when an earlier run may count.

        Certificates and objectives without weights exclude a history.
        """
        return (
            self.history
            and self.kind.recommends_split
            and self.adapts
            and not self.needs_certificates
            and self.objective.weighs
        )

    @property
    def measured_settings(self) -> tuple[Setting, ...]:
        """Settings that are measured: all, or the two outermost of a calibration."""
        return self.protocol.trial_settings(self.settings)

    @property
    def sides(self) -> tuple[Setting | None, ...]:
        """Settings of each block: the measured ones, and None for the original settings."""
        return (*self.measured_settings, None) if self.baseline else self.measured_settings

    @property
    def database(self) -> str:
        """The one database of all loads; empty for the standard built-in database.

        Raises:
            SpecError: The loads name several databases.
        """
        named = sorted({load.url or DATABASES[load.engine].brought for load in self.loads})
        if len(named) > 1:
            hint = (
                _("Name the same database in each load, or in none. {database_hint}")
                .format(database_hint=self.study.database_hint)
                .strip()
            )
            raise SpecError(
                "load.database",
                _("the loads name different databases: {named}").format(named=", ".join(map(redact_url, named))),
                hint=hint,
            )
        return "" if named[0] == DATABASES[STANDARD_DATABASE].brought else named[0]

    def load_of(self, name: str, guest: DomainId | None = None) -> LoadSpec:
        """Return the load of that name; of two guests the load on that guest.

        Args:
            name: Name of the load.
            guest: Guest whose users run it; None where the host has one guest only.

        Raises:
            KeyError: There is no such load.
        """
        if guest is not None:
            return self.guest_loads[guest]
        loads: dict[str, LoadSpec] = {load.name: load for load in self.loads}
        return loads[name]
