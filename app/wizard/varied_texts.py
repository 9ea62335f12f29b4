"""Conversion of texts that only some studies use; no Qt here.

The texts are numbers of vCPUs, splits of three domains, the second guest, and settings of the server.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial

from app.wizard import input_parsing
from app.wizard.plan_draft import PlanDraft
from scheduler.errors import SpecError
from scheduler.model.checks import check_unique
from scheduler.model.databases import DATABASES
from scheduler.model.host_properties import HostProperties
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.plan_fields import plan_key
from scheduler.model.setting import DIRECT
from scheduler.model.split import parse_mode, parse_split
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.share_model import HostMachine
from scheduler.studies.isolation.declaration import IsolationStudy
from scheduler.studies.scaling.declaration import STANDARD_VCPUS
from scheduler.translation import _

_AROUND_COLON = re.compile(r"\s*:\s*")


def put_vcpus(draft: PlanDraft, texts: Mapping[str, str], facts: HostProperties | None) -> None:
    """Put the numbers of vCPUs and their reference into a draft of a plan.

    Args:
        draft: The draft.
        texts: Key to its text.
        facts: The host; None while unknown, or if the host cannot change the number of vCPUs.
    """
    draft.put(("vcpus",), "vcpus", partial(_read_vcpus, texts["vcpus"], facts))
    draft.values["base"] = DIRECT if texts["reference"] == "yes" else ""


def _read_vcpus(text: str, facts: HostProperties | None) -> list[int]:
    numbers = input_parsing.parse_numbers(text, "vcpus", _("Write numbers, for example 1 2 4."))
    if not numbers:
        numbers = [*(facts.vcpus.choices if facts else STANDARD_VCPUS)]
    if len(numbers) < 2:
        raise SpecError("vcpus", _("only one number was given"), hint=_("Write numbers, for example 1 2 4."))
    check_unique("vcpus", [str(number) for number in numbers])
    for number in numbers:
        plan_key("vcpus").check("vcpus", number)
    if facts is not None:
        facts.vcpus.kept(numbers)
    return numbers


def list_compared_modes(texts: Mapping[str, str]) -> list[str]:
    """Return the modes to compare at each split of three domains."""
    return texts["modes"].split()


def read_three_way_splits(texts: Mapping[str, str], scheduler: str, machine: HostMachine, period_us: int) -> list[str]:
    """Return the splits of three domains to compare.

    Args:
        texts: Key to its text.
        scheduler: Name of the host's share model; empty while unknown.
        machine: Properties of the host that translation needs, except its scheduler's name.
        period_us: Period of the caps, microseconds.

    Raises:
        SchedulerError: A split is wrong, repeated or impossible on the host, or there is none.
    """
    found = _AROUND_COLON.sub(":", texts["threes"]).replace(",", " ").split()
    if not found:
        raise SpecError(
            "splits",
            _("none given"),
            hint=_("Write for example {splits}.").format(splits=" ".join(IsolationStudy.kind.splits)),
        )
    splits = [parse_split(text, count=3) for text in found]
    check_unique("splits", [split.label for split in splits])
    for split in splits if scheduler else ():
        for mode in list_compared_modes(texts):
            find_share_model(scheduler, machine).encode(split, parse_mode(mode), period_us)
    return found


def put_server(draft: PlanDraft, texts: Mapping[str, str], engines: Sequence[str]) -> None:
    """Put the settings of a server that DomTune starts into a draft of a plan.

    Args:
        draft: The draft.
        texts: Key to its text; settings with the study's own value are absent.
        engines: Names of the databases of the loads; the first one counts.
    """
    known = [each.name for engine in engines[:1] for each in DATABASES[engine].settings]
    draft.values["server"] = {name: texts[f"server.{name}"] for name in known if f"server.{name}" in texts}


def names_second_guest(texts: Mapping[str, str], facts: HostProperties | None) -> bool:
    """Return True if the plan names the second guest.

    Args:
        texts: Key to its text; decides while the host is unknown.
        facts: The host; None while unknown.
    """
    if facts is None:
        return bool(texts["domains.guest_2"].strip() or texts["second_database"].strip())
    return facts.second_guest.runs


def second_guest_domain(texts: Mapping[str, str], facts: HostProperties | None) -> str:
    """Return the domain of the second guest; empty without a choice.

    Args:
        texts: Key to its text; a typed name comes first.
        facts: The host, whose first name is the default among several; None while unknown.
    """
    names = facts.second_guest.names if facts is not None else ()
    return texts["domains.guest_2"].strip() or (names[0] if len(names) > 1 else "")


def put_second_guest(draft: PlanDraft, texts: Mapping[str, str], facts: HostProperties | None, last: str) -> None:
    """Put the second guest into a draft of a plan; skip hidden fields.

    Args:
        draft: The draft.
        texts: Key to its text.
        facts: The host; None while unknown.
        last: Kind of the second guest's load; empty without any load.
    """
    users = texts["second_users"]
    if users.strip():
        read = partial(input_parsing.parse_parameter, plan_key("load.users"), users, "load.users")
        draft.put(("second_users",), "second_users", read)
    if not names_second_guest(texts, facts):
        return
    draft.values["domains"]["guest_2"] = second_guest_domain(texts, facts)
    needed = facts is not None and bool(last and LOAD_KINDS[last].workload)
    if texts["second_database"].strip() or needed:
        read = partial(input_parsing.parse_database_url, texts["second_database"])
        draft.put(("second_database",), "second_database", read)
