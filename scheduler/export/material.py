"""Input of all exporters."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.errors import SpecError
from scheduler.export.split_config import SplitEvidence
from scheduler.export.weights_remark import weights_remark
from scheduler.model.documents import HostCommand
from scheduler.model.host_properties import HostProperties
from scheduler.model.load_kinds import rate_unit
from scheduler.model.named_split import choose_split, describe_manual_choice
from scheduler.model.number_texts import format_table_number
from scheduler.model.results import Results
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import DomainId
from scheduler.model.studies import Setting
from scheduler.shares.measured_params import MeasuredParams, find_measured_params
from scheduler.translation import _

CommandLog = Sequence[HostCommand]
"""Commands run on the host, in order."""


class ExportMaterial(msgspec.Struct, frozen=True):
    """One sweep for exporters; a `SplitConfig` for exports of one split.

    Attributes:
        results: Results of the sweep.
        spec: Specification of the sweep.
        facts: Properties of the host during the sweep.
        command_log: Commands run on the host; empty when they are not known.
        split: The chosen split; None for the split that the decision orders.
        anyway: True to take the split of a decision that orders no change.
    """

    results: Results
    spec: RunSpec
    facts: HostProperties
    command_log: CommandLog = ()
    split: Setting | None = None
    anyway: bool = False

    @property
    def setting(self) -> Setting | None:
        """The split to set, the user's or the decision's; None without one."""
        return choose_split(self.results.answer, self.split, anyway=self.anyway)

    @property
    def label(self) -> str:
        """Label of that split; empty for none."""
        return "" if self.setting is None else self.setting.label

    @property
    def mode(self) -> Mode:
        """Mode of the plan."""
        return self.spec.mode

    @property
    def period_us(self) -> int:
        """Period of the plan, microseconds."""
        return self.spec.period_us

    @property
    def made_for_it(self) -> bool:
        """True: the groups of a sweep are in a folder of their own."""
        return True

    @property
    def chosen(self) -> MeasuredParams:
        """Parameters of the split to set, from the run or recomputed.

        Raises:
            SpecError: No split is chosen, or the split cannot be encoded on this host.
            HostNotUsable: DomTune has no share model for the host's scheduler.
        """
        if self.setting is None:
            raise SpecError("split", _("no split is named"), hint=_("Name a measured split."))
        return find_measured_params(self.results, self.spec, self.facts, self.setting)

    @property
    def params(self) -> Mapping[DomainId, SchedParams]:
        """Parameters of the split to set by domain; raises as `chosen`."""
        return self.chosen.params

    @property
    def against_advice(self) -> str:
        """Sentence that the decision does not order the split; empty when it does."""
        if self.setting is None:
            return ""
        return describe_manual_choice(self.results.answer, self.results.run_id, self.setting)

    @property
    def evidence(self) -> SplitEvidence:
        """Evidence of the sweep for that split; raises as `chosen`."""
        results, advice, against = self.results, self.results.answer, self.against_advice
        return SplitEvidence(
            source=_("run {run_id}").format(run_id=results.run_id),
            host_title=results.host_title,
            simulated=results.simulated,
            headline=against or advice.headline,
            weights_remark=weights_remark(results, self.spec),
            reasons=(advice.headline, *advice.sentences) if against else advice.sentences,
            remark=self.chosen.remark,
            unit=rate_unit((load.name for load in self.spec.loads), results.units),
            rows=self._evidence_rows(),
            seen="measured",
            again=_("Sweep again"),
            versions=results.versions,
        )

    def scope(self, groups: str) -> str:
        """Return the text on the limits of the split; `groups` names the limited things."""
        if self.mode is Mode.CAPS:
            return _(
                "The two limits add up to one CPU at most, on all CPUs of the {groups} together.\nCPU "
                "time that one leaves stays idle. Measured with both on the same CPU."
            ).format(groups=groups)
        return _(
            "Weights are not limits: they divide the CPU while both {groups} want it. They have "
            "an effect only\nbetween {groups} that share CPUs. Measured with both on one CPU."
        ).format(groups=groups)

    def _evidence_rows(self) -> tuple[tuple[str, str, str, str, str], ...]:
        rows: list[tuple[str, str, str, str, str]] = []
        for point in self.results.points:
            mean = (
                format_table_number(point.mean_tps)
                if point.mean_tps is not None
                else "none"
                if point.responsive
                else _("not held")
            )
            span = " to ".join(map(format_table_number, point.ci95_tps)) if point.ci95_tps else "-"
            span += " (pooled)" if point.pooled else ""
            rows.append((point.label, point.load, mean, span, str(point.trials)))
        return tuple(rows)
