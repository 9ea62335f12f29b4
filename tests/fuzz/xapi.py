"""What a XAPI answers, and what stands in the file of accepted certificates."""

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from scheduler.hosts.xapi import rpc, rrd
from scheduler.hosts.xapi.certificate_pins import accept_fingerprint, find_pin
from scheduler.hosts.xapi.https_wire import HttpReply
from scheduler.hosts.xapi.metrics import read_certificates
from scheduler.hosts.xapi.pool_inventory import choose_pair, read_inventory
from scheduler.hosts.xapi.preflight_data import PreflightData
from scheduler.hosts.xapi.xapi_failures import XapiFailure, translate_failure
from scheduler.hosts.xapi.xapi_host import list_findings
from scheduler.hosts.xapi.xapi_records import EventBatch, VmRecord, parse_record
from scheduler.hosts.xapi.xapi_url import XapiAddress
from scheduler.model.scheduler_params import CreditParams
from tests.fuzz.spoiling import spoil_bytes, spoil_value
from tests.xapi_double import wire
from tests.xapi_double.pool import GUEST_UUID, HOST_UUID, small_pool
from tests.xapi_double.rrd import xml

_ADDRESS = XapiAddress("xcp1")
_METRICS = xml(
    [f"AVERAGE:vm:{GUEST_UUID}:cpu0", f"AVERAGE:host:{HOST_UUID}:loadavg"],
    [(moment_s, [0.25, float("nan")]) for moment_s in range(60, 0, -5)],
)


def _world(rng: Random) -> dict[str, object]:
    pool = small_pool()
    certificate = {"type": "host", "host": "OpaqueRef:h1", "fingerprint": "AB", "not_after": "20360101T00:00:00Z"}
    answers = {
        "pool.get_all_records": {"OpaqueRef:p1": pool.pool},
        "host.get_all_records": pool.hosts,
        "VM.get_all_records": pool.vms,
        "Certificate.get_all_records": {"OpaqueRef:c1": certificate},
    }
    return {method: spoil_value(rng, rpc.to_plain_values(answer)) for method, answer in answers.items()}


class Answering:
    """A line to a pool, and a wire to one of its hosts, that answer what the seed says."""

    address = _ADDRESS

    def __init__(self, body: bytes = b"", answers: dict[str, object] | None = None) -> None:
        self._body, self._answers = body, answers or {}

    def call(self, what, method, *params, timeout_s=20.0):
        return self._answers[method]

    def exchange(self, request, body, headers, timeout_s, most_bytes=0):
        return HttpReply(200, {}, self._body)


def answer(rng: Random) -> object:
    right = rng.choice((wire.success(small_pool().vms), wire.failure(["HOST_IS_SLAVE", "10.0.0.1"]), wire.success("x")))
    try:
        return rpc.call_method(Answering(spoil_bytes(rng, right)), "VM.get_all_records", ("OpaqueRef:s",), 5.0)
    except XapiFailure as failure:
        return translate_failure("looking", failure)


def metrics(rng: Random) -> object:
    series = rrd.parse_metrics(spoil_bytes(rng, _METRICS))
    return rrd.cpus_used(series, GUEST_UUID), rrd.read_runstates(series, GUEST_UUID)


def pool(rng: Random) -> object:
    """From the first question to what is told of the pool."""
    line = Answering(answers=_world(rng))
    world = read_inventory(line)
    known = read_certificates(line)
    pair = choose_pair(world, "xcp1", "", rng.choice(("", "db1", "idle")))
    series = rrd.parse_metrics(spoil_bytes(rng, _METRICS, 1))
    now = datetime(2026, 11, 23, tzinfo=UTC)
    return list_findings(
        PreflightData(world, pair, CreditParams(256), "4.17", series, known.get(pair.host), now, frozenset())
    )


def events(rng: Random) -> object:
    vm = small_pool().vms["OpaqueRef:v1"]
    event = {"class": "vm", "operation": "mod", "ref": "OpaqueRef:v1", "snapshot": vm}
    batch = parse_record(
        spoil_value(rng, {"events": [event] * 3, "token": "0,0", "valid_ref_counts": {"vm": "2"}}), EventBatch
    )
    return [parse_record(each.snapshot, VmRecord) for each in batch.events]


def pins(rng: Random) -> object:
    with tempfile.TemporaryDirectory(prefix="domtune-fuzz-") as folder:
        os.environ["DOMTUNE_HOME"] = folder
        path = accept_fingerprint(_ADDRESS, "ab" * 32)
        Path(path).write_bytes(spoil_bytes(rng, path.read_bytes() * 3))
        return find_pin(_ADDRESS)


TARGETS = {each.__name__: each for each in (answer, metrics, pool, events, pins)}
