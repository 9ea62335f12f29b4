"""Values that somebody else set after us: on a host that was followed for hours they are more likely meant than lost.

A sweep lasts minutes and overwrites. Following leaves such a domain as it is, and says which values there are.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import msgspec

from scheduler.errors import ForeignValue
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId

Leaf = tuple[tuple[str | int, ...], object]


def is_foreign(got: SchedParams, ours: Iterable[SchedParams]) -> bool:
    """Return whether a domain has something that none of `ours` has; a write of ours that broke off half-way is ours.

    Args:
        got: What the domain has.
        ours: Its original, and what we may have set.
    """
    known = [dict(_flatten_values(msgspec.to_builtins(params), ())) for params in ours]
    seen = _flatten_values(msgspec.to_builtins(got), ())
    return not all(any(path in each and each[path] == value for each in known) for path, value in seen)


def foreign_value_error(
    domain: DomainId, got: SchedParams | None, ours: SchedParams, original: SchedParams | None
) -> ForeignValue:
    """Return the error that names both values.

    Args:
        domain: Which one.
        got: What somebody else set.
        ours: What we had set last.
        original: What was found.
    """
    reads = "nothing" if got is None else got.words
    was = "nothing" if original is None else original.words
    return ForeignValue(
        f"{domain} reads {reads}, which is neither what was found ({was}) nor what was set here ({ours.words}): "
        "another program or person changed it, and it is left as it is",
        hint="If that is what is wanted: 'domtune restore --forget HOST'. To restore what was found: 'domtune restore "
        "--force'.",
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
