"""From msgspec's words about a plan file to a message that names the key, the value and what is allowed."""

import re
from typing import Any

from scheduler.errors import SpecError

_HINT = "The manual's page 'Plan file' lists every key, its type and its range."
_CONSENT_KEYS = ("clients.insecure",)
_BY_YOU = "Remove the key. Start with domtune run PLAN --insecure, or tick the box without encryption in the window."
_UNKNOWN = re.compile(r"unknown field `(?P<key>[^`]*)`(?: - at `\$\.?(?P<at>[^`]*)`)?")
_WRONG = re.compile(r"Expected `(?P<wanted>[^`]*)`, got `(?P<got>[^`]*)` - at `\$\.?(?P<at>[^`]*)`")
_NAMES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "array": "a list",
    "object": "a table",
    "bool": "a boolean",
}
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def build_plan_error(message: str, raw: dict[str, Any]) -> SpecError:
    """Return the error for a plan that has the wrong keys or types.

    Args:
        message: What msgspec said.
        raw: The plan as TOML has it.
    """
    if match := _UNKNOWN.search(message):
        place = f"{match['at']}." if match["at"] else ""
        if place + match["key"] in _CONSENT_KEYS:
            return SpecError(place + match["key"], "a plan cannot allow this: plans are passed around", hint=_BY_YOU)
        return SpecError(f"{place}{match['key']}", "is not a key of a plan file", hint=_HINT)
    if match := _WRONG.search(message):
        value = _value_at(raw, match["at"])
        return SpecError(
            match["at"], f"{value!r} is {_name_types(match['got'])}, not {_name_types(match['wanted'])}", hint=_HINT
        )
    return SpecError("plan", message.replace("`$.", "`"), hint=_HINT)


def _name_types(kinds: str) -> str:
    """Return msgspec's names of types (`int | null`) in words."""
    known = [kind for kind in kinds.split(" | ") if kind != "null"]
    return " or ".join(_NAMES.get(kind, kind) for kind in known)


def _value_at(raw: Any, path: str) -> Any:  # noqa: ANN401 - whatever TOML holds
    for key, index in _STEP.findall(path):
        try:
            raw = raw[key] if key else raw[int(index)]
        except (KeyError, IndexError, TypeError):
            return "..."
    return raw
