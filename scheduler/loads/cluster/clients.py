"""The computers that make a sweep's load: users dealt out to workers, clocks looked at, losses counted."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.errors import ClientLost, ClusterNotUsable, SpecError
from scheduler.loads.cluster.computer import describe_computer
from scheduler.loads.cluster.connecting import Cluster, Worker
from scheduler.loads.cluster.remote_user import RemoteUser
from scheduler.loads.cluster.share import MOST_CLOCK_ERROR_S, Share
from scheduler.loads.orders import Begin
from scheduler.loads.users import User
from scheduler.model.clients import END, ClientsSpec, dealt, is_loopback
from scheduler.model.words import listing

log = logging.getLogger(__name__)

_LEAD_S = 1.0  # an order takes some milliseconds, on a busy network more
_MOST_LOSSES = 5


class DaskClients:
    """Where the users of ours run, by a plan that names a cluster.

    Args:
        spec: The cluster.
        client_cpus: The CPUs of this computer that users are confined to; empty for all.
    """

    lead_s = _LEAD_S

    def __init__(self, spec: ClientsSpec, client_cpus: Sequence[int]) -> None:
        self._spec = spec
        self._client_cpus = tuple(client_cpus)
        self._cluster = Cluster(spec)
        self._computer, cpus = describe_computer()
        self._cpus_here = len(self._client_cpus) or cpus
        self._shares: list[Share] = []
        self._losses = 0
        self._told: dict[str, float] = {}  # worker to the error of its clock when it was first looked at

    def preflight(self, connections: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
        """Look whether the load can be made there; return versions and workers.

        Args:
            connections: What users are to connect with, one for each database.

        Raises:
            ClusterNotUsable: It is not reached, lacks a worker, has other versions, or a clock that is not known.
            SpecError: A worker cannot reach a database.
        """
        workers = self._cluster.workers()
        for worker in workers:
            for connection in connections:
                self._refuse_out_of_reach(worker, connection)
            self._look_at_clock(worker)
        return {**self._cluster.versions(), "clients": listing([worker.name for worker in workers])}

    def sentence(self) -> str:
        """Return what every report says of it."""
        errors_ms = [1000 * error_s for error_s in self._told.values()]
        known = f", clocks known to {max(errors_ms):.1f} ms" if errors_ms else ""
        names = listing(list(self._told))
        workers = "1 worker" if len(errors_ms) == 1 else f"{len(errors_ms)} workers"
        return f"The load was made by {workers} of a Dask cluster ({names}){known}."

    def start(self, begins: Sequence[Begin], probe: Begin | None) -> Sequence[User]:
        """Start all users, the extra reader last, or none.

        Raises:
            ClusterNotUsable: A worker lacks, or does not begin; too many were lost.
            ClientLost: One was lost meanwhile.
        """
        again = self._losses_so_far() > 0
        workers = self._cluster.workers(again=again)
        try:
            return self._start(workers, begins, probe)
        except ClientLost:
            self._end_shares()
            raise
        except ClusterNotUsable as error:
            self._end_shares()
            if not again:
                raise
            self._losses += 1
            raise ClientLost(str(error), hint=error.hint) from error

    def close(self) -> None:
        """End what runs there, and leave; never raises, may be called twice."""
        self._end_shares()
        self._cluster.close()

    def _start(self, workers: Sequence[Worker], begins: Sequence[Begin], probe: Begin | None) -> Sequence[User]:
        for begin in (*begins, *([probe] if probe else [])):
            for worker in workers:
                self._refuse_out_of_reach(worker, begin.connection)
        places = {worker.name: worker for worker in workers}
        numbers = dealt(len(begins), list(places))
        together = Counter(places[name].computer for name in numbers)
        self._shares = []
        for name in numbers:
            worker = places[name]
            self._shares.append(Share(self._cluster, worker, self._cpus_of(worker) / together[worker.computer]))
        for share in self._shares:
            share.wait_for_begin()
        users: dict[int, RemoteUser] = {}
        for i, share in enumerate(self._shares):
            own = [self._placed(begins[number], share.worker) for number in numbers[share.name]]
            extra = self._placed(probe, share.worker) if probe is not None and i == 0 else None
            users.update({user.number: user for user in share.start(own, extra)})
        return [users[number] for number in sorted(users)]  # the extra reader's number is behind all others

    def _placed(self, begin: Begin, worker: Worker) -> Begin:
        """Return what a user is told there: of this computer's CPUs, its own clients' only."""
        return msgspec.structs.replace(begin, cpus=self._client_cpus if self._is_here(worker) else ())

    def _cpus_of(self, worker: Worker) -> int:
        return self._cpus_here if self._is_here(worker) else worker.cpus

    def _is_here(self, worker: Worker) -> bool:
        return worker.computer == self._computer

    def _look_at_clock(self, worker: Worker) -> None:
        try:
            error_s = self._cluster.clock_of(worker).error_s
        except ClientLost as error:
            raise ClusterNotUsable(str(error)) from error
        if error_s > MOST_CLOCK_ERROR_S:
            most = f"at most {1000 * MOST_CLOCK_ERROR_S:g} ms are tolerable"
            raise ClusterNotUsable(
                f"the clock of {worker.title} is known to {1000 * error_s:.0f} ms only; {most}",
                hint="Is the network in between, or that computer, overloaded?",
            )
        self._told[worker.name] = error_s

    def _refuse_out_of_reach(self, worker: Worker, connection: Mapping[str, str]) -> None:
        hosts = (connection.get("hostaddr") or connection.get("host", "")).split(",")
        inside = [host for host in hosts if not host or host.startswith(("/", "@")) or is_loopback(host)]
        if inside and not self._is_here(worker):
            where = f"at {inside[0]}" if inside[0] else "at a socket"
            raise SpecError(
                "clients",
                f"{worker.title} is another computer, and the database listens {where} of this one only",
                hint="Name a database by an address that the workers reach, or take workers of this computer.",
            )

    def _losses_so_far(self) -> int:
        """Count what was lost of the shares before; raises ClusterNotUsable when that is more than the plan bears."""
        lost = [share.lost for share in self._shares if share.lost is not None]
        self._losses += bool(lost)
        self._shares = []
        if lost and self._spec.on_loss == END:
            raise ClusterNotUsable(f"{lost[0]}, and the plan ends then", hint=f"on_loss = '{END}' says so.")
        if self._losses > _MOST_LOSSES:
            why = f"{self._losses} times a worker was lost, at most {_MOST_LOSSES} are borne"
            raise ClusterNotUsable(why, hint="Its log says why: dask worker prints it.")
        return self._losses

    def _end_shares(self) -> None:
        for share in self._shares:
            share.ask_to_end()
        for share in self._shares:
            share.end()


def open_clients(spec: ClientsSpec, client_cpus: Sequence[int]) -> DaskClients:
    """Return the clients of a plan, nothing connected yet."""
    return DaskClients(spec, client_cpus)
