"""What only one question asks for: kept aside while the wizard asks another one. No Qt here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from app.wizard.form_fields import LoadFields
from scheduler.model.load_kinds import list_standard_kinds
from scheduler.model.plan_settings import STANDARD_CONFINED
from scheduler.model.spec import PAPER_SPLITS
from scheduler.model.studies import find_study


@dataclass
class StudyInputs:
    """The fields of the form in which two studies differ, as typed.

    Attributes:
        splits: Splits `a:b`.
        protocol: Name of the protocol chosen.
        on: Kinds of the loads that are on.
        users: Load kind to its users.
    """

    splits: list[str] = field(default_factory=list)
    protocol: str = ""
    on: list[str] = field(default_factory=list)
    users: dict[str, str] = field(default_factory=dict)

    @classmethod
    def fresh(cls, study: str) -> Self:
        """Return what a study begins with; raises SpecError for one that is not known."""
        kind = find_study(study)
        splits = {"split": PAPER_SPLITS, "side": STANDARD_CONFINED}.get(kind.factor, ())
        return cls([*splits], kind.protocols[0], list(kind.loads or list_standard_kinds()))

    @classmethod
    def of(cls, study: str, splits: Sequence[str], protocol: str, loads: Mapping[str, LoadFields]) -> Self:
        """Return what was typed for a study.

        Args:
            study: Name of the study.
            splits: Splits `a:b`.
            protocol: Name of the protocol chosen.
            loads: Load kind to its fields.
        """
        standard = str(find_study(study).users)
        users = {kind: load.users for kind, load in loads.items() if load.users != standard}
        return cls(list(splits), protocol, [kind for kind, load in loads.items() if load.on], users)

    def put_into(self, loads: Mapping[str, LoadFields], study: str) -> None:
        """Switch loads on and off and fill in their users, the study's own number where none was typed."""
        standard = str(find_study(study).users)
        for kind, load in loads.items():
            load.on, load.users = kind in self.on, self.users.get(kind, standard)
