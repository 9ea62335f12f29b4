"""A scale-up study meets its host: which of its numbers of vCPUs that has, and where the users run meanwhile."""

import msgspec

from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import CgroupParams, Credit2Params, CreditParams, SchedParams
from scheduler.model.sentence_texts import join_names
from scheduler.model.spec import RunSpec
from scheduler.model.vcpus import VcpuParams
from scheduler.plans.host_fitting import requested_vcpus


def missing_vcpus_warnings(asked: RunSpec, spec: RunSpec, facts: HostProperties) -> tuple[str, ...]:
    """Return what to warn of: numbers of the plan that the host does not have, and users without a CPU of their own."""
    if spec.kind.factor != "vcpus":
        return ()
    gone = dict.fromkeys(str(requested_vcpus(setting)) for setting in asked.settings if setting not in spec.settings)
    said: list[str] = []
    if gone:
        can = f"{facts.vcpus.least} to {facts.vcpus.most}" if facts.vcpus.least > 1 else f"{facts.vcpus.most} at most"
        said.append(f"{join_names(gone)} vCPUs are left out: the guest can have {can} ({facts.vcpus.why})")
    if facts.vcpus.cpus and not _free_cpus(spec, facts) and facts.client_cpus:
        where = f"CPU {facts.client_cpus[-1]}"
        largest = VcpuParams(_largest_vcpus(spec)).words
        said.append(f"with {largest} the guest also runs on {where}, where the users run: it gains less there")
    return tuple(said)


def guest_limit_warning(spec: RunSpec, guest: SchedParams) -> tuple[str, ...]:
    """Return what to warn of where the guest was found with a limit of all its vCPUs together: `apply` leaves one."""
    quota = isinstance(guest, CgroupParams) and guest.quota_us is not None
    cap = isinstance(guest, CreditParams | Credit2Params) and guest.cap_pct > 0
    if spec.kind.factor != "vcpus" or not (quota or cap):
        return ()
    return (f"the guest was found with {guest.words}: that holds it, however many vCPUs it has",)


def assign_client_cpus(spec: RunSpec, facts: HostProperties) -> HostProperties:
    """Return the facts with the CPUs of the users that the guest never gets; the last one where it gets all.

    They are the same throughout a study, so that its trials differ in the guest's CPUs alone.
    """
    if spec.kind.factor != "vcpus" or not facts.vcpus.cpus:
        return facts
    return msgspec.structs.replace(facts, client_cpus=_free_cpus(spec, facts) or facts.client_cpus[-1:])


def _free_cpus(spec: RunSpec, facts: HostProperties) -> tuple[int, ...]:
    taken = facts.vcpus.cpus[: _largest_vcpus(spec)]
    return tuple(cpu for cpu in facts.client_cpus if cpu not in taken)


def _largest_vcpus(spec: RunSpec) -> int:
    return max(map(requested_vcpus, spec.settings))
