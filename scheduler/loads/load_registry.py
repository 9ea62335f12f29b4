"""Registry of load generators, which are imported when used."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec

from scheduler.errors import ClusterNotUsable
from scheduler.loads.load_protocols import LoadGenerators
from scheduler.loads.user_protocols import ClientSite
from scheduler.model.clients import ClientsSpec
from scheduler.model.host_kinds import find_host_kind
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec
from scheduler.translation import _

_REAL = "scheduler.loads.database_loads"


def open_loads(
    spec: RunSpec,
    facts: HostProperties,
    database_url: str,
    secrets: Mapping[str, str],
    *,
    direct_url: str = "",
    guest_2_url: str = "",
) -> LoadGenerators:
    """Return the sweep's loads, not started.

    Args:
        spec: The plan.
        facts: Properties of the host.
        database_url: The built-in database; empty for none.
        secrets: Database URL to its password.
        direct_url: The same database without the I/O domain; empty when no setting needs it.
        guest_2_url: The built-in database of a second guest; empty for none.

    Raises:
        SpecError: A load has no database, or its URL is invalid.
    """
    kind = find_host_kind(spec.host_url)
    module = import_module((kind.loads if kind else "") or _REAL)
    return module.open_pool(spec, facts, database_url, secrets, direct_url=direct_url, guest_2_url=guest_2_url)


def open_clients(spec: ClientsSpec, client_cpus: Sequence[int]) -> ClientSite:
    """Return the computers of a cluster that make a load, not connected.

    Args:
        spec: The cluster.
        client_cpus: CPUs of this computer that users are confined to; empty for all.

    Raises:
        ClusterNotUsable: Dask is not installed.
    """
    if find_spec("distributed") is None:
        hint = _("Install the extra 'cluster': see the manual's page 'Load from many machines'.")
        raise ClusterNotUsable(_("Dask is not installed on this computer"), hint=hint)
    return import_module("scheduler.loads.cluster.cluster_clients").open_clients(spec, client_cpus)
