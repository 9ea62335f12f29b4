"""Preparation of a host for a scale-up study: drop settings, place the users."""

from collections.abc import Sequence

import msgspec

from scheduler.errors import SpecError
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import CgroupParams, Credit2Params, CreditParams, SchedParams
from scheduler.model.sentence_texts import join_names
from scheduler.model.setting import vcpus_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST
from scheduler.model.studies import Setting
from scheduler.model.vcpus import VcpuParams
from scheduler.studies.study_meeting import Meeting
from scheduler.translation import _


def meet(spec: RunSpec, host: Host, facts: HostProperties, dropped: Sequence[Setting]) -> Meeting:
    """Check the reference, and place the users on free CPUs.

    Args:
        spec: The plan, fitted to the host.
        host: The host.
        facts: Its properties at the start.
        dropped: Settings of the plan that the host does not have.

    Raises:
        SpecError: The plan has a reference, and the host's database has one route only.
        HostError: The host does not answer.
    """
    if spec.has_reference and host.database is None:
        problem = _("this host's database is reached through its I/O domain only, so there is no base to compare with")
        # The number of CPUs of another machine cannot be set, so another server cannot be the reference.
        hint = _("Leave it out, or take local:. Make a study of the machine without its hypervisor, and compare both.")
        raise SpecError("base", problem, hint=hint)
    warnings = (*placement_warnings(spec, facts, dropped), *guest_limit_warning(host.baseline(GUEST)))
    return Meeting(spec, assign_client_cpus(spec, facts), warnings)


def placement_warnings(spec: RunSpec, facts: HostProperties, dropped: Sequence[Setting]) -> tuple[str, ...]:
    """Return warnings of missing numbers of vCPUs and of users without an own CPU.

    Args:
        spec: The plan, fitted to the host.
        facts: Host properties at the start.
        dropped: Settings of the plan that the host does not have.
    """
    gone = dict.fromkeys(str(vcpus_of(setting)) for setting in dropped)
    said: list[str] = []
    if gone:
        can = (
            _("{least} to {most}").format(least=facts.vcpus.least, most=facts.vcpus.most)
            if facts.vcpus.least > 1
            else _("{most} at most").format(most=facts.vcpus.most)
        )
        said.append(
            _("{gone} vCPUs are excluded: the guest can have {can} ({why})").format(
                gone=join_names(gone), can=can, why=facts.vcpus.why
            )
        )
    if facts.vcpus.cpus and not _free_cpus(spec, facts) and facts.client_cpus:
        where = f"CPU {facts.client_cpus[-1]}"
        largest = VcpuParams(_largest_vcpus(spec)).words
        said.append(
            _("with {largest} the guest also runs on {where}, where the users run: it gains less there").format(
                largest=largest, where=where
            )
        )
    return tuple(said)


def guest_limit_warning(guest: SchedParams) -> tuple[str, ...]:
    """Return a warning where the original settings limit all vCPUs together.

    `domtune apply` leaves such a limit.
    """
    quota = isinstance(guest, CgroupParams) and guest.quota_us is not None
    cap = isinstance(guest, CreditParams | Credit2Params) and guest.cap_pct > 0
    if not (quota or cap):
        return ()
    return (_("the guest was found with {words}: that holds it, however many vCPUs it has").format(words=guest.words),)


def assign_client_cpus(spec: RunSpec, facts: HostProperties) -> HostProperties:
    """Return the host properties with CPUs of the users that the guest never gets.

    The users get the last CPU where the guest gets all CPUs. The CPUs are the same throughout a study, so that its
    trials differ in the guest's CPUs only.

    Args:
        spec: The plan.
        facts: Host properties at the start.
    """
    if not facts.vcpus.cpus:
        return facts
    return msgspec.structs.replace(facts, client_cpus=_free_cpus(spec, facts) or facts.client_cpus[-1:])


def _free_cpus(spec: RunSpec, facts: HostProperties) -> tuple[int, ...]:
    taken = facts.vcpus.cpus[: _largest_vcpus(spec)]
    return tuple(cpu for cpu in facts.client_cpus if cpu not in taken)


def _largest_vcpus(spec: RunSpec) -> int:
    return max(map(vcpus_of, spec.settings))
