"""What only some studies ask for, as typed: the guest's vCPUs, and two guests at splits of three. No Qt here."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self

import msgspec

from app.wizard import input_parsing
from app.wizard.plan_draft import PlanDraft
from scheduler.errors import SpecError
from scheduler.model.checks import check_unique
from scheduler.model.databases import DATABASES
from scheduler.model.host_properties import HostProperties
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.plan_fields import plan_key
from scheduler.model.plan_settings import (
    STANDARD_THREE_SPLITS,
    STANDARD_VCPUS,
    list_modes,
    list_splits,
    list_vcpus,
)
from scheduler.model.problems import Problems
from scheduler.model.server_settings import (
    settings_to_write,
    study_server_settings,
)
from scheduler.model.setting import DIRECT
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import parse_mode, parse_split
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

    def list_vcpus(self, facts: HostProperties | None) -> list[int]:
        """Return the numbers of vCPUs that are tried; raises SpecError.

        Args:
            facts: The host; None while it is not known, and where it cannot change their number at all.
        """
        numbers = input_parsing.parse_numbers(self.vcpus, "vcpus", "Write for example 1 2 4.")
        if not numbers:
            numbers = [*(facts.vcpus.choices if facts else STANDARD_VCPUS)]
        if len(numbers) < 2:
            raise SpecError("vcpus", "one number cannot be compared with another", hint="Write for example 1 2 4.")
        check_unique("vcpus", [str(number) for number in numbers])
        for number in numbers:
            plan_key("vcpus").check("vcpus", number)
        if facts is not None:
            facts.vcpus.kept(numbers)
        return numbers

    @property
    def base(self) -> str:
        """What the numbers of vCPUs are compared with; empty for nothing."""
        return DIRECT if self.native else ""

    def list_threes(self, scheduler: str, machine: HostMachine, period_us: int) -> list[str]:
        """Return the splits of three that are compared; raises SchedulerError.

        Args:
            scheduler: Name of the host's share model; empty while it is not known.
            machine: What translating needs of the host beside that name.
            period_us: Period of the caps.
        """
        texts = _AROUND_COLON.sub(":", self.threes).replace(",", " ").split()
        if not texts:
            raise SpecError("splits", "none given", hint=f"Write for example {' '.join(STANDARD_THREE_SPLITS)}.")
        splits = [parse_split(text, count=3) for text in texts]
        check_unique("splits", [split.label for split in splits])
        for split in splits if scheduler else ():
            for mode in self.compared:
                find_share_model(scheduler, machine).encode(split, mode, period_us)
        return texts

    def put_server(self, draft: PlanDraft, engines: Sequence[str]) -> None:
        """Put the settings of a server that DomTune starts into a draft of a plan.

        Args:
            draft: The draft.
            engines: Names of the databases of the loads.
        """
        known = {each.name for engine in engines[:1] for each in DATABASES[engine].settings}
        draft.values["server"] = {name: value for name, value in self.server.items() if name in known}

    def names_second(self, facts: HostProperties | None) -> bool:
        """Return whether the plan names the second guest; while the host is unknown, whether the user did."""
        if facts is None:
            return bool(self.guest_2_domain.strip() or self.neighbour_database.strip())
        return facts.second_guest.runs

    def second_domain(self, facts: HostProperties | None) -> str:
        """Return the second guest's domain as typed, or the first of several; empty where there is no choice."""
        names = facts.second_guest.names if facts is not None else ()
        return self.guest_2_domain.strip() or (names[0] if len(names) > 1 else "")

    def put_second(self, draft: PlanDraft, facts: HostProperties | None, last: str) -> None:
        """Put the second guest into a draft of a plan; hidden fields are not read.

        Args:
            draft: The draft.
            facts: The host; None while it is unknown.
            last: Kind of the second guest's load; empty without any load.
        """
        users = partial(input_parsing.parse_whole_key, "load.users", self.neighbour_users)
        if self.neighbour_users.strip():
            draft.put(("neighbour_users",), "neighbour_users", users)
        if not self.names_second(facts):
            return
        draft.values["domains"]["guest_2"] = self.second_domain(facts)
        needed = facts is not None and bool(last and LOAD_KINDS[last].workload)
        if self.neighbour_database.strip() or needed:
            read = partial(input_parsing.parse_database_url, self.neighbour_database)
            draft.put(("neighbour_database",), "neighbour_database", read)


def refuse_host(kind: StudyKind, facts: HostProperties | None, problems: Problems) -> HostProperties | None:
    """Say of a study that the host cannot carry out why not, and what would do; return the host where it can."""
    if facts is None:
        return None
    why, hint = facts.missing_reason(kind)
    if not why:
        return facts
    problems.add(SpecError("study", f"not on this host, because {why}", hint=hint))
    return None
