"""Start, status and end of the LXC lab."""

import contextlib
import fcntl
import os
import shutil
import socket
import time
from collections.abc import Callable, Generator
from pathlib import Path
from threading import Event

import msgspec

from labs import own_folder
from labs.lxc.bare_server import BareServer
from labs.lxc.containers import DB_NAME, IO_NAME, ContainerPlan, guest_domain_xml, io_domain_xml
from labs.lxc.lab_files import BARE, DATABASE, RELAY, LabFiles, StartedLab
from labs.lxc.libvirt_daemon import SCRIPTS, LibvirtDaemon, is_only_libvirtd, raise_weight
from scheduler import places
from scheduler.databases.account import server_account
from scheduler.databases.postgresql import pg_client
from scheduler.databases.postgresql.postgresql_binaries import find_server, make_usable
from scheduler.databases.postgresql.postgresql_cluster import PostgresqlCluster
from scheduler.errors import DatabaseUnreachable, HostBusy, HostNotUsable
from scheduler.files import open_regular
from scheduler.model.lab import LabState, LabStatus

Say = Callable[[str], None]

# Ten times the weight of one other group: programs on the same CPU take little from the containers.
_WEIGHT = 20_480
_ANSWER_S = 60.0  # recovery of a database that was killed
_LOOK_S = 0.1


def lab_dir() -> Path:
    """Return the lab's folder; it may not exist."""
    return places.cache_dir() / "labs" / "lxc"


def start_lab(say: Say, *, bare: bool = False) -> LabStatus:
    """Start the lab; return when its database answers.

    Args:
        say: Called with every step.
        bare: Also start the same server without a container.

    Raises:
        HostBusy: Another command starts or ends the lab.
        HostNotUsable: It cannot be started.
    """
    with _hold_lab():
        found = read_status()
        if found.state is LabState.UP and (found.base_url or not bare):
            say("it runs already")
            return found
        began_s = time.monotonic()
        if found.state is not LabState.UP:
            _begin_lab(say)
        if bare:
            _begin_bare(say)
        return msgspec.structs.replace(read_status(), took_s={"up": round(time.monotonic() - began_s, 2)})


def stop_lab(say: Say) -> LabStatus:
    """End the lab and remove its remains, except its databases' data."""
    with _hold_lab():
        began_s = time.monotonic()
        folder = lab_dir() / "run"
        if folder.exists():
            daemon = LibvirtDaemon(folder)
            daemon.refuse_if_impossible()
            say("ending the containers")
            BareServer(lab_dir()).stop()  # it is in the group that ends with them
            daemon.stop()
            shutil.rmtree(folder)
        return msgspec.structs.replace(read_status(), took_s={"down": round(time.monotonic() - began_s, 2)})


def read_status() -> LabStatus:
    """Read the state of the lab; change nothing."""
    folder = lab_dir() / "run"
    daemon = LibvirtDaemon(folder)
    if not folder.exists():
        return LabStatus(state=LabState.DOWN, text="the LXC lab does not run")
    hint = "'domtune lab lxc down' stops the rest; 'up' starts the lab again."
    if not daemon.pid:
        return LabStatus(state=LabState.CRASHED, text="its libvirtd has ended; its containers may run on", hint=hint)
    missing = {IO_NAME, DB_NAME} - set(daemon.running())
    if missing:
        text = f"not running: {', '.join(sorted(missing))}"
        return LabStatus(state=LabState.UNWELL, text=text, hint=hint, pid=daemon.pid, host_url=daemon.url)
    return _status_of_running(LabFiles(folder), daemon, hint)


def _status_of_running(handing: LabFiles, daemon: LibvirtDaemon, hint: str) -> LabStatus:
    """Return the status of a lab whose containers run: every part has to answer."""
    made = handing.made
    has_bare, answers = BARE in made.ports, _is_answering(handing, RELAY)
    without = not has_bare or _is_answering(handing, BARE)
    text = "a relay and PostgreSQL run in two containers" if answers else "the database does not answer"
    if answers and has_bare:
        text = f"{text}, and the same without them" if without else "PostgreSQL without a container does not answer"
    if answers and without:
        what = "Measure the cost of the containers" if has_bare else "Sweep it"
        hint = f"{what}: {handing.command(handing.overhead if has_bare else handing.plan)}"
    return LabStatus(
        state=LabState.UP if answers and without else LabState.UNWELL,
        text=text,
        hint=hint,
        scheduler="posix",
        ports=made.ports,
        postgresql=answers,
        host_url=daemon.url,
        database_url=made.database_url(RELAY),
        base_url=made.database_url(BARE) if has_bare else "",
        pid=daemon.pid,
    )


