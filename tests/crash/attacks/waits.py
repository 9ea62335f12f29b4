"""Seconds from an abort to the end of a wait, for each peer and phase: `python -m tests.crash.attacks.waits`.

Each peer is a real connection to a server of ours that stops answering, drips or floods at that point. The waits are
those of the product: `preflight` and `prepare` of loads, the first look at a host, users and programs that connect.
Half a second after the wait began, the button is pressed. Prints a Markdown table; exit code 1 where a wait took longer
than 5 s. With `--no-abort` it is not pressed, and a peer that does not answer has to be given up within 60 s.
"""

import argparse
import contextlib
import os
import ssl
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import NamedTuple

from scheduler import waiting
from scheduler.commands.sweep import look_at_host
from scheduler.databases.database_registry import open_database
from scheduler.errors import SchedulerError
from scheduler.hosts.host_registry import open_host
from scheduler.hosts.xapi.certificate_pins import accept_fingerprint
from scheduler.hosts.xapi.xapi_session import LOGIN_S
from scheduler.hosts.xapi.xapi_url import SECRET, XapiAddress
from scheduler.loads.load_registry import open_clients, open_loads
from scheduler.loads.user_messages import BeginOrder
from scheduler.loads.user_pool import UserPool
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.run.control import MonotonicClock, RunControl
from tests.contract.postgres_fixture import TUPLES, facts_of, spec_of
from tests.contract.test_database_waits import MODES
from tests.crash.attacks.hostile_scheduler import PIECES
from tests.crash.attacks.test_floods import FLOODS
from tests.crash.attacks.test_hostile_scheduler import attacker
from tests.fuzz.databases import mariadb_answer, postgresql_answer
from tests.hostile_databases import (
    OK,
    READY,
    Listening,
    Serve,
    greeting,
    hostile,
    packet,
    read_message,
    read_packet,
    welcome,
)
from tests.one_load import one_load
from tests.xapi_double.certificates import Pair, make

LIMIT_S = 5.0
DEAD_S = 60.0
_BEFORE_S = 0.5  # of waiting before the button is pressed
_STATEMENTS = 12  # at so many statements of a sweep's start each database falls silent


class Wait(NamedTuple):
    """One wait: whom for, in which phase, and how it came out.

    `seconds` go from the abort to the end of the wait, or from its beginning without an abort; None where the peer's
    answer ended it before the abort.
    """

    peer: str
    phase: str
    seconds: float | None
    ended: str

    @property
    def kind(self) -> str:
        """The phase without its details: one kind for all statements, and one for all floods."""
        return "sends without end" if self.phase.startswith("floods") else self.phase.partition(", at `")[0]


class Calm(Random):
    """Dice that leave every answer as it is."""

    def random(self) -> float:
        return 0.0


class Button:
    """The button that ends a sweep; `presses` is False to leave it alone."""

    presses = True


def measure(peer: str, phase: str, act: Callable[[RunControl], object]) -> Wait:
    """Run a wait and press the button."""
    control, over, moments = RunControl(MonotonicClock()), threading.Event(), list[float]()

    def press() -> None:
        if not over.wait(_BEFORE_S):
            moments.append(time.monotonic())
            control.abort()

    if Button.presses:
        threading.Thread(target=press, daemon=True).start()
    else:
        moments.append(time.monotonic())
    ended = "it ended"
    try:
        with waiting.abortable(control.check_abort), waiting.use_abort_flag(control.abort_asked):
            act(control)
    except (SchedulerError, waiting.UserInterruption) as error:
        ended = type(error).__name__
    finally:
        ended_s = time.monotonic()
        over.set()
    return Wait(peer, phase, ended_s - moments[0] if moments else None, ended)


def prepare(url: str, _: RunControl) -> None:
    """Look at a database and make the load's tables there, as a sweep begins."""
    spec = spec_of(LoadSpec("osdb-ir", users=2, tuples=TUPLES, database=url))
    loads = one_load(open_loads(spec, facts_of(), "", {url: "x"}), spec)
    try:
        loads.preflight()
        loads.prepare("osdb-ir")
    finally:
        loads.close()


