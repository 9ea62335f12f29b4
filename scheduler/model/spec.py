"""What a sweep is to do: the value behind the wizard, the plan file and the command line."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import check_range, check_unique
from scheduler.model.clients import ClientsSpec, refuse_local_loads
from scheduler.model.databases import DATABASES, STANDARD_DATABASE
from scheduler.model.guests import refuse_guests
from scheduler.model.load import USERS_RANGE, LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.load_name import group_by_mix
from scheduler.model.mixes import refuse_mixes, refuse_unfit_mix
from scheduler.model.objective import Objective, check_objective
from scheduler.model.protocols import PROTOCOLS, STANDARD_PROTOCOL, SweepProtocol
from scheduler.model.second_guest_spec import SecondGuestSpec, refuse_second_guest
from scheduler.model.server_settings import refuse_server_settings
from scheduler.model.setting import GuestsSetting, Setting, has_direct_route, split_of
from scheduler.model.split import GUEST, GUEST_2, DomainId, Mode, Split
from scheduler.model.studies import CAPACITY, ISOLATION, SPLIT, StudyKind, find_study, refuse_settings
from scheduler.model.study_reference import refuse_reference
from scheduler.model.urls import redact_url, refuse_distant_socket

PAPER_SPLITS = ("1:1", "1:2", "1:5", "1:10", "2:1", "2:5", "5:1", "5:2", "10:1")
"""The nine splits of Calheiros et al., in the paper's order."""

PERIOD_US_RANGE = (1_000, 1_000_000)  # kernel documentation, sched-bwc: period of a quota
SEED_RANGE = (0, 2**32 - 1)


class RunSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sweep, complete: what `domtune run` and the window hand to the engine.

    Attributes:
        name: What the user calls it.
        host_url: One of the URLs of the hosts' table.
        mode: Caps or weights.
        settings: The values of the swept factor, each once; those of an adaptive capacity study are the first ones.
        loads: The loads, each once; those that run together name the same mix.
        protocol: Windows and repeats.
        objective: What "best" means.
        weights: Load to its weight in the objective `weighted`, >= 0, not all 0; empty for all the same.
        period_us: Period of the quotas, where the scheduler has one.
        io_domain: The host's name of the I/O domain; empty where the host has an obvious one.
        guest_domain: Likewise for the guest.
        guest_2_domain: Likewise for the second guest, in a study of two, of a host where it runs already.
        seed: Seed of the order of the trials and of the users' keys.
        clients: Which computers make the load.
        study: Name of the study, one of `STUDIES`. Of one that varies the users, a load's users are the most of them.
        base: URL of the database that an overhead study compares with, without a password; empty for the host's own,
            reached without the I/O domain between. Of a scale-up study `direct`, the host's own, or empty for none.
        demand_users: How many users it has to carry, for the advice; 0 where nobody says.
        neighbour_users: Users of the second guest, where there are two; 0 for as many as its load has.
        neighbour_database: URL of the second guest's database, without a password; empty for one that the host brings.
        server: Setting to its value, of the server that DomTune starts; those that are not here have its own defaults.
        baseline: True when the original settings are measured in every block; without them no change is ordered.
        history: True when a race begins with the last run of the same host, mode, loads and database.
    """

    host_url: str
    settings: tuple[Setting, ...]
    loads: tuple[LoadSpec, ...]
    name: str = ""
    mode: Mode = Mode.CAPS
    protocol: SweepProtocol = PROTOCOLS[STANDARD_PROTOCOL]
    objective: Objective = Objective()
    weights: Mapping[str, float] = {}
    period_us: int = 20_000
    io_domain: str = ""
    guest_domain: str = ""
    guest_2_domain: str = ""
    seed: int = 1
    clients: ClientsSpec = ClientsSpec()
    study: str = SPLIT
    base: str = ""
    demand_users: int = 0
    neighbour_users: int = 0
    neighbour_database: str = ""
    server: Mapping[str, str] = {}
    baseline: bool = True
    history: bool = True

    def __post_init__(self) -> None:
        """Refuse a sweep that cannot be run; raises SpecError."""
        self._refuse_study()
        check_unique("splits", [setting.label for setting in self.settings])
        check_unique("load", [load.name for load in self.loads])
        self._refuse_mix()
        refuse_server_settings(self.server, self.host_url, self.loads)
        for load in self.loads:
            refuse_distant_socket(load.url, "load.database", self.host_url)
        refuse_distant_socket(self.neighbour_database, "neighbour_database", self.host_url)
        check_range("period_us", self.period_us, PERIOD_US_RANGE)
        check_range("seed", self.seed, SEED_RANGE)
        names, protocol = {load.name for load in self.loads}, self.protocol
        check_objective(self.objective, self.weights, names, certifies=self.needs_certificates, refines=protocol.refine)
        refuse_local_loads(self.clients, self.host_url, {load.kind for load in self.loads})

    def _refuse_study(self) -> None:
        kind = find_study(self.study)
        kind.refuse_protocol(self.protocol.name)
        refuse_settings(kind, (str(setting.__struct_config__.tag) for setting in self.settings))
        if self.study != CAPACITY and self.demand_users:
            raise SpecError("demand_users", "means nothing where users are not varied", hint="Leave it out.")
        refuse_reference(self.base, self.study, self.settings)
        check_range("demand_users", self.demand_users, (0, 100_000))
        check_range("neighbour_users", self.neighbour_users or 1, USERS_RANGE)
        if self.study == ISOLATION:
            refuse_guests(len(self.loads), capped=self.mode is Mode.CAPS, remote=self.clients.remote)
        second = SecondGuestSpec(self.neighbour_users, self.guest_2_domain, self.neighbour_database)
        refuse_second_guest(second, self.study, (self.io_domain, self.guest_domain), self.loads)
        if self.study != SPLIT and self.protocol.refine:
            raise SpecError("refine", "is between splits", hint="Leave it out.")

    def _refuse_mix(self) -> None:
        if any(load.mix for load in self.loads):
            refuse_mixes(self.mixes, LOAD_KINDS)
            refuse_unfit_mix(self.loads, self.study, remote=self.clients.remote)

    @property
    def mixes(self) -> tuple[tuple[str, ...], ...]:
        """Which loads run together, by name, in order; one that runs alone is a mix of one."""
        return group_by_mix(load.name for load in self.loads)

    @property
    def kind(self) -> StudyKind:
        """The record of its study."""
        return find_study(self.study)

    @property
    def has_reference(self) -> bool:
        """True when one of its settings is measured without the I/O domain between."""
        return any(map(has_direct_route, self.settings))

    @property
    def splits(self) -> tuple[Split, ...]:
        """The splits among its settings, each once, in their order; the host as found is none."""
        found = (split_of(setting) for setting in self.settings)
        return tuple(dict.fromkeys(split for split in found if split is not None))

    @property
    def split_modes(self) -> tuple[tuple[Split, Mode], ...]:
        """Each split with each mode that it is set in, in the order of the settings."""
        found = (
            (split_of(each), each.mode if isinstance(each, GuestsSetting) else self.mode) for each in self.settings
        )
        return tuple(dict.fromkeys((split, mode) for split, mode in found if split is not None))

    def weight_of(self, name: str) -> float:
        """Return the load's weight in the objective, normalised: all weights sum to 1."""
        raw = {load.name: float(self.weights.get(load.name, 0 if self.weights else 1)) for load in self.loads}
        return raw[name] / sum(raw.values())

    @property
    def guest_loads(self) -> dict[DomainId, LoadSpec]:
        """Guest to its load, in a study of two: the first one's and the last one's, which may be the same."""
        last = self.loads[-1]
        users, database = self.neighbour_users or last.users, self.neighbour_database or last.database
        return {GUEST: self.loads[0], GUEST_2: msgspec.structs.replace(last, users=users, database=database)}

    @property
    def units(self) -> dict[str, str]:
        """Load to the unit of its rates."""
        return {load.name: load.unit for load in self.loads}

    @property
    def adapts(self) -> bool:
        """True when the plan decides as it goes how often each setting is measured."""
        return self.protocol.adapts

    @property
    def needs_certificates(self) -> bool:
        """True when nothing is claimed without a certificate."""
        return self.protocol.needs_certificates

    @property
    def can_use_history(self) -> bool:
        """True when an earlier run may count: not where certificates are asked for, nor where loads have no weights."""
        return (
            self.history
            and self.study == SPLIT
            and self.adapts
            and not self.needs_certificates
            and self.objective.weighs
        )

    @property
    def is_calibration(self) -> bool:
        """True when this only looks whether splits take effect."""
        return self.protocol.name == "calibrate"

    @property
    def measured_settings(self) -> tuple[Setting, ...]:
        """The settings that are measured: all, or the two outermost of a calibration."""
        if not self.is_calibration or len(self.settings) < 2:
            return self.settings
        ordered = sorted(self.settings, key=lambda setting: setting.position)
        return (ordered[0], ordered[-1])

    @property
    def sides(self) -> tuple[Setting | None, ...]:
        """The settings of each block: those that are measured, and None for the original settings."""
        return (*self.measured_settings, None) if self.baseline else self.measured_settings

    @property
    def database(self) -> str:
        """The one database that the loads name; empty for the standard one that the host brings.

        Raises:
            SpecError: They name several.
        """
        named = sorted({load.url or DATABASES[load.engine].brought for load in self.loads})
        if len(named) > 1:
            hint = "Name the same database in each load, or in none."
            if self.study == ISOLATION:
                hint = f"{hint} The second guest's own is neighbour_database."
            raise SpecError(
                "load.database", f"the loads name different databases: {', '.join(map(redact_url, named))}", hint=hint
            )
        return "" if named[0] == DATABASES[STANDARD_DATABASE].brought else named[0]

    def load_of(self, name: str, guest: DomainId | None = None) -> LoadSpec:
        """Return the load of that name, of two guests the one on the guest; raises KeyError when there is none.

        Args:
            name: Name of the load.
            guest: Guest whose users run it; None where the host has one guest only.
        """
        if guest is not None:
            return self.guest_loads[guest]
        return {load.name: load for load in self.loads}[name]
