"""Inventory of a pool, and the choice of the two domains to sweep."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scheduler.errors import HostNotUsable, SpecError
from scheduler.hosts.xapi.xapi_records import NULL, HostRecord, PoolRecord, VmRecord, parse_records
from scheduler.hosts.xapi.xapi_session import XapiConnection
from scheduler.model.sentence_texts import list_names
from scheduler.translation import _

_DOM0 = frozenset({"", "0", "Domain-0", "Dom0"})


@dataclass(frozen=True, slots=True)
class PoolInventory:
    """A pool at one moment.

    References are XAPI's own and lose their meaning later. Identities are UUIDs.

    Attributes:
        pool: The pool.
        hosts: Hosts by reference.
        vms: Virtual machines by reference, without templates and snapshots.
    """

    pool: PoolRecord
    hosts: Mapping[str, HostRecord]
    vms: Mapping[str, VmRecord]

    def dom0_of(self, host: str) -> str:
        """Return the reference of a host's Dom0; raise HostNotUsable without one."""
        known = self.hosts[host].control_domain
        if known != NULL and known in self.vms:
            return known
        for ref, vm in self.vms.items():
            # Driver domains are control domains, too; only Dom0 has the number 0.
            if vm.is_control_domain and vm.resident_on == host and vm.domid == 0:
                return ref
        raise HostNotUsable(_("XAPI shows no Dom0 on {label!r}").format(label=self.hosts[host].name_label))

    def guests(self) -> dict[str, VmRecord]:
        """Return the ordinary virtual machines by reference, without control domains."""
        return {ref: vm for ref, vm in self.vms.items() if not vm.is_control_domain}

    def neighbours(self, pair: "SweptPair") -> dict[str, VmRecord]:
        """Return the other machines that run on the pair's host, by reference."""
        swept = {pair.io, pair.guest}
        return {
            ref: vm
            for ref, vm in self.vms.items()
            if vm.running and vm.resident_on == pair.host and ref not in swept and ref != self.dom0_of(pair.host)
        }


@dataclass(frozen=True, slots=True)
class SweptPair:
    """References of the host and the domains to sweep.

    Attributes:
        host: The host.
        io: The I/O domain.
        guest: The guest.
    """

    host: str
    io: str
    guest: str


def read_inventory(line: XapiConnection) -> PoolInventory:
    """Read the pool, its hosts and its virtual machines; raise HostError."""
    pools = parse_records(line.call("looking at the pool", "pool.get_all_records"), PoolRecord)
    hosts = parse_records(line.call("looking at the hosts", "host.get_all_records"), HostRecord)
    vms = parse_records(line.call("looking at the virtual machines", "VM.get_all_records"), VmRecord)
    if len(pools) != 1 or not hosts:
        raise HostNotUsable(
            _("XAPI shows {count} pools and {count_2} hosts instead of one pool with hosts").format(
                count=len(pools), count_2=len(hosts)
            )
        )
    real = {ref: vm for ref, vm in vms.items() if not vm.is_a_template and not vm.is_a_snapshot}
    return PoolInventory(next(iter(pools.values())), hosts, real)


def choose_pair(world: PoolInventory, named: str, io_domain: str, guest_domain: str) -> SweptPair:
    """Return the host and the domains to sweep.

    Args:
        world: The pool.
        named: The URL's name of the host, which counts only when no guest is named.
        io_domain: Name or UUID of the I/O domain; empty for Dom0.
        guest_domain: Name or UUID of the guest; empty when only one runs there.

    Raises:
        SpecError: A name matches no machine, or several.
        HostNotUsable: The host has no machine that can be swept.
    """
    guest = (
        _find_named(world, "domains.guest", guest_domain)
        if guest_domain
        else _find_only_guest(world, _choose_host(world, named))
    )
    host = world.vms[guest].resident_on
    if host not in world.hosts:
        raise HostNotUsable(
            _("XAPI does not say on which host {label!r} runs").format(label=world.vms[guest].name_label)
        )
    dom0 = world.dom0_of(host)
    io = dom0 if io_domain in _DOM0 else _find_named(world, "domains.io", io_domain)
    if io == guest:
        raise SpecError("domains.io", _("is the guest"), hint=_("Leave it empty for Dom0."))
    if world.vms[io].resident_on != host and io != dom0:
        text = _("{io_domain!r} runs on another host than the guest").format(io_domain=io_domain)
        raise SpecError("domains.io", text, hint=_("Leave it empty for the Dom0 of the guest's host."))
    return SweptPair(host, io, guest)


