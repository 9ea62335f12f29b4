"""Starting, looking at and ending the LXC lab."""

import contextlib
import fcntl
import os
import shutil
import socket
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from threading import Event

import msgspec

from scheduler import places
from scheduler.databases.account import server_account
from scheduler.databases.postgresql import pg
from scheduler.databases.postgresql.binaries import find_server, usable_by
from scheduler.databases.postgresql.cluster import USER, Cluster
from scheduler.errors import DatabaseUnreachable, HostBusy, HostNotUsable
from scheduler.files import open_regular
from scheduler.labs import own_folder
from scheduler.labs.lxc.containers import DB_NAME, IO_NAME, Plan, db_domain, io_domain
from scheduler.labs.lxc.daemon import SCRIPTS, Daemon, is_first, raise_weight
from scheduler.model.lab import LabState, LabStatus

Say = Callable[[str], None]

# Ten times what one group beside them weighs: programs on the same CPU take little from the containers.
_WEIGHT = 20_480
_ANSWER_S = 60.0  # recovery of a database that was killed
_LOOK_S = 0.1
_DATABASE = "postgres"
_PLAN = """# A sweep of the LXC lab: a relay and PostgreSQL in two containers on CPU {cpu}.
#   PGPASSFILE={passfile} domtune run {path}
name = "The LXC lab"
host = "{host}"
mode = "partition"
splits = ["1:3", "1:1", "3:1"]
protocol = "quick"

[domains]
io = "{io}"
guest = "{guest}"

[[load]]
kind = "osdb-ir"
users = 5
database = "{database}"
"""


def base() -> Path:
    """Return the lab's folder; it may not exist."""
    return places.cache_dir() / "labs" / "lxc"


def up(say: Say) -> LabStatus:
    """Start the lab; returns when its database answers. Raises HostBusy, HostNotUsable."""
    with _alone():
        if status().state is LabState.UP:
            say("it runs already")
            return status()
        began_s = time.monotonic()
        daemon = Daemon(base() / "run")
        daemon.refuse_if_impossible()
        plan, password = _prepare(say)
        try:
            _start(daemon, plan, say)
            _write_files(daemon, plan, password)
            _wait_for_database(daemon, say)
        except BaseException:
            with contextlib.suppress(HostNotUsable):
                daemon.stop()
            raise
        return msgspec.structs.replace(status(), took_s={"up": round(time.monotonic() - began_s, 2)})


def down(say: Say) -> LabStatus:
    """End the lab and remove what it left, its database's data excepted; fine when there is none."""
    with _alone():
        began_s = time.monotonic()
        folder = base() / "run"
        if folder.exists():
            daemon = Daemon(folder)
            daemon.refuse_if_impossible()
            say("ending the containers")
            daemon.stop()
            shutil.rmtree(folder)
        return msgspec.structs.replace(status(), took_s={"down": round(time.monotonic() - began_s, 2)})


def status() -> LabStatus:
    """Look at the lab; changes nothing."""
    folder = base() / "run"
    daemon = Daemon(folder)
    if not folder.exists():
        return LabStatus(state=LabState.DOWN, text="the LXC lab does not run")
    hint = "'domtune lab lxc down' ends what is left, 'up' starts it again."
    if not daemon.pid:
        return LabStatus(state=LabState.CRASHED, text="its libvirtd has ended; its containers may run on", hint=hint)
    missing = {IO_NAME, DB_NAME} - set(daemon.running())
    if missing:
        text = f"not running: {', '.join(sorted(missing))}"
        return LabStatus(state=LabState.UNWELL, text=text, hint=hint, pid=daemon.pid, host_url=daemon.url)
    ports = _ports(folder)
    answers = _answers(folder, ports)
    return LabStatus(
        state=LabState.UP if answers else LabState.UNWELL,
        text="a relay and PostgreSQL run in two containers" if answers else "the database does not answer",
        hint=f"Sweep it: PGPASSFILE={folder / 'pgpass'} domtune run {folder / 'plan.toml'}" if answers else hint,
        scheduler="posix",
        ports=ports,
        postgresql=answers,
        host_url=daemon.url,
        database_url=_database_url(ports),
        pid=daemon.pid,
    )


