"""Keeping a weight and a cap in XAPI, for the next time that the domain is built; live values come from `xl`.

XAPI stores `VCPUs_params` without looking at them, in every state of the domain and for Dom0, too. They reach Xen when
a domain is built (start, reboot, resume, migration), only under the credit scheduler, and never for Dom0. One call sets
the whole map: sent twice it does the same, where adding a key would fail with MAP_DUPLICATE_KEY after a success.
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
    """What was changed.

    Attributes:
        uuid: The virtual machine.
        before: Its whole map as found; `restore` takes it.
        after: Its whole map now, as read back.
        label: When it counts.
    """

    uuid: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    label: str = LABEL


def wanted_map(vm: VmRecord, params: SchedParams, *, vcpus: int) -> dict[str, str]:
    """Return the map that keeps a domain's weight and cap, other keys as they are; raises ParameterRefused.

    XAPI looks at nothing, so a wrong value would only show as a default after the next boot.
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
    """Return the change as `xe` commands in one line, for people; touches nothing."""
    sets = [f"VCPUs-params:{key}={value}" for key, value in sorted(after.items()) if before.get(key) != value]
    gone = [
        f"xe vm-param-remove uuid={uuid} param-name=VCPUs-params param-key={shlex.quote(key)}"
        for key in before
        if key not in after
    ]
    lines = [*gone, *([f"xe vm-param-set uuid={uuid} {' '.join(shlex.quote(word) for word in sets)}"] if sets else [])]
    return "; ".join(lines)


def propose_change(line: XapiConnection, uuid: str, params: SchedParams, *, vcpus: int) -> StoredChange:
    """Return what `keep` would change; touches nothing. Raises ParameterRefused, HostError."""
    _, vm = find_vm(line, uuid)
    return StoredChange(uuid, vm.vcpus_params, wanted_map(vm, params, vcpus=vcpus))


def store_params(
    line: XapiConnection, uuid: str, params: SchedParams, *, vcpus: int, ledger: CommandLog
) -> StoredChange:
    """Keep a weight and a cap for a virtual machine's next life, and read them back.

    Args:
        line: To the pool.
        uuid: The virtual machine.
        params: Of the credit scheduler.
        vcpus: How many vCPUs it has, offline ones too.
        ledger: Told what was done.

    Raises:
        ParameterRefused: XAPI cannot keep these, or would ignore them.
        WriteNotTaken: The map reads back differently.
        HostError: Not done.
    """
    ref, vm = find_vm(line, uuid)
    return _store_map(line, ref, vm, wanted_map(vm, params, vcpus=vcpus), ledger)


def restore_params(line: XapiConnection, kept: StoredChange, ledger: CommandLog) -> StoredChange:
    """Put the map back that was there before; raises WriteNotTaken, HostError."""
    ref, vm = find_vm(line, kept.uuid)
    return _store_map(line, ref, vm, _restored_map(vm, kept), ledger)


def propose_restore(line: XapiConnection, kept: StoredChange) -> StoredChange:
    """Return what `restore` would change; touches nothing. Raises HostError."""
    _, vm = find_vm(line, kept.uuid)
    return StoredChange(kept.uuid, vm.vcpus_params, _restored_map(vm, kept))


def _restored_map(vm: VmRecord, kept: StoredChange) -> dict[str, str]:
    """Return a machine's present map with the weight and cap that it had before `keep`."""
    others = {key: value for key, value in vm.vcpus_params.items() if key not in _OURS}
    return others | {key: value for key, value in kept.before.items() if key in _OURS}


def find_vm(line: XapiConnection, uuid: str) -> tuple[str, VmRecord]:
    """Return a virtual machine's reference and record; raises DomainGone, HostError."""
    ref = str(line.call("looking for the virtual machine", "VM.get_by_uuid", uuid))
    return ref, parse_record(line.call("looking at the virtual machine", "VM.get_record", ref), VmRecord)


def describe_difference(vm: VmRecord, live: SchedParams | None) -> str:
    """Return how the kept values differ from the live ones, in words; empty when the next boot changes nothing."""
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
        # Whether a call without an answer was carried out shows here, and only here.
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
