"""Collection of all mistakes of an input, by field."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from scheduler.errors import SchedulerError, SeveralErrors, SpecError
from scheduler.translation import _

T = TypeVar("T")


class Problems:
    """Mistakes by field; the first mistake of a field counts.

    Attributes:
        errors: Field to its mistake, in the order in which they were found.
    """

    def __init__(self) -> None:
        self.errors: dict[str, SpecError] = {}

    def __bool__(self) -> bool:
        """Return True when there is a mistake."""
        return bool(self.errors)

    def add(self, error: SchedulerError, field: str = "") -> None:
        """Add a mistake.

        Args:
            error: The mistake; each mistake of `SeveralErrors` is added.
            field: Field of the mistake; empty for the field that the error names.
        """
        for each in error.errors if isinstance(error, SeveralErrors) and not field else (error,):
            if isinstance(each, SpecError) and field in ("", each.field):
                self.errors.setdefault(each.field, each)
            else:
                problem = each.problem if isinstance(each, SpecError) else str(each)
                self.errors.setdefault(field or "plan", SpecError(field or "plan", problem, hint=each.hint))

    def take(self, make: Callable[[], T], otherwise: T, field: str = "") -> T:
        """Return the result of `make`; after a SchedulerError return `otherwise`.

        The error is added to the mistakes.

        Args:
            make: Reads, builds or checks a value.
            otherwise: Value to continue with after a mistake.
            field: Field of the mistake; empty for the field that the error names.
        """
        try:
            return make()
        except SchedulerError as error:
            self.add(error, field)
            return otherwise

    @property
    def messages(self) -> dict[str, str]:
        """Field to its mistake as a sentence, followed by the advice."""
        return {field: describe_error(error) for field, error in self.errors.items()}

    def concern(self, fields: Iterable[str]) -> bool:
        """Return True when one of these fields, or a part of one, has a mistake."""
        found = {field.partition(".")[0].partition("[")[0] for field in self.errors}
        return not found.isdisjoint(fields)

    def sort_by_line(self) -> None:
        """Sort the mistakes by the lines of a file, those without a line first."""
        self.errors = dict(sorted(self.errors.items(), key=lambda item: item[1].line))

    def raise_found(self, source: str = _("the plan")) -> None:
        """Raise SpecError for one mistake, SeveralErrors for several.

        Args:
            source: Origin of the mistakes, for the message.
        """
        errors = tuple(self.errors.values())
        if len(errors) > 1:
            raise SeveralErrors(source, errors)
        if errors:
            raise errors[0]


def describe_error(error: SchedulerError) -> str:
    """Return an error as text next to its field: the problem, then the advice."""
    problem = error.problem if isinstance(error, SpecError) else str(error)
    return f"{problem[:1].upper()}{problem[1:].rstrip('.')}. {error.hint}".strip()
