"""Which loads of a form run together. The wizard has no page for it: what a plan says is kept, and shown in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import msgspec

from app.wizard.fields import LoadFields
from app.wizard.reading import Reader
from scheduler.model.checks import check_weights
from scheduler.model.mixes import kind_in, mix_in, title_of
from scheduler.model.spec import LoadSpec, RunSpec

NO_MIX_ELSEWHERE = "The users of a mix run on this computer only: take a plan without the mix, or these clients out."


@dataclass
class MixFields:
    """The mixes of a plan.

    Attributes:
        members: Name of a mix to the kinds of its loads.
        apart: Kinds that run in mixes only.
        weights: Name of a load in a mix to its weight in the objective.
    """

    members: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    apart: list[str] = field(default_factory=list[str])
    weights: dict[str, float] = field(default_factory=dict[str, float])

    @classmethod
    def of(cls, spec: RunSpec) -> Self:
        """Return those of a plan."""
        alone = {load.kind for load in spec.loads if not load.mix}
        return cls(
            members={title_of(mix): [kind_in(name) for name in mix] for mix in spec.mixes if mix_in(mix[0])},
            apart=[kind for kind in dict.fromkeys(load.kind for load in spec.loads) if kind not in alone],
            weights={name: weight for name, weight in spec.weights.items() if mix_in(name)},
        )

    def among(self, loads: Sequence[LoadSpec]) -> tuple[LoadSpec, ...]:
        """Return these loads, each for itself, and the members of each mix; one with fewer than two left is none."""
        there = {load.kind: load for load in loads}
        left = {mix: [kind for kind in kinds if kind in there] for mix, kinds in self.members.items()}
        mixed = [
            msgspec.structs.replace(there[kind], mix=mix)
            for mix, kinds in left.items()
            if len(kinds) > 1
            for kind in kinds
        ]
        apart = {load.kind for load in mixed} & {*self.apart}
        return (*(load for load in loads if load.kind not in apart), *mixed)

    def weights_of(self, loads: Sequence[LoadSpec]) -> dict[str, float]:
        """Return the weights of those of these loads that are in a mix."""
        names = {load.name for load in loads}
        return {name: weight for name, weight in self.weights.items() if name in names}

    def read_weights(self, on: Mapping[str, LoadFields], loads: Sequence[LoadSpec], reader: Reader) -> dict[str, float]:
        """Return the weights of all loads; what is wrong goes to `reader`.

        Args:
            on: Kind to what was typed for it, of those that are on.
            loads: What that means, mixes with it.
            reader: Takes what is wrong.
        """
        given = {kind: fields.read_weight(kind, reader) for kind, fields in on.items()}
        weights = {kind: weight for kind, weight in given.items() if weight is not None}
        names, mixed = {load.name for load in loads}, self.weights_of(loads)
        if len(weights) == sum(bool(fields.weight.strip()) for fields in on.values()):  # all of them could be read
            weights = {kind: weight for kind, weight in weights.items() if kind in names} | mixed
            reader.take("weights", lambda: check_weights(weights, names), None)
        return weights
