"""Draft of a plan, made from the values typed into the wizard; no Qt here."""

from collections.abc import Callable, Mapping
from typing import Any

from scheduler.model.plan_reading import read_plan
from scheduler.model.problems import Problems
from scheduler.model.spec import RunSpec

_FIELDS: Mapping[str, str] = {
    "load": "loads",
    "mix": "mixes",
    "objective": "objective",
    "objective.weights": "weights",
    "baseline": "study",
    "history": "study",
    "server": "loads",
    "plan": "study",
}
"""Key of a plan to the form's field, where their names differ."""


class PlanDraft:
    """Values of a plan by their keys, and mistakes by the form's fields.

    Attributes:
        values: Values of the plan so far, as in TOML and JSON.
        problems: Mistakes by the form's fields.
    """

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.problems = Problems()
        self._fields = dict(_FIELDS)

    def put(self, path: tuple[str | int, ...], field: str, make: Callable[[], object]) -> bool:
        """Store a value under its key; return False for a mistake.

        Args:
            path: Path of the key, `("seed",)` or `("load", 0, "users")`.
            field: The form's field for the value.
            make: Converts the field's text to the value; raises SchedulerError.
        """
        self.show_at(path, field)
        value = self.problems.take(make, None, field)
        if value is None:
            return False
        place: Any = self.values
        for step in path[:-1]:
            place = place[step] if isinstance(step, int) else place.setdefault(step, {})
        place[path[-1]] = value
        return True

    def show_at(self, path: tuple[str | int, ...], field: str) -> None:
        """Show the mistakes of a key, and of the keys below, at a field.

        Args:
            path: Path of the key.
            field: The form's field.
        """
        self._fields[_join_path(path)] = field

    def read(self) -> RunSpec | None:
        """Return the plan of the values; None for a mistake."""
        found = Problems()
        spec = read_plan(self.values, found)
        for path, error in found.errors.items():
            self.problems.add(error, self._find_field(path))
        return None if self.problems else spec

    def _find_field(self, path: str) -> str:
        """Return the field of the longest part of a path with a field."""
        part = path
        while part:
            if part in self._fields:
                return self._fields[part]
            part = part[: max(part.rfind("."), part.rfind("["), 0)]
        return path


def _join_path(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
