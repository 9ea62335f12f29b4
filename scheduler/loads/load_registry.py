"""Which load generators drive which sweep; imported when used."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec

import msgspec

from scheduler.errors import ClusterNotUsable
from scheduler.loads.load_protocols import LoadGenerators
from scheduler.loads.user_protocols import ClientSite
from scheduler.model.clients import ClientsSpec
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec
from scheduler.model.split import DomainId

_REAL = "scheduler.loads.database_loads"
_OF_SCHEME = {"fake": "scheduler.loads.fake_loads"}  # a fake host has no CPU for a real database


def open_loads(
    spec: RunSpec, facts: HostProperties, database_url: str, secrets: Mapping[str, str], base_url: str = ""
) -> LoadGenerators:
    """Return the sweep's loads, not started.

    Args:
        spec: The sweep.
        facts: Its host.
        database_url: The database that the host brings; a load's own URL comes first.
        secrets: Database URL to password.
        base_url: The host's database without the I/O domain between; empty where nobody asks for that.
    """
    module = import_module(_OF_SCHEME.get(spec.host_url.partition(":")[0], _REAL))
    return module.open_pool(spec, facts, database_url, secrets, base_url)


def open_pair(spec: RunSpec, facts: HostProperties, database_url: str, secrets: Mapping[str, str]) -> LoadGenerators:
    """Return the loads of a study that compares with a base elsewhere, nothing connected yet.

    Args:
        spec: The study.
        facts: Its host.
        database_url: The database that the host brings; empty where it brings none.
        secrets: Database URL to password.

    Raises:
        SpecError: A load has no database, or a URL that is none.
    """
    pool, paired = import_module(_REAL), import_module("scheduler.loads.paired_loads")
    loads = tuple(msgspec.structs.replace(load, database=spec.base) for load in spec.loads)
    base = pool.open_pool(msgspec.structs.replace(spec, loads=loads, server={}), facts, "", secrets)
    return paired.PairedLoads(pool.open_pool(spec, facts, database_url, secrets), base)


def open_two_guests(
    spec: RunSpec, facts: HostProperties, urls: Mapping[DomainId, str], secrets: Mapping[str, str]
) -> LoadGenerators:
    """Return the loads of a study of two guests, nothing connected yet.

    Args:
        spec: The study; its first load is the first guest's, its last the second's.
        facts: Its host; where its `client_cpus` are several, each guest's users have some of them to themselves.
        urls: Guest to its database, reached through the I/O domain.
        secrets: Database URL to password.
    """
    module = import_module(_OF_SCHEME.get(spec.host_url.partition(":")[0], _REAL))
    loads = spec.guest_loads
    pools = {
        guest: module.open_pool(
            msgspec.structs.replace(spec, loads=(load,), neighbour_database=""),  # it is the load's own by now
            msgspec.structs.replace(facts, client_cpus=_divide_cpus(facts.client_cpus, place, len(loads))),
            urls.get(guest, ""),
            secrets,
        )
        for place, (guest, load) in enumerate(loads.items())
    }
    two = import_module("scheduler.loads.two_guests")
    return two.TwoGuests(pools, {guest: load.kind for guest, load in loads.items()})


def _divide_cpus(cpus: Sequence[int], place: int, parts: int) -> tuple[int, ...]:
    """Return one part of the CPUs; all where they are too few for each to have one."""
    return tuple(cpus[place::parts]) if len(cpus) >= parts else tuple(cpus)


def open_clients(spec: ClientsSpec, client_cpus: Sequence[int]) -> ClientSite:
    """Return the computers of a cluster that make a load, nothing connected yet; raises ClusterNotUsable without Dask.

    Args:
        spec: The cluster.
        client_cpus: The CPUs of this computer that users are confined to; empty for all.
    """
    if find_spec("distributed") is None:
        hint = "Install the extra 'cluster': see the manual's page 'Load from many machines'."
        raise ClusterNotUsable("Dask is not installed on this computer", hint=hint)
    return import_module("scheduler.loads.cluster.cluster_clients").open_clients(spec, client_cpus)
