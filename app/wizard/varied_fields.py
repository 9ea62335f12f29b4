"""What only some studies ask for, as typed: the guest's vCPUs, and two guests at splits of three. No Qt here."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import msgspec

from app.wizard import input_parsing
from app.wizard.input_parsing import FormReader, describe_error
from scheduler.errors import SpecError
from scheduler.model.checks import check_unique
from scheduler.model.databases import DATABASES
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.plan_settings import (
    STANDARD_THREE_SPLITS,
    STANDARD_VCPUS,
    build_settings,
    list_modes,
    list_splits,
    list_vcpus,
)
from scheduler.model.server_settings import (
    has_built_in_database,
    resolve_server_settings,
    settings_to_write,
    study_server_settings,
)
from scheduler.model.setting import DIRECT, GuestsSetting, Setting
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import parse_mode, parse_split
from scheduler.model.studies import IsolationStudy, Study
from scheduler.model.study_kind import StudyKind
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.share_model import HostMachine

VARIED = ("vcpus", "threes", "neighbour_users", "guest_2_domain", "neighbour_database")
"""Fields of the form of which a message may be."""

_AROUND_COLON = re.compile(r"\s*:\s*")


@dataclass
class VariedFields:
    """What a study varies other than splits of two, as typed; what another study asks for is kept.

    Attributes:
        vcpus: Numbers of the guest's vCPUs, with blanks or commas between; empty for those that the host has.
        threes: Splits of three `a:b:c`, likewise.
        compared: The modes that are compared at each of them.
        second: Kind of the load of the second guest, of two that are on; empty for the last one.
        neighbour_users: Users of the second guest; empty for as many as its load has.
        guest_2_domain: The host's name of the second guest, of a host where it runs already; may be empty.
        neighbour_database: URL of its database there.
        native: Each number of vCPUs is measured without the I/O domain between, too.
        server: Setting to its value, of the server that DomTune starts, where it is not the study's own.
    """

    vcpus: str = ""
    threes: str = " ".join(STANDARD_THREE_SPLITS)
    compared: list[Mode] = field(default_factory=lambda: [*Mode])
    second: str = ""
    neighbour_users: str = ""
    guest_2_domain: str = ""
    neighbour_database: str = ""
    native: bool = False
    server: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, spec: RunSpec) -> Self:
        """Return those of a plan; the defaults of what its study does not ask for."""
        usual, own = study_server_settings(spec.study, spec.host_url, spec.loads), msgspec.structs.asdict(spec.study)
        made = cls(
            neighbour_users=str(own.get("neighbour_users") or ""),
            guest_2_domain=own.get("guest_2_domain", ""),
            neighbour_database=own.get("neighbour_database", ""),
            native=own.get("base") == DIRECT,
            server=settings_to_write(spec.server, usual, spec.loads),
        )
        made.vcpus = " ".join(map(str, list_vcpus(spec) or ()))
        if compared := list_modes(spec):
            made.compared = [parse_mode(mode) for mode in compared]
            made.threes = " ".join(list_splits(spec) or ())
            made.second = spec.loads[-1].kind if len(spec.loads) > 1 else ""
        return made

    def corrected(self, wrong: Collection[str]) -> Self:
        """Return them with the defaults of what is wrong."""
        return replace(self, **{name: getattr(type(self)(), name) for name in VARIED if name in wrong})

    def sizes(self, kind: StudyKind, facts: HostProperties | None) -> tuple[Setting, ...]:
        """Return the numbers of vCPUs that are tried; raises SpecError.

        Args:
            kind: The study.
            facts: The host; None while it is not known, and where it cannot change their number at all.
        """
        numbers = input_parsing.parse_numbers(self.vcpus, "vcpus", "Write for example 1 2 4.")
        if not numbers:
            numbers = [*(facts.vcpus.choices if facts else STANDARD_VCPUS)]
        if len(numbers) < 2:
            raise SpecError("vcpus", "one number cannot be compared with another", hint="Write for example 1 2 4.")
        check_unique("vcpus", [str(number) for number in numbers])
        settings = build_settings(kind, None, (), numbers, base=self.base)
        if facts is not None:
            facts.vcpus.kept(numbers)
        return settings

    @property
    def base(self) -> str:
        """What the numbers of vCPUs are compared with; empty for nothing."""
        return DIRECT if self.native else ""

    def started_with(self, study: Study, host_url: str, loads: Sequence[LoadSpec]) -> dict[str, str]:
        """Return what the server is started with; nothing where DomTune starts none. Raises SpecError."""
        known = {each.name for each in DATABASES[loads[0].engine].settings} if loads else set[str]()
        given = {name: value for name, value in self.server.items() if name in known}
        if not has_built_in_database(host_url, loads):  # what stands in a hidden field must not get in the way
            return {}
        return resolve_server_settings(given, study_server_settings(study, host_url, loads), loads)

    def shared(self, kind: StudyKind, scheduler: str, machine: HostMachine, period_us: int) -> tuple[Setting, ...]:
        """Return who is loaded at each split of three and in each mode; raises SchedulerError.

        Args:
            kind: The study.
            scheduler: Name of the host's share model; empty while it is not known.
            machine: What translating needs of the host beside that name.
            period_us: Period of the caps.
        """
        texts = _AROUND_COLON.sub(":", self.threes).replace(",", " ").split()
        if not texts:
            raise SpecError("splits", "none given", hint=f"Write for example {' '.join(STANDARD_THREE_SPLITS)}.")
        settings = build_settings(kind, texts, (), None, self.compared)
        cells = dict.fromkeys((each.split, each.mode) for each in settings if isinstance(each, GuestsSetting))
        check_unique("splits", [parse_split(text, count=3).label for text in texts])
        for split, mode in cells if scheduler else ():
            find_share_model(scheduler, machine).encode(split, mode, period_us)
        return settings

    def in_guests(self, loads: Sequence[LoadSpec]) -> tuple[LoadSpec, ...]:
        """Return the loads in the order of the guests; raises SpecError where there are more than those."""
        IsolationStudy.refuse_loads(len(loads))
        return tuple(sorted(loads, key=lambda load: load.kind == self.second))

    def neighbours(self, loads: Sequence[LoadSpec]) -> int:
        """Return the users of the second guest, 0 for as many as its load has; raises SpecError."""
        if not self.neighbour_users.strip():
            return 0
        users = input_parsing.parse_whole_key("load.users", self.neighbour_users)
        for load in loads[-1:]:
            msgspec.structs.replace(load, users=users)  # raises where its kind cannot have so many
        return users

    def names_second(self, facts: HostProperties | None) -> bool:
        """Return whether the plan names the second guest; while the host is unknown, whether the user did."""
        if facts is None:
            return bool(self.guest_2_domain.strip() or self.neighbour_database.strip())
        return facts.second_guest.runs

    def second_domain(self, facts: HostProperties | None) -> str:
        """Return the second guest's domain as typed, or the first of several; empty where there is no choice."""
        names = facts.second_guest.names if facts is not None else ()
        return self.guest_2_domain.strip() or (names[0] if len(names) > 1 else "")

    def read_second(
        self, reader: FormReader, facts: HostProperties | None, others: Collection[str], loads: Sequence[LoadSpec]
    ) -> IsolationStudy:
        """Return the study with the plan's fields of the second guest; hidden fields are not read.

        Args:
            reader: Takes the messages.
            facts: The host; None while it is unknown.
            others: Names of the other two domains.
            loads: The plan's loads, in the order of the guests.
        """
        users = reader.take("neighbour_users", lambda: self.neighbours(loads), 0)
        if not self.names_second(facts):
            return IsolationStudy(users)
        name = self.second_domain(facts)
        database = reader.take("neighbour_database", lambda: self._second_database(facts, loads), "")
        reader.take("neighbour_database", lambda: IsolationStudy(0, database).check_second_guest(others, loads), None)
        reader.take("guest_2_domain", lambda: IsolationStudy(0, "", name).check_second_guest(others, loads), None)
        return IsolationStudy(users, database, name)

    def _second_database(self, facts: HostProperties | None, loads: Sequence[LoadSpec]) -> str:
        """Return the URL of the second guest's database; raises SpecError where one is needed."""
        typed = self.neighbour_database
        needed = facts is not None and any(LOAD_KINDS[load.kind].workload for load in loads[-1:])
        return input_parsing.parse_database_url(typed) if typed.strip() or needed else ""


def refuse_host(kind: StudyKind, facts: HostProperties | None, reader: FormReader) -> HostProperties | None:
    """Say of a study that the host cannot carry out why not, and what would do; return the host where it can."""
    if facts is None:
        return None
    why, hint = facts.missing_reason(kind)
    if not why:
        return facts
    reader.messages["study"] = describe_error(SpecError("study", f"not on this host, because {why}", hint=hint))
    return None
