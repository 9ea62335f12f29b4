"""Client computers of a sweep: distribute users, check clocks, count losses."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.errors import ClientLost, ClusterNotUsable, SpecError
from scheduler.loads.cluster.computer import describe_computer
from scheduler.loads.cluster.dask_cluster import DaskCluster, DaskWorker
from scheduler.loads.cluster.remote_user import RemoteUser
from scheduler.loads.cluster.user_share import MOST_CLOCK_ERROR_S, UserShare
from scheduler.loads.user_messages import BeginOrder
from scheduler.loads.user_protocols import PoolUser
from scheduler.model.clients import END, ClientsSpec, deal_out_users, is_loopback
from scheduler.model.sentence_texts import join_names
from scheduler.translation import _, ngettext

log = logging.getLogger(__name__)

_LEAD_S = 1.0  # an order takes some milliseconds, more in a busy network
_MOST_LOSSES = 5


class DaskClientSite:
    """Place of the users for a plan that names a Dask cluster.

    Args:
        spec: The cluster.
        client_cpus: CPUs of this computer that users run on. Empty for all.
    """

    lead_s = _LEAD_S

    def __init__(self, spec: ClientsSpec, client_cpus: Sequence[int]) -> None:
        self._spec = spec
        self._client_cpus = tuple(client_cpus)
        self._cluster = DaskCluster(spec)
        self._computer, cpus = describe_computer()
        self._cpus_here = len(self._client_cpus) or cpus
        self._shares: list[UserShare] = []
        self._losses = 0
        self._told: dict[str, float] = {}  # worker to the error of its clock at preflight, seconds

    def preflight(self, connections: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
        """Check that the load can run on the cluster; return versions and workers.

        Args:
            connections: Parameters of the users' connections, one mapping per database.

        Raises:
            ClusterNotUsable: The cluster is unreachable, lacks a worker, or has other versions. Or a clock is not
                known
                precisely enough.
            SpecError: A worker cannot reach a database.
        """
        workers = self._cluster.workers()
        for worker in workers:
            for connection in connections:
                self._refuse_unreachable(worker, connection)
            self._check_clock(worker)
        return {**self._cluster.versions(), "clients": join_names([worker.name for worker in workers])}

    def sentence(self) -> str:
        """Return the report sentence on the workers."""
        errors_ms = [1000 * error_s for error_s in self._told.values()]
        known = _(", clocks known to {errors_ms:.1f} ms").format(errors_ms=max(errors_ms)) if errors_ms else ""
        names = join_names(list(self._told))
        workers = ngettext("{n} worker", "{n} workers", len(errors_ms)).format(n=len(errors_ms))
        return _("The load was made by {workers} of a Dask cluster ({names}){known}.").format(
            workers=workers, names=names, known=known
        )

    def start(self, begins: Sequence[BeginOrder], probe: BeginOrder | None) -> Sequence[PoolUser]:
        """Start all users; return them with the extra reader last.

        Args:
            begins: First order of each user.
            probe: First order of the extra reader. None for no reader.

        Raises:
            ClusterNotUsable: A worker is missing or does not start, or too many were lost.
            ClientLost: A worker was lost during the start.
        """
        again = self._count_losses() > 0
        workers = self._cluster.workers(again=again)
        try:
            return self._start_shares(workers, begins, probe)
        except ClientLost:
            self._end_all_shares()
            raise
        except ClusterNotUsable as error:
            self._end_all_shares()
            if not again:
                raise
            self._losses += 1
            raise ClientLost(str(error), hint=error.hint) from error

    def close(self) -> None:
        """End all users and disconnect; never raise. A second call does nothing."""
        self._end_all_shares()
        self._cluster.close()

    def _start_shares(
        self, workers: Sequence[DaskWorker], begins: Sequence[BeginOrder], probe: BeginOrder | None
    ) -> Sequence[PoolUser]:
        for begin in (*begins, *([probe] if probe else [])):
            for worker in workers:
                self._refuse_unreachable(worker, begin.connection)
        places = {worker.name: worker for worker in workers}
        numbers = deal_out_users(len(begins), list(places))
        together = Counter(places[name].computer for name in numbers)
        self._shares = []
        for name in numbers:
            worker = places[name]
            self._shares.append(UserShare(self._cluster, worker, self._worker_cpus(worker) / together[worker.computer]))
        for share in self._shares:
            share.wait_for_begin()
        users: dict[int, RemoteUser] = {}
        for i, share in enumerate(self._shares):
            own = [self._begin_on_worker(begins[number], share.worker) for number in numbers[share.name]]
            extra = self._begin_on_worker(probe, share.worker) if probe is not None and i == 0 else None
            users.update({user.number: user for user in share.start(own, extra)})
        return [users[number] for number in sorted(users)]  # the extra reader has the highest number

    def _begin_on_worker(self, begin: BeginOrder, worker: DaskWorker) -> BeginOrder:
        """Return a user's first order; client CPUs apply on this computer only."""
        return msgspec.structs.replace(begin, cpus=self._client_cpus if self._is_here(worker) else ())

    def _worker_cpus(self, worker: DaskWorker) -> int:
        return self._cpus_here if self._is_here(worker) else worker.cpus

    def _is_here(self, worker: DaskWorker) -> bool:
        return worker.computer == self._computer

    def _check_clock(self, worker: DaskWorker) -> None:
        try:
            error_s = self._cluster.clock_of(worker).error_s
        except ClientLost as error:
            raise ClusterNotUsable(str(error)) from error
        if error_s > MOST_CLOCK_ERROR_S:
            most = _("at most {most_clock_error_s:g} ms are tolerable").format(
                most_clock_error_s=1000 * MOST_CLOCK_ERROR_S
            )
            raise ClusterNotUsable(
                _("the clock of {worker} is known to {error_s:.0f} ms only; {most}").format(
                    worker=worker.title, error_s=1000 * error_s, most=most
                ),
                hint=_("Is the network in between, or that computer, overloaded?"),
            )
        self._told[worker.name] = error_s

    def _refuse_unreachable(self, worker: DaskWorker, connection: Mapping[str, str]) -> None:
        hosts = (connection.get("hostaddr") or connection.get("host", "")).split(",")
        inside = [host for host in hosts if not host or host.startswith(("/", "@")) or is_loopback(host)]
        if inside and not self._is_here(worker):
            where = _("at {inside}").format(inside=inside[0]) if inside[0] else _("at a socket")
            raise SpecError(
                "clients",
                _("{worker} is another computer, and the database listens {where} of this one only").format(
                    worker=worker.title, where=where
                ),
                hint=_("Name a database by an address that the workers reach, or take workers of this computer."),
            )

    def _count_losses(self) -> int:
        """Add the lost shares to the count of losses, and return it.

        Raises:
            ClusterNotUsable: The plan ends at a loss, or there were more than `_MOST_LOSSES`.
        """
        lost = [share.lost for share in self._shares if share.lost is not None]
        self._losses += bool(lost)
        self._shares = []
        if lost and self._spec.on_loss == END:
            raise ClusterNotUsable(
                _("{lost}, so the run ends").format(lost=lost[0]),
                hint=_("The plan has on_loss = '{end}'.").format(end=END),
            )
        if self._losses > _MOST_LOSSES:
            why = _("workers were lost {losses} times; at most {most_losses} losses are allowed").format(
                losses=self._losses, most_losses=_MOST_LOSSES
            )
            raise ClusterNotUsable(why, hint=_("See the log that dask worker prints."))
        return self._losses

    def _end_all_shares(self) -> None:
        for share in self._shares:
            share.ask_to_end()
        for share in self._shares:
            share.end()


def open_clients(spec: ClientsSpec, client_cpus: Sequence[int]) -> DaskClientSite:
    """Return the place of a plan's users, not connected yet.

    Args:
        spec: The cluster.
        client_cpus: CPUs of this computer that users run on. Empty for all.
    """
    return DaskClientSite(spec, client_cpus)
