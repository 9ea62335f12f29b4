"""What every exporter is given."""

from collections.abc import Sequence

import msgspec

from scheduler.model.documents import HostCommand
from scheduler.model.facts import HostFacts
from scheduler.model.results import Results, Verdict
from scheduler.model.spec import RunSpec
from scheduler.shares.measured import Measured, measured

Ledger = Sequence[HostCommand]
"""What the host was told, in order."""


class Material(msgspec.Struct, frozen=True):
    """One sweep as exporters see it.

    Attributes:
        results: Its results.
        spec: What was asked for.
        facts: The host as found.
        ledger: What the host was told; empty when it is not known.
        split: Label of the split that is wanted; empty for the recommended one.
    """

    results: Results
    spec: RunSpec
    facts: HostFacts
    ledger: Ledger = ()
    split: str = ""

    @property
    def label(self) -> str:
        """The split that this is about: the one that was named, else the recommended one."""
        return self.split or self.results.recommendation.split

    @property
    def chosen(self) -> Measured:
        """What that split was set with; raises SpecError, HostNotUsable where it has to be encoded anew."""
        return measured(self.results, self.spec, self.facts, self.label)

    @property
    def against_advice(self) -> str:
        """A sentence that the split is not the recommended one; empty when it is."""
        advice = self.results.recommendation
        if advice.verdict is Verdict.NONE:
            return f"{self.label} was named by hand: run {self.results.run_id} recommends none." if self.split else ""
        if self.label == advice.split:
            return ""
        return f"{self.label} was named by hand: it is not {advice.split}, which run {self.results.run_id} recommends."
