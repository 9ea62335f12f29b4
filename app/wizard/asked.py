"""What only one question asks for: kept aside while the wizard asks another one. No Qt here."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from scheduler.model.load_kinds import standard_kinds
from scheduler.model.plan_settings import CONFINED
from scheduler.model.spec import PAPER_SPLITS
from scheduler.model.studies import study_of

if TYPE_CHECKING:
    from app.wizard.form import SweepForm


@dataclass
class Asked:
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
        kind = study_of(study)
        splits = {"split": PAPER_SPLITS, "side": CONFINED}.get(kind.factor, ())
        return cls([*splits], kind.protocols[0], list(kind.loads or standard_kinds()))

    @classmethod
    def of(cls, form: "SweepForm") -> Self:
        """Return what a form has of them now."""
        standard = str(study_of(form.study).users)
        users = {kind: load.users for kind, load in form.loads.items() if load.users != standard}
        return cls(list(form.splits), form.protocol, [kind for kind, load in form.loads.items() if load.on], users)

    def put_into(self, form: "SweepForm") -> None:
        """Show them in a form."""
        standard = str(study_of(form.study).users)
        form.splits, form.protocol = list(self.splits), self.protocol
        for kind, load in form.loads.items():
            load.on, load.users = kind in self.on, self.users.get(kind, standard)
