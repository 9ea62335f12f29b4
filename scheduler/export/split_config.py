"""What the scripts of a split are made of, wherever it comes from: measured by a sweep, or named by watching."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId


class SplitEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What scripts and their README say of where a split comes from.

    Attributes:
        source: What made it, behind "from".
        host_title: What people call the host.
        simulated: True when nothing of it was seen on a machine.
        headline: The answer, one line.
        weights_remark: The weights where they are not the plan's, one sentence; empty otherwise.
        reasons: What it rests on, sentences.
        remark: What the parameters are not, a sentence without its full stop; empty for nothing.
        unit: Of the means, for example `tuples/s`.
        rows: Split, load, mean, interval and trials of each point; empty where no point was measured.
        seen: What was done to know it: `measured` or `watched`.
        again: What to do when it is not true any more, the first words of a sentence.
        versions: Of what it holds for.
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
    """A split that is to be set on a host."""

    @property
    def facts(self) -> HostProperties:
        """The host as found."""
        ...

    @property
    def mode(self) -> Mode:
        """Caps where limits are set, weights where weights are."""
        ...

    @property
    def period_us(self) -> int:
        """Period of limits that are encoded anew."""
        ...

    @property
    def label(self) -> str:
        """The split."""
        ...

    @property
    def params(self) -> Mapping[DomainId, SchedParams]:
        """What it is set with."""
        ...

    @property
    def made_for_it(self) -> bool:
        """True where the weights were chosen for groups of their own, with nothing else beside them."""
        ...

    @property
    def evidence(self) -> SplitEvidence:
        """Where it comes from."""
        ...

    def scope(self, groups: str) -> str:
        """Return what the split limits and what it does not; `groups` is what the parameters belong to."""
        ...
