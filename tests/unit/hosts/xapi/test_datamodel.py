"""The adapter and its double, held against XAPI's own datamodel call by call; and what the datamodel gets wrong."""

import re
import xmlrpc.client
from pathlib import Path

import msgspec
import pytest

import scheduler.hosts.xapi
from scheduler.hosts.xapi import metrics, rpc, xapi_failures
from scheduler.hosts.xapi.domain_events import EventWatcher
from scheduler.hosts.xapi.https_wire import HttpsWire
from scheduler.hosts.xapi.pool_inventory import read_inventory
from scheduler.hosts.xapi.xapi_failures import XapiFailure
from scheduler.hosts.xapi.xapi_session import XapiConnection
from tests.xapi_double import used
from tests.xapi_double.datamodel import CLASSES, CODES, fields, fits, message
from tests.xapi_double.fixtures import until
from tests.xapi_double.pool import NULL

SOURCES = sorted(Path(scheduler.hosts.xapi.__path__[0]).glob("*.py"))
CALLED = sorted(f"{name}.{call}" for name, calls in used.CALLED.items() for call in calls)
_METHOD = re.compile(r'"((?:session|pool|host|VM|Certificate|event)\.[a-zA-Z_]+)"')


@pytest.fixture
def everything(pool, member, session, line):
    """Make every call that the adapter knows, and return what went over the wire."""
    pool.certificates["OpaqueRef:c1"] = {
        "type": "host",
        "host": "OpaqueRef:h1",
        "fingerprint": "AB:CD",
        "not_after": xmlrpc.client.DateTime("20360101T00:00:00Z"),
    }
    world = read_inventory(line)
    metrics.read_certificates(line)
    watcher = EventWatcher(XapiConnection(session), {"OpaqueRef:v1": world.vms["OpaqueRef:v1"]}, {}, poll_s=0.1)
    watcher.start()
    until(lambda: any(method == "event.from" for method, _, _ in tuple(pool.calls)))
    watcher.stop()
    session.close()
    return pool.calls


def test_list_of_calls_is_the_code_s():
    named = {found for path in SOURCES for found in _METHOD.findall(path.read_text())}
    assert sorted(named) == CALLED


def test_every_call_of_the_list_is_really_made(everything):
    assert sorted({method for method, _, _ in everything}) == CALLED


def test_every_call_exists_with_so_many_parameters_of_these_types(everything):
    for method, params, _ in everything:
        kinds = message(method)["params"]
        assert len(params) == len(kinds), method
        assert all(fits(value, kind) for value, kind in zip(params, kinds, strict=True)), method


def test_every_answer_of_the_double_is_of_the_type_that_xapi_documents(everything):
    for method, _, result in everything:
        kind = message(method)["result"]
        if method == "event.from":
            assert set(result) == {"events", "valid_ref_counts", "token"}
            assert re.fullmatch(r"\d{20},\d{20}", result["token"])
        else:
            assert fits(result, kind), f"{method}: {result!r} is no {kind}"


def test_events_have_the_fields_of_the_datamodel(everything):
    events = [event for method, _, result in everything if method == "event.from" for event in result["events"]]
    assert events
    for event in events:
        assert event["operation"] in CLASSES["event"]["enums"]["event_operation"]
        assert fits(event["snapshot"], "VM record")


@pytest.mark.parametrize("name", sorted(used.RECORDS))
def test_every_field_that_is_read_exists_with_the_type_that_is_expected(name):
    ours = {str: "string", int: "int", bool: "bool"}
    for field in msgspec.structs.fields(used.RECORDS[name]):
        kind = fields(name)[field.encode_name]
        if field.type in ours:
            # references, enums and moments are text on the wire
            textual = field.type is str and (kind.endswith(" ref") or kind == "datetime" or kind.startswith("enum "))
            assert kind == ours[field.type] or textual, f"{name}.{field.encode_name} is {kind}"
        else:
            assert kind.endswith(" map") or kind == "<class> record", f"{name}.{field.encode_name} is {kind}"


@pytest.mark.parametrize("name", sorted(used.LATER))
def test_fields_newer_than_the_datamodel_may_be_absent(name):
    optional = {field.encode_name for field in msgspec.structs.fields(used.RECORDS[name]) if not field.required}
    assert set(used.LATER[name]) <= optional


def test_every_code_that_the_adapter_knows_is_xapi_s():
    known = {*xapi_failures._KINDS, *xapi_failures.TOKEN_LOST}
    assert known <= CODES


@pytest.mark.parametrize("method", CALLED)
def test_every_call_needs_the_role_read_only(method):
    assert message(method)["roles"][-1] == "read-only"


def test_live_changes_fail_as_they_do_in_every_xapi(pool, member, session):
    """The datamodel documents this call as working. No version implements it: it is evidence of nothing."""
    assert message("VM.add_to_VCPUs_params_live")["errors"] == []
    wire = HttpsWire(*session.current()[1:])
    ref = session.current()[0]

    def refused(vm):
        with pytest.raises(XapiFailure) as caught:
            rpc.call_method(wire, "VM.add_to_VCPUs_params_live", (ref, vm, "weight", "512"), 5.0)
        return (caught.value.code, *caught.value.parameters)

    assert refused("OpaqueRef:v1") == ("NOT_IMPLEMENTED", "add_to_VCPUs_params_live")
    assert refused("OpaqueRef:d1") == ("OPERATION_NOT_ALLOWED", "This operation is not allowed on a control domain")
    assert refused("OpaqueRef:v2") == ("VM_BAD_POWER_STATE", "OpaqueRef:v2", "running", "halted")
    pool.vms["OpaqueRef:v1"]["current_operations"] = {"task": "clean_reboot"}
    assert refused("OpaqueRef:v1")[0] == "OTHER_OPERATION_IN_PROGRESS"
    pool.blocked.add("OpaqueRef:v1")
    assert refused("OpaqueRef:v1")[0] == "OPERATION_BLOCKED"
    wire.close()
    assert pool.vms["OpaqueRef:v1"]["VCPUs_params"] == {}


def test_nothing_in_the_adapter_asks_for_what_does_not_work():
    forbidden = [f"VM.{call}" for call in used.FORBIDDEN["VM"]]
    texts = {path.name: path.read_text() for path in SOURCES}
    assert [name for name, text in texts.items() if any(f'"{call}"' in text for call in forbidden)] == []


def test_constant_called_sched_policy_is_never_read():
    assert fields("host")["sched_policy"] == "string"  # XAPI answers "credit" whatever runs
    assert "sched_policy" not in used.fields_of("host")


@pytest.mark.parametrize(
    ("value", "kind", "good"),
    [
        ("OpaqueRef:x", "VM ref", True),
        ("x", "VM ref", False),
        (NULL, "host ref", True),
        ("12", "int", True),
        (12, "int", False),
        ("-1", "int", True),
        ("1.5", "int", False),
        (1.5, "float", True),
        (True, "bool", True),
        ("true", "bool", False),
        (["a"], "string set", True),
        ("a", "string set", False),
        ({"a": "b"}, "(string -> string) map", True),
        ({"a": ["b"]}, "(string -> string set) map", True),
        ({"a": 1}, "(string -> string) map", False),
        ("Running", "enum vm_power_state", True),
        ("running", "enum vm_power_state", False),
        ("", "void", True),
        ({"uuid": "x"}, "VM record", True),
        ({"no_such_field": "x"}, "VM record", False),
        ({"domid": 3}, "VM record", False),
    ],
)
def test_grammar_of_types_reports_good_from_bad(value, kind, good):
    assert fits(value, kind) is good
