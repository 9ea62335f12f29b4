"""Connection to a Dask cluster, with checks of its versions and workers.

Nothing is started on the cluster here.
"""

import importlib.metadata
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from scheduler.errors import ClientLost, ClusterNotUsable, SpecError
from scheduler.loads.cluster.clock_offset import ClockOffset
from scheduler.loads.cluster.cluster_messages import (
    ClockRead,
    ConnectQuestion,
    ListWorkers,
    LookAtWorker,
    ReadClock,
    ReadVersions,
    VersionList,
    WorkerList,
    WorkerLook,
)
from scheduler.loads.cluster.dask_link import DaskLink, NoDaskAnswer, unreachable_error
from scheduler.model.clients import REMAINING, ClientsSpec
from scheduler.model.sentence_texts import join_names
from scheduler.translation import _
from scheduler.waiting import is_abort_requested

_ASK_S = 10.0
_ALL_S = 40.0  # for all questions before a load starts; with connecting, a slow scheduler is refused within 60 s
_RETURN_S = 60.0  # until a lost worker is back
_LOOK_S = 0.5
_SAME = ("python", "dask", "distributed", "msgpack", "cloudpickle", "tornado")  # packages of the network protocol


class DaskWorker(msgspec.Struct, frozen=True):
    """Worker of a cluster.

    Attributes:
        name: Name in the cluster.
        address: Address where it listens.
        computer: Identity of its computer's kernel since its boot.
        cpus: CPUs that the worker may use, >= 1.
    """

    name: str
    address: str
    computer: str
    cpus: int

    @property
    def title(self) -> str:
        """Name of the worker in messages."""
        return _("the worker {value}").format(value=self.name) + (
            "" if self.name == self.address else f" ({self.address})"
        )


