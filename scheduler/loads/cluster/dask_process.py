"""Process without rights that connects to a Dask cluster.

    python -m scheduler.loads.cluster.dask_process UID PARENT

Dask unpickles all data from schedulers and workers, so their code can run here. The process reads all necessary files
(modules, certificates, the scheduler's name) before it drops its rights. Then it connects.
"""

import asyncio
import contextlib
import importlib.metadata
import logging
import os
import signal
import socket
import ssl
import sys
import time
import warnings
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from importlib import import_module
from typing import Any, Protocol, TypeVar, cast

import msgspec
from distributed import Client, Future, Queue
from distributed.security import Security
from distributed.versions import get_versions

from scheduler.confinement import ProcessLimits, confine_process
from scheduler.loads.cluster.clock_offset import ClockPing, best_offset
from scheduler.loads.cluster.cluster_messages import (
    ClockRead,
    ClusterEvent,
    ConnectQuestion,
    DoneReply,
    EndShare,
    ListWorkers,
    LookAtWorker,
    NumberedQuestion,
    NumberedReply,
    PassOrders,
    ReadClock,
    ReadVersions,
    RefusalReply,
    ReplyBody,
    ShareOver,
    ShareWord,
    ShareWords,
    StartShare,
    UserNumber,
    VersionList,
    WorkerEntry,
    WorkerList,
    WorkerLook,
    decode_request,
    encode_message,
)
from scheduler.loads.cluster.computer import describe_computer
from scheduler.loads.cluster.supervisor import answers_queue_name, orders_queue_name, supervise_users
from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.model.clients import parse_address_host
from scheduler.translation import _

LIMITS = ProcessLimits(memory_bytes=512 << 20, processes=48, files=128)
"""Several times Dask's needs: 140 MiB of address space, one or two threads, 9 descriptors (measured, ADR 53)."""

# Dask, tornado and Python import these modules on demand, when files are no longer accessible.
_LATER = ("encodings.idna", "tornado.platform.asyncio", "distributed.scheduler", "distributed.comm.tcp", "traceback")
_PINGS = 20
_PROBE_S = 3.0
_MOST_LETTERS = MOST_LINE_BYTES // 8  # all lines together; after escaping, they are still a line that the core reads
_ODD = _("the worker sent an unexpected message")
_LOOK_S = 1.0
_MOST_ADDRESSES = 4


_T = TypeVar("_T")


class _LoopQueue(Protocol):
    """Dask queue in an event loop."""

    def __await__(self) -> Any: ...  # noqa: ANN401 - Dask's

    def get(self, timeout: float) -> Awaitable[object]: ...

    def put(self, value: object) -> Awaitable[None]: ...

    def close(self) -> None: ...


class _PreloadedCertificates(Security):
    """Certificates that were read before the process dropped its rights."""

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__(require_encryption=True)
        self.extra_conn_args = {}
        _CONTEXTS[id(self)] = context

    def get_connection_args(self, role: str) -> dict[str, Any]:
        """Return the arguments of every connection."""
        return {"ssl_context": _CONTEXTS[id(self)], "require_encryption": True, "extra_conn_args": {}}


_CONTEXTS: dict[int, ssl.SSLContext] = {}  # Security has slots, so the context is stored here


class _ShareQueues:
    """Queues and task of one share."""

    def __init__(self, orders: _LoopQueue, words: _LoopQueue, task: "Future[str]") -> None:
        self.orders = orders
        self.words = words
        self.task = task
        self.outbox: asyncio.Queue[PassOrders] = asyncio.Queue()
        self.pumps: list[asyncio.Task[None]] = []