def _prepare(say: Say) -> tuple[Plan, str]:
    """Make the database's folder ready and choose CPU and ports; return the plan and the password."""
    account = server_account()
    binary = usable_by(find_server(), account)
    cluster = Cluster(base() / f"postgres-{binary.major}", binary, account)
    cluster.make_folder()
    if cluster.problem():
        say(f"the database is made anew ({cluster.problem()})")
        cluster.set_aside()
    if not cluster.data.exists():
        say("making the database")
        cluster.create()
    relay_port, database_port = _free_ports()
    os.close(cluster.begin_log())
    plan = Plan(
        cpu=min(os.sched_getaffinity(0)),
        relay_port=relay_port,
        database_port=database_port,
        server=tuple(cluster.command(database_port)),
        log=cluster.log,
        uid=account.uid,
        gid=account.gid,
        init=SCRIPTS / "db-init",
    )
    return plan, cluster.password


def _start(daemon: Daemon, plan: Plan, say: Say) -> None:
    say("starting libvirtd")
    daemon.start()
    first = is_first()
    for name, description in ((DB_NAME, db_domain(plan)), (IO_NAME, io_domain(plan))):
        daemon.define(name, description)
        say(f"starting container {name}")
        daemon.tell("start", name)
    if first:
        raise_weight(_WEIGHT)


def _write_files(daemon: Daemon, plan: Plan, password: str) -> None:
    """Write what a sweep needs: ports, password (for its owner only), a plan."""
    folder = base() / "run"
    ports = {"relay": plan.relay_port, "postgresql": plan.database_port}
    (folder / "ports.json").write_bytes(msgspec.json.encode(ports))
    passfile = folder / "pgpass"
    passfile.touch(mode=0o600)
    lines = [f"127.0.0.1:{port}:*:{USER}:{password}" for port in ports.values()]
    passfile.write_text("\n".join([*lines, ""]), "ascii")
    path = folder / "plan.toml"
    path.write_text(
        _PLAN.format(
            cpu=plan.cpu,
            passfile=passfile,
            path=path,
            host=daemon.url,
            io=IO_NAME,
            guest=DB_NAME,
            database=_database_url(ports),
        ),
        "utf-8",
    )


def _wait_for_database(daemon: Daemon, say: Say) -> None:
    say("waiting for the database")
    folder = base() / "run"
    ports = _ports(folder)
    deadline_s = time.monotonic() + _ANSWER_S
    while not _answers(folder, ports):
        if time.monotonic() > deadline_s or len(daemon.running()) < 2:
            raise HostNotUsable(
                "the lab's database does not answer",
                hint=f"Its log is in {base()}/postgres-*/server.log, libvirt's in {folder / 'libvirtd.log'}.",
            )
        Event().wait(_LOOK_S)


def _answers(folder: Path, ports: Mapping[str, int]) -> bool:
    """Ask the database through the relay, as the users will."""
    limits = {"connect_timeout": "5", "options": "-c statement_timeout=10000", "passfile": str(folder / "pgpass")}
    try:
        connection = pg.connect({**pg.parameters(_database_url(ports)), **limits}, "domtune lab")
        with contextlib.closing(connection), connection.cursor() as cursor, pg.translated("asking the lab"):
            cursor.execute("SELECT 1")
            return cursor.fetchone() == (1,)
    except DatabaseUnreachable:
        return False


def _ports(folder: Path) -> dict[str, int]:
    try:
        return msgspec.json.decode((folder / "ports.json").read_bytes(), type=dict[str, int])
    except (OSError, msgspec.DecodeError):
        return {}


def _database_url(ports: Mapping[str, int]) -> str:
    return f"postgresql://{USER}@127.0.0.1:{ports.get('relay', 0)}/{_DATABASE}"


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        return first.getsockname()[1], second.getsockname()[1]


@contextlib.contextmanager
def _alone() -> Generator[None]:
    """Hold the lab for the block; raises HostBusy while another command does."""
    path = base() / "lock"
    own_folder.make(path.parent)
    with os.fdopen(open_regular(path, os.O_RDWR | os.O_CREAT), "r+b") as file:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            text = "another `domtune lab lxc` is at work"
            raise HostBusy(text, hint="Wait for it.") from error
        yield
