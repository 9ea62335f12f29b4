"""Foreign values: parameters that another program or person set after DomTune.

A sweep lasts minutes and overwrites foreign values. `follow` lasts hours, so that a foreign value is more likely
intended than lost: it stays, and an error names both values.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import msgspec

from scheduler.errors import ForeignValue
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.translation import _

Leaf = tuple[tuple[str | int, ...], object]


def is_foreign(got: SchedParams, ours: Iterable[SchedParams]) -> bool:
    """Return True when a domain has a value that none of `ours` has.

    A mixture of our values is ours: a write of ours may have been interrupted.

    Args:
        got: Parameters of the domain.
        ours: Original parameters of the domain, and parameters that we may have set.
    """
    known = [dict(_flatten_values(msgspec.to_builtins(params), ())) for params in ours]
    seen = _flatten_values(msgspec.to_builtins(got), ())
    return not all(any(path in each and each[path] == value for each in known) for path, value in seen)


def foreign_value_error(
    domain: DomainId, got: SchedParams | None, ours: SchedParams, original: SchedParams | None
) -> ForeignValue:
    """Return the error that names the foreign value, our value and the original.

    Args:
        domain: The domain.
        got: Foreign parameters; None when the domain does not exist.
        ours: Parameters that we set last.
        original: Original parameters; None when the domain did not exist.
    """
    reads = "nothing" if got is None else got.words
    was = "nothing" if original is None else original.words
    return ForeignValue(
        _(
            "{domain} reads {reads}. This is neither the original setting ({was}) nor one of "
            "DomTune ({words}): another program or person changed it, so DomTune does not touch "
            "it"
        ).format(domain=domain, reads=reads, was=was, words=ours.words),
        hint=_(
            "To keep the current value: 'domtune restore --forget HOST'. To restore the original: 'domtune restore "
            "--force'."
        ),
    )


def _flatten_values(value: object, path: tuple[str | int, ...]) -> Iterator[Leaf]:
    match value:
        case dict():
            for name, part in cast("dict[str, object]", value).items():
                yield from _flatten_values(part, (*path, name))
        case list() | tuple():
            for place, part in enumerate(cast("Sequence[object]", value)):
                yield from _flatten_values(part, (*path, place))
        case _:
            yield path, value