def _begin_lab(say: Say) -> None:
    """Start the lab from any remains; end a lab that could not be started whole."""
    daemon, handing = LibvirtDaemon(lab_dir() / "run"), LabFiles(lab_dir() / "run")
    daemon.refuse_if_impossible()
    BareServer(lab_dir()).stop()
    handing.clear()
    plan, password = _prepare_database(say)
    try:
        _start_containers(daemon, plan, say)
        made = StartedLab(daemon.url, plan.cpu, {RELAY: plan.relay_port, DATABASE: plan.database_port})
        handing.write(made, password, RELAY, DATABASE)
        _wait_for_database(daemon, handing, say)
    except BaseException:
        with contextlib.suppress(HostNotUsable):
            daemon.stop()
        raise


def _begin_bare(say: Say) -> None:
    """Start the server without a container; a failure leaves the lab running."""
    handing = LabFiles(lab_dir() / "run")
    made, cluster = handing.made, _open_cluster(BARE, say)
    [port] = _free_ports(1)
    say("starting PostgreSQL without a container")
    BareServer(lab_dir()).start(cluster, port, made.cpu)
    made = msgspec.structs.replace(made, ports={**made.ports, BARE: port})
    handing.write(made, cluster.password, BARE)


def _prepare_database(say: Say) -> tuple[ContainerPlan, str]:
    """Prepare the database's folder, choose CPU and ports; return plan and password."""
    cluster = _open_cluster("postgres", say)
    relay_port, database_port = _free_ports(2)
    os.close(cluster.begin_log())
    plan = ContainerPlan(
        cpu=min(os.sched_getaffinity(0)),
        relay_port=relay_port,
        database_port=database_port,
        server=tuple(cluster.command(database_port)),
        log=cluster.log,
        uid=cluster.account.uid,
        gid=cluster.account.gid,
        init=SCRIPTS / "db-init",
    )
    return plan, cluster.password


def _open_cluster(name: str, say: Say) -> PostgresqlCluster:
    """Return the data of one of the lab's servers; create it when it cannot be used."""
    account = server_account()
    binary = make_usable(find_server(), account)
    cluster = PostgresqlCluster(lab_dir() / f"{name}-{binary.major}", binary, account)
    cluster.make_folder()
    if cluster.problem():
        say(f"recreating the database ({cluster.problem()})")
        cluster.set_aside()
    if not cluster.data.exists():
        say("making the database")
        cluster.create()
    return cluster


def _start_containers(daemon: LibvirtDaemon, plan: ContainerPlan, say: Say) -> None:
    say("starting libvirtd")
    daemon.start()
    first = is_only_libvirtd()
    for name, description in ((DB_NAME, guest_domain_xml(plan)), (IO_NAME, io_domain_xml(plan))):
        daemon.define(name, description)
        say(f"starting container {name}")
        daemon.tell("start", name)
    if first:
        raise_weight(_WEIGHT)


def _wait_for_database(daemon: LibvirtDaemon, handing: LabFiles, say: Say) -> None:
    say("waiting for the database")
    deadline_s = time.monotonic() + _ANSWER_S
    while not _is_answering(handing, RELAY):
        if time.monotonic() > deadline_s or len(daemon.running()) < 2:
            raise HostNotUsable(
                "the lab's database does not answer",
                hint=f"Its log is in {lab_dir()}/postgres-*/server.log, libvirt's in "
                f"{lab_dir() / 'run' / 'libvirtd.log'}.",
            )
        Event().wait(_LOOK_S)


def _is_answering(handing: LabFiles, port: str) -> bool:
    """Connect to a database as the users do: to the lab's through the relay."""
    limits = {"connect_timeout": "5", "options": "-c statement_timeout=10000", "passfile": str(handing.passfile)}
    try:
        connection = pg_client.connect(
            {**pg_client.parse_parameters(handing.made.database_url(port)), **limits}, "domtune lab"
        )
        with (
            contextlib.closing(connection),
            connection.cursor() as cursor,
            pg_client.translate_errors("asking the lab"),
        ):
            cursor.execute("SELECT 1")
            return cursor.fetchone() == (1,)
    except DatabaseUnreachable:
        return False


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as taken:
        servers = [taken.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [server.getsockname()[1] for server in servers]


@contextlib.contextmanager
def _hold_lab() -> Generator[None]:
    """Hold the lab for the block; raises HostBusy while another command does."""
    path = lab_dir() / "lock"
    own_folder.make_lab_folder(path.parent)
    with os.fdopen(open_regular(path, os.O_RDWR | os.O_CREAT), "r+b") as file:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            text = "another `domtune lab lxc` is at work"
            raise HostBusy(text, hint="Wait for it.") from error
        yield
