"""Whose split is applied, and where: a run's results, or a host that is divided anew."""

from dataclasses import dataclass
from typing import Protocol


class HasApplyTarget(Protocol):
    """What the dialog that applies a split has to know; `scheduler.model.results.Results` is one."""

    @property
    def run_id(self) -> str:
        """What `domtune apply` is told: the run, or the host's URL."""
        ...

    @property
    def host(self) -> str:
        """The host's URL."""
        ...

    @property
    def host_title(self) -> str:
        """What people call it."""
        ...


@dataclass(frozen=True, slots=True)
class HostTarget:
    """A host whose limits or weights are divided anew; no run says how.

    Attributes:
        host: The host's URL.
        host_title: What people call it.
    """

    host: str
    host_title: str

    @property
    def run_id(self) -> str:
        """The host's URL: that is what `domtune apply` is told."""
        return self.host
