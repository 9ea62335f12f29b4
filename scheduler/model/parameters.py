"""What a plan may set of a load, as its kind's record declares it: name, default, range and one sentence."""

import re
from typing import Any

import msgspec

from scheduler.errors import SpecError

ParameterValue = bool | int | float | str
"""What a parameter can be, as TOML and JSON have it."""

LONGEST_TEXT = 1_000
"""Letters of a parameter that is free text."""

_NOT_PLAIN = re.compile(r"[^\w /.%*()-]")
_TYPES = {bool: "a boolean", int: "a whole number", float: "a number", str: "text"}


class Parameter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One parameter of a load kind.

    Attributes:
        name: Its key in a plan's `[[load]]`.
        title: What its field in the wizard is called.
        help: One sentence: what it does.
        default: Its value where a plan has none; its type is the parameter's.
        low: The least number that is allowed.
        high: The largest one.
        step: A whole number must be a multiple of it.
        choices: The words that are allowed, the default among them; none for free text.
        longest: Letters of free text at most.
        plain: True for free text of letters, digits, blanks and `/.%*()-` alone: it is shown among other words.
        unit: Behind its value, for example `per table`.
        databases: Names of the databases that have it (`model/databases.py`); none where all do.
    """

    name: str
    title: str
    help: str
    default: ParameterValue
    low: float = 0
    high: float = 0
    step: int = 1
    choices: tuple[str, ...] = ()
    longest: int = LONGEST_TEXT
    plain: bool = False
    unit: str = ""
    databases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a default that a plan might not have; raises SpecError."""
        self.check(f"parameters.{self.name}", self.default)

    def check(self, field: str, value: ParameterValue) -> ParameterValue:
        """Return the value in the parameter's type; raises SpecError.

        Args:
            field: What the message calls it.
            value: As a plan has it; a whole number will do where any number does.
        """
        kind = type(self.default)
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind:
            raise SpecError(field, f"{value!r} is {_TYPES[type(value)]}, not {_TYPES[kind]}", hint=self._value_hint())
        if self.choices and value not in self.choices:
            raise SpecError(field, f"{value!r} is none of {', '.join(self.choices)}", hint=self._value_hint())
        if isinstance(value, int | float) and kind is not bool:
            self._check_number(field, value)
        if isinstance(value, str):
            self._check_text(field, value)
        return value

    def fits_database(self, database: str) -> bool:
        """Return whether a database of that name has it."""
        return not self.databases or database in self.databases

    def _check_number(self, field: str, value: float) -> None:
        if not self.low <= value <= self.high:  # also true for NaN
            allowed = f"{self.low:.10g}..{self.high:.10g}"
            hint = f"Use a value from {self.low:.10g} to {self.high:.10g}."
            raise SpecError(field, f"{value} is outside {allowed}", hint=hint)
        if isinstance(value, int) and value % self.step:
            raise SpecError(field, f"{value} is not a multiple of {self.step}", hint=self._value_hint())

    def _check_text(self, field: str, value: str) -> None:
        if len(value) > self.longest:
            raise SpecError(field, f"has {len(value)} letters, at most {self.longest} are allowed", hint="Shorten it.")
        if self.plain and _NOT_PLAIN.search(value):
            raise SpecError(field, f"{value!r} holds other signs than /.%*()-", hint="Write it like requests/s.")
        if not value.isprintable():  # people are to see all of it, and terminals are to obey none of it
            raise SpecError(
                field, f"{value!r} holds what cannot be printed", hint="Write it on one line, without tabs."
            )

    def _value_hint(self) -> str:
        if self.choices:
            return f"Use {' or '.join(self.choices)}."
        return f"Try {str(self.default).lower() if self.default in (True, False) else self.default}."

    def schema(self) -> dict[str, Any]:
        """Return the parameter as JSON Schema has a property."""
        found: dict[str, Any] = {"type": _SCHEMA_TYPES[type(self.default)], "default": self.default}
        if self.choices:
            found["enum"] = list(self.choices)
        elif isinstance(self.default, str):
            found["maxLength"] = self.longest
        elif type(self.default) is not bool:
            found |= {"minimum": self.low, "maximum": self.high}
            found |= {"multipleOf": self.step} if self.step > 1 else {}
        return {**found, "description": self.help}


_SCHEMA_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