def _find_named(world: PoolInventory, field: str, name: str) -> str:
    """Return the only running machine of a name or UUID.

    Names need not be unique in a pool.
    """
    found = {ref: vm for ref, vm in world.vms.items() if name in (vm.uuid, vm.name_label)}
    if not found:
        running = sorted(repr(vm.name_label) for vm in world.guests().values() if vm.running)
        hint = _("Running: {running}.").format(running=list_names(running)) if running else _("None is running.")
        raise SpecError(field, _("there is no virtual machine {name!r}").format(name=name), hint=hint)
    running = {ref: vm for ref, vm in found.items() if vm.running}
    found = running if len(running) == 1 else found  # halted copies often have the same name
    if len(found) > 1:
        machines = sorted(f"{vm.uuid} ({_describe_state(world, vm)})" for vm in found.values())
        text = _("{count} virtual machines are called {name!r}").format(count=len(found), name=name)
        error = SpecError(field, text, hint=_("Name one by UUID: {machines}.").format(machines=list_names(machines)))
        raise error.choose_from(sorted(vm.uuid for vm in (running or found).values()))
    ref, vm = next(iter(found.items()))
    if not vm.running:
        state = vm.power_state.lower()
        raise SpecError(
            field,
            _("the virtual machine {name!r} is {state}").format(name=name, state=state),
            hint=_("Start it, or name another."),
        )
    return ref


def _describe_state(world: PoolInventory, vm: VmRecord) -> str:
    """Return a machine's power state and host."""
    host = world.hosts.get(vm.resident_on)
    return (
        _("{power_state} on {label}").format(power_state=vm.power_state.lower(), label=host.name_label)
        if host is not None
        else vm.power_state.lower()
    )


def _list_choices(machines: Iterable[VmRecord], world: PoolInventory) -> list[str]:
    """Return sorted names, with UUIDs for the names of several machines."""
    names = [vm.name_label for vm in world.vms.values() if vm.running]
    return sorted(vm.name_label if names.count(vm.name_label) == 1 else vm.uuid for vm in machines)


def _choose_host(world: PoolInventory, named: str) -> str:
    if len(world.hosts) == 1:
        return next(iter(world.hosts))
    for ref, host in world.hosts.items():
        if named in host.names:
            return ref
    error = SpecError(
        "domains.guest",
        _("the pool has {count} hosts, and XAPI calls none of them {named!r}").format(
            count=len(world.hosts), named=named
        ),
        hint=_("Name the guest; its host is then the one that is swept."),
    )
    raise error.choose_from(_list_choices((vm for vm in world.guests().values() if vm.running), world))


def _find_only_guest(world: PoolInventory, host: str) -> str:
    running = {ref: vm for ref, vm in world.guests().items() if vm.running and vm.resident_on == host}
    if len(running) == 1:
        return next(iter(running))
    name = world.hosts[host].name_label
    if not running:
        raise HostNotUsable(
            _("no virtual machine runs on {name!r}").format(name=name),
            hint=_("A sweep needs a running guest that holds the database."),
        )
    choices = _list_choices(running.values(), world)
    shown = [
        f"{vm.name_label!r} (UUID {vm.uuid})" if vm.uuid in choices else repr(vm.name_label) for vm in running.values()
    ]
    names = list_names(sorted(shown))
    text = _("{count} virtual machines run on {name!r}; name the one with the database").format(
        count=len(running), name=name
    )
    error = SpecError("domains.guest", text, hint=_("Running: {names}.").format(names=names))
    raise error.choose_from(choices)
