"""XAPI's own datamodel, the slice that is used: which calls there are, with what, and what types mean on the wire."""

import json
import re
import xmlrpc.client
from pathlib import Path

MODEL = json.loads(Path(__file__).with_name("datamodel.json").read_text(encoding="utf-8"))
CLASSES = MODEL["classes"]
CODES = frozenset(MODEL["error_codes"])

_MAP = re.compile(r"\((.+) -> (.+)\) map")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def message(method):
    """Return what the datamodel says of a call, or None."""
    name, _, call = method.partition(".")
    return CLASSES.get(name, {"messages": {}})["messages"].get(call)


def fields(name):
    """Return field to type of a class, newer ones too."""
    return {**CLASSES[name]["fields"], **CLASSES[name]["later_fields"]}


def fits(value, kind):
    """Return True when a value on XML-RPC's wire is of a type of the datamodel.

    `X ref`, `T set`, `(K -> V) map`, `C record`, `enum E`, `string`, `int` (as text), `float`, `bool`, `datetime`,
    `void` (empty text).
    """
    if kind in _SIMPLE:
        return _SIMPLE[kind](value)
    if kind.startswith("enum "):
        return value in _enum(kind.removeprefix("enum "))
    found = _MAP.fullmatch(kind)
    if found:
        return isinstance(value, dict) and all(fits(k, found[1]) and fits(v, found[2]) for k, v in value.items())
    if kind.endswith(" set"):
        return isinstance(value, list) and all(fits(item, kind.removesuffix(" set")) for item in value)
    if kind.endswith(" ref"):
        return isinstance(value, str) and value.startswith("OpaqueRef:")
    if kind.endswith(" record"):
        return _is_record(value, kind.removesuffix(" record"))
    raise AssertionError(f"{kind} is no type of the datamodel")


def _is_record(value, name):
    known = fields(name)
    return isinstance(value, dict) and all(key in known and fits(item, known[key]) for key, item in value.items())


def _enum(name):
    for item in CLASSES.values():
        if name in item["enums"]:
            return item["enums"][name]
    raise AssertionError(f"the slice has no enum {name}")


_SIMPLE = {
    "string": lambda value: isinstance(value, str),
    "int": lambda value: isinstance(value, str) and re.fullmatch(r"-?\d+", value) is not None,
    "float": lambda value: isinstance(value, float),
    "bool": lambda value: isinstance(value, bool),
    "datetime": lambda value: isinstance(value, xmlrpc.client.DateTime),
    "void": lambda value: value == "",
}
