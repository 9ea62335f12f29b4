"""The studies: one record for each question that DomTune answers. Plan file, wizard, pages and reports derive from it.

To add one: docs/how-to/add-a-study.md.
"""

from collections.abc import Iterable, Mapping

import msgspec

from scheduler.errors import SpecError

SPLIT, CAPACITY, OVERHEAD, SCALE_UP, ISOLATION = "split", "capacity", "overhead", "scale-up", "isolation"
CALIBRATION, CALIBRATE = "calibration", "calibrate"  # in plans a study; it is the split study under that protocol


class StudyKind(msgspec.Struct, frozen=True, kw_only=True):
    """One study.

    Attributes:
        name: As plan files have it.
        question: The question, as the wizard asks it.
        does: One sentence about how it is answered.
        title: Its name among others, for example in a list of results.
        factor: What it varies: the tag of its settings.
        axis: Title of the axis of settings.
        protocols: Names of the protocols that suit it, the standard one first.
        loads: Kinds of loads in a plan that names none; empty for those that every sweep has.
        users: Users of a load whose plan names none.
        module: Package with `plan` and `finding` (`PlanModule`, `FindingModule`); empty for the split study.
    """

    name: str
    question: str
    does: str
    title: str
    factor: str
    axis: str
    protocols: tuple[str, ...]
    loads: tuple[str, ...] = ()
    users: int = 5
    module: str = ""

    @property
    def has_two_way_splits(self) -> bool:
        """True where a setting may be a split of I/O domain and guest."""
        return self.factor in ("split", "users", "side")

    def refuse_protocol(self, protocol: str) -> None:
        """Refuse a protocol that does not suit it; raises SpecError."""
        if protocol not in self.protocols:
            hint = f"Take {' or '.join(self.protocols)}."
            raise SpecError("protocol", f"{protocol!r} does not suit the study {self.name!r}", hint=hint)


_STUDY_KINDS = (
    StudyKind(
        name=SPLIT,
        question="Which split is best?",
        does="Measures throughput at several splits of the CPU, and names the one to use.",
        title="Split",
        factor="split",
        axis="Split, I/O domain : guest",
        protocols=("adaptive", "quick", "strict", "grid", "replicate", "calibrate"),
    ),
    StudyKind(
        name=CAPACITY,
        question="How many users can it carry?",
        does="Raises the number of users until throughput rises no more, and says where that is.",
        title="Capacity",
        factor="users",
        axis="Users",
        protocols=("adaptive", "quick", "grid", "replicate"),
        loads=("tpcb",),
        users=32,
        module="scheduler.studies.capacity",
    ),
    StudyKind(
        name=OVERHEAD,
        question="What does virtualisation cost?",
        does="Runs the same queries with and without the I/O domain and limits between, in turn, and compares them.",
        title="Overhead",
        factor="side",
        axis="Side",
        protocols=("paired",),
        loads=("tpch",),
        users=1,
        module="scheduler.studies.overhead",
    ),
    StudyKind(
        name=SCALE_UP,
        question="Do more CPUs help?",
        does="Gives the guest 1, 2, 4 and 8 vCPUs in turn, and says what each doubling gains and what limits it.",
        title="Scale-up",
        factor="vcpus",
        axis="vCPUs of the guest",
        protocols=("blocks", "grid", "replicate"),
        loads=("order-entry",),
        users=16,
        module="scheduler.studies.scaling",
    ),
    StudyKind(
        name=ISOLATION,
        question="Do two guests disturb each other?",
        does="Loads two guests, each alone and both together, and says what one costs the other beyond its share.",
        title="Isolation",
        factor="guests",
        axis="Split, mode, who is loaded",
        protocols=("blocks",),
        loads=("osdb-ir",),
        users=4,
        module="scheduler.studies.isolation",
    ),
)

STUDIES: Mapping[str, StudyKind] = {kind.name: kind for kind in _STUDY_KINDS}


def find_study(name: str) -> StudyKind:
    """Return the record of a study; raises SpecError that names those there are."""
    if name not in STUDIES:
        raise SpecError(
            "study", f"{name!r} is not a study", hint=f"Known studies: {', '.join((*STUDIES, CALIBRATION))}."
        )
    return STUDIES[name]


def no_split_reason(study: str) -> str:
    """Return why results of a study name no split to set; empty for the one that does."""
    return "" if study == SPLIT else f"the study {study!r} asks {STUDIES[study].question!r}, and names no split to set"


def list_doublings(least: int, most: int) -> tuple[int, ...]:
    """Return numbers from the least to the most, each twice the one before, the most among them."""
    found = [least]
    while found[-1] * 2 < most:
        found.append(found[-1] * 2)
    return (*found, most) if most > least else (least,)


def refuse_settings(study: StudyKind, factors: Iterable[str]) -> None:
    """Refuse settings of another factor than the study's; raises SpecError."""
    for factor in factors:
        if factor != study.factor:
            hint = f"It varies {study.factor}."
            raise SpecError("settings", f"the study {study.name!r} has no settings of {factor!r}", hint=hint)