class DaskCluster:
    """Connection to the cluster that runs the load.

    Args:
        spec: Address of the cluster, and its workers for the load.
    """

    def __init__(self, spec: ClientsSpec) -> None:
        self._spec = spec
        self._link: DaskLink | None = None
        self._wanted: tuple[str, ...] = spec.workers
        self._least = 1
        self._deadline_s = 0.0

    @property
    def link(self) -> DaskLink:
        """The process that is connected, started on demand.

        Raises:
            ClusterNotUsable: The scheduler is unreachable.
            SpecError: A certificate is not readable.
        """
        if self._link is None or self._link.is_dead:
            self.close()
            try:
                self._link = DaskLink(_connect_question(self._spec))
            except NoDaskAnswer as error:
                raise unreachable_error(self._spec.scheduler, error, encrypted=self._spec.encrypted) from error
        return self._link

    def workers(self, *, again: bool = False) -> list[DaskWorker]:
        """Return the workers of the plan, checked, in the plan's order.

        Args:
            again: True after a loss. Then missing workers are waited for, unless the plan continues without them.

        Raises:
            ClusterNotUsable: A worker is missing, has other versions than this computer, or does not answer in time.
        """
        deadline_s = time.monotonic() + (_RETURN_S if again else 0)
        fewer = again and self._spec.on_loss == REMAINING
        while True:
            late = time.monotonic() > deadline_s or is_abort_requested()
            self._deadline_s = time.monotonic() + _ALL_S
            if found := self._find_wanted(fewer=fewer):
                self._least = max(self._least, len(found))
                try:
                    self._refuse_other_versions(found)
                    return [self._inspect_worker(name, address) for name, address in found.items()]
                except ClusterNotUsable:  # a scheduler lists a lost worker for a moment
                    if late:
                        raise
            elif late:
                raise self._missing_workers_error(again=again)
            threading.Event().wait(_LOOK_S)

    def has(self, worker: DaskWorker) -> bool:
        """Return True when the scheduler lists a worker, or cannot be asked."""
        try:
            return worker.address in self._list_workers(_ASK_S).values()
        except ClusterNotUsable:
            return True

    def clock_of(self, worker: DaskWorker) -> ClockOffset:
        """Measure the clock offset of a worker over the open connection.

        Raises:
            ClientLost: The worker does not answer, or the connection was closed.
        """
        if (link := self._link) is None:
            raise ClientLost(
                _("{worker} did not report its clock: the connection was closed").format(worker=worker.title)
            )
        try:
            found = link.ask(ReadClock(worker.address), ClockRead, _ASK_S)
        except NoDaskAnswer as error:
            raise ClientLost(
                _("{worker} did not report its clock: {error}").format(worker=worker.title, error=error)
            ) from error
        return ClockOffset(found.ahead_s, found.error_s, found.at_s)

    def versions(self) -> Mapping[str, str]:
        """Return the versions of Dask's packages on this computer."""
        return {name: importlib.metadata.version(name) for name in ("dask", "distributed")}

    def close(self) -> None:
        """Disconnect; never raise."""
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _question_limit_s(self) -> float:
        """Return the time limit of the next question before a load starts, in seconds.

        Raises:
            ClusterNotUsable: The time for all questions is over.
        """
        left_s = self._deadline_s - time.monotonic()
        if left_s <= 0:
            raise ClusterNotUsable(
                _("the Dask scheduler {scheduler} has not answered all questions within {all_s:g} s").format(
                    scheduler=self._spec.scheduler, all_s=_ALL_S
                ),
                hint=_("Is the network in between, or that computer, overloaded? Name fewer workers in the plan."),
            )
        return min(_ASK_S, left_s)

    def _find_wanted(self, *, fewer: bool) -> dict[str, str]:
        """Return name to address of the plan's workers; empty if a worker is missing."""
        there = self._list_workers(self._question_limit_s())
        if not self._wanted:
            return there if len(there) >= (1 if fewer else self._least) else {}
        named = {wanted: address for wanted in self._wanted if (address := _worker_address(wanted, there))}
        return named if named and (fewer or len(named) == len(self._wanted)) else {}

    def _list_workers(self, limit_s: float) -> dict[str, str]:
        try:
            found = self.link.ask(ListWorkers(), WorkerList, limit_s)
        except NoDaskAnswer as error:
            raise unreachable_error(self._spec.scheduler, error, encrypted=self._spec.encrypted) from error
        return dict(sorted((worker.name, worker.address) for worker in found.workers))

    def _missing_workers_error(self, *, again: bool) -> ClusterNotUsable:
        there = self._list_workers(self._question_limit_s())
        names = join_names(sorted(there)) if there else "none"
        when = _("{return_s:g} s after one was lost, ").format(return_s=_RETURN_S) if again else ""
        lacking = [name for name in self._wanted if not _worker_address(name, there)]
        what = (
            _("has no worker {lacking}").format(lacking=join_names(lacking))
            if lacking
            else _("has {count} workers, not {least}").format(count=len(there), least=self._least)
        )
        return ClusterNotUsable(
            _("{when}the Dask scheduler {scheduler} {what}; there are: {names}").format(
                when=when, scheduler=self._spec.scheduler, what=what, names=names
            ),
            hint=_("Start it with dask worker {scheduler} --name NAME, or correct workers in the plan.").format(
                scheduler=self._spec.scheduler
            ),
        )

    def _refuse_other_versions(self, found: Mapping[str, str]) -> None:
        try:
            seen = self.link.ask(ReadVersions(), VersionList, self._question_limit_s())
            others = {
                _("the worker {name}").format(name=name): seen.workers[address] for name, address in found.items()
            }
        except (NoDaskAnswer, KeyError) as error:
            raise ClusterNotUsable(
                _("the workers did not report their versions: {error}").format(error=error), hint=_HINT
            ) from error
        for who, packages in {"the scheduler": seen.scheduler, **others}.items():
            for name in _SAME:
                _refuse_other_version(who, name, packages.get(name), seen.ours.get(name))

    def _inspect_worker(self, name: str, address: str) -> DaskWorker:
        try:
            found = self.link.ask(LookAtWorker(address), WorkerLook, self._question_limit_s())
        except NoDaskAnswer as error:
            raise ClusterNotUsable(
                _("the worker {name} cannot be looked at: {error}").format(name=name, error=error), hint=_HINT
            ) from error
        _refuse_other_version(_("the worker {name}").format(name=name), "domtune", found.domtune, own_domtune_version())
        return DaskWorker(name, address, found.computer, found.cpus)


_HINT = _("Check that the worker runs and has no other work. See its log.")


def own_domtune_version() -> str:
    """Return the version of DomTune on this computer."""
    return importlib.metadata.version("domtune")


def _connect_question(spec: ClientsSpec) -> ConnectQuestion:
    """Return the question that connects to the scheduler.

    Raises:
        SpecError: A certificate is not readable.
    """
    if not spec.encrypted:
        return ConnectQuestion(spec.scheduler)
    paths: list[str] = []
    for name in ("ca_file", "cert_file", "key_file"):
        try:
            paths.append(str(path := Path(getattr(spec, name)).expanduser().absolute()))
            path.read_bytes()
        except OSError as error:
            why = _("{getattr} cannot be read: {strerror}").format(
                getattr=getattr(spec, name), strerror=error.strerror or error
            )
            raise SpecError(f"clients.{name}", why, hint=_("Give the path of a PEM file on this computer.")) from error
    return ConnectQuestion(spec.scheduler, *paths)


def _refuse_other_version(who: str, name: str, theirs: str | None, ours: str | None) -> None:
    if theirs != ours:
        has = (
            _("has {name} {theirs}").format(name=name, theirs=theirs)
            if theirs
            else _("has no {name}").format(name=name)
        )
        hint = _("Install the same versions there: pip install 'domtune[cluster]' from the same source.")
        raise ClusterNotUsable(
            _("{who} {has}, this computer {ours}").format(who=who, has=has, ours=ours or "none"), hint=hint
        )


def _worker_address(wanted: str, there: Mapping[str, str]) -> str:
    """Return the address of a worker by its name or address; empty if it is missing."""
    return there.get(wanted) or next((address for address in there.values() if address == wanted), "")
