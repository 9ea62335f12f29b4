"""Names of loads: a kind alone, `osdb-ir`, or a member of a mix, `noon/osdb-ir`.

In a mix, the same kind is another load, with users, rates and a check of its own.
"""

from collections.abc import Iterable, Sequence

_BETWEEN = "/"


def member_name(mix: str, kind: str) -> str:
    """Return the name of a load.

    Args:
        mix: Name of its mix; empty for a load that runs alone.
        kind: Its kind.
    """
    return f"{mix}{_BETWEEN}{kind}" if mix else kind


def kind_of_member(name: str) -> str:
    """Return the kind of a load by its name."""
    return name.rpartition(_BETWEEN)[2]


def mix_of_member(name: str) -> str:
    """Return the mix of a load by its name; empty for a load that runs alone."""
    return name.rpartition(_BETWEEN)[0]


def title_of(mix: Sequence[str]) -> str:
    """Return the name of a mix, or of a single load that runs alone."""
    return mix_of_member(mix[0]) or mix[0]


def group_by_mix(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of loads that run together, in order.

    A load that runs alone is a group of one.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(mix_of_member(name) or name, []).append(name)
    return tuple(tuple(group) for group in groups.values())
