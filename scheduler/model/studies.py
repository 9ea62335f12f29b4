"""Studies: one struct for each question, with its record and its own fields.

Plan file, wizard, pages and reports derive from the records. To add a study: docs/how-to/add-a-study.md.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, get_args

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import check_range
from scheduler.model.databases import DATABASES, IO_METHOD, database_url
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import USERS_RANGE, LoadSpec
from scheduler.model.protocols import SweepProtocol
from scheduler.model.setting import DIRECT, Setting, has_direct_route, vcpus_of
from scheduler.model.split import GUEST, GUEST_2, DomainId, Mode
from scheduler.model.study_kind import StudyKind
from scheduler.model.urls import is_same_server, redact_url, refuse_distant_socket, refuse_password

SPLIT, CAPACITY, OVERHEAD, SCALE_UP, ISOLATION = "split", "capacity", "overhead", "scale-up", "isolation"
CALIBRATION, CALIBRATE = "calibration", "calibrate"  # a study in plans: the split study with the protocol `calibrate`

DEMAND_USERS_RANGE = (0, 100_000)
"""Smallest and largest required number of users."""
_NO_GUEST_2 = "means nothing where there is one guest"
_ELSEWHERE = {
    "demand_users": "means nothing where users are not varied",
    "base": "means nothing where no base is compared with",
    "neighbour_users": _NO_GUEST_2,
    "neighbour_database": _NO_GUEST_2,
    "guest_2_domain": _NO_GUEST_2,
}
"""Field of a study to the reason why the plans of other studies cannot have it."""
PLAN_KEYS: Mapping[str, str] = {"guest_2_domain": "domains.guest_2"}
"""Field of a study to its key in a plan file, where the key has another name."""


class PlanContext(NamedTuple):
    """Parts of a plan that a study's own fields have to suit.

    Attributes:
        host_url: URL of the host.
        settings: All settings.
        loads: All loads; of an isolation study the first guest's load first, the second guest's last.
        protocol: The protocol.
        mode: Mode of splits without a mode of their own.
        domains: The plan's names of the I/O domain and of the guest; empty where it names none.
        remote: True when the users run on other computers.
    """

    host_url: str
    settings: Sequence[Setting]
    loads: Sequence[LoadSpec]
    protocol: SweepProtocol
    mode: Mode
    domains: Collection[str]
    remote: bool


class StudySpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="name"):
    """A question about a host; each study adds the fields that only its plans have.

    Attributes:
        kind: Record of the study.
    """

    kind: ClassVar[StudyKind]

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        self.kind.refuse_protocol(plan.protocol.name)
        self.kind.refuse_settings(str(setting.__struct_config__.tag) for setting in plan.settings)
        if plan.protocol.refine and not self.kind.recommends_split:
            raise SpecError("refine", "is between splits", hint="Leave it out.")

    def fit_to_host(self, settings: tuple[Setting, ...], facts: HostProperties) -> tuple[Setting, ...]:
        """Return the settings that a host has.

        Args:
            settings: Settings of the plan.
            facts: The host properties.

        Raises:
            SpecError: The study cannot be carried out on this host.
        """
        why, hint = facts.missing_reason(self.kind)
        if why:
            problem = f"{self.kind.name!r} cannot be carried out on {facts.title}: {why}"
            raise SpecError("study", problem, hint=hint)
        return settings

    @property
    def databases(self) -> tuple[str, ...]:
        """Databases of the study in addition to those of the loads, as in the plan."""
        return ()

    @property
    def reference_url(self) -> str:
        """URL of the reference server, which is measured in turn; empty for none."""
        return ""

    @property
    def database_hint(self) -> str:
        """Advice where the loads name different databases; empty for none."""
        return ""

    @property
    def server_settings(self) -> Mapping[str, str]:
        """Settings of the built-in database server, where the plan has none."""
        return {}

    def guest_loads(self, loads: Sequence[LoadSpec]) -> dict[DomainId, LoadSpec]:
        """Return guest to its load in an isolation study; empty in others."""
        del loads
        return {}


class SplitStudy(StudySpec, frozen=True, tag=SPLIT):
    """Study of the best split of the CPU."""

    kind: ClassVar[StudyKind] = StudyKind(
        name=SPLIT,
        question="Which split is best?",
        does="Measures throughput at several splits of the CPU, and names the one to use.",
        title="Split",
        factor="split",
        axis="Split, I/O domain : guest",
        protocols=("adaptive", "quick", "strict", "grid", "replicate", "calibrate"),
        module="scheduler.studies.split",
        recommends_split=True,
    )


class CapacityStudy(StudySpec, frozen=True, tag=CAPACITY):
    """Study of the number of users at which the host saturates.

    Attributes:
        demand_users: Users that the host has to carry, for the advice; 0 where the plan names no number.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name=CAPACITY,
        question="How many users can it carry?",
        does="Raises the number of users until throughput rises no more, and says where that is.",
        title="Capacity",
        factor="users",
        rates_title="Throughput over users",
        summary="up to {n} users",
        varies_users=True,
        axis="Users",
        protocols=("adaptive", "quick", "grid", "replicate"),
        loads=("tpcb",),
        users=32,
        module="scheduler.studies.capacity",
    )
    demand_users: int = 0

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        super().check(plan)
        check_range("demand_users", self.demand_users, DEMAND_USERS_RANGE)


