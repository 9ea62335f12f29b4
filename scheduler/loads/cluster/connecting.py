"""The way to a Dask cluster: reached, of our own versions, its workers looked at, nothing started there."""

import asyncio
import contextlib
import importlib.metadata
import logging
import os
import socket
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from distributed import Client
from distributed.security import Security

from scheduler.errors import ClientLost, ClusterNotUsable, SpecError
from scheduler.loads.cluster.clock import Offset, Ping, offset_of
from scheduler.model.clients import REMAINING, ClientsSpec
from scheduler.model.words import listing

FAILURES = (OSError, RuntimeError, ValueError, TypeError, KeyError, CancelledError, asyncio.CancelledError)
"""What distributed raises when whom it speaks to is gone, or will not listen; its CommClosedError is an OSError."""

_CONNECT_S = 10.0
_RETURN_S = 60.0  # until a worker that was lost is back
_LOOK_S = 0.5
_PINGS = 20
_SAME = ("python", "dask", "distributed", "msgpack", "cloudpickle", "tornado")  # what speaks over the wire
_BOOT = Path("/proc/sys/kernel/random/boot_id")

_T = TypeVar("_T")


class Worker(msgspec.Struct, frozen=True):
    """One worker.

    Attributes:
        name: What the cluster calls it.
        address: Where it listens.
        computer: What tells its computer from others: of one kernel, since it was booted.
        cpus: CPUs of that computer that it may use.
    """

    name: str
    address: str
    computer: str
    cpus: int

    @property
    def title(self) -> str:
        """What messages call it."""
        return f"the worker {self.name}" + ("" if self.name == self.address else f" ({self.address})")


class Cluster:
    """A cluster that the load is made on.

    Args:
        spec: Where it is, and which of its workers are meant.
    """

    def __init__(self, spec: ClientsSpec) -> None:
        self._spec = spec
        self._client: Client | None = None
        self._wanted: tuple[str, ...] = spec.workers
        self._least = 1

    @property
    def client(self) -> Client:
        """Return the connection, made when first asked for; raises ClusterNotUsable, SpecError."""
        if self._client is None:
            self._client = _connected(self._spec)
        return self._client

    def workers(self, *, again: bool = False) -> list[Worker]:
        """Return the workers that are meant, looked at, in the plan's order.

        Args:
            again: After a loss; then they are waited for, unless the plan goes on with those that are there.

        Raises:
            ClusterNotUsable: One lacks, or has other versions than this computer.
        """
        deadline_s = time.monotonic() + (_RETURN_S if again else 0)
        fewer = again and self._spec.on_loss == REMAINING
        while True:
            late = time.monotonic() > deadline_s
            if found := self._found(fewer=fewer):
                self._least = max(self._least, len(found))
                try:
                    self._refuse_other_versions(found)
                    return [self._looked_at(name, address) for name, address in found.items()]
                except ClusterNotUsable:  # a scheduler still lists for a moment whom it has lost
                    if late:
                        raise
            elif late:
                raise self._lacking(again=again)
            threading.Event().wait(_LOOK_S)

    def has(self, worker: Worker) -> bool:
        """Return whether the scheduler still knows a worker; True when it cannot be asked."""
        try:
            return worker.address in self._there().values()
        except ClusterNotUsable:
            return True

    def clock_of(self, worker: Worker) -> Offset:
        """Measure what its clock is ahead of ours; raises ClientLost."""

        def ping() -> Ping:
            sent_s = time.monotonic()
            told_s = self._asked(time.monotonic, worker.address)
            return Ping(sent_s, told_s, time.monotonic())

        try:
            return offset_of([ping() for _ in range(_PINGS)])
        except FAILURES as error:
            raise ClientLost(f"{worker.title} does not tell its time: {_said(error)}") from error

    def versions(self) -> Mapping[str, str]:
        """Return what speaks over the wire, name to version."""
        return {name: importlib.metadata.version(name) for name in ("dask", "distributed")}

    def close(self) -> None:
        """Leave it; never raises."""
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(*FAILURES):
                client.close(timeout=_CONNECT_S)

    def _found(self, *, fewer: bool) -> dict[str, str]:
        """Return name to address of the workers that are meant; none while some of them lack."""
        there = self._there()
        if not self._wanted:
            return there if len(there) >= (1 if fewer else self._least) else {}
        named = {wanted: address for wanted in self._wanted if (address := _address_of(wanted, there))}
        return named if named and (fewer or len(named) == len(self._wanted)) else {}

    def _there(self) -> dict[str, str]:
        try:
            known: Mapping[str, Mapping[str, Any]] = self.client.scheduler_info(n_workers=-1)["workers"]
        except FAILURES as error:
            raise _unreachable(self._spec, error) from error
        running = {str(facts["name"]): address for address, facts in known.items() if facts["status"] == "running"}
        return dict(sorted(running.items()))

    def _lacking(self, *, again: bool) -> ClusterNotUsable:
        there = self._there()
        names = listing(sorted(there)) if there else "none"
        when = f"{_RETURN_S:g} s after one was lost, " if again else ""
        lacking = [name for name in self._wanted if not _address_of(name, there)]
        what = f"has no worker {listing(lacking)}" if lacking else f"has {len(there)} workers, not {self._least}"
        return ClusterNotUsable(
            f"{when}the Dask scheduler {self._spec.scheduler} {what}; there are: {names}",
            hint=f"Start it with dask worker {self._spec.scheduler} --name NAME, or correct workers in the plan.",
        )

    def _refuse_other_versions(self, found: Mapping[str, str]) -> None:
        try:
            seen = self.client.get_versions(check=False)
            ours: Mapping[str, str | None] = seen["client"]["packages"]
            others = {f"the worker {name}": seen["workers"][address]["packages"] for name, address in found.items()}
        except FAILURES as error:
            raise ClusterNotUsable(f"the workers do not tell their versions: {_said(error)}") from error
        for who, packages in {"the scheduler": seen["scheduler"]["packages"], **others}.items():
            for name in _SAME:
                _refuse_other(who, name, packages.get(name), ours.get(name))
        domtune = own_version()
        for name, address in found.items():
            _refuse_other(f"the worker {name}", "domtune", self._domtune_at(name, address), domtune)

    def _domtune_at(self, name: str, address: str) -> str | None:
        try:
            # A function of Python's: one of ours cannot be found where DomTune is not.
            return self._asked(importlib.metadata.version, address, "domtune")
        except ImportError:
            return None
        except FAILURES as error:
            raise ClusterNotUsable(f"the worker {name} does not answer: {_said(error)}") from error

    def _looked_at(self, name: str, address: str) -> Worker:
        try:
            computer, cpus = self._asked(look, address)
        except (*FAILURES, ImportError, AttributeError) as error:
            raise ClusterNotUsable(f"the worker {name} cannot be looked at: {_said(error)}") from error
        return Worker(name, address, computer, cpus)

    def _asked(self, question: Callable[..., _T], address: str, *words: str) -> _T:
        """Return a worker's answer, of its own process; raises what it raises."""
        return self.client.run(question, *words, workers=[address])[address]


