"""Conversion of typed text to values; no Qt here.

The limits of each value are declared in `scheduler.model`.
"""

import math
import re

from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES
from scheduler.model.parameters import Parameter, ParameterValue
from scheduler.model.plan_fields import plan_key
from scheduler.model.urls import redact_url, refuse_password
from scheduler.translation import _

HOST_PLACEHOLDER = "HOST"  # placeholder in a URL's template
_UNNAMED = re.compile(rf"(//|@){HOST_PLACEHOLDER}(?=[:/?]|$)")
_WHOLE = re.compile(r"[+-]?\d{1,18}")  # a plan file's integers have 64 bits
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:\S*", re.IGNORECASE)
_DATABASE_HINT = _("Write {template}.").format(template=" or ".join(kind.template for kind in DATABASES.values()))
_LOCAL_HINT = _("Write local: for this computer.")
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}


def parse_whole(text: str, field: str, hint: str = "") -> int:
    """Return a typed whole number.

    Args:
        text: Typed text.
        field: Name of the field in messages.
        hint: Advice in the error; empty for the usual one.

    Raises:
        SpecError: The text is no whole number of at most 18 digits.
    """
    digits = text.strip()  # int() does not strip the separators U+001C to U+001F
    if _WHOLE.fullmatch(digits) is None:
        raise SpecError(
            field, _("{digits!r} is not a whole number").format(digits=digits), hint=hint or _("Write digits only.")
        )
    return int(digits)


def parse_numbers(text: str, field: str, hint: str) -> list[int]:
    """Return typed whole numbers, separated by blanks or commas.

    Args:
        text: Typed text.
        field: Name of the field in messages.
        hint: Advice in the error.

    Raises:
        SpecError: A part of the text is no whole number.
    """
    return [parse_whole(each, field, hint) for each in text.replace(",", " ").split()]


def parse_number(text: str, field: str) -> float:
    """Return a typed number with decimal point or comma.

    Args:
        text: Typed text.
        field: Name of the field in messages.

    Raises:
        SpecError: The text is no finite number.
    """
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise SpecError(
            field,
            _("{text!r} is not a number").format(text=text.strip()),
            hint=_("Write a number, for example 20 or 2.5."),
        )
    return value


def parse_host_url(text: str) -> str:
    """Return a typed host URL; only its form is checked.

    Raises:
        SpecError: The text is no URL, or still has the placeholder.
    """
    url = text.strip()
    if not url:
        raise SpecError("host", _("none given"), hint=_LOCAL_HINT)
    if _SCHEME.fullmatch(url) is None:
        raise SpecError("host", f"{redact_url(url)!r} is not a host's URL (KIND:WHERE)", hint=_LOCAL_HINT)
    if _UNNAMED.search(url):
        raise SpecError(
            "host",
            _("the host's name is missing"),
            hint=_("Write its name or address in place of {host_placeholder}.").format(
                host_placeholder=HOST_PLACEHOLDER
            ),
        )
    return url


def parse_period_us(text: str) -> int:
    """Return a period in microseconds from typed milliseconds.

    Raises:
        SpecError: The text is no number in the period's range.
    """
    return round(1000 * float(parse_parameter(plan_key("period_ms"), text, "period_ms")))


def parse_database_url(text: str) -> str:
    """Return the typed URL of an external database.

    Raises:
        SpecError: The text is no such URL, or has a password: a plan must not contain one.
    """
    url = text.strip()
    if not url:
        raise SpecError("load.database", _("none given"), hint=_DATABASE_HINT)
    schemes = [f"{scheme}://" for kind in DATABASES.values() for scheme in kind.schemes]
    if not url.startswith(tuple(schemes)):
        named = " or ".join(f"{kind.schemes[0]}://" for kind in DATABASES.values())
        raise SpecError(
            "load.database",
            _("{redact_url!r} is not a {named} URL").format(redact_url=redact_url(url), named=named),
            hint=_DATABASE_HINT,
        )
    refuse_password(url, "load.database")
    return url


def parse_parameter(declared: Parameter, text: str, field: str = "", hint: str = "") -> ParameterValue:
    """Return a typed value of a declared parameter.

    Args:
        declared: Declaration of a load's parameter, or of a key of a plan.
        text: Typed text.
        field: Name of the key in messages; empty for the load's parameter.
        hint: Advice for text that is no whole number.

    Raises:
        SpecError: The text is no legal value.
    """
    field, typed = field or f"load.{declared.name}", text.strip()
    if declared.kind is bool:
        if typed.lower() not in _YES_NO:
            raise SpecError(field, _("{typed!r} is neither yes nor no").format(typed=typed), hint=_("Write yes or no."))
        return _YES_NO[typed.lower()]
    if declared.kind is int:
        return declared.check(field, parse_whole(text, field, hint))
    return declared.check(field, parse_number(text, field) if declared.kind is float else typed)


def parse_percent(path: str, text: str) -> float:
    """Return a typed percentage as the fraction that a key of a plan has.

    Args:
        path: Path of the key in a plan, `objective.worth_frac`.
        text: Typed text.

    Raises:
        SpecError: The text is no number in the key's range.
    """
    value, declared = parse_number(text, path), plan_key(path)
    low, high = 100 * declared.low, 100 * declared.high
    if not low <= value <= high:
        problem = _("{text} % is not between {low:g} and {high:g} %").format(text=text.strip(), low=low, high=high)
        raise SpecError(path, problem, hint=_("Use a value from {low:g} to {high:g}.").format(low=low, high=high))
    return round(value / 100, 12)
