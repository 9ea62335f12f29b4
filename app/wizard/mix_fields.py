"""Which loads of a form run together, as typed. No Qt here."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Self

import msgspec

from app.wizard import input_parsing
from app.wizard.form_fields import LoadFields, number_text
from app.wizard.input_parsing import FormReader, describe_error
from scheduler.errors import SpecError
from scheduler.model.checks import check_unique, check_weights
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.load_name import kind_of_member, member_name, mix_of_member, title_of
from scheduler.model.mixes import check_mix_name, refuse_simulated_mix
from scheduler.model.spec import RunSpec

MIXES = "mixes"
MIX = "mix"
"""Name of the mix that holds all loads, where they all run in one trial."""
NO_MIX_ELSEWHERE = "The users of a mix run on this computer only: take a plan without the mix, or these clients out."
_NAMES = ("noon", "evening", "night", "morning")


@dataclass
class TypedMix:
    """One mix, as typed.

    Attributes:
        name: What its figures are kept by.
        kinds: Kinds of its loads; one that is off stays, for when it is on again.
        weights: Kind to how much it counts in this mix, where that was typed or a plan was opened.
    """

    name: str = ""
    kinds: list[str] = field(default_factory=list[str])
    weights: dict[str, str] = field(default_factory=dict[str, str])

    def runs(self, there: Collection[str]) -> list[str]:
        """Return its loads, of those that are there; empty where fewer than two are left: they are no mix."""
        kinds = [kind for kind in self.kinds if kind in there]
        return kinds if len(kinds) > 1 else []

    def refuse(self) -> None:
        """Refuse fewer than two loads; raises SpecError."""
        if not self.kinds:
            raise SpecError("mix.loads", "none given", hint="Choose two loads or more that run at the same time.")
        if len(self.kinds) == 1:
            problem = f"{LOAD_KINDS[self.kinds[0]].short} alone is no mix"
            raise SpecError("mix.loads", problem, hint="Choose one more: a load runs alone without a mix.")


@dataclass
class MixFields:
    """The mixes of a plan.

    Attributes:
        typed: They, in order.
        apart: Kinds that run in mixes only.
    """

    typed: list[TypedMix] = field(default_factory=list[TypedMix])
    apart: list[str] = field(default_factory=list[str])

    @classmethod
    def of(cls, spec: RunSpec) -> Self:
        """Return those of a plan."""
        alone = {load.kind for load in spec.loads if not load.mix}
        return cls(
            typed=[_typed_mix(mix, spec.weights) for mix in spec.mixes if mix_of_member(mix[0])],
            apart=[kind for kind in dict.fromkeys(load.kind for load in spec.loads) if kind not in alone],
        )

    def add(self, on: Sequence[str]) -> None:
        """Add a mix of these loads under a name that is free."""
        taken = {mix.name.strip() for mix in self.typed}
        numbered = (f"mix-{number}" for number in range(1, len(self.typed) + 2))
        name = next(name for name in (*_NAMES, *numbered) if name not in taken)
        self.typed.append(TypedMix(name, [*on]))

    def way(self, on: Collection[str]) -> str | None:
        """Return empty where these loads run one after the other, `MIX` for all in one trial; None for another way."""
        if not self.typed:
            return ""
        together = len(self.typed) == 1 and set(self.typed[0].runs(on)) == set(on) <= set(self.apart)
        return MIX if together else None

    def go(self, way: str, on: Sequence[str]) -> None:
        """Have these loads run one after the other (an empty way), or all in one trial (`MIX`)."""
        self.typed, self.apart = ([TypedMix(MIX, [*on])], [*on]) if way else ([], [])

    def mixed_kinds(self, on: Collection[str]) -> set[str]:
        """Return the kinds that run in a mix, of those that are on."""
        return {kind for mix in self.typed for kind in mix.runs(on)}

    def runs_alone(self, kind: str, on: Collection[str]) -> bool:
        """Return whether a load runs by itself: it does unless it is to run in mixes only, and there is one."""
        return kind not in self.apart or kind not in self.mixed_kinds(on)

    def read(self, loads: Sequence[LoadSpec], reader: FormReader, *, simulated: bool) -> tuple[LoadSpec, ...]:
        """Return these loads, each for itself, and the members of each mix; what is wrong goes to `reader`.

        Args:
            loads: Those that are on.
            reader: Takes what is wrong under `mixes`, `mixes[0].name` and `mixes[0].loads`.
            simulated: The host is a simulated machine, which has no mixes.
        """
        there = {load.kind: load for load in loads}
        names = [mix.name.strip() for mix in self.typed]
        for i, (mix, name) in enumerate(zip(self.typed, names, strict=True)):
            reader.take(f"{MIXES}[{i}].name", partial(_refuse_name, name, names[:i]), None)
            reader.take(f"{MIXES}[{i}].loads", mix.refuse, None)
        mixes = [
            [msgspec.structs.replace(there[kind], mix=name) for kind in mix.runs(there)]
            for mix, name in zip(self.typed, names, strict=True)
        ]
        if simulated:
            reader.take(MIXES, partial(refuse_simulated_mix, [[load.name for load in mix] for mix in mixes]), None)
        alone = (load for load in loads if self.runs_alone(load.kind, there))
        return (*alone, *(load for mix in mixes for load in mix))

    def read_weights(
        self, on: Mapping[str, LoadFields], loads: Sequence[LoadSpec], reader: FormReader
    ) -> dict[str, float]:
        """Return the weights of all loads; what is wrong goes to `reader`.

        Args:
            on: Kind to what was typed for it, of those that are on.
            loads: What that means, mixes with it.
            reader: Takes what is wrong.
        """
        names = {load.name for load in loads}
        typed = [(kind, f"loads.{kind}.weight", fields.weight) for kind, fields in on.items()]
        typed += [
            (
                member_name(mix.name.strip(), kind),
                f"{MIXES}[{i}].weights.{kind}",
                mix.weights.get(kind, default_weight(on)),
            )
            for i, mix in enumerate(self.typed)
            for kind in mix.runs(on)
        ]
        given = [each for each in typed if each[0] in names and each[2].strip()]
        read = {
            name: reader.take(at, partial(input_parsing.parse_weight, name, text), None) for name, at, text in given
        }
        weights = {name: weight for name, weight in read.items() if weight is not None}
        if len(weights) == len(given):  # all of them could be read
            reader.take("weights", lambda: check_weights(weights, names), None)
        return weights


def default_weight(on: Mapping[str, LoadFields]) -> str:
    """Return what a load counts in a mix where nobody typed it: nothing need be said while no load has a weight."""
    return "1" if any(fields.weight.strip() for fields in on.values()) else ""


def no_simulated_mix_reason() -> str:
    """Return why a simulated machine has no mixes, and what would do."""
    try:
        refuse_simulated_mix([[member_name("a mix", kind) for kind in LOAD_KINDS][:2]])
    except SpecError as error:
        return describe_error(error)
    return ""


def _typed_mix(mix: Sequence[str], weights: Mapping[str, float]) -> TypedMix:
    texts = {kind_of_member(name): number_text(weights[name]) if name in weights else "" for name in mix}
    return TypedMix(title_of(mix), [*texts], texts)


def _refuse_name(name: str, others: Collection[str]) -> None:
    if not name:
        raise SpecError("mix.name", "none given", hint="Take up to 24 letters, digits, - and _: noon, for example.")
    check_mix_name("mix.name", name, LOAD_KINDS)
    check_unique("mix.name", [name, *(other for other in others if other == name)])
