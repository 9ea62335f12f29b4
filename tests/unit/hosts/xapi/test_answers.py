"""What XAPI answers: every failure is an error of ours, and what is no answer is said to be none."""

import xmlrpc.client

import pytest

from scheduler.errors import (
    DomainGone,
    HostError,
    HostNotUsable,
    HostUnreachable,
    ParameterRefused,
)
from scheduler.hosts.xapi.xapi_session import XapiConnection, XapiSession
from scheduler.hosts.xapi.xapi_url import XapiAddress
from tests.xapi_double import datamodel
from tests.xapi_double.pool import PASSWORD, Fault

ASK = "VM.get_VCPUs_params"
SET = "VM.set_VCPUs_params"
GUEST = "OpaqueRef:v1"


def answer_with(value):
    start = "<methodResponse><params><param><value>"
    return f"{start}{value}</value></param></params></methodResponse>".encode()


NESTED = answer_with("<array><data><value>" * 50_000 + "</value></data></array>" * 50_000)
LAUGHS = b'<!DOCTYPE m [<!ENTITY l0 "ha"><!ENTITY l1 "&l0;&l0;"><!ENTITY l2 "&l1;&l1;">]>'


@pytest.mark.parametrize(
    ("details", "kind"),
    [
        (("HANDLE_INVALID", "VM", GUEST), DomainGone),
        (("UUID_INVALID", "VM", "x"), DomainGone),
        (("OPERATION_NOT_ALLOWED", "no"), ParameterRefused),
        (("NOT_IMPLEMENTED", "x"), HostNotUsable),
        (("VM_BAD_POWER_STATE", GUEST, "running", "halted"), HostNotUsable),
        (("HOST_STILL_BOOTING",), HostUnreachable),
        (("HOST_OFFLINE", "OpaqueRef:h1"), HostUnreachable),
        (("HOST_IN_EMERGENCY_MODE",), HostUnreachable),
        (("INTERNAL_ERROR", "Not_found"), HostError),
        (("A_CODE_OF_TOMORROW", "%s{}<b>"), HostError),
        ((), HostError),
    ],
)
def test_every_failure_becomes_an_error_of_ours(pool, line, details, kind):
    pool.fail_at(ASK, Fault("fail", details))
    with pytest.raises(kind) as caught:
        line.call("looking at db1", ASK, GUEST)
    assert "looking at db1" in str(caught.value)
    assert all(detail in str(caught.value) for detail in details)


def test_role_that_is_too_low_is_named(member, pool):
    session = XapiSession(XapiAddress("127.0.0.1", member.port), "watcher", PASSWORD)
    line = XapiConnection(session)
    assert line.call("looking", ASK, GUEST) == {}  # read-only is enough to look
    with pytest.raises(HostNotUsable, match="does not allow") as caught:
        line.call("keeping", SET, GUEST, {"weight": "1"})
    assert "needs the role read-only" in caught.value.hint
    assert datamodel.message(SET)["roles"][-1] == "vm-admin"  # a role for writes, which DomTune never makes
    line.close()
    session.close()


@pytest.mark.parametrize(
    "fault",
    [
        Fault("status", status=500, body=b"<html><body>Internal Error</body></html>"),
        Fault("body", body=b""),
        Fault("body", body=b"<html>hello</html>"),
        Fault("body", body=b"\xff\xfe\x00"),
        Fault("body", body=b"<methodResponse><params></params></methodResponse>"),
        Fault("body", body=xmlrpc.client.dumps(("text",), methodresponse=True).encode()),
        Fault("body", body=xmlrpc.client.dumps(({"Value": "no status"},), methodresponse=True).encode()),
        Fault("body", body=xmlrpc.client.dumps(({"Status": "Success"},), methodresponse=True).encode()),
        Fault("body", body=xmlrpc.client.dumps(({"Status": "Failure"},), methodresponse=True).encode()),
        Fault("body", body=xmlrpc.client.dumps(xmlrpc.client.Fault(1, "no")).encode()),
        Fault("body", body=NESTED),
        Fault("body", body=answer_with("<bigdecimal>x</bigdecimal>")),
        Fault("body", body=answer_with(f"<int>{'9' * 5000}</int>")),
        Fault("body", body=LAUGHS + answer_with("&l2;")),
    ],
)
def test_answer_of_no_xapi_is_reported_to_be_none(pool, line, fault):
    pool.fail_at(ASK, fault)
    with pytest.raises(HostNotUsable, match="does not answer as a XAPI"):
        line.call("looking", ASK, GUEST)