def silent_at(kind: str, number: int, seen: list[bytes]) -> Serve:
    """Return a server that answers rightly, and falls silent at a statement; later connections are let in.

    Args:
        kind: Name of the kind of database.
        number: Which statement of its first connection, from 0.
        seen: Takes the statements.
    """
    connections = list[Listening]()

    def serve(connection: Listening) -> None:
        connections.append(connection)
        _let_in(kind, connection)
        while True:
            statement = read_packet(connection)[1][1:] if kind == "mariadb" else read_message(connection)[1]
            if connection is connections[0]:
                seen.append(statement)
                if len(seen) > number:
                    connection.silence()
            connection.sendall(
                mariadb_answer(Calm(), statement, "10.11.6-MariaDB")
                if kind == "mariadb"
                else postgresql_answer(Calm(), statement) + READY
            )

    return serve


def _let_in(kind: str, connection: Listening) -> None:
    if kind == "postgresql":
        welcome(connection)
        return
    connection.sendall(greeting())
    number, _ = read_packet(connection)
    connection.sendall(packet(number + 1, OK))


def databases() -> Iterator[Wait]:
    """Yield the waits for databases."""
    for name, serve in ({**MODES, **FLOODS} if Button.presses else MODES).items():
        kind, _, phase = name.partition(", ")
        with hostile(serve) as server:
            phase = f"floods: {phase}" if name in FLOODS else phase
            yield measure(kind, phase, partial(prepare, f"{kind}://me@127.0.0.1:{server.port}/db"))
    for kind in ("mariadb", "postgresql") if Button.presses else ():  # the statement of a living server is not cut
        known = set[bytes]()
        for number in range(_STATEMENTS):
            seen = list[bytes]()
            with hostile(silent_at(kind, number, seen)) as server:
                found = measure(kind, "", partial(prepare, f"{kind}://me@127.0.0.1:{server.port}/db"))
            words = seen[number] if number < len(seen) else b""
            if found.seconds is None or words in known:
                continue
            known.add(words)
            said = " ".join(words.rstrip(b"\0").decode(errors="replace").split()[:4])[:40]
            yield found._replace(phase=f"silent, or a lock is waited for, at `{said}`")


def users() -> Iterator[Wait]:
    """Yield the waits for users and programs that connect."""
    for kind in ("mariadb", "postgresql"):
        with hostile(lambda connection: connection.silence()) as server:
            database = open_database(f"{kind}://me@127.0.0.1:{server.port}/db", "x")
            crew = UserPool(
                [BeginOrder(database.params, "osdb-ir", TUPLES, 1, each, (), {}, kind) for each in range(2)]
            )
            yield measure(kind, "users who connect", lambda _, crew=crew: _connected(crew))
    for kind, name in (("tpcb", "postgresql"), ("sysbench", "mariadb"), ("command", "postgresql")):
        values = {each.name: each.default for each in LOAD_KINDS[kind].parameters}
        if kind == "command":
            values["command"] = "sh -c 'trap : TERM INT HUP; while :; do sleep 1; done'"
        with hostile(lambda connection: connection.silence()) as server:
            params = open_database(f"{name}://me@127.0.0.1:{server.port}/db", "x").params
            begin = BeginOrder(params, kind, 0, 1, 0, (), values, name)
            engine = import_module(LOAD_KINDS[kind].engine).open_engine(begin, 2)
            yield measure(f"engine `{kind}`", "silent while it connects", lambda _, engine=engine: _connected(engine))


def _connected(crew) -> None:
    try:
        crew.connect()
    finally:
        crew.end()


