"""XAPI's records, reduced to the fields that DomTune reads.

XAPI sends integers as text. Newer versions send more fields.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from scheduler.errors import HostNotUsable
from scheduler.translation import _

NULL = "OpaqueRef:NULL"
RUNNING = "Running"
Record = TypeVar("Record", bound=msgspec.Struct)


class PoolRecord(msgspec.Struct, frozen=True, rename={}):
    """A pool of hosts; each XAPI has exactly one.

    Attributes:
        uuid: UUID of the pool.
        master: Reference of the coordinator.
        ha_enabled: True when high availability shuts off hosts that seem dead.
        wlb_enabled: True when workload balancing moves virtual machines.
    """

    uuid: str
    master: str
    ha_enabled: bool
    wlb_enabled: bool


class HostRecord(msgspec.Struct, frozen=True, rename={"guest_vcpus_params": "guest_VCPUs_params"}):
    """One member of the pool.

    `sched_policy` is omitted on purpose: XAPI answers "credit" under every scheduler. The `ssh_` fields exist since
    25.21.

    Attributes:
        uuid: UUID of the host.
        name_label: Name of the host.
        hostname: Network name of the host.
        address: Address of the management interface.
        enabled: False in maintenance mode.
        software_version: `xen`, `xapi`, `product_brand`, `product_version` and others.
        guest_vcpus_params: `mask` restricts all guests to some CPUs.
        control_domain: Reference of Dom0; NULL in versions without this field.
        ssh_enabled: True when sshd runs.
        ssh_enabled_timeout: Seconds after which sshd is stopped; 0 for never.
        ssh_expiry: Time at which sshd is stopped.
        ssh_auto_mode: True when sshd runs only while XAPI does not.
    """

    uuid: str
    name_label: str
    hostname: str
    address: str
    enabled: bool
    software_version: Mapping[str, str]
    guest_vcpus_params: Mapping[str, str] = {}
    control_domain: str = NULL
    ssh_enabled: bool = True
    ssh_enabled_timeout: int = 0
    ssh_expiry: str = ""
    ssh_auto_mode: bool = False

    @property
    def names(self) -> frozenset[str]:
        """All names by which a user may refer to the host."""
        return frozenset({self.uuid, self.name_label, self.hostname, self.address})


class VmRecord(msgspec.Struct, frozen=True, rename={"vcpus_params": "VCPUs_params"}):
    """One virtual machine or Dom0.

    Attributes:
        uuid: UUID of the machine.
        name_label: Name of the machine.
        power_state: `Halted`, `Paused`, `Running` or `Suspended`.
        domid: Current number of the domain; -1 when none runs.
        resident_on: Reference of the host on which the machine runs.
        is_a_template: True for a template.
        is_a_snapshot: True for a snapshot.
        is_control_domain: True for Dom0 and for driver domains.
        vcpus_params: Stored `weight`, `cap` and `mask`, used when the domain is next built.
        memory_dynamic_min: Lower limit of the memory, bytes.
        memory_dynamic_max: Upper limit of the memory, bytes.
        snapshot_schedule: Reference of a schedule; NULL for none.
        current_operations: Operations in progress.
    """

    uuid: str
    name_label: str
    power_state: str
    domid: int
    resident_on: str
    is_a_template: bool
    is_a_snapshot: bool
    is_control_domain: bool
    vcpus_params: Mapping[str, str]
    memory_dynamic_min: int
    memory_dynamic_max: int
    snapshot_schedule: str = NULL
    current_operations: Mapping[str, str] = {}

    @property
    def running(self) -> bool:
        """True when the machine runs and can be swept."""
        return self.power_state == RUNNING


class CertificateRecord(msgspec.Struct, frozen=True):
    """A certificate that the pool knows (XAPI 1.290 and later).

    Attributes:
        type: `host` for the certificate that a host shows to clients.
        host: Reference of the host.
        not_after: Time of expiry.
        fingerprint: SHA-256; deprecated since 24.19.
        fingerprint_sha256: SHA-256, since 24.19.
    """

    type: str
    host: str
    not_after: str
    fingerprint: str = ""
    fingerprint_sha256: str = ""

    @property
    def sha256(self) -> str:
        """The SHA-256 fingerprint, from the field that this version sends."""
        return self.fingerprint_sha256 or self.fingerprint


class EventRecord(msgspec.Struct, frozen=True, rename={"class_": "class"}):
    """A change of an object; `add` in the first batch means that the object exists.

    Attributes:
        class_: Class of the object, for example `vm`.
        operation: `add`, `mod` or `del`.
        ref: Reference of the object.
        snapshot: Record of the object; empty when the object is gone.
    """

    class_: str
    operation: str
    ref: str
    snapshot: Mapping[str, object] = {}


class EventBatch(msgspec.Struct, frozen=True):
    """Answer of `event.from`.

    Attributes:
        events: The events.
        token: Token for the next call.
    """

    events: list[EventRecord]
    token: str


def parse_record(value: object, kind: type[Record]) -> Record:
    """Return one record; raise HostNotUsable for other data.

    Args:
        value: Data from XAPI.
        kind: Class of the record.
    """
    try:
        return msgspec.convert(value, kind, strict=False)  # not strict: integers come as text
    except msgspec.ValidationError as error:
        raise HostNotUsable(
            _("XAPI sent a {kind} that is not understood: {error}").format(kind=kind.__name__, error=error),
            hint=_("Is this a version of XAPI that is much older or newer than those known?"),
        ) from error


def parse_records(value: object, kind: type[Record]) -> dict[str, Record]:
    """Return records by reference; raise HostNotUsable for other data.

    Args:
        value: Data from XAPI.
        kind: Class of the records.
    """
    if not isinstance(value, dict):
        raise HostNotUsable(
            _("XAPI sent {value} where its {kind} records should be").format(
                value=type(value).__name__, kind=kind.__name__
            )
        )
    return {ref: parse_record(item, kind) for ref, item in msgspec.convert(value, dict[str, object]).items()}


def parse_moment(text: str) -> datetime | None:
    """Return a time in XAPI's notation (`20261121T19:00:00Z`); None for no time.

    1970 means never and gives None.
    """
    bare = text.rstrip("Z").replace("-", "")
    try:
        found = datetime.strptime(bare, "%Y%m%dT%H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return found if found.timestamp() > 0 else None
