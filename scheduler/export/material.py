"""What every exporter is given."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.export.configured import Evidence
from scheduler.export.weights_remark import weights_remark
from scheduler.model.documents import HostCommand
from scheduler.model.facts import HostFacts
from scheduler.model.params import SchedParams
from scheduler.model.results import Results, Verdict
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
        """A sentence that the split is not the recommended one; empty when it is."""
        advice = self.results.recommendation
        if advice.verdict is Verdict.NONE:
            return f"{self.label} was named by hand: run {self.results.run_id} recommends none." if self.split else ""
        if self.label == advice.split:
            return ""
        return f"{self.label} was named by hand: it is not {advice.split}, which run {self.results.run_id} recommends."

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
            mean = f"{point.mean_tps:.1f}" if point.mean_tps is not None else "none" if point.held else "not held"
            span = f"{point.ci95_tps[0]:.1f} to {point.ci95_tps[1]:.1f}" if point.ci95_tps else "-"
            span += " (borrowed)" if point.borrowed else ""
            rows.append((point.split, point.load, mean, span, str(point.visits)))
        return tuple(rows)
