"""XML-RPC in XAPI's dialect: answers with a `Status`, integers as text."""

import xmlrpc.client
from collections.abc import Mapping, Sequence
from typing import cast
from xml.parsers.expat import ExpatError

from scheduler.errors import HostNotUsable
from scheduler.hosts.xapi.https_wire import HttpReply, HttpsWire
from scheduler.hosts.xapi.xapi_failures import XapiFailure
from scheduler.translation import _

Value = str | int | float | bool | Sequence[str] | Mapping[str, str]
_PATH = "/RPC2"
_DEEPEST = 20  # levels; events hold records, records hold maps: six
_HEADERS = {"Content-Type": "text/xml", "User-Agent": "domtune"}


def call_method(
    wire: HttpsWire, method: str, params: Sequence[Value], timeout_s: float, headers: Mapping[str, str] | None = None
) -> tuple[object, HttpReply]:
    """Make one call once; return its value in plain Python, and the whole answer.

    Args:
        wire: Connection to the host.
        method: Name of the method.
        params: Arguments of the method.
        timeout_s: Seconds for the whole call, > 0.
        headers: Additional headers; None for none.

    Raises:
        XapiFailure: XAPI reports a failure.
        HostUnreachable: The host does not answer.
        HostNotUsable: The server is not a XAPI.
    """
    text = xmlrpc.client.dumps(tuple(_encode_value(value) for value in params), method)
    reply = wire.exchange(("POST", _PATH), text.encode(), {**_HEADERS, **(headers or {})}, timeout_s)
    answer = _answer_of(wire, reply)
    if answer.get("Status") == "Success" and "Value" in answer:
        return answer["Value"], reply
    details = answer.get("ErrorDescription")
    if answer.get("Status") != "Failure" or not isinstance(details, list):
        raise _no_xapi(wire, _("an answer without a result"))
    codes = [str(detail) for detail in cast("list[object]", details)]
    raise XapiFailure(wire.address.where, codes, reply.headers)


def _answer_of(wire: HttpsWire, reply: HttpReply) -> Mapping[str, object]:
    if reply.status != 200:
        raise _no_xapi(wire, _("HTTP status {status}").format(status=reply.status))
    try:
        values, _unused = xmlrpc.client.loads(reply.body)
        answer = to_plain_values(values[0]) if len(values) == 1 else None
    except (ExpatError, xmlrpc.client.Error, ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise _no_xapi(wire, _("no XML-RPC ({error})").format(error=type(error).__name__)) from error
    if not isinstance(answer, dict):
        raise _no_xapi(wire, _("an answer of another form"))
    return cast("dict[str, object]", answer)


def _no_xapi(wire: HttpsWire, saw: str) -> HostNotUsable:
    return HostNotUsable(
        _("{where} does not answer as a XAPI: {saw}").format(where=wire.address.where, saw=saw),
        hint=_("Is this the right port?"),
    )


def _encode_value(value: Value) -> str | float | bool | list[str] | dict[str, str]:
    """Return integers as text: XAPI's have 64 bits, those of XML-RPC do not."""
    if isinstance(value, str | bool | float):
        return value
    if isinstance(value, int):
        return str(value)
    return dict(value) if isinstance(value, Mapping) else list(value)


def to_plain_values(value: object, depth: int = 0) -> object:
    """Return a value without XML-RPC's own types; times become text.

    Args:
        value: The value from XML-RPC.
        depth: Levels above this value.

    Raises:
        ValueError: The value is nested too deep.
    """
    if depth > _DEEPEST:
        raise ValueError(_("nested too deep"))
    if isinstance(value, xmlrpc.client.DateTime):
        return str(value)
    if isinstance(value, dict):
        return {str(key): to_plain_values(item, depth + 1) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, list):
        return [to_plain_values(item, depth + 1) for item in cast("list[object]", value)]
    return value
