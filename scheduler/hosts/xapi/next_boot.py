"""Weight and cap stored in XAPI for the next build of a domain.

`xl` reads and sets live values. XAPI stores `VCPUs_params` without a check, in every state of the domain and for Dom0.
The values reach Xen when a domain is built (start, reboot, resume, migration), only under the credit scheduler, and
never for Dom0. One call sets the whole map, so it can be repeated. Adding a key a second time would fail with
MAP_DUPLICATE_KEY.
"""

import shlex
from collections.abc import Mapping

import msgspec

from scheduler.errors import HostUnreachable, ParameterRefused, WriteNotVerified
from scheduler.hosts.protocols import CommandLog
from scheduler.hosts.xapi.xapi_records import VmRecord, parse_record
from scheduler.hosts.xapi.xapi_session import XapiConnection
from scheduler.model.number_parsing import parse_whole_number
from scheduler.model.scheduler_params import CreditParams, SchedParams

LABEL = "applies when the VM is next built: at its next start, reboot, resume or migration"
DEFAULT_WEIGHT = 256
DEFAULT_CAP = 0
_TRIES = 2
_MOST = 999_999_999  # no weight and no cap has so many digits
_OURS = ("weight", "cap")


class StoredChange(msgspec.Struct, frozen=True):
    """A change of stored parameters.

    Attributes:
        uuid: UUID of the virtual machine.
        before: The whole map before the change, for `restore_params`.
        after: The whole map as read back after the change.
        label: Time at which the change takes effect.
    """

    uuid: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    label: str = LABEL


def wanted_map(vm: VmRecord, params: SchedParams, *, vcpus: int) -> dict[str, str]:
    """Return the map with a domain's weight and cap, and all other keys unchanged.

    XAPI checks nothing: a wrong value would appear as a default after the next boot.

    Args:
        vm: The virtual machine.
        params: Parameters of the credit scheduler.
        vcpus: Number of vCPUs, offline ones included.

    Raises:
        ParameterRefused: The parameters belong to another scheduler, are outside their range, or are for Dom0.
    """
    if not isinstance(params, CreditParams):
        raise ParameterRefused(
            f"{vm.name_label}: XAPI keeps a weight and a cap of the credit scheduler, not {params.words}",
            hint="Export the configuration instead: it sets the parameters from Dom0 at boot.",
        )
    if vm.is_control_domain:
        raise ParameterRefused(
            f"{vm.name_label}: XAPI stores a weight for Dom0 and never uses it",
            hint="Export the configuration instead: it sets Dom0's parameters at boot.",
        )
    for name, value, low, high in (("weight", params.weight, 1, 65_535), ("cap", params.cap_pct, 0, 100 * vcpus)):
        if not low <= value <= high:
            raise ParameterRefused(f"{vm.name_label}: {name} {value} is outside {low}..{high}")
    return {**vm.vcpus_params, "weight": str(params.weight), "cap": str(params.cap_pct)}


