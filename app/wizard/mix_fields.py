"""Mixes of the form: loads that run together; no Qt here."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Self

from app.wizard import input_parsing
from app.wizard.key_texts import number_text
from app.wizard.plan_draft import PlanDraft
from scheduler.errors import SpecError
from scheduler.model.checks import check_unique
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.load_name import LoadName
from scheduler.model.mixes import check_mix_name, refuse_simulated_mix
from scheduler.model.problems import describe_error
from scheduler.model.spec import RunSpec
from scheduler.translation import _

MIXES = "mixes"
NO_MIX_ELSEWHERE = _(
    "The users of a mix can run on this computer only. Use a plan without the mix, or remove the remote clients."
)
MIX = "mix"
"""Name of the mix of all loads, when all of them run in one trial."""
_NAMES = ("noon", "evening", "night", "morning")


@dataclass
class TypedMix:
    """Mix of the form.

    Attributes:
        name: Name of the mix in results.
        kinds: Kinds of its loads; kinds that are off stay listed.
        weights: Kind to its weight in this mix, typed or from an opened plan.
    """

    name: str = ""
    kinds: list[str] = field(default_factory=list[str])
    weights: dict[str, str] = field(default_factory=dict[str, str])

    def runs(self, there: Collection[str]) -> list[str]:
        """Return the kinds of the mix that run; empty for fewer than two.

        Args:
            there: Kinds of the loads that are on.
        """
        kinds = [kind for kind in self.kinds if kind in there]
        return kinds if len(kinds) > 1 else []

    def refuse(self) -> None:
        """Refuse a mix of fewer than two loads.

        Raises:
            SpecError: The mix has fewer than two loads.
        """
        if not self.kinds:
            raise SpecError("mix.loads", _("none given"), hint=_("Choose two or more loads that run at the same time."))
        if len(self.kinds) == 1:
            problem = _("{short} alone is no mix").format(short=LOAD_KINDS[self.kinds[0]].short)
            raise SpecError("mix.loads", problem, hint=_("Choose another load. A single load needs no mix."))


@dataclass
class MixFields:
    """Mixes of a plan.

    Attributes:
        typed: The mixes, in order.
        apart: Kinds that run in mixes only.
    """

    typed: list[TypedMix] = field(default_factory=list[TypedMix])
    apart: list[str] = field(default_factory=list[str])

    @classmethod
    def of(cls, spec: RunSpec) -> Self:
        """Return the mixes of a plan."""
        alone = {load.kind for load in spec.loads if not load.mix}
        return cls(
            typed=[_typed_mix(mix, spec.weights) for mix in spec.mixes if mix[0].mix],
            apart=[kind for kind in dict.fromkeys(load.kind for load in spec.loads) if kind not in alone],
        )

    def add(self, on: Sequence[str]) -> None:
        """Add a mix of the given kinds under a free name."""
        taken = {mix.name.strip() for mix in self.typed}
        numbered = (f"mix-{number}" for number in range(1, len(self.typed) + 2))
        name = next(name for name in (*_NAMES, *numbered) if name not in taken)
        self.typed.append(TypedMix(name, [*on]))

    def way(self, on: Collection[str]) -> str | None:
        """Return the way to run loads, as `go` takes it; None for any other way.

        Args:
            on: Kinds of the loads that are on.
        """
        if not self.typed:
            return ""
        together = len(self.typed) == 1 and set(self.typed[0].runs(on)) == set(on) <= set(self.apart)
        return MIX if together else None

    def go(self, way: str, on: Sequence[str]) -> None:
        """Set all loads to run in one trial, or one after the other.

        Args:
            way: `MIX` for one trial; empty for one load after the other.
            on: Kinds of the loads that are on.
        """
        self.typed, self.apart = ([TypedMix(MIX, [*on])], [*on]) if way else ([], [])

    def mixed_kinds(self, on: Collection[str]) -> set[str]:
        """Return the kinds of the loads that run in a mix.

        Args:
            on: Kinds of the loads that are on.
        """
        return {kind for mix in self.typed for kind in mix.runs(on)}

    def runs_alone(self, kind: str, on: Collection[str]) -> bool:
        """Return True if a load has trials of its own.

        A load that no mix contains has trials of its own in any case.

        Args:
            kind: Kind of the load.
            on: Kinds of the loads that are on.
        """
        return kind not in self.apart or kind not in self.mixed_kinds(on)

    def put_into(self, draft: PlanDraft, on: Sequence[str], *, simulated: bool) -> list[TypedMix]:
        """Put the mixes into a draft of a plan; return the mixes without a mistake.

        Each load in the draft is marked as run alone or not.

        Args:
            draft: The draft, with a table for each load in `load`.
            on: Kinds of the loads that are on.
            simulated: True for a simulated host, which has no mixes.
        """
        names, sound = [mix.name.strip() for mix in self.typed], list[TypedMix]()
        for i, (mix, name) in enumerate(zip(self.typed, names, strict=True)):
            draft.problems.take(partial(_refuse_name, name, names[:i]), None, f"{MIXES}[{i}].name")
            draft.problems.take(mix.refuse, None, f"{MIXES}[{i}].loads")
            if mix.runs(on) and not {f"{MIXES}[{i}].name", f"{MIXES}[{i}].loads"} & draft.problems.errors.keys():
                sound.append(mix)
        draft.values["mix"] = [{"name": mix.name.strip(), "loads": mix.runs(on)} for mix in sound]
        mixed = {kind for mix in sound for kind in mix.runs(on)}
        for load in draft.values["load"]:
            load["alone"] = load["kind"] not in {*self.apart} & mixed
        if simulated:
            members = [[LoadName(kind, mix.name.strip()) for kind in mix.runs(on)] for mix in sound]
            draft.problems.take(partial(refuse_simulated_mix, members), None, MIXES)
        return sound

    def put_weights(self, draft: PlanDraft, on: Mapping[str, Mapping[str, str]], sound: Sequence[TypedMix]) -> None:
        """Put the weights of all loads into a draft of a plan.

        If a weight is no number, the draft has no weights.

        Args:
            draft: The draft, with loads and mixes.
            on: Kind to its texts, for the loads that are on.
            sound: Mixes without a mistake.
        """
        alone = [load["kind"] for load in draft.values["load"] if load.get("alone", True)]
        typed = [(kind, f"loads.{kind}.weight", on[kind]["weight"]) for kind in alone]
        typed += [
            (
                LoadName(kind, mix.name.strip()),
                f"{MIXES}[{self.typed.index(mix)}].weights.{kind}",
                mix.weights.get(kind, default_weight(on)),
            )
            for mix in sound
            for kind in mix.runs(on)
        ]
        given = [each for each in typed if each[2].strip()]
        found = [
            draft.put(("objective", "weights", name), at, partial(input_parsing.parse_number, text, "weights"))
            for name, at, text in given
        ]
        if not all(found):
            del draft.values["objective"]["weights"]


def default_weight(on: Mapping[str, Mapping[str, str]]) -> str:
    """Return the weight of a load in a mix when none is typed.

    The text is empty while no load has a weight of its own.
    """
    return "1" if any(texts["weight"].strip() for texts in on.values()) else ""


def no_simulated_mix_reason() -> str:
    """Return the reason why a simulated host has no mixes, with advice."""
    try:
        refuse_simulated_mix([[LoadName(kind, _("a mix")) for kind in LOAD_KINDS][:2]])
    except SpecError as error:
        return describe_error(error)
    return ""


def _typed_mix(mix: Sequence[LoadName], weights: Mapping[str, float]) -> TypedMix:
    texts = {name.kind: number_text(weights[name]) if name in weights else "" for name in mix}
    return TypedMix(mix[0].mix, [*texts], texts)


def _refuse_name(name: str, others: Collection[str]) -> None:
    if not name:
        raise SpecError("mix.name", _("none given"), hint=_("Use up to 24 letters, digits, - and _, for example noon."))
    check_mix_name("mix.name", name, LOAD_KINDS)
    check_unique("mix.name", [name, *(other for other in others if other == name)])