def tls_until(pair: Pair, then: Serve) -> Serve:
    """Return a server that speaks TLS, reads a request, and then does something else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.certificate, pair.key)

    def serve(connection: Listening) -> None:
        connection.encrypt(context)
        connection.exactly(200)
        then(connection)

    return serve


def answered(then: Serve) -> Serve:
    """Return a server that begins to answer by HTTP, and then does something else."""

    def serve(connection: Listening) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 900000000\r\nContent-Type: text/xml\r\n\r\n")
        then(connection)

    return serve


SILENT: Serve = Listening.silence
DRIP: Serve = lambda connection: connection.drip(b"x")  # noqa: E731 - as short as its brothers
FLOOD: Serve = lambda connection: connection.flood(b"x" * 65_536)  # noqa: E731


def after_banner(then: Serve) -> Serve:
    def serve(connection: Listening) -> None:
        connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
        then(connection)

    return serve


HOWS: dict[str, Serve] = {"silent": SILENT, "drips": DRIP, "floods": FLOOD}


def hosts(folder: Path, hows: Mapping[str, Serve] = HOWS) -> Iterator[Wait]:
    """Yield the waits for hosts: the first look of a sweep.

    Args:
        folder: Takes the certificate of a host.
        hows: What a host does instead of answering.
    """
    pair = make(folder, "xcp1")
    rows: list[tuple[str, str, str, Serve]] = []
    for how, serve in hows.items():
        rows += [
            ("ssh", f"{how} when connected", "xl+ssh://me@127.0.0.1:{port}", serve),
            ("ssh", f"{how} after its banner", "xl+ssh://me@127.0.0.1:{port}", after_banner(serve)),
            ("XAPI", f"{how} when connected", "xapi://127.0.0.1:{port}", serve),
            ("XAPI", f"{how} after TLS", "xapi://127.0.0.1:{port}", tls_until(pair, serve)),
            ("XAPI", f"{how} in an answer", "xapi://127.0.0.1:{port}", tls_until(pair, answered(serve))),
            ("libvirt", f"{how} when connected", "qemu+tcp://127.0.0.1:{port}/system", serve),
        ]
    for peer, phase, url, serve in rows:
        with hostile(serve) as server:
            accept_fingerprint(XapiAddress("127.0.0.1", server.port), pair.fingerprint)
            address = url.format(port=server.port)
            yield measure(peer, phase, partial(_look_at, address))


def _look_at(url: str, control: RunControl) -> None:
    host, _ = look_at_host(lambda: open_host(url, lambda *_: None, io_domain="", guest_domain=""), control)
    host.close()


def clusters() -> Iterator[Wait]:
    """Yield the waits for Dask schedulers."""
    for mode in PIECES:
        with attacker(mode) as stranger:
            yield measure("Dask scheduler", mode, lambda _, spec=stranger.spec: _reached(spec))


def _reached(spec) -> None:
    clients = open_clients(spec, ())
    try:
        clients.preflight([])
    finally:
        clients.close()


def _login_s(wait: Wait) -> float:
    """Return how long a peer may take that does not answer: XAPI itself holds a login back for up to two minutes."""
    return LOGIN_S + DEAD_S / 10 if wait.peer == "XAPI" else DEAD_S


def table(waits: list[Wait]) -> str:
    """Return the waits as a Markdown table: the longest wait of each peer and kind of phase."""
    kinds: dict[tuple[str, str], list[Wait]] = {}
    for wait in waits:
        kinds.setdefault((wait.peer, wait.kind), []).append(wait)
    lines = ["| peer | phase and behaviour | waits | longest, s |", "|---|---|---|---|"]
    for (peer, kind), those in sorted(kinds.items()):
        took_s = [wait.seconds for wait in those if wait.seconds is not None]
        longest = f"{max(*took_s, 0.1):.1f}" if took_s else "refused before the abort"
        lines.append(f"| {peer} | {kind} | {len(those)} | {longest} |")
    return "\n".join(lines)


def main() -> int:
    """Measure every wait; return 1 where one took too long."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="databases, users, hosts or clusters")
    parser.add_argument("--no-abort", action="store_true", help="measure until the peer is given up")
    arguments = parser.parse_args()
    Button.presses, limit_s = not arguments.no_abort, DEAD_S if arguments.no_abort else LIMIT_S
    with tempfile.TemporaryDirectory(prefix="domtune-waits-") as name, contextlib.ExitStack() as stack:
        os.environ["DOMTUNE_HOME"] = name
        os.environ[SECRET] = "x"
        stack.callback(os.environ.pop, "DOMTUNE_HOME")
        groups: dict[str, Callable[[], Iterator[Wait]]] = {
            "databases": databases,
            "users": users,
            "hosts": lambda: hosts(Path(name)),
            "clusters": clusters,
        }
        waits = list[Wait]()
        for each, group in groups.items():
            for wait in group() if arguments.only in ("", each) else ():
                print(wait, file=sys.stderr, flush=True)
                waits.append(wait)
    print(table(waits))
    late = [wait for wait in waits if (wait.seconds or 0.0) > (_login_s(wait) if arguments.no_abort else limit_s)]
    print(f"\n{len(waits)} waits, {len(late)} longer than {limit_s:g} s", file=sys.stderr)
    return 1 if late else 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # calls that were left behind may wait for long
