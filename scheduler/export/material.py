"""What every exporter is given."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.export.configured import Evidence
from scheduler.export.weights_remark import weights_remark
from scheduler.model.documents import HostCommand
from scheduler.model.facts import HostFacts
from scheduler.model.load_kinds import rate_unit
from scheduler.model.named_split import against_decision, split_to_set
from scheduler.model.number_texts import full
from scheduler.model.params import SchedParams
from scheduler.model.results import Results
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import DomainId
from scheduler.shares.measured import Measured, measured

Ledger = Sequence[HostCommand]
"""What the host was told, in order."""


class Material(msgspec.Struct, frozen=True):
    """One sweep as exporters see it; a `Configured` for those that are of one split.

    Attributes:
        results: Its results.
        spec: What was asked for.
        facts: The host as found.
        ledger: What the host was told; empty when it is not known.
        split: Label of the split that is wanted; empty for the split that the decision orders.
        anyway: True to take the split of a decision that orders no change.
    """

    results: Results
    spec: RunSpec
    facts: HostFacts
    ledger: Ledger = ()
    split: str = ""
    anyway: bool = False

    @property
    def label(self) -> str:
        """The split to set: the person's, else the decision's; empty when the decision orders none."""
        return split_to_set(self.results.recommendation, self.split, anyway=self.anyway)

    @property
    def mode(self) -> Mode:
        """As the plan says."""
        return self.spec.mode

    @property
    def period_us(self) -> int:
        """As the plan says."""
        return self.spec.period_us

    @property
    def made_for_it(self) -> bool:
        """A sweep's groups stand in a folder of their own."""
        return True

    @property
    def chosen(self) -> Measured:
        """What that split was set with; raises SpecError, HostNotUsable where it has to be encoded anew."""
        return measured(self.results, self.spec, self.facts, self.label)

    @property
    def params(self) -> Mapping[DomainId, SchedParams]:
        """What that split was set with; raises as `chosen`."""
        return self.chosen.params

    @property
    def against_advice(self) -> str:
        """A sentence that the decision does not order the split; empty when the decision orders it."""
        return against_decision(self.results.recommendation, self.results.run_id, self.label)

    @property
    def evidence(self) -> Evidence:
        """What the sweep says of that split; raises as `chosen`."""
        results, advice, against = self.results, self.results.recommendation, self.against_advice
        return Evidence(
            source=f"run {results.run_id}",
            host_title=results.host_title,
            simulated=results.simulated,
            headline=against or advice.headline,
            weights_remark=weights_remark(results),
            reasons=(advice.headline, *advice.reasons) if against else tuple(advice.reasons),
            remark=self.chosen.remark,
            unit=rate_unit((load.name for load in self.spec.loads), results.units),
            rows=self._rows(),
            seen="measured",
            again="Sweep again",
            versions=results.versions,
        )

    def scope(self, groups: str) -> str:
        """Return what the split limits and what it does not; `groups` is what the parameters belong to."""
        if self.mode is Mode.PARTITION:
            return (
                f"The two limits add up to one CPU at most: together the {groups} get no more, wherever they run.\n"
                "What one leaves, the other does not take. Measured with both on the same CPU."
            )
        return (
            f"Weights limit nothing: they decide who waits while both {groups} want the same CPU. They mean something\n"
            f"only between {groups} that share CPUs. Measured with both on one CPU."
        )

    def _rows(self) -> tuple[tuple[str, str, str, str, str], ...]:
        rows: list[tuple[str, str, str, str, str]] = []
        for point in self.results.points:
            mean = full(point.mean_tps) if point.mean_tps is not None else "none" if point.held else "not held"
            span = " to ".join(map(full, point.ci95_tps)) if point.ci95_tps else "-"
            span += " (borrowed)" if point.borrowed else ""
            rows.append((point.split, point.load, mean, span, str(point.visits)))
        return tuple(rows)
