"""Tables of a plan, read by their declarations: keys, types, choices and ranges."""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from scheduler.errors import SpecError
from scheduler.model.parameters import Parameter, type_error
from scheduler.model.plan_fields import PlanTable
from scheduler.model.problems import Problems
from scheduler.translation import _

MANUAL_HINT = _("The manual's page 'Plan file' lists every key, its type and its range.")
_CONSENT_KEYS = ("clients.insecure",)
_CONSENT_HINT = _(
    "Remove the key. Start with domtune run PLAN --insecure, or tick the box without encryption in the window."
)

Values = Mapping[str, Any]
"""Values of a plan or of one of its tables, parsed from TOML or JSON."""


def read_table(values: object, table: PlanTable, at: str, problems: Problems) -> dict[str, Any]:
    """Return a table's values in their declared types.

    Missing and wrong values get their defaults.

    Args:
        values: The table, as TOML or JSON have it.
        table: Its declaration.
        at: Its path with a trailing dot: `load[0].`.
        problems: Collects the mistakes.
    """
    found: dict[str, Any] = {key.name: key.standard for key in table.keys}
    if not isinstance(values, Mapping):
        problems.add(type_error(at.rstrip("."), values, _("a table"), MANUAL_HINT))
        return found
    given = cast("Values", values)
    for key in table.keys:
        if key.name in given:
            check = key.check_list if key.many else key.check
            found[key.name] = problems.take(partial(check, f"{at}{key.name}", given[key.name]), found[key.name])
        elif key.required:
            problems.add(_missing_error(at, key))
    for name in given:
        if name not in found:
            problems.add(_unknown_error(f"{at}{name}"))
    return found


def _missing_error(at: str, key: Parameter) -> SpecError:
    hint = f"{key.help} {MANUAL_HINT}"
    return SpecError(f"{at}{key.name}", _("is missing"), hint=hint)


def _unknown_error(path: str) -> SpecError:
    if path in _CONSENT_KEYS:
        return SpecError(path, _("a plan cannot allow this: plans are passed around"), hint=_CONSENT_HINT)
    return SpecError(path, _("is not a key of a plan file"), hint=MANUAL_HINT)


def read_mapping(values: object, value: Parameter, at: str, problems: Problems) -> dict[str, Any]:
    """Return a table whose keys are names, without wrong values.

    Args:
        values: The table, as TOML or JSON have it.
        value: The declaration of each of its values.
        at: Its path.
        problems: Collects the mistakes.
    """
    if not isinstance(values, Mapping):
        problems.add(type_error(at, values, _("a table"), MANUAL_HINT))
        return {}
    given = cast("Values", values)
    read = {name: problems.take(partial(value.check, f"{at}.{name}", each), None) for name, each in given.items()}
    return {name: each for name, each in read.items() if each is not None}


def read_list(values: Values, name: str, problems: Problems) -> list[Any] | None:
    """Return a list of tables; None where the plan has none.

    Args:
        values: The plan.
        name: Key of the list.
        problems: Collects the mistakes.
    """
    found = values.get(name)
    if found is not None and not isinstance(found, list):
        problems.add(
            type_error(name, found, _("a list of tables"), _("Write [[{name}]] above its keys.").format(name=name))
        )
        return None
    return cast("list[Any] | None", found)
