"""Which load generators drive which sweep; imported when used."""

from collections.abc import Mapping
from importlib import import_module

from scheduler.loads.base import Loads
from scheduler.model.facts import HostFacts
from scheduler.model.spec import RunSpec

_REAL = "scheduler.loads.pool"
_OF_SCHEME = {"fake": "scheduler.loads.fake"}  # a fake host has no CPU for a real database


def open_loads(spec: RunSpec, facts: HostFacts, database_url: str, secrets: Mapping[str, str]) -> Loads:
    """Return the sweep's loads, not started.

    Args:
        spec: The sweep.
        facts: Its host.
        database_url: The database that the host brings; a load's own URL comes first.
        secrets: Database URL to password.
    """
    module = import_module(_OF_SCHEME.get(spec.host_url.partition(":")[0], _REAL))
    return module.open_pool(spec, facts, database_url, secrets)
