"""Target of the apply dialog: a run's results, or a host."""

from dataclasses import dataclass
from typing import Protocol


class HasApplyTarget(Protocol):
    """Data that the apply dialog needs; `scheduler.model.results.Results` has them."""

    @property
    def run_id(self) -> str:
        """Argument of `domtune apply`: the run's id, or the host's URL."""
        ...

    @property
    def host(self) -> str:
        """The host's URL."""
        ...

    @property
    def host_title(self) -> str:
        """Displayed name of the host."""
        ...


@dataclass(frozen=True, slots=True)
class HostTarget:
    """Host to which a split is applied without a run.

    Attributes:
        host: The host's URL.
        host_title: Displayed name of the host.
    """

    host: str
    host_title: str

    @property
    def run_id(self) -> str:
        """The host's URL, as argument of `domtune apply`."""
        return self.host
