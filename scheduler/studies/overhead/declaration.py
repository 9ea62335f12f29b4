"""Declaration of the overhead study: finding, record, reference and settings."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from scheduler.errors import SpecError
from scheduler.model.base_answer import BaseFinding
from scheduler.model.databases import IO_METHOD
from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.setting import DIRECT, SideSetting
from scheduler.model.study_kind import StudyKind
from scheduler.model.study_spec import REFERENCE_KEY, PlanContext, SettingKeys, StudySpec
from scheduler.model.urls import refuse_password
from scheduler.translation import _


class SlowdownEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """Slowdown of one item on one side against the reference.

    Attributes:
        load: Load kind.
        side: Label of the side.
        item: Name of the item, for example `Q17`; the load's short name where it has no items; empty for all of them.
        base_ms: Time on the reference, mean over the blocks, milliseconds.
        side_ms: Time on the side, mean over the blocks, milliseconds.
        slowdown_frac: Relative slowdown, 0.1 for 10 %: of the mean of ln(side / reference) within blocks.
        ci95_frac: Its 95 % interval; None with too few blocks.
        blocks: Number of blocks that have both.
        added_ci95_ms: 95 % interval of side_ms - base_ms; None with too few blocks.
        smallest_frac: Smallest slowdown that so many blocks detect with a chance of 80 %; None with too few blocks.
    """

    load: str
    side: str
    item: str
    base_ms: float
    side_ms: float
    slowdown_frac: float
    ci95_frac: tuple[float, float] | None
    blocks: int
    added_ci95_ms: tuple[float, float] | None = None
    smallest_frac: float | None = None

    @property
    def slowdown(self) -> Estimate:
        """Slowdown with its interval, as a fraction."""
        return estimate_of(self.slowdown_frac, self.ci95_frac)


class SlowdownCause(msgspec.Struct, frozen=True, kw_only=True):
    """Relation of one counter to a slowdown.

    The relation is a component of the added time, or a correlation with the slowdown over the items.

    Attributes:
        load: Load kind.
        side: Label of the side.
        counter: Its name, for example `system CPU`.
        unit: Unit of the correlated change; empty for a component.
        added_frac: Added time as a fraction of the reference's time; all components add up to the slowdown of the sum.
            None for a correlation.
        added_ci95_frac: Its 95 % interval; None with too few blocks.
        correlation: Pearson's correlation with the slowdown over the items; None for a component.
        correlation_ci: Its interval; those of all counters hold together at 95 %.
        claimed: True when the correlation may be claimed, which is no proof of a cause.
    """

    load: str
    side: str
    counter: str
    unit: str = ""
    added_frac: float | None = None
    added_ci95_frac: tuple[float, float] | None = None
    correlation: float | None = None
    correlation_ci: tuple[float, float] | None = None
    claimed: bool = False


class OverheadFinding(BaseFinding, frozen=True, kw_only=True, tag="overhead"):
    """Finding of an overhead study.

    Attributes:
        overall: One per load and side: the geometric mean over the items, all with equal weight.
        totals: One per load and side: the sum over the items, where long items have more weight.
        items: One per load, side and item.
        causes: Components of the added time, then correlations, of each load and side.
    """

    overall: tuple[SlowdownEstimate, ...] = ()
    totals: tuple[SlowdownEstimate, ...] = ()
    items: tuple[SlowdownEstimate, ...] = ()
    causes: tuple[SlowdownCause, ...] = ()


class OverheadStudy(StudySpec, frozen=True, tag="overhead"):
    """Study of the slowdown of queries by the I/O domain and its limits.

    Attributes:
        base: URL of the reference database, without a password; empty for the host's own, reached directly.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name="overhead",
        question=_("How much does virtualisation cost?"),
        does=_("Runs the same queries with and without the I/O domain and limits between, in turn, and compares them."),
        title=_("Overhead"),
        factor="side",
        rates_title=_("Throughput per side"),
        summary=_("overhead"),
        report_title=_("Slowdown against the reference"),
        compares_sides=True,
        axis="Side",
        protocols=("paired",),
        loads=("tpch",),
        users=1,
        module="scheduler.studies.overhead",
        splits=("1:1",),
        control_keys=(REFERENCE_KEY,),
    )
    base: str = ""

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        super().check(plan)
        refuse_password(self.base, "base")
        if self.base == DIRECT:
            problem = _("{direct!r} is already the default").format(direct=DIRECT)
            raise SpecError("base", problem, hint=_("Leave it out, or name another database."))

    @property
    def databases(self) -> tuple[str, ...]:
        """The reference database, where that is another server."""
        return (self.base,) if self.base else ()

    @property
    def reference_url(self) -> str:
        """URL of the reference database, where that is another server."""
        return self.base

    @property
    def server_settings(self) -> Mapping[str, str]:
        """Setting that does I/O within each query; empty next to an external reference.

        With `sync` the cost of I/O is a part of the query's own figures.
        """
        return {} if self.base else {IO_METHOD: "sync"}

    def build_settings(self, keys: SettingKeys) -> Sequence[SideSetting]:
        """Return the reference, the original settings and the splits; raise SpecError."""
        confined = [SideSetting(base=False, split=split) for split in keys.read_splits(self.kind.splits)]
        return [SideSetting(base=True), SideSetting(base=False), *confined]
