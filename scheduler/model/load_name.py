"""Names of loads with kind and mix: `osdb-ir`, or `noon/osdb-ir` in a mix.

In a mix, the same kind is another load, with its own users, rates and check.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec


class LoadName(str):
    """Name of a load, the key of its figures.

    No code reads kind or mix out of the text. Code that has only the text asks the plan: `RunSpec.load_of(text).name`.

    Attributes:
        kind: Name of the kind, for example `osdb-ir`.
        mix: Name of the mix; empty for a load that runs alone.
    """

    __slots__ = ("kind", "mix")

    kind: str
    mix: str

    def __new__(cls, kind: str, mix: str = "") -> "LoadName":
        """Make the name of a load.

        Args:
            kind: Name of the kind.
            mix: Name of the mix; empty for a load that runs alone.
        """
        name = super().__new__(cls, f"{mix}/{kind}" if mix else kind)
        name.kind, name.mix = str(kind), str(mix)
        return name

    @classmethod
    def of(cls, name: str) -> "LoadName":
        """Return a name with its kind and mix.

        A plain text is the kind of a load that runs alone.
        """
        return name if isinstance(name, LoadName) else cls(name)


def title_of(mix: Sequence[LoadName]) -> str:
    """Return the name of a mix, or of a single load that runs alone."""
    return LoadName.of(mix[0]).mix or mix[0]


def group_by_mix(names: Iterable[LoadName]) -> tuple[tuple[LoadName, ...], ...]:
    """Return the groups of loads that run together, in order.

    A load that runs alone is a group of one.
    """
    groups: dict[str, list[LoadName]] = {}
    for name in names:
        groups.setdefault(LoadName.of(name).mix or name, []).append(name)
    return tuple(tuple(group) for group in groups.values())


class _MixedLoad(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    mix: str


def encode_name(value: object) -> object:
    """Return a name in JSON, for msgspec's `enc_hook`.

    The result is the kind of a load that runs alone, else an object with kind and mix.

    Raises:
        NotImplementedError: The value is no `LoadName`.
    """
    if not isinstance(value, LoadName):
        raise NotImplementedError(type(value))
    return {"kind": value.kind, "mix": value.mix} if value.mix else value.kind


def name_schema(kind: type) -> dict[str, Any]:
    """Return the JSON Schema of a name, for msgspec's `schema_hook`.

    Raises:
        NotImplementedError: The type is not `LoadName`.
    """
    if kind is not LoadName:
        raise NotImplementedError(kind)
    parts = {"kind": {"type": "string"}, "mix": {"type": "string"}}
    mixed = {"type": "object", "properties": parts, "required": [*parts], "additionalProperties": False}
    return {"anyOf": [{"type": "string"}, mixed]}


def decode_name(kind: type, value: object) -> LoadName:
    """Return the name in a JSON value, for msgspec's `dec_hook`.

    Args:
        kind: Type to decode, `LoadName`.
        value: Text, or an object with kind and mix.

    Raises:
        NotImplementedError: The type is not `LoadName`.
    """
    if kind is not LoadName:
        raise NotImplementedError(kind)
    if isinstance(value, str):
        return LoadName(value)
    found = msgspec.convert(value, _MixedLoad)
    return LoadName(found.kind, found.mix)