def own_version() -> str:
    """Return the version of this program, here."""
    return importlib.metadata.version("domtune")


def look() -> tuple[str, int]:
    """Return what tells this computer from others, and the CPUs that this process may use."""
    try:
        computer = _BOOT.read_text().strip()
    except OSError:
        computer = socket.gethostname()
    return computer, len(os.sched_getaffinity(0))


def _connected(spec: ClientsSpec) -> Client:
    _hush()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions that differ: they are compared, and refused
            return Client(
                spec.scheduler, timeout=_CONNECT_S, security=_security(spec), set_as_default=False, name="domtune"
            )
    except FAILURES as error:
        raise _unreachable(spec, error) from error


def _security(spec: ClientsSpec) -> Security | None:
    """Return the certificates to connect with; raises SpecError."""
    if not spec.encrypted:
        return None
    for name in ("ca_file", "cert_file", "key_file"):
        try:
            Path(getattr(spec, name)).expanduser().read_bytes()
        except OSError as error:
            why = f"{getattr(spec, name)} cannot be read: {error.strerror or error}"
            raise SpecError(f"clients.{name}", why, hint="Give the path of a PEM file on this computer.") from error
    paths = [str(Path(path).expanduser()) for path in (spec.ca_file, spec.cert_file, spec.key_file)]
    return Security(tls_ca_file=paths[0], tls_client_cert=paths[1], tls_client_key=paths[2], require_encryption=True)


def _unreachable(spec: ClientsSpec, error: BaseException) -> ClusterNotUsable:
    hint = "Does dask scheduler run there, and does a firewall let this computer through?"
    if spec.encrypted:
        hint += " Does it use TLS, and were its certificate and this computer's made by the same authority?"
    return ClusterNotUsable(f"the Dask scheduler {spec.scheduler} cannot be reached: {_said(error)}", hint=hint)


def _refuse_other(who: str, name: str, theirs: str | None, ours: str | None) -> None:
    if theirs != ours:
        has = f"has {name} {theirs}" if theirs else f"has no {name}"
        hint = "Install the same versions there: pip install 'domtune[cluster]' from the same source."
        raise ClusterNotUsable(f"{who} {has}, this computer {ours or 'none'}", hint=hint)


def _address_of(wanted: str, there: Mapping[str, str]) -> str:
    """Return the address of the worker that a plan names by its name or address; empty where it is not there."""
    return there.get(wanted) or next((address for address in there.values() if address == wanted), "")


def _said(error: BaseException) -> str:
    """Return what an error of distributed's says, in one line, the cause that it hides too."""
    cause = error.__cause__
    words = f"{error}" if cause is None else f"{error} ({cause})"
    return " ".join(words.split())[:300] or type(error).__name__


def _hush() -> None:
    """Keep distributed from printing tracebacks to standard error: what matters comes out of here as an error."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
