"""The machine of `sim:`: a Xen host with one CPU, fitted to Calheiros et al.

The machine is fitted to the statements of the paper's text, under SEDF with caps, a period of 20 ms and five users:
best, worst, order and gaps of both loads, and how idle or busy the I/O domain is at the extremes. Each is a test
(tests/unit/sim/test_paper_facts.py). The text has no absolute figure and no other split, so every other value is an
assumption. The stretch of the OLTP load has no cause in the model: a guest with half the CPU did half of the best,
one with a tenth a fifth, and no fixed cost per operation gives both.

The paper has two loads. The demands of some other loads are assumed, so that their rates have the right order of
magnitude. Every further kind is simulated as the one of the two that does the same to rows. Reports state both.
"""

from collections.abc import Mapping

from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.sim.demand import OperationDemand
from scheduler.sim.machine import MACHINE_SCHEMA, QueueMachine
from scheduler.translation import _

_FITTED: Mapping[str, OperationDemand] = {
    "osdb-ir": OperationDemand(
        client_ms=0.6,
        wire_ms=0.5,
        io_in_ms=0.19,
        io_out_ms=0.27,
        io_disk_ms=0.14,
        disk_requests=0.5,
        disk_ms=4.3,
        guest_ms=1.03,
        io_backlog_frac=0.0716,
        io_user_frac=0.2,
        guest_user_frac=0.65,
        in_bytes=900.0,
        out_bytes=500.0,
    ),
    "osdb-oltp": OperationDemand(
        client_ms=1.0,
        wire_ms=0.5,
        io_in_ms=0.3,
        io_out_ms=0.3,
        io_disk_ms=0.39,
        disk_requests=1.0,
        disk_ms=2.0,
        guest_ms=3.2,
        guest_stretch=((0.0873, 0.6967), (0.2743, 1.15), (0.48, 1.3848), (0.64, 1.0)),
        io_backlog_frac=0.03,
        io_user_frac=0.4,
        guest_user_frac=0.8,
        in_bytes=300.0,
        out_bytes=1500.0,
    ),
}

# By these loads' rates next to OSDB's on one server (PostgreSQL 18, five users): half, a fifth to a fourth, and more
# than a fourth, of the committed updates; 22 queries at scale 0.1 in five seconds, all of them the guest's. Messages by
# round trips: seven of TPC-B, one of order entry by functions, four of the brokerage, one of a query. A fourth of the
# brokerage's transactions write. Of bulk and compute the server took three times IR's and fifteen times OLTP's CPU; the
# relay's CPU was 0.4 to 0.7 of that under bulk, 0.05 under compute. What bulk costs a Dom0 is assumed: 20 us for each
# of 200 packets, which a gigabit network moves in 2 ms.
_ASSUMED: Mapping[str, OperationDemand] = {
    "tpcb": OperationDemand(
        client_ms=1.2,
        wire_ms=1.2,
        io_in_ms=0.7,
        io_out_ms=0.7,
        io_disk_ms=0.39,
        disk_requests=1.0,
        disk_ms=2.0,
        guest_ms=6.0,
        io_backlog_frac=0.03,
        io_user_frac=0.4,
        guest_user_frac=0.8,
        in_bytes=700.0,
        out_bytes=1500.0,
    ),
    "order-entry": OperationDemand(
        client_ms=0.5,
        wire_ms=0.2,
        io_in_ms=0.15,
        io_out_ms=0.15,
        io_disk_ms=0.39,
        disk_requests=2.0,
        disk_ms=2.0,
        guest_ms=16.0,
        io_backlog_frac=0.03,
        io_user_frac=0.4,
        guest_user_frac=0.85,
        variation=1.0,
        in_bytes=400.0,
        out_bytes=200.0,
    ),
    "brokerage": OperationDemand(
        client_ms=0.9,
        wire_ms=0.7,
        io_in_ms=0.4,
        io_out_ms=0.5,
        io_disk_ms=0.39,
        disk_requests=0.25,
        disk_ms=2.0,
        guest_ms=12.5,
        io_backlog_frac=0.03,
        io_user_frac=0.4,
        guest_user_frac=0.85,
        variation=0.9,
        in_bytes=1000.0,
        out_bytes=3000.0,
    ),
    "tpch": OperationDemand(
        client_ms=0.1,
        wire_ms=0.2,
        io_in_ms=0.3,
        io_out_ms=0.4,
        guest_ms=225.0,
        guest_user_frac=0.95,
        variation=1.2,
        in_bytes=1000.0,
        out_bytes=3000.0,
    ),
    "bulk": OperationDemand(
        client_ms=0.3,
        wire_ms=2.0,
        io_in_ms=0.2,
        io_out_ms=4.0,
        guest_ms=3.3,
        io_user_frac=0.2,
        guest_user_frac=0.5,
        in_bytes=1000.0,
        out_bytes=205_000.0,
    ),
    "compute": OperationDemand(
        client_ms=0.1,
        wire_ms=0.2,
        io_in_ms=0.15,
        io_out_ms=0.15,
        guest_ms=35.0,
        guest_user_frac=0.95,
        in_bytes=300.0,
        out_bytes=200.0,
    ),
}
_DEMANDS = {**_FITTED, **_ASSUMED}


def is_assumed(kind: str) -> bool:
    """Return True for a load whose demands were not fitted to any machine."""
    return kind in _ASSUMED


def simulated_kind(kind: str) -> str:
    """Return the kind as which `sim:` simulates a load; a known load is itself."""
    if kind in _DEMANDS:
        return kind
    return "osdb-oltp" if LOAD_KINDS[kind].changes_rows else "osdb-ir"


_GUEST_VCPUS = 8  # the first on the shared CPU, each other on a CPU of its own

BUILT_IN_MACHINE = QueueMachine(
    schema_id=MACHINE_SCHEMA,
    title=_("a Xen host with one shared CPU and {guest_vcpus} spare ones, an I/O domain and a database guest").format(
        guest_vcpus=_GUEST_VCPUS - 1
    ),
    loads={kind: _DEMANDS[simulated_kind(kind)] for kind in LOAD_KINDS},
    guest_vcpus=_GUEST_VCPUS,
)
