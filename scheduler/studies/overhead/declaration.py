"""Declaration of the overhead study: record, reference and settings."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from scheduler.errors import SpecError
from scheduler.model.databases import IO_METHOD
from scheduler.model.setting import DIRECT, SideSetting
from scheduler.model.study_kind import StudyKind
from scheduler.model.study_spec import PlanContext, SettingKeys, StudySpec
from scheduler.model.urls import refuse_password


class OverheadStudy(StudySpec, frozen=True, tag="overhead"):
    """Study of the slowdown of queries by the I/O domain and its limits.

    Attributes:
        base: URL of the reference database, without a password; empty for the host's own, reached directly.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name="overhead",
        question="How much does virtualisation cost?",
        does="Runs the same queries with and without the I/O domain and limits between, in turn, and compares them.",
        title="Overhead",
        factor="side",
        rates_title="Throughput per side",
        summary="overhead",
        report_title="Slowdown against the reference",
        compares_sides=True,
        axis="Side",
        protocols=("paired",),
        loads=("tpch",),
        users=1,
        module="scheduler.studies.overhead",
        splits=("1:1",),
    )
    base: str = ""

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        super().check(plan)
        refuse_password(self.base, "base")
        if self.base == DIRECT:
            problem = f"{DIRECT!r} is already the default"
            raise SpecError("base", problem, hint="Leave it out, or name another database.")

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
