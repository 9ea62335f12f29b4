"""Prepare a host for a scale-up study: drop numbers of vCPUs that it does not have, and place the users' CPUs."""

from collections.abc import Sequence

import msgspec

from scheduler.errors import SpecError
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import CgroupParams, Credit2Params, CreditParams, SchedParams
from scheduler.model.sentence_texts import join_names
from scheduler.model.setting import Setting, vcpus_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST
from scheduler.model.vcpus import VcpuParams
from scheduler.studies.study_meeting import Meeting


def meet(spec: RunSpec, host: Host, facts: HostProperties, dropped: Sequence[Setting]) -> Meeting:
    """Tell the guard about the vCPUs and give the users CPUs that the guest never gets.

    Args:
        spec: The plan, fitted to the host.
        host: The host.
        facts: Its properties as found.
        dropped: Settings of the plan that the host does not have.

    Raises:
        SpecError: The plan compares with native CPUs, and the host's database is reached in one way only.
        HostError: The host does not answer.
    """
    if spec.has_reference and host.database is None:
        problem = "this host's database is reached through its I/O domain only, so there is no base to compare with"
        # Another machine's number of CPUs cannot be set, so another server is no way out.
        hint = "Leave it out, or take local:. Make a study of the machine without its hypervisor, and compare both."
        raise SpecError("base", problem, hint=hint)
    warnings = (*placement_warnings(spec, facts, dropped), *guest_limit_warning(host.baseline(GUEST)))
    if host.guard is not None:
        host.guard.vary_vcpus()
    return Meeting(spec, assign_client_cpus(spec, facts), warnings)


def placement_warnings(spec: RunSpec, facts: HostProperties, dropped: Sequence[Setting]) -> tuple[str, ...]:
    """Return warnings of numbers that the host does not have, and of users without a CPU of their own."""
    gone = dict.fromkeys(str(vcpus_of(setting)) for setting in dropped)
    said: list[str] = []
    if gone:
        can = f"{facts.vcpus.least} to {facts.vcpus.most}" if facts.vcpus.least > 1 else f"{facts.vcpus.most} at most"
        said.append(f"{join_names(gone)} vCPUs are left out: the guest can have {can} ({facts.vcpus.why})")
    if facts.vcpus.cpus and not _free_cpus(spec, facts) and facts.client_cpus:
        where = f"CPU {facts.client_cpus[-1]}"
        largest = VcpuParams(_largest_vcpus(spec)).words
        said.append(f"with {largest} the guest also runs on {where}, where the users run: it gains less there")
    return tuple(said)


def guest_limit_warning(guest: SchedParams) -> tuple[str, ...]:
    """Return a warning where the guest was found with a limit of all its vCPUs together: `apply` leaves one."""
    quota = isinstance(guest, CgroupParams) and guest.quota_us is not None
    cap = isinstance(guest, CreditParams | Credit2Params) and guest.cap_pct > 0
    if not (quota or cap):
        return ()
    return (f"the guest was found with {guest.words}: that holds it, however many vCPUs it has",)


def assign_client_cpus(spec: RunSpec, facts: HostProperties) -> HostProperties:
    """Return the facts with the CPUs of the users that the guest never gets; the last one where it gets all.

    They are the same throughout a study, so that its trials differ in the guest's CPUs alone.
    """
    if not facts.vcpus.cpus:
        return facts
    return msgspec.structs.replace(facts, client_cpus=_free_cpus(spec, facts) or facts.client_cpus[-1:])


def _free_cpus(spec: RunSpec, facts: HostProperties) -> tuple[int, ...]:
    taken = facts.vcpus.cpus[: _largest_vcpus(spec)]
    return tuple(cpu for cpu in facts.client_cpus if cpu not in taken)


def _largest_vcpus(spec: RunSpec) -> int:
    return max(map(vcpus_of, spec.settings))
