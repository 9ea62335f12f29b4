"""The pool that the double pretends to be: its database, sessions and events, and the faults it was told to have."""

import threading
import xmlrpc.client
from dataclasses import dataclass, field

from tests.xapi_double.rrd import GENERATIONS, Metrics

NEVER = xmlrpc.client.DateTime("19700101T00:00:00Z")
NULL = "OpaqueRef:NULL"
POOL_UUID = "2c8f2a1e-0000-4000-8000-0000000000f0"
HOST_UUID = "6f2a3a1e-0000-4000-8000-000000000001"
DOM0_UUID = "6f2a3a1e-0000-4000-8000-0000000000d0"
GUEST_UUID = "58677b50-9f2c-49aa-8085-3e8ccbf30f65"
PASSWORD = "not-a-real-one"


@dataclass
class Fault:
    """One thing that goes wrong at one call, once.

    Attributes:
        kind: `drop` (done, then the connection is cut), `cut` (cut before it is done), `fail` (with `details`),
            `wait` (`seconds` before it is done), `drip` (the answer byte by byte), `body` and `status` (this answer).
    """

    kind: str
    details: tuple[str, ...] = ()
    seconds: float = 0.0
    body: bytes = b""
    status: int = 200


@dataclass
class Pool:
    """Everything that the members share."""

    hosts: dict = field(default_factory=dict)
    vms: dict = field(default_factory=dict)
    certificates: dict = field(default_factory=dict)
    pool: dict = field(
        default_factory=lambda: {
            "uuid": POOL_UUID,
            "name_label": "",
            "master": "OpaqueRef:h1",
            "ha_enabled": False,
            "wlb_enabled": False,
        }
    )
    users: dict = field(default_factory=lambda: {"root": "pool-admin", "watcher": "read-only"})
    coordinator: str = ""
    thumbprints: dict = field(default_factory=dict)
    strangers: set = field(default_factory=set)  # the directory service knows them, the pool does not
    metrics: Metrics = field(default_factory=Metrics)
    metrics_body: bytes = b""  # an answer of another form instead
    rrd: str = GENERATIONS[-1]
    sessions: dict = field(default_factory=dict)
    calls: list = field(default_factory=list)
    faults: dict = field(default_factory=dict)
    blocked: set = field(default_factory=set)
    forgetful: bool = False  # another program puts every kept map back at once

    def __post_init__(self):
        self.change = threading.Condition()
        self.events: list[tuple[int, str, str]] = []
        self._sessions = 0

    def add_host(self, ref, **fields):
        self.hosts[ref] = {
            "uuid": HOST_UUID[:-1] + ref[-1],
            "name_label": f"xcp{ref[-1]}",
            "hostname": f"xcp{ref[-1]}",
            "address": "127.0.0.1",
            "enabled": True,
            "control_domain": f"OpaqueRef:d{ref[-1]}",
            "sched_policy": "credit",
            "cpu_info": {"cpu_count": "2", "socket_count": "1", "threads_per_core": "1"},
            "guest_VCPUs_params": {},
            "software_version": {
                "xen": "4.17.6-2",
                "xapi": "26.1",
                "product_brand": "XCP-ng",
                "product_version": "8.3.0",
            },
            "ssh_enabled": True,
            "ssh_enabled_timeout": "0",
            "ssh_expiry": NEVER,
            "ssh_auto_mode": False,
            **fields,
        }

    def add_vm(self, ref, name, **fields):
        self.vms[ref] = {
            "uuid": GUEST_UUID,
            "name_label": name,
            "power_state": "Running",
            "domid": "3",
            "resident_on": "OpaqueRef:h1",
            "is_a_template": False,
            "is_a_snapshot": False,
            "is_control_domain": False,
            "VCPUs_params": {},
            "memory_dynamic_min": "1073741824",
            "memory_dynamic_max": "1073741824",
            "snapshot_schedule": NULL,
            "current_operations": {},
            **fields,
        }

    def alter(self, ref, **fields):
        """Change a virtual machine as the toolstack would, with an event."""
        with self.change:
            self.vms[ref].update(fields)
            self._happen(ref, "mod")

    def remove(self, ref):
        with self.change:
            del self.vms[ref]
            self._happen(ref, "del")

    def _happen(self, ref, operation):
        self.events.append((len(self.events) + 1, ref, operation))
        self.change.notify_all()

    def login(self, user):
        with self.change:
            self._sessions += 1
            ref = f"OpaqueRef:session-{self._sessions}"
            self.sessions[ref] = user
            return ref

    def fail_at(self, method, *faults):
        """Have the next calls of a method go wrong, one fault each."""
        self.faults.setdefault(method, []).extend(faults)

    def fault_of(self, method):
        waiting = self.faults.get(method)
        return waiting.pop(0) if waiting else None


def small_pool() -> Pool:
    """One host with Dom0 and one guest, a template, a snapshot and a halted machine."""
    pool = Pool()
    pool.add_host("OpaqueRef:h1")
    dom0 = {"domid": "0", "is_control_domain": True, "uuid": DOM0_UUID}
    pool.add_vm("OpaqueRef:d1", "Control domain on host: xcp1", **dom0)
    pool.add_vm("OpaqueRef:v1", "db1")
    gone = {"power_state": "Halted", "domid": "-1", "resident_on": NULL}
    pool.add_vm("OpaqueRef:t1", "Debian 12", **gone, is_a_template=True, uuid=GUEST_UUID[:-1] + "1")
    pool.add_vm("OpaqueRef:s1", "db1", **gone, is_a_snapshot=True, uuid=GUEST_UUID[:-1] + "2")
    pool.add_vm("OpaqueRef:v2", "idle", **gone, uuid=GUEST_UUID[:-1] + "3")
    return pool


def seen_by_xl() -> dict:
    """What is other than usual in the Dom0 of that host: the same guest there, by the same UUID."""
    from tests.xen_double.state import NO_UUID, domain

    return {"scheduler": "credit", "domains": [domain(0, "Domain-0", NO_UUID), domain(3, "db1", GUEST_UUID, offline=1)]}
