"""Declaration of a value that a plan may set: key, type, range, default, help."""

import json
import math
import re
from typing import Any, cast

import msgspec

from scheduler.errors import SpecError
from scheduler.translation import _

ParameterValue = bool | int | float | str
"""Type of a parameter's value in TOML and JSON."""

LONGEST_TEXT = 1_000
"""Largest number of letters of a free text."""

_NOT_PLAIN = re.compile(r"[^\w /.%*()-]")
_TYPES = {
    bool: _("a boolean"),
    int: _("a whole number"),
    float: _("a number"),
    str: "text",
    list: _("a list"),
    dict: _("a table"),
}
_TYPE_NAMES = {kind.__name__: name for kind, name in _TYPES.items()}
_SHOWN_CHARS = 80
_MOST_FLOAT = 10**300  # Python cannot convert larger whole numbers to float


class Parameter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One key of a plan, or of one of its tables.

    Attributes:
        name: Its key, for example `users` in a plan's `[[load]]`.
        title: Label of its field in the wizard.
        help: One sentence about its purpose.
        default: Default value; its type is the parameter's type. With `default_text` an example only.
        default_text: The default as text, where other keys decide it; empty for `default`.
        required: True where a plan must have the key.
        many: True for a list of such values.
        applies: Plans in which the key has a meaning, for example "isolation"; empty for all.
        low: Smallest allowed number.
        high: Largest allowed number.
        step: A whole number must be a multiple of this.
        choices: Allowed words, the default included; empty for free text.
        longest: Largest number of letters of free text.
        plain: True for free text of letters, digits, blanks and `/.%*()-` only, which is shown within sentences.
        checked: False for free text with a check of its own: any characters, any length.
        unit: Unit after its value, for example `per table`.
        databases: Names of the databases that have the parameter (`model/databases.py`); empty for all.
        more: Page of the manual with more details, as a link from docs/reference; may be empty.
    """

    name: str
    title: str
    help: str
    default: ParameterValue
    default_text: str = ""
    required: bool = False
    many: bool = False
    applies: str = ""
    low: float = 0
    high: float = 0
    step: int = 1
    choices: tuple[str, ...] = ()
    longest: int = LONGEST_TEXT
    plain: bool = False
    checked: bool = True
    unit: str = ""
    databases: tuple[str, ...] = ()
    more: str = ""

    def __post_init__(self) -> None:
        """Refuse a default that the parameter itself does not allow; raise SpecError."""
        self.check(f"parameters.{self.name}", self.default)

    @property
    def kind(self) -> type[ParameterValue]:
        """Type of its value, or of each value of a list."""
        return type(self.default)

    @property
    def standard(self) -> ParameterValue | None:
        """Default value; None where other keys decide it."""
        return None if self.default_text else self.default

    def check(self, field: str, value: object) -> ParameterValue:
        """Return the value in the parameter's type.

        Args:
            field: Path of the key, for the error.
            value: Value in the plan; a whole number is accepted where any number is.

        Raises:
            SpecError: The value has another type or is not allowed.
        """
        kind = self.kind
        if kind is float and type(value) is int:
            value = float(value) if abs(value) < _MOST_FLOAT else math.inf if value > 0 else -math.inf
        if type(value) is not kind:
            raise type_error(field, value, _TYPES[kind], self._value_hint())
        if self.choices and value not in self.choices:
            raise SpecError(
                field,
                _("{show} is none of {choices}").format(show=_show(value), choices=", ".join(self.choices)),
                hint=self._value_hint(),
            )
        if isinstance(value, int | float) and kind is not bool:
            self._check_number(field, value)
        if isinstance(value, str) and self.checked:
            self._check_text(field, value)
        return value

    def check_list(self, field: str, values: object) -> list[ParameterValue]:
        """Return each value of a list in the parameter's type.

        Args:
            field: Path of the list, for the error.
            values: Values in the plan.

        Raises:
            SpecError: There is no list, or a value has another type or is not allowed.
        """
        if not isinstance(values, list):
            raise type_error(field, values, _("a list"), self._value_hint())
        return [self.check(f"{field}[{i}]", value) for i, value in enumerate(cast("list[object]", values))]

    def fits_database(self, database: str) -> bool:
        """Return True when the database of that name has the parameter."""
        return not self.databases or database in self.databases

    def _check_number(self, field: str, value: float) -> None:
        if not self.low <= value <= self.high:  # also true for NaN
            allowed = f"{self.low:.10g}..{self.high:.10g}"
            hint = _("Use a value from {low:.10g} to {high:.10g}.").format(low=self.low, high=self.high)
            raise SpecError(
                field, _("{show} is outside {allowed}").format(show=_show(value), allowed=allowed), hint=hint
            )
        if isinstance(value, int) and value % self.step:
            raise SpecError(
                field,
                _("{show} is not a multiple of {step}").format(show=_show(value), step=self.step),
                hint=self._value_hint(),
            )

    def _check_text(self, field: str, value: str) -> None:
        if len(value) > self.longest:
            raise SpecError(
                field,
                _("has {count} letters, at most {longest} are allowed").format(count=len(value), longest=self.longest),
                hint=_("Shorten it."),
            )
        if self.plain and _NOT_PLAIN.search(value):
            raise SpecError(
                field,
                _("{value!r} holds other signs than /.%*()-").format(value=value),
                hint=_("Write it like requests/s."),
            )
        if not value.isprintable():  # people must see the whole text, and terminals must not interpret it
            raise SpecError(
                field,
                _("{value!r} has unprintable characters").format(value=value),
                hint=_("Write it on one line, without tabs."),
            )

    def _value_hint(self) -> str:
        if self.choices and not self.many:
            return _("Use {choices}.").format(choices=" or ".join(self.choices))
        as_json = json.dumps([self.default] if self.many else self.default)
        shown = as_json if self.many or self.kind is bool else self.default
        return _("Try {shown}.").format(shown=shown) if self.default != "" else _("Write it in quotes.")

    def schema(self) -> dict[str, Any]:
        """Return the parameter as a property of JSON Schema."""
        found: dict[str, Any] = {"type": _SCHEMA_TYPES[self.kind]}
        if self.choices:
            found["enum"] = list(self.choices)
        elif self.kind is str:
            found |= {"maxLength": self.longest} if self.checked else {}
        elif self.kind is not bool:
            found |= {"minimum": self.low, "maximum": self.high}
            found |= {"multipleOf": self.step} if self.step > 1 else {}
        if self.many:
            found = {"type": "array", "items": found}
        if self.standard is not None and not self.required:
            found["default"] = self.standard
        return {**found, "description": self.help}


def type_error(field: str, value: object, wanted: str, hint: str = "") -> SpecError:
    """Return the error for a value of the wrong type.

    Args:
        field: Path of the key.
        value: Value in the plan.
        wanted: Required type, with its article.
        hint: Value to write instead; may be empty.
    """
    return SpecError(
        field,
        _("{show} is {value}, not {wanted}").format(
            show=_show(value), value=_TYPE_NAMES.get(type(value).__name__, _("a date")), wanted=wanted
        ),
        hint=hint,
    )


def _show(value: object) -> str:
    """Return a value of a plan in a few letters.

    Python refuses to print numbers of thousands of digits.
    """
    if isinstance(value, int) and abs(value) >= 10**_SHOWN_CHARS:
        return _("a number of more than {shown_chars} digits").format(shown_chars=_SHOWN_CHARS)
    text = str(value) if isinstance(value, bool | int | float) else repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."


_SCHEMA_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