class OverheadStudy(StudySpec, frozen=True, tag=OVERHEAD):
    """Study of the slowdown of queries by the I/O domain and its limits.

    Attributes:
        base: URL of the reference database, without a password; empty for the host's own, reached directly.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name=OVERHEAD,
        question="What does virtualisation cost?",
        does="Runs the same queries with and without the I/O domain and limits between, in turn, and compares them.",
        title="Overhead",
        factor="side",
        rates_title="Throughput per side",
        summary="overhead",
        report_title="How much longer it takes than on the base",
        compares_sides=True,
        axis="Side",
        protocols=("paired",),
        loads=("tpch",),
        users=1,
        module="scheduler.studies.overhead",
    )
    base: str = ""

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        super().check(plan)
        refuse_password(self.base, "base")
        if self.base == DIRECT:
            problem = f"{DIRECT!r} is what it is where none is named"
            raise SpecError("base", problem, hint="Leave it out, or name another database.")

    @property
    def databases(self) -> tuple[str, ...]:
        """The reference database, where that is another server."""
        return (self.base,) if self.base else ()

    @property
    def reference_url(self) -> str:
        """URL of the reference database, where that is another server."""
        return self.base

    @property
    def server_settings(self) -> Mapping[str, str]:
        """Setting that does I/O within each query; empty next to an external reference.

        With `sync` the cost of I/O is a part of the query's own figures.
        """
        return {} if self.base else {IO_METHOD: "sync"}


class ScaleUpStudy(StudySpec, frozen=True, tag=SCALE_UP):
    """Study of the gain by more vCPUs of the guest.

    Attributes:
        base: `direct` to measure each number of CPUs also for the reference without the I/O domain; empty for none.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name=SCALE_UP,
        question="Do more CPUs help?",
        does="Gives the guest 1, 2, 4 and 8 vCPUs in turn, and says what each doubling gains and what limits it.",
        title="Scale-up",
        factor="vcpus",
        rates_title="Throughput over vCPUs",
        summary="more vCPUs",
        report_title="Normalised throughput over the guest's vCPUs",
        varies_vcpus=True,
        axis="vCPUs of the guest",
        protocols=("blocks", "grid", "replicate"),
        loads=("order-entry",),
        users=16,
        module="scheduler.studies.scaling",
    )
    base: str = ""

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        super().check(plan)
        refuse_password(self.base, "base")
        if self.base not in ("", DIRECT):
            named = redact_url(self.base)
            problem = f"{named!r} is a server of its own, which cannot be given as many CPUs as the guest has"
            hint = f"Write base = {DIRECT!r} on local:. On another machine make a study of its own, and compare both."
            raise SpecError("base", problem, hint=hint)
        guests, bases = (
            {vcpus_of(each) for each in plan.settings if has_direct_route(each) is side} for side in (False, True)
        )
        if bases != (guests if self.base else set[int]()):
            problem = "is measured at the numbers of vCPUs of the guest, or not at all"
            raise SpecError("base", problem, hint="Have both at the same numbers, or leave it out.")

    def fit_to_host(self, settings: tuple[Setting, ...], facts: HostProperties) -> tuple[Setting, ...]:
        """Return the settings with numbers of vCPUs that the host has.

        Args:
            settings: Settings of the plan.
            facts: The host properties.

        Raises:
            SpecError: The host has fewer than two of these numbers.
        """
        settings = super().fit_to_host(settings, facts)
        had = facts.vcpus.kept([*dict.fromkeys(map(vcpus_of, settings))])  # a reference has the same numbers
        return tuple(setting for setting in settings if vcpus_of(setting) in had)


