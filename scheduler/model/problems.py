"""Collect every mistake of an input by its field, so that a reader can go on after the first."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from scheduler.errors import SchedulerError, SeveralErrors, SpecError

T = TypeVar("T")


class Problems:
    """Mistakes by field; the first mistake of a field counts.

    Attributes:
        errors: Field to its mistake, in the order in which they were found.
    """

    def __init__(self) -> None:
        self.errors: dict[str, SpecError] = {}

    def __bool__(self) -> bool:
        """Return whether there is a mistake."""
        return bool(self.errors)

    def add(self, error: SchedulerError, field: str = "") -> None:
        """Note a mistake.

        Args:
            error: The mistake; of several each one is noted.
            field: Field that has it; empty for the field that the error names.
        """
        for each in error.errors if isinstance(error, SeveralErrors) and not field else (error,):
            if isinstance(each, SpecError) and field in ("", each.field):
                self.errors.setdefault(each.field, each)
            else:
                problem = each.problem if isinstance(each, SpecError) else str(each)
                self.errors.setdefault(field or "plan", SpecError(field or "plan", problem, hint=each.hint))

    def take(self, make: Callable[[], T], otherwise: T, field: str = "") -> T:
        """Return what `make` returns; note its SchedulerError and return `otherwise`.

        Args:
            make: Reads, builds or checks something.
            otherwise: The value to go on with after a mistake.
            field: Field that has the mistake; empty for the field that the error names.
        """
        try:
            return make()
        except SchedulerError as error:
            self.add(error, field)
            return otherwise

    @property
    def messages(self) -> dict[str, str]:
        """Field to its mistake as a sentence, then what to do."""
        return {field: describe_error(error) for field, error in self.errors.items()}

    def concern(self, fields: Iterable[str]) -> bool:
        """Return whether one of these fields, or a part of one, has a mistake."""
        found = {field.partition(".")[0].partition("[")[0] for field in self.errors}
        return not found.isdisjoint(fields)

    def sort_by_line(self) -> None:
        """Put the mistakes in the order of a file's lines, those without a line first."""
        self.errors = dict(sorted(self.errors.items(), key=lambda item: item[1].line))

    def raise_found(self, source: str = "the plan") -> None:
        """Raise SpecError for one mistake, SeveralErrors for several.

        Args:
            source: Where they come from, for the message.
        """
        errors = tuple(self.errors.values())
        if len(errors) > 1:
            raise SeveralErrors(source, errors)
        if errors:
            raise errors[0]


def describe_error(error: SchedulerError) -> str:
    """Return an error as it stands next to its field: the problem, then what to do."""
    problem = error.problem if isinstance(error, SpecError) else str(error)
    return f"{problem[:1].upper()}{problem[1:].rstrip('.')}. {error.hint}".strip()
