"""A scale-up study meets its host: which of its numbers of vCPUs that has, and where the users run meanwhile."""

import msgspec

from scheduler.model.facts import HostFacts
from scheduler.model.params import CgroupParams, Credit2Params, CreditParams, SchedParams
from scheduler.model.spec import RunSpec
from scheduler.model.vcpus import VcpuParams
from scheduler.model.words import listing
from scheduler.plans.fitting import vcpus_in


def left_out(asked: RunSpec, spec: RunSpec, facts: HostFacts) -> tuple[str, ...]:
    """Return what to warn of: numbers of the plan that the host does not have, and users without a CPU of their own."""
    if spec.kind.factor != "vcpus":
        return ()
    gone = dict.fromkeys(str(vcpus_in(setting)) for setting in asked.settings if setting not in spec.settings)
    said: list[str] = []
    if gone:
        can = f"{facts.vcpus.least} to {facts.vcpus.most}" if facts.vcpus.least > 1 else f"{facts.vcpus.most} at most"
        said.append(f"{listing(gone)} vCPUs are left out: the guest can have {can} ({facts.vcpus.why})")
    if facts.vcpus.cpus and not _free(spec, facts) and facts.client_cpus:
        where = f"CPU {facts.client_cpus[-1]}"
        largest = VcpuParams(_largest(spec)).words
        said.append(f"with {largest} the guest also runs on {where}, where the users run: it gains less there")
    return tuple(said)


def holds_it(spec: RunSpec, guest: SchedParams) -> tuple[str, ...]:
    """Return what to warn of where the guest was found with a limit of all its vCPUs together: `apply` leaves one."""
    quota = isinstance(guest, CgroupParams) and guest.quota_us is not None
    cap = isinstance(guest, CreditParams | Credit2Params) and guest.cap_pct > 0
    if spec.kind.factor != "vcpus" or not (quota or cap):
        return ()
    return (f"the guest was found with {guest.words}: that holds it, however many vCPUs it has",)


def with_clients(spec: RunSpec, facts: HostFacts) -> HostFacts:
    """Return the facts with the CPUs of the users that the guest never gets; the last one where it gets all.

    They are the same throughout a study, so that its visits differ in the guest's CPUs alone.
    """
    if spec.kind.factor != "vcpus" or not facts.vcpus.cpus:
        return facts
    return msgspec.structs.replace(facts, client_cpus=_free(spec, facts) or facts.client_cpus[-1:])


def _free(spec: RunSpec, facts: HostFacts) -> tuple[int, ...]:
    taken = facts.vcpus.cpus[: _largest(spec)]
    return tuple(cpu for cpu in facts.client_cpus if cpu not in taken)


def _largest(spec: RunSpec) -> int:
    return max(map(vcpus_in, spec.settings))