class IsolationStudy(StudySpec, frozen=True, tag=ISOLATION):
    """Study of the interference of two guests.

    Attributes:
        neighbour_users: Users of the second guest; 0 for as many as its load has.
        neighbour_database: URL of the second guest's database, without a password; empty for a built-in database.
        guest_2_domain: The host's name of the second guest, on a host where it runs already; empty where the choice is
            obvious.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name=ISOLATION,
        question="Do two guests disturb each other?",
        does="Loads two guests, each alone and both together, and says what one costs the other beyond its share.",
        title="Isolation",
        factor="guests",
        report_title="What each guest loses to the other",
        has_two_guests=True,
        axis="Split, mode, who is loaded",
        protocols=("blocks",),
        loads=("osdb-ir",),
        users=4,
        module="scheduler.studies.isolation",
    )
    neighbour_users: int = 0
    neighbour_database: str = ""
    guest_2_domain: str = ""

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        super().check(plan)
        check_range("neighbour_users", self.neighbour_users or 1, USERS_RANGE)
        if plan.mode is not Mode.CAPS:
            raise SpecError("mode", "both are compared", hint='Leave it out, or write modes = ["weights"].')
        self.refuse_loads(len(plan.loads))
        if plan.remote:
            problem = "the users of two guests run on this computer only"
            raise SpecError("clients", problem, hint="Leave it out.")
        self.check_second_guest(plan.domains, plan.loads)
        refuse_distant_socket(self.neighbour_database, "neighbour_database", plan.host_url)

    @staticmethod
    def refuse_loads(count: int) -> None:
        """Refuse more loads than one for each guest; raise SpecError."""
        if count > 2:
            problem = f"{count} loads are more than one for each of two guests"
            raise SpecError("load", problem, hint="The first is the first guest's, the second the second guest's.")

    def check_second_guest(self, others: Collection[str], loads: Sequence[LoadSpec]) -> None:
        """Refuse a second guest that is another domain, or has the first guest's database.

        Args:
            others: The plan's names of the other domains.
            loads: The plan's loads; the first is the first guest's, the last the second guest's.

        Raises:
            SpecError: The second guest is not allowed, its load cannot have its number of users, or its database is not
                allowed (no URL, with a password, or not a database of its load).
        """
        if self.guest_2_domain and self.guest_2_domain in others:
            problem = f"{self.guest_2_domain!r} cannot be two domains of one study"
            raise SpecError("domains.guest_2", problem, hint="Name the domain that runs the second database.")
        if self.neighbour_database and loads:
            _refuse_second_database(self.neighbour_database, loads[0].url)
            _refuse_change("neighbour_database", loads[-1], database=self.neighbour_database)
        if self.neighbour_users and loads:
            _refuse_change("neighbour_users", loads[-1], users=self.neighbour_users)

    @property
    def databases(self) -> tuple[str, ...]:
        """The second guest's database, where the plan names it."""
        return (self.neighbour_database,) if self.neighbour_database else ()

    @property
    def database_hint(self) -> str:
        """Key of the second guest's database."""
        return "The second guest's own is neighbour_database."

    def guest_loads(self, loads: Sequence[LoadSpec]) -> dict[DomainId, LoadSpec]:
        """Return guest to its load: the first load and the last load.

        One load serves both guests.
        """
        last = loads[-1]
        users, database = self.neighbour_users or last.users, self.neighbour_database or last.database
        return {GUEST: loads[0], GUEST_2: msgspec.structs.replace(last, users=users, database=database)}


def _refuse_change(field: str, load: LoadSpec, **values: object) -> None:
    """Refuse values that the second guest's load cannot have; raise SpecError."""
    try:
        msgspec.structs.replace(load, **values)
    except SpecError as error:
        raise SpecError(field, error.problem, hint=error.hint) from error


def _refuse_second_database(named: str, first_url: str) -> None:
    refuse_password(named, "neighbour_database")
    if not database_url(named):
        hint = f"Write {' or '.join(kind.template for kind in DATABASES.values())}."
        raise SpecError("neighbour_database", "is no URL of a database", hint=hint)
    if first_url and is_same_server(named, first_url):
        problem = f"both guests' databases are on one server: {redact_url(named)} and {redact_url(first_url)}"
        raise SpecError("neighbour_database", problem, hint="Name the server that runs in the second guest.")


Study = SplitStudy | CapacityStudy | OverheadStudy | ScaleUpStudy | IsolationStudy

_STUDY_TYPES: Mapping[str, type[Study]] = {study.kind.name: study for study in get_args(Study)}
STUDY_FIELDS: tuple[str, ...] = tuple(
    dict.fromkeys(field for study in _STUDY_TYPES.values() for field in study.__struct_fields__)
)
"""Fields of all studies, each once."""
STUDIES: Mapping[str, StudyKind] = {name: study.kind for name, study in _STUDY_TYPES.items()}


def find_study(name: str) -> StudyKind:
    """Return the record of a study.

    Raises:
        SpecError: There is no such study; the hint lists all studies.
    """
    if name not in STUDIES:
        raise SpecError(
            "study", f"{name!r} is not a study", hint=f"Known studies: {', '.join((*STUDIES, CALIBRATION))}."
        )
    return STUDIES[name]


def build_study(name: str, given: Mapping[str, Any]) -> Study:
    """Return a study from the keys of a plan.

    Args:
        name: Name of the study.
        given: Field to its value, of all studies; 0 or empty where the plan has none.

    Raises:
        SpecError: There is no such study, or it has no such field.
    """
    made = _STUDY_TYPES[find_study(name).name]
    own = {field: value for field, value in given.items() if value}
    for field in own.keys() - set(made.__struct_fields__):
        reason = _ELSEWHERE.get(field, f"means nothing in the study {name!r}")
        raise SpecError(PLAN_KEYS.get(field, field), reason, hint="Leave it out.")
    return made(**own)


def no_split_reason(study: str) -> str:
    """Return why results of a study name no split to set; empty for the split study."""
    kind = STUDIES[study]
    return "" if kind.recommends_split else f"the study {study!r} asks {kind.question!r}, and names no split to set"
