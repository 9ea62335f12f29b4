"""XML-RPC as XAPI writes it: text without <string>, integers as text, no newline anywhere."""

import xmlrpc.client
from xml.sax.saxutils import escape


def success(value) -> bytes:
    return _answer({"Status": "Success", "Value": value})


def failure(details) -> bytes:
    return _answer({"Status": "Failure", "ErrorDescription": list(details)})


def _answer(value) -> bytes:
    text = f'<?xml version="1.0"?><methodResponse><params><param>{_value(value)}</param></params></methodResponse>'
    return text.encode()


def _value(value) -> str:
    return f"<value>{_inner(value)}</value>"


def _inner(value) -> str:
    match value:
        case bool():
            return f"<boolean>{int(value)}</boolean>"
        case str():
            return escape(value)
        case float():
            return f"<double>{value!r}</double>"
        case xmlrpc.client.DateTime():
            return f"<dateTime.iso8601>{value.value}</dateTime.iso8601>"
        case dict():
            members = (f"<member><name>{escape(key)}</name>{_value(item)}</member>" for key, item in value.items())
            return f"<struct>{''.join(members)}</struct>"
        case list():
            return f"<array><data>{''.join(_value(item) for item in value)}</data></array>"
    raise AssertionError(f"XAPI sends no {type(value).__name__}")
