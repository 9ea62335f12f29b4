"""Files of the lab for its users: ports, passwords, plans that are ready to run."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from labs.lxc.containers import DB_NAME, IO_NAME
from scheduler.databases.postgresql.postgresql_cluster import USER

RELAY, DATABASE, BARE = "relay", "postgresql", "bare"
"""Ports by who listens; the last one only where a server without a container runs beside the lab."""

_NAME = "postgres"
SWEEP = """# A sweep of the LXC lab: a relay and PostgreSQL in two containers on CPU {cpu}.
#   PGPASSFILE={passfile} domtune run {path} --allow-password
name = "The LXC lab"
host = "{host}"
mode = "caps"
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
OVERHEAD = """# What the LXC lab's containers cost: PostgreSQL in one behind a relay in the other, and without both,
# all on CPU {cpu}. Three sides: the reference, the containers with their original settings, and confined to the split.
#   PGPASSFILE={passfile} domtune run {path} --allow-password
name = "What the LXC lab costs"
host = "{host}"
study = "overhead"
base = "{base}"
mode = "caps"
splits = ["1:1"]

[domains]
io = "{io}"
guest = "{guest}"

[[load]]
kind = "tpch"
scale = 0.1
database = "{database}"
"""


class StartedLab(msgspec.Struct, frozen=True):
    """Parts that were started.

    Attributes:
        host: The lab's libvirtd, a URL.
        cpu: The CPU of all of it.
        ports: On 127.0.0.1, by the program that listens.
    """

    host: str
    cpu: int
    ports: Mapping[str, int]

    def database_url(self, port: str) -> str:
        """Return the URL of the database behind a port's name."""
        return f"postgresql://{USER}@127.0.0.1:{self.ports.get(port, 0)}/{_NAME}"


class LabFiles:
    """The files in the lab's folder.

    Args:
        folder: The folder; it exists while the lab runs.
    """

    def __init__(self, folder: Path) -> None:
        self._made = folder / "made.json"
        self.passfile = folder / "pgpass"
        self.plan = folder / "plan.toml"
        self.overhead = folder / "overhead.toml"

    @property
    def made(self) -> StartedLab:
        """The parts that were started, as recorded."""
        try:
            return msgspec.json.decode(self._made.read_bytes(), type=StartedLab)
        except (OSError, msgspec.DecodeError):
            return StartedLab("", 0, {})

    def clear(self) -> None:
        """Remove the records of an earlier start."""
        for path in (self._made, self.passfile, self.plan, self.overhead):
            path.unlink(missing_ok=True)

    def write(self, made: StartedLab, password: str, *ports: str) -> None:
        """Write the files that a study needs.

        Args:
            made: The parts that were started.
            password: The password of the databases behind `ports`; readable for the owner only.
            ports: The ports that were started now.
        """
        self.passfile.touch(mode=0o600)
        with self.passfile.open("a", encoding="ascii") as file:
            file.writelines(f"127.0.0.1:{made.ports[port]}:*:{USER}:{password}\n" for port in ports)
        self.plan.write_text(format_plan(SWEEP, made, self.passfile, self.plan), "utf-8")
        if BARE in made.ports:
            self.overhead.write_text(format_plan(OVERHEAD, made, self.passfile, self.overhead), "utf-8")
        self._made.write_bytes(msgspec.json.encode(made))

    def command(self, plan: Path) -> str:
        """Return the command that runs a plan."""
        return f"PGPASSFILE={self.passfile} domtune run {plan} --allow-password"


def format_plan(text: str, made: StartedLab, passfile: Path, path: Path) -> str:
    """Return one of the plans.

    Args:
        text: Template of the plan.
        made: The parts that were started.
        passfile: File of the passwords.
        path: The plan's own file.
    """
    return text.format(
        cpu=made.cpu,
        passfile=passfile,
        path=path,
        host=made.host,
        io=IO_NAME,
        guest=DB_NAME,
        database=made.database_url(RELAY),
        base=made.database_url(BARE),
    )
