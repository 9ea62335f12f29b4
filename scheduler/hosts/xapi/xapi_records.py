"""XAPI's records, cut down to what DomTune reads. XAPI sends integers as text, and newer versions send more fields."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from scheduler.errors import HostNotUsable

NULL = "OpaqueRef:NULL"
RUNNING = "Running"
Record = TypeVar("Record", bound=msgspec.Struct)


class PoolRecord(msgspec.Struct, frozen=True, rename={}):
    """A pool of hosts; there is exactly one.

    Attributes:
        master: The coordinator.
        ha_enabled: Whether hosts that seem dead are fenced.
        wlb_enabled: Whether virtual machines are moved by load.
    """

    uuid: str
    master: str
    ha_enabled: bool
    wlb_enabled: bool


class HostRecord(msgspec.Struct, frozen=True, rename={"guest_vcpus_params": "guest_VCPUs_params"}):
    """One member of the pool.

    `sched_policy` is left out on purpose: XAPI answers "credit" whatever runs. The `ssh_` fields came with 25.21.

    Attributes:
        address: Of its management interface.
        enabled: False in maintenance mode.
        control_domain: Its Dom0; NULL from versions that do not say.
        guest_vcpus_params: `mask` keeps all guests on some CPUs.
        software_version: `xen`, `xapi`, `product_brand`, `product_version` and others.
        ssh_enabled: Whether sshd runs.
        ssh_enabled_timeout: Seconds after which it is ended; 0 for never.
        ssh_expiry: When that will be.
        ssh_auto_mode: Whether it runs only while XAPI does not.
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
        """Everything that a user may call it."""
        return frozenset({self.uuid, self.name_label, self.hostname, self.address})


class VmRecord(msgspec.Struct, frozen=True, rename={"vcpus_params": "VCPUs_params"}):
    """One virtual machine, Dom0 among them.

    Attributes:
        power_state: `Halted`, `Paused`, `Running` or `Suspended`.
        domid: Number of this life of the domain; -1 when there is none.
        resident_on: The host it runs on.
        is_control_domain: True for Dom0, and for driver domains, too.
        vcpus_params: Kept `weight`, `cap` and `mask`: what the next building of the domain starts from.
        snapshot_schedule: NULL for none.
        current_operations: What is being done to it.
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
        """True when it can be swept."""
        return self.power_state == RUNNING


class CertificateRecord(msgspec.Struct, frozen=True):
    """A certificate that the pool knows (XAPI 1.290 and later).

    Attributes:
        type: `host` for the one that a host shows to clients.
        host: Whose it is.
        not_after: When it runs out.
        fingerprint: SHA-256; deprecated since 24.19.
        fingerprint_sha256: The same, since 24.19.
    """

    type: str
    host: str
    not_after: str
    fingerprint: str = ""
    fingerprint_sha256: str = ""

    @property
    def sha256(self) -> str:
        """The fingerprint, by whichever name this version has for it."""
        return self.fingerprint_sha256 or self.fingerprint


class EventRecord(msgspec.Struct, frozen=True, rename={"class_": "class"}):
    """Something changed, or (`add` in the first batch) is there.

    Attributes:
        operation: `add`, `mod` or `del`.
        ref: The object.
        snapshot: Its record; absent when it is gone.
    """

    class_: str
    operation: str
    ref: str
    snapshot: Mapping[str, object] = {}


class EventBatch(msgspec.Struct, frozen=True):
    """Answer of `event.from`."""

    events: list[EventRecord]
    token: str


def parse_record(value: object, kind: type[Record]) -> Record:
    """Read one record; raises HostNotUsable."""
    try:
        return msgspec.convert(value, kind, strict=False)  # not strict: integers come as text
    except msgspec.ValidationError as error:
        raise HostNotUsable(
            f"XAPI sent a {kind.__name__} that is not understood: {error}",
            hint="Is this a version of XAPI that is much older or newer than those known?",
        ) from error


def parse_records(value: object, kind: type[Record]) -> dict[str, Record]:
    """Read reference to record; raises HostNotUsable."""
    if not isinstance(value, dict):
        raise HostNotUsable(f"XAPI sent {type(value).__name__} where its {kind.__name__} records should be")
    return {ref: parse_record(item, kind) for ref, item in msgspec.convert(value, dict[str, object]).items()}


def parse_moment(text: str) -> datetime | None:
    """Read a moment in XAPI's writing (`20261121T19:00:00Z`); None for none, and for 1970, which stands for never."""
    bare = text.rstrip("Z").replace("-", "")
    try:
        found = datetime.strptime(bare, "%Y%m%dT%H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return found if found.timestamp() > 0 else None
