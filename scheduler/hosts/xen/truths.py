"""What really holds on a Xen host, whatever was configured: the scheduler of each CPU pool."""

from collections.abc import Iterator

from scheduler.hosts.xen.picture import Picture
from scheduler.hosts.xen.tables import PoolRow
from scheduler.model.facts import Truth


def truths(picture: Picture) -> Iterator[Truth]:
    """Yield a row per CPU pool, that of the two domains first."""
    tool = picture.survey.access.name
    ours = {picture.io.pool, picture.guest.pool}
    for pool in sorted(picture.survey.pools, key=lambda pool: (pool.name not in ours, pool.name)):
        yield Truth(f"Scheduler of {pool.name}", _value(picture, pool), f"{tool} cpupool-list; {tool} cpupool-list -c")
    if not picture.survey.pools and picture.guest.scheduler:
        yield Truth("Scheduler of the host", picture.guest.scheduler, f"{tool} info")


def _value(picture: Picture, pool: PoolRow) -> str:
    cpus = picture.survey.pool_cpus.get(pool.name)
    where = f", on CPU {', '.join(map(str, cpus))}" if cpus else f", on {pool.cpus} CPUs"
    inside = [seen.row.name for seen in (picture.io, picture.guest) if seen.pool == pool.name]
    verb = "runs" if len(inside) == 1 else "run"
    here = f"; {' and '.join(inside)} {verb} here" if inside else ""
    return f"{pool.scheduler}{where}{here}"
