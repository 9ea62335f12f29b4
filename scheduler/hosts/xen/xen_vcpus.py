"""Online vCPUs of the guest: read from `xl vcpu-list`, set with `xl vcpu-set`.

The guest's kernel has to cooperate with `vcpu-set`. To give a vCPU, the toolstack only makes it present: a rule inside
the guest must bring it online (Linux, drivers/xen/cpu_hotplug.c). So no vCPU is taken before one came back.
"""

from scheduler.errors import ParameterRefused, WriteNotVerified
from scheduler.hosts.remote.guard_session import GuardSession
from scheduler.hosts.remote.guarded_changes import GuardedChanges
from scheduler.hosts.xen.domain_view import DomainView
from scheduler.hosts.xen.xen_setup import XenSetup
from scheduler.hosts.xen.xl_tables import parse_vcpus
from scheduler.model.number_texts import format_cpu_count
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams, VcpuRange
from scheduler.toolstacks.command_words import Argv
from scheduler.translation import _
from scheduler.waiting import wait_until

PATIENCE_S, EVERY_S = 20.0, 0.2  # seconds; a guest's kernel takes a vCPU offline once its processes have left


def parse_online_vcpus(text: str, domid: int) -> VcpuParams | None:
    """Return a domain's number of online vCPUs; None for a domain without a row.

    Args:
        text: Output of `xl vcpu-list`.
        domid: Number of the domain.
    """
    rows = [row for row in parse_vcpus(text) if row.domid == domid]
    return VcpuParams(sum(row.online for row in rows)) if rows else None


class VcpuChanges:
    """Changes of the guest's online vCPUs, each waited for and read back.

    Args:
        changes: Changes under the guard's write lock.
        guarding: The guard, which has the original number once it is armed.
        where: The host, for messages.
    """

    def __init__(self, changes: GuardedChanges, guarding: GuardSession, where: str) -> None:
        self._changes = changes
        self._guarding = guarding
        self._where = where
        self._comes_back = False  # True after the guest has taken a vCPU into use

    def write(self, params: SchedParams | None) -> None:
        """Set the number and wait until the guest has followed.

        Before a number below the original one, the last vCPU is taken and restored once.

        Args:
            params: The number of online vCPUs.

        Raises:
            WriteNotVerified: The guest did not follow within 20 s.
        """
        original = self._guarding.originals.get(GUEST_VCPUS)
        if (
            isinstance(params, VcpuParams)
            and isinstance(original, VcpuParams)
            and params.online < original.online
            and not self._comes_back
        ):
            self._set(VcpuParams(original.online - 1))
            self._set(original)
        self._set(params)

    def _set(self, params: SchedParams | None) -> None:
        before = self._changes.read(GUEST_VCPUS)
        self._changes.write(GUEST_VCPUS, params)
        wait_until(lambda: self._changes.read(GUEST_VCPUS) in (None, params), PATIENCE_S, EVERY_S)
        got = self._changes.read(GUEST_VCPUS)
        if isinstance(params, VcpuParams) and isinstance(got, VcpuParams) and isinstance(before, VcpuParams):
            if got != params:
                raise vcpus_not_followed_error(params, got, self._where)
            self._comes_back = self._comes_back or got.online > before.online


def vcpus_not_followed_error(wanted: VcpuParams, got: VcpuParams, where: str) -> WriteNotVerified:
    """Return the error for a guest that does not follow `xl vcpu-set`.

    Args:
        wanted: The number that was set.
        got: The number that the guest uses.
        where: The host, for messages.
    """
    if got.online > wanted.online:
        hint = _(
            "The guest's kernel must be able to take CPUs offline. Measure this guest with the number that it has."
        )
    else:
        cpus = format_cpu_list(range(got.online, wanted.online))
        hint = _(
            "CPU {cpus} of the guest stays offline. The guest needs a udev rule: "
            'SUBSYSTEM=="cpu", ACTION=="add", TEST=="online", ATTR{{online}}="1". With it, '
            "change its vCPUs again."
        ).format(cpus=cpus)
    return WriteNotVerified(
        _(
            "{where}: {guest_vcpus}: 'xl vcpu-set' reported success for {words}, but after "
            "{patience_s:g} s the guest uses {online}"
        ).format(where=where, guest_vcpus=GUEST_VCPUS, words=wanted.words, patience_s=PATIENCE_S, online=got.online),
        hint=hint,
    )


def plan_vcpu_set(setup: XenSetup, number: int | str, params: SchedParams) -> list[Argv]:
    """Return the command that sets the guest's online vCPUs, as root types it.

    Args:
        setup: Setup of the open host.
        number: Number of the guest, or the guard's placeholder.
        params: The number of online vCPUs.

    Raises:
        ParameterRefused: The number is outside 1..maxvcpus, or the parameters are of another kind.
    """
    wanted, most = narrow_params(params, VcpuParams, _("the number of a guest's vCPUs")), setup.guest.vcpus
    if not 1 <= wanted.online <= most:
        hint = _("{guest} was created with maxvcpus = {most}; more need a new start with another.").format(
            guest=setup.guest.name, most=most
        )
        raise ParameterRefused(
            _("{guest} cannot have {words}, only 1..{most}").format(
                guest=setup.guest.name, words=wanted.words, most=most
            ),
            hint=hint,
        )
    return [setup.root_tool.call("vcpu-set", number, wanted.online)]


def vcpu_range(picture: DomainView) -> VcpuRange:
    """Return the range in which the guest's vCPUs can be changed and restored.

    The toolstack sets no more vCPUs online than the host has CPUs.
    """
    name, online, all_of_it = picture.guest.row.name, picture.guest.online, picture.guest.all
    rows = [vcpu for vcpu in picture.survey.vcpus if vcpu.domid == picture.guest.row.domid]
    if offline := sorted(row.vcpu for row in rows if not row.online and row.vcpu < online):
        why = _("vCPU {offline} of {name} is offline, and the toolstack would not restore that").format(
            offline=format_cpu_list(offline), name=name
        )
        return VcpuRange(
            online, 0, why=why, hint=_("Use the first {online} vCPUs in {name}.").format(online=online, name=name)
        )
    if online > picture.pcpus:
        why = _("{online} vCPUs of {name} are online on {pcpus} CPUs: the toolstack could not restore them").format(
            online=online, name=name, pcpus=picture.pcpus
        )
        return VcpuRange(
            online,
            0,
            why=why,
            hint=_("Start {name} with {pcpus} vCPUs at most.").format(name=name, pcpus=picture.pcpus),
        )
    if all_of_it <= picture.pcpus:
        why = _("{name} was created with maxvcpus = {all_of_it}").format(name=name, all_of_it=all_of_it)
        return VcpuRange(online, all_of_it, why=why, hint=_("Start {name} with a larger maxvcpus.").format(name=name))
    why = _("this host has {pcpus}").format(pcpus=format_cpu_count(picture.pcpus))
    return VcpuRange(online, picture.pcpus, why=why, hint=_("Take a host with more CPUs."))
