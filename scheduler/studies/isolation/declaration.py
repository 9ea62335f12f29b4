"""Declaration of the isolation study: finding, record, second guest and settings."""

import enum
from collections.abc import Collection, Sequence
from typing import ClassVar

import msgspec

from scheduler.errors import SpecError
from scheduler.model.base_answer import BaseFinding
from scheduler.model.checks import check_range
from scheduler.model.databases import DATABASES, database_url
from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.guests import LoadedGuests
from scheduler.model.load import USERS_RANGE, LoadSpec
from scheduler.model.parameters import Parameter
from scheduler.model.setting import GuestsSetting
from scheduler.model.split import GUEST, GUEST_2, TIME_MODES, DomainId, Mode, parse_mode
from scheduler.model.study_kind import StudyKind
from scheduler.model.study_spec import PlanContext, SettingKeys, StudySpec
from scheduler.model.urls import is_same_server, redact_url, refuse_distant_socket, refuse_password
from scheduler.translation import _


class ShareProtection(enum.StrEnum):
    """Result of comparing the interference with its limit."""

    KEPT = "kept"  # the whole interval is within the limit
    BROKEN = "broken"  # the whole interval is beyond the limit
    UNKNOWN = "unknown"  # the interval contains the limit, or too few blocks


class GuestLoss(msgspec.Struct, frozen=True, kw_only=True):
    """Loss of one of two guests while the other guest is loaded, within blocks.

    Rates are of the guest's own load. The share explains a part of the loss: alone, a guest may run on CPU that the
    other guest leaves (weights), and loses that CPU again. A guest that used c CPUs alone and has a share of s CPUs
    then reaches min(1, s / c) of its throughput alone. Interference is the loss beyond that.

    Attributes:
        guest: The guest that loses; the other one is the loaded other guest.
        load: Its load kind.
        unit: Unit of its rates.
        split: Label of the split of three.
        mode: `caps` or `weights`.
        alone_tps: Its throughput while the other guest is idle, mean over the blocks.
        both_tps: Its throughput while both guests are loaded, mean over the blocks.
        cost_frac: Loss as a fraction of the throughput alone; negative for a gain.
        ci95_frac: Its 95 % interval; None with too few blocks.
        share_frac: Loss that the share alone explains, as a fraction of the throughput alone, >= 0.
        beyond_frac: Interference, as a fraction of the throughput that the share would leave.
        beyond_ci95_frac: Its 95 % interval; None with too few blocks.
        allotted_cpus: Its share, in CPUs.
        alone_cpus: CPU used alone, in CPUs; None where it was not measured.
        both_cpus: CPU used together, in CPUs; None where it was not measured.
        io_full: True when the I/O domain had used up its quota while both guests were loaded.
        clients_frac: CPU of all users while both guests were loaded, over the CPUs left to them, 0..1.
        protection: Comparison of the interference with the limit of 5 %.
        blocks: Number of blocks that have both.
    """

    guest: DomainId
    load: str
    unit: str
    split: str
    mode: Mode
    alone_tps: float
    both_tps: float
    cost_frac: float
    ci95_frac: tuple[float, float] | None = None
    share_frac: float = 0.0
    beyond_frac: float
    beyond_ci95_frac: tuple[float, float] | None = None
    allotted_cpus: float
    alone_cpus: float | None = None
    both_cpus: float | None = None
    io_full: bool = False
    clients_frac: float = 0.0
    protection: ShareProtection = ShareProtection.UNKNOWN
    blocks: int

    @property
    def loss(self) -> Estimate:
        """Total loss with its interval, as a fraction."""
        return estimate_of(self.cost_frac, self.ci95_frac)

    @property
    def loss_beyond(self) -> Estimate:
        """Interference with its interval, as a fraction."""
        return estimate_of(self.beyond_frac, self.beyond_ci95_frac)


class IsolationFinding(BaseFinding, frozen=True, kw_only=True, tag="isolation"):
    """Loss of two guests to each other, and the protection by caps or weights.

    Attributes:
        costs: One per split, mode and guest, in the plan's order.
    """

    costs: tuple[GuestLoss, ...] = ()