class DaskSpeaker:
    """Executor of the core's requests.

    Args:
        client: Connection to the scheduler.
        tell: Sends an event to the core.
    """

    def __init__(self, client: Client, tell: Callable[[ClusterEvent], None]) -> None:
        self._client = client
        self._tell = tell
        self._shares: dict[str, _ShareQueues] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # else running tasks may be collected

    def take(self, line: bytes) -> None:
        """Start one request; do not wait for its end."""
        match request := decode_request(line):
            case NumberedQuestion():
                self._spawn_task(self._answer_question(request))
            case PassOrders() if request.share in self._shares:
                self._shares[request.share].outbox.put_nowait(request)
            case EndShare() if request.share in self._shares:
                self._spawn_task(self._end_share(self._shares.pop(request.share)))
            case _:
                pass

    def _spawn_task(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _answer_question(self, ask: NumberedQuestion) -> None:
        try:
            body = await asyncio.wait_for(self._reply_body(ask.body), ask.limit_s)
        except TimeoutError:
            body = RefusalReply(_("no answer within {limit_s:g} s").format(limit_s=ask.limit_s))
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - a foreign worker can cause any exception
            body = RefusalReply(_error_text(error))
        self._tell(NumberedReply(ask.number, body))

    async def _reply_body(self, question: object) -> ReplyBody:
        match question:
            case ListWorkers():
                return await self._list_workers()
            case ReadVersions():
                return await self._read_versions()
            case LookAtWorker():
                return await self._inspect_worker(question.address)
            case ReadClock():
                return await self._read_clock(question.address)
            case StartShare():
                return await self._start_share(question)
            case _:
                return DoneReply()

    async def _list_workers(self) -> WorkerList:
        known = (await self._client.scheduler.identity(n_workers=-1))["workers"]
        running = [(facts["name"], address) for address, facts in known.items() if facts["status"] == "running"]
        return WorkerList(tuple(WorkerEntry(str(name), str(address)) for name, address in running))

    async def _read_versions(self) -> VersionList:
        seen = await self._client.get_versions(check=False)
        workers = {str(address): _package_versions(facts) for address, facts in seen["workers"].items()}
        return VersionList(_package_versions(seen["client"]), _package_versions(seen["scheduler"]), workers)

    async def _inspect_worker(self, address: str) -> WorkerLook:
        try:
            # A function of Python, because a function of DomTune cannot be found where DomTune is missing.
            domtune = await self._run_on_worker(importlib.metadata.version, address, "domtune")
        except ImportError:
            return WorkerLook(None)
        computer, cpus = await self._run_on_worker(describe_computer, address)
        return WorkerLook(str(domtune), str(computer), int(cpus))

    async def _read_clock(self, address: str) -> ClockRead:
        pings: list[ClockPing] = []
        for _unused in range(_PINGS):
            sent_s = time.monotonic()
            told_s = float(await self._run_on_worker(time.monotonic, address))
            pings.append(ClockPing(sent_s, told_s, time.monotonic()))
        found = best_offset(pings)
        return ClockRead(found.ahead_s, found.error_s, found.at_s)

    async def _run_on_worker(self, function: Callable[..., _T], address: str, *words: str) -> _T:
        """Run a function on a worker; return its result or raise its error."""
        return (await self._client.run(function, *words, workers=[address]))[address]

    async def _start_share(self, start: StartShare) -> DoneReply:
        orders, words = (self._open_queue(name(start.share)) for name in (orders_queue_name, answers_queue_name))
        await orders
        await words
        # Dask sends the function by name. The worker has the same version of DomTune, because the core has compared it.
        task = self._client.submit(
            supervise_users,
            start.share,
            start.latest_s,
            key=start.share,
            pure=False,
            retries=0,
            workers=[start.address],
            allow_other_workers=False,
        )
        share = self._shares[start.share] = _ShareQueues(orders, words, task)
        share.pumps = [
            self._spawn_task(self._hear(start.share, share)),
            self._spawn_task(self._pass_orders(start.share, share)),
        ]
        return DoneReply()

    def _open_queue(self, name: str) -> _LoopQueue:
        queue: Queue[object] = Queue(name, client=self._client)
        return cast("_LoopQueue", queue)

    async def _hear(self, name: str, share: _ShareQueues) -> None:
        """Pass a share's messages to the core until its task ends."""
        try:
            while not share.task.done():
                with contextlib.suppress(TimeoutError):
                    self._tell(_share_lines(name, await share.words.get(timeout=_LOOK_S)))
            self._tell(ShareOver(name, (await self._end_reason(share.task))[:1_000], ended=True))
            return
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - as above
            why = _("its scheduler does not answer any more ({error})").format(error=_error_text(error))
        self._tell(ShareOver(name, why[:1_000]))

    async def _pass_orders(self, name: str, share: _ShareQueues) -> None:
        """Pass orders to a share, all waiting orders together."""
        try:
            while True:
                orders = list((await share.outbox.get()).orders)
                while not share.outbox.empty():
                    orders += share.outbox.get_nowait().orders
                await share.orders.put([(word, number, line.encode()) for word, number, line in orders])
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - as above
            self._tell(
                ShareOver(
                    name, _("the worker does not accept messages any more ({error})").format(error=_error_text(error))
                )
            )

    async def _end_reason(self, task: "Future[str]") -> str:
        error = None
        with contextlib.suppress(Exception, asyncio.CancelledError):
            error = await asyncio.wait_for(task.exception(), _LOOK_S)
        return _("its task ended ({error})").format(
            error=_error_text(error, named=True) if error is not None else task.status
        )

    async def _end_share(self, share: _ShareQueues) -> None:
        for pump in share.pumps:
            pump.cancel()
        with contextlib.suppress(Exception, asyncio.CancelledError):  # the cluster may be unreachable
            await asyncio.wait_for(share.task.cancel(), _LOOK_S)
        for each in (share.orders, share.words):
            each.close()


def main(words: list[str]) -> None:
    """Answer until stdin ends; every end is the end of the process."""
    uid, parent = int(words[0]), int(words[1])
    for module in _LATER:
        import_module(module)
    out = os.dup(1)
    os.dup2(2, 1)  # the output of libraries must not look like an answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _silence_logging()

    def tell(event: ClusterEvent) -> None:
        line = encode_message(event)
        view = memoryview(line)
        while view:
            view = view[os.write(out, view) :]

    first = decode_request(sys.stdin.buffer.readline(MOST_LINE_BYTES))
    if not isinstance(first, NumberedQuestion) or not isinstance(first.body, ConnectQuestion):
        return
    try:
        addresses, security = _numeric_addresses(first.body.address), _load_certificates(first.body)
        get_versions()  # reads the versions from files once, and remembers them
        confine_process(uid, LIMITS, parent)
    except (OSError, ValueError) as error:
        tell(NumberedReply(first.number, RefusalReply(_error_text(error))))
        return
    asyncio.run(_serve_core(first, addresses, security, tell))


def _share_lines(share: str, found: object) -> ShareWords | ShareOver:
    """Return the lines that a share put into its queue; `ShareOver` if invalid."""
    try:
        said = msgspec.convert(found, list[tuple[UserNumber, bytes]])
        words: list[ShareWord] = [(number, line.decode()) for number, line in said]
    except (msgspec.ValidationError, UnicodeDecodeError):
        return ShareOver(share, _ODD)
    if sum(len(line) for _, line in words) > _MOST_LETTERS:
        return ShareOver(share, _ODD)
    return ShareWords(share, tuple(words))


async def _serve_core(
    first: NumberedQuestion, addresses: list[str], security: Security | None, tell: Callable[[ClusterEvent], None]
) -> None:
    try:
        async with asyncio.timeout(first.limit_s):
            client = await _connect_client(addresses, security, first.limit_s)
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - a foreign scheduler can cause any exception
        tell(
            NumberedReply(
                first.number,
                RefusalReply(
                    _error_text(error)
                    if str(error)
                    else _("no answer within {limit_s:g} s").format(limit_s=first.limit_s)
                ),
            )
        )
        os._exit(0)
    tell(NumberedReply(first.number, DoneReply()))
    speaker, reader = DaskSpeaker(client, tell), asyncio.StreamReader(limit=MOST_LINE_BYTES)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    with contextlib.suppress(ValueError, msgspec.DecodeError):
        while line := await reader.readline():
            speaker.take(line)
    os._exit(0)  # not by closing the client, which waits for its scheduler


async def _connect_client(addresses: list[str], security: Security | None, limit_s: float) -> Client:
    address = await _reachable_address(addresses)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for different versions: the core compares them
        return await Client(
            address, timeout=limit_s, security=security, set_as_default=False, name="domtune", asynchronous=True
        )


async def _reachable_address(addresses: list[str]) -> str:
    """Return the first address where a server listens. Dask would try only one.

    Raises:
        OSError: All addresses refuse.
    """
    refused: OSError = TimeoutError(_("no answer"))
    for address in addresses:
        host, port = parse_address_host(address), int(address.rpartition(":")[2])
        try:
            _unused, writer = await asyncio.wait_for(asyncio.open_connection(host, port), _PROBE_S)
        except OSError as error:
            refused = error
            continue
        writer.close()
        return address
    raise refused


def _numeric_addresses(address: str) -> list[str]:
    """Return the address with each of its host's numeric addresses.

    Raises:
        OSError: The host name is unknown.
    """
    scheme, port = address.partition("://")[0], int(address.rpartition(":")[2])
    found = socket.getaddrinfo(parse_address_host(address), port, type=socket.SOCK_STREAM)
    hosts = dict.fromkeys(str(entry[4][0]) for entry in found)
    return [f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}" for host in hosts][:_MOST_ADDRESSES]


def _load_certificates(connect: ConnectQuestion) -> Security | None:
    """Return the certificates of the connection; None without TLS.

    Raises:
        OSError: A file is not readable.
        ssl.SSLError: A file is no certificate or key.
    """
    if not connect.ca_file:
        return None
    paths = {"tls_ca_file": connect.ca_file, "tls_client_cert": connect.cert_file, "tls_client_key": connect.key_file}
    return _PreloadedCertificates(
        Security(**paths, require_encryption=True).get_connection_args("client")["ssl_context"]
    )


def _package_versions(facts: Mapping[str, Any]) -> dict[str, str | None]:
    return {str(name): None if found is None else str(found)[:100] for name, found in facts["packages"].items()}


def _error_text(error: BaseException, *, named: bool = False) -> str:
    """Return an error of Dask's in one line, with its cause."""
    words = " ".join((f"{error}" if error.__cause__ is None else f"{error} ({error.__cause__})").split())[:300]
    name = type(error).__name__
    return f"{name}: {words[:200]}" if named else words or name


def _silence_logging() -> None:
    """Keep Dask from printing, because errors go to the core."""
    logging.disable(logging.CRITICAL)


if __name__ == "__main__":
    main(sys.argv[1:])