def format_xe_commands(uuid: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return the change as `xe` commands in one line, for people; touch nothing.

    Args:
        uuid: UUID of the virtual machine.
        before: The map before the change.
        after: The map after the change.
    """
    sets = [f"VCPUs-params:{key}={value}" for key, value in sorted(after.items()) if before.get(key) != value]
    gone = [
        f"xe vm-param-remove uuid={uuid} param-name=VCPUs-params param-key={shlex.quote(key)}"
        for key in before
        if key not in after
    ]
    lines = [*gone, *([f"xe vm-param-set uuid={uuid} {' '.join(shlex.quote(word) for word in sets)}"] if sets else [])]
    return "; ".join(lines)


def propose_change(line: XapiConnection, uuid: str, params: SchedParams, *, vcpus: int) -> StoredChange:
    """Return the change that `store_params` would make; touch nothing.

    Args:
        line: Connection to the pool.
        uuid: UUID of the virtual machine.
        params: Parameters of the credit scheduler.
        vcpus: Number of vCPUs, offline ones included.

    Raises:
        ParameterRefused: XAPI cannot store the parameters, or would ignore them.
        HostError: The virtual machine cannot be read.
    """
    _, vm = find_vm(line, uuid)
    return StoredChange(uuid, vm.vcpus_params, wanted_map(vm, params, vcpus=vcpus))


def store_params(
    line: XapiConnection, uuid: str, params: SchedParams, *, vcpus: int, ledger: CommandLog
) -> StoredChange:
    """Store a weight and a cap for the next build of a machine, and read them back.

    Args:
        line: Connection to the pool.
        uuid: UUID of the virtual machine.
        params: Parameters of the credit scheduler.
        vcpus: Number of vCPUs, offline ones included.
        ledger: Called with the change as a command.

    Raises:
        ParameterRefused: XAPI cannot store the parameters, or would ignore them.
        WriteNotVerified: The map reads back differently.
        HostError: The change failed.
    """
    ref, vm = find_vm(line, uuid)
    return _store_map(line, ref, vm, wanted_map(vm, params, vcpus=vcpus), ledger)


def restore_params(line: XapiConnection, kept: StoredChange, ledger: CommandLog) -> StoredChange:
    """Restore the weight and cap that were stored before a change.

    Args:
        line: Connection to the pool.
        kept: The change.
        ledger: Called with the restore as a command.

    Raises:
        WriteNotVerified: The map reads back differently.
        HostError: The restore failed.
    """
    ref, vm = find_vm(line, kept.uuid)
    return _store_map(line, ref, vm, _restored_map(vm, kept), ledger)


def propose_restore(line: XapiConnection, kept: StoredChange) -> StoredChange:
    """Return the change that `restore_params` would make; touch nothing.

    Args:
        line: Connection to the pool.
        kept: The change to restore.

    Raises:
        HostError: The virtual machine cannot be read.
    """
    _, vm = find_vm(line, kept.uuid)
    return StoredChange(kept.uuid, vm.vcpus_params, _restored_map(vm, kept))


def _restored_map(vm: VmRecord, kept: StoredChange) -> dict[str, str]:
    """Return the current map with the weight and cap from before a change."""
    others = {key: value for key, value in vm.vcpus_params.items() if key not in _OURS}
    return others | {key: value for key, value in kept.before.items() if key in _OURS}


def find_vm(line: XapiConnection, uuid: str) -> tuple[str, VmRecord]:
    """Return a virtual machine's reference and record.

    Args:
        line: Connection to the pool.
        uuid: UUID of the virtual machine.

    Raises:
        DomainGone: The pool has no such machine.
        HostError: The record cannot be read.
    """
    ref = str(line.call("looking for the virtual machine", "VM.get_by_uuid", uuid))
    return ref, parse_record(line.call("looking at the virtual machine", "VM.get_record", ref), VmRecord)


def describe_difference(vm: VmRecord, live: SchedParams | None) -> str:
    """Return the differences between stored and live values; empty for none.

    Args:
        vm: The virtual machine.
        live: Live parameters; None when unknown.
    """
    if not isinstance(live, CreditParams):
        return ""
    kept = {
        "weight": _parse_number(vm.vcpus_params.get("weight"), DEFAULT_WEIGHT),
        "cap": _parse_number(vm.vcpus_params.get("cap"), DEFAULT_CAP),
    }
    now = {"weight": live.weight, "cap": live.cap_pct}
    return ", ".join(f"{name} {now[name]} live, {kept[name]} kept" for name in now if now[name] != kept[name])


def _store_map(
    line: XapiConnection, ref: str, vm: VmRecord, wanted: Mapping[str, str], ledger: CommandLog
) -> StoredChange:
    what = f"keeping the weight and cap of {vm.name_label}"
    before, done = vm.vcpus_params, format_xe_commands(vm.uuid, vm.vcpus_params, wanted)
    if not done:
        return StoredChange(vm.uuid, before, before)
    got: Mapping[str, str] = before
    lost: HostUnreachable | None = None
    for _ in range(_TRIES):
        try:
            line.call(what, "VM.set_VCPUs_params", ref, wanted)
            lost = None
        except HostUnreachable as error:
            lost = error
        # Only reading back shows if a call without an answer was carried out.
        answer = line.call(what, "VM.get_VCPUs_params", ref)
        got = msgspec.convert(answer, dict[str, str])
        if got == wanted:
            ledger(done, LABEL)
            return StoredChange(vm.uuid, before, got)
    if lost is not None:
        raise lost
    raise WriteNotVerified(
        f"{vm.name_label}: wrote {dict(wanted)}, but XAPI reads back {dict(got)}",
        hint="Does another program manage the same virtual machine?",
    )


def _parse_number(text: str | None, default: int) -> int:
    found = None if text is None else parse_whole_number(text, -_MOST, _MOST)
    return default if found is None else found
