"""What every exporter is given."""

from collections.abc import Sequence

import msgspec

from scheduler.model.documents import HostCommand
from scheduler.model.facts import HostFacts
from scheduler.model.results import Results
from scheduler.model.spec import RunSpec

Ledger = Sequence[HostCommand]
"""What the host was told, in order."""


class Material(msgspec.Struct, frozen=True):
    """One sweep as exporters see it.

    Attributes:
        results: Its results.
        spec: What was asked for.
        facts: The host as found.
        ledger: What the host was told; empty when it is not known.
    """

    results: Results
    spec: RunSpec
    facts: HostFacts
    ledger: Ledger = ()