class IsolationStudy(StudySpec, frozen=True, tag="isolation"):
    """Study of the interference of two guests.

    Attributes:
        second_users: Users of the second guest; 0 for as many as its load has.
        second_database: URL of the second guest's database, without a password; empty for a built-in database.
        guest_2: The host's name of the second guest, on a host where it runs already; empty where the choice is
            obvious.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name="isolation",
        question=_("Do two guests disturb each other?"),
        does=_("Loads two guests, each alone and both together, and reports the interference between them."),
        title=_("Isolation"),
        factor="guests",
        report_title=_("Loss of each guest to the other"),
        has_two_guests=True,
        axis=_("Split, mode, who is loaded"),
        protocols=("blocks",),
        loads=("osdb-ir",),
        users=4,
        module="scheduler.studies.isolation",
        control_keys=(
            Parameter(
                name="second_users",
                title=_("Users of the second guest"),
                help=_("Users of the second guest; 0 for as many as its load has."),
                default=0,
                high=USERS_RANGE[1],
            ),
            Parameter(
                name="second_database",
                title=_("Database of the second guest"),
                help=_(
                    "URL of the second guest's database without a password, where that guest runs already (Xen "
                    "hosts); on another server than the first guest's."
                ),
                default="",
                checked=False,
            ),
        ),
        domain_keys=(
            Parameter(
                name="guest_2",
                title=_("Second guest"),
                help=_("The host's name of the second guest; optional where only one domain can be the second guest."),
                default="",
                checked=False,
            ),
        ),
        setting_keys=(
            Parameter(
                name="modes",
                title=_("Modes"),
                help=_("Modes to compare."),
                default=Mode.CAPS.value,
                default_text="both",
                many=True,
                choices=tuple(mode.value for mode in TIME_MODES),
            ),
        ),
        splits=("4:1:1", "1:1:1"),  # much CPU for the I/O domain, and as much as for each guest
    )
    second_users: int = 0
    second_database: str = ""
    guest_2: str = ""

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        super().check(plan)
        check_range("second_users", self.second_users or 1, USERS_RANGE)
        if plan.mode is not Mode.CAPS:
            raise SpecError("mode", _("both are compared"), hint=_('Leave it out, or write modes = ["weights"].'))
        self.refuse_loads(len(plan.loads))
        if plan.remote:
            problem = _("the users of two guests run on this computer only")
            raise SpecError("clients", problem, hint=_("Leave it out."))
        self.check_second_guest(plan.domains, plan.loads)
        refuse_distant_socket(self.second_database, "second_database", plan.host_url)

    @staticmethod
    def refuse_loads(count: int) -> None:
        """Refuse more loads than one for each guest; raise SpecError."""
        if count > 2:
            problem = _("{count} loads are more than one for each of two guests").format(count=count)
            raise SpecError("load", problem, hint=_("The first is the first guest's, the second the second guest's."))

    def check_second_guest(self, others: Collection[str], loads: Sequence[LoadSpec]) -> None:
        """Refuse a second guest that is another domain, or has the first guest's database.

        Args:
            others: The plan's names of the other domains.
            loads: The plan's loads; the first is the first guest's, the last the second guest's.

        Raises:
            SpecError: The second guest is not allowed, its load cannot have its number of users, or its database is not
                allowed (no URL, with a password, or not a database of its load).
        """
        if self.guest_2 and self.guest_2 in others:
            problem = _("{guest_2!r} cannot be two domains of one study").format(guest_2=self.guest_2)
            raise SpecError("domains.guest_2", problem, hint=_("Name the domain that runs the second database."))
        if self.second_database and loads:
            _refuse_second_database(self.second_database, loads[0].url)
            _refuse_change("second_database", loads[-1], database=self.second_database)
        if self.second_users and loads:
            _refuse_change("second_users", loads[-1], users=self.second_users)

    @property
    def databases(self) -> tuple[str, ...]:
        """The second guest's database, where the plan names it."""
        return (self.second_database,) if self.second_database else ()

    @property
    def database_hint(self) -> str:
        """Key of the second guest's database."""
        return _("The second guest's own is second_database.")

    def guest_loads(self, loads: Sequence[LoadSpec]) -> dict[DomainId, LoadSpec]:
        """Return guest to its load: the first load and the last load.

        One load serves both guests.
        """
        last = loads[-1]
        users, database = self.second_users or last.users, self.second_database or last.database
        return {GUEST: loads[0], GUEST_2: msgspec.structs.replace(last, users=users, database=database)}

    def build_settings(self, keys: SettingKeys) -> Sequence[GuestsSetting]:
        """Return each split, mode and loaded guest or guests; raise SpecError."""
        modes = TIME_MODES if keys.modes is None else keys.modes
        splits = keys.read_splits(self.kind.splits, count=3)
        if not splits or not modes:
            which = "splits" if not splits else "modes"
            raise SpecError(which, _("names none"), hint=_("Leave it out, or name one at least."))
        compared = [parse_mode(text, f"modes[{i}]") for i, text in enumerate(modes)]
        return [GuestsSetting(split, mode, loaded) for split in splits for mode in compared for loaded in LoadedGuests]


def _refuse_change(field: str, load: LoadSpec, **values: object) -> None:
    """Refuse values that the second guest's load cannot have; raise SpecError."""
    try:
        msgspec.structs.replace(load, **values)
    except SpecError as error:
        raise SpecError(field, error.problem, hint=error.hint) from error


def _refuse_second_database(named: str, first_url: str) -> None:
    refuse_password(named, "second_database")
    if not database_url(named):
        hint = _("Write {template}.").format(template=" or ".join(kind.template for kind in DATABASES.values()))
        raise SpecError("second_database", _("is no URL of a database"), hint=hint)
    if first_url and is_same_server(named, first_url):
        problem = _("both guests' databases are on one server: {redact_url} and {redact_url_2}").format(
            redact_url=redact_url(named), redact_url_2=redact_url(first_url)
        )
        raise SpecError("second_database", problem, hint=_("Name the server that runs in the second guest."))
