"""Protocol of a split for scripts, measured by a sweep or named by a watch."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId


class SplitEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence for a split, in scripts and their README.

    Attributes:
        source: Source of the split, to follow "from".
        host_title: Title of the host.
        simulated: True when nothing was observed on a real machine.
        headline: The decision as one line.
        weights_remark: Sentence on weights other than the plan's; empty for the plan's weights.
        reasons: Reasons of the decision, sentences.
        remark: Restriction of the parameters, a sentence without its full stop; empty for none.
        unit: Unit of the means, for example `tuples/s`.
        rows: Split, load, mean, interval and trials of each point; empty without measured points.
        seen: Method: `measured` or `watched`.
        again: Advice for changed conditions, the first words of a sentence.
        versions: Versions of the software for which the evidence holds.
    """

    source: str
    host_title: str
    simulated: bool
    headline: str
    reasons: tuple[str, ...]
    remark: str
    unit: str
    rows: tuple[tuple[str, str, str, str, str], ...]
    seen: str
    again: str
    versions: Mapping[str, str]
    weights_remark: str = ""


class SplitConfig(Protocol):
    """Split to be set on a host."""

    @property
    def facts(self) -> HostProperties:
        """Properties of the host."""
        ...

    @property
    def mode(self) -> Mode:
        """Mode of the split: caps or weights."""
        ...

    @property
    def period_us(self) -> int:
        """Period of limits that are recomputed, microseconds."""
        ...

    @property
    def label(self) -> str:
        """Label of the split."""
        ...

    @property
    def params(self) -> Mapping[DomainId, SchedParams]:
        """Parameters of the split by domain."""
        ...

    @property
    def made_for_it(self) -> bool:
        """True when the weights are for a folder that holds no other groups."""
        ...

    @property
    def evidence(self) -> SplitEvidence:
        """Evidence for the split."""
        ...

    def scope(self, groups: str) -> str:
        """Return the text on the limits of the split; `groups` names the limited things."""
        ...
