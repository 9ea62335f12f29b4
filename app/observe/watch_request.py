"""Request to watch a host, and its validation; plain values without widgets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QCoreApplication

from app.wizard import input_parsing
from scheduler.errors import SchedulerError
from scheduler.model.problems import describe_error

LOCAL_URL = "local:"
EXAMPLE_URL = "sim:?load=osdb-oltp&split=1:1&scheduler=credit2"


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """Host, domains and database to watch.

    Attributes:
        url: URL of the host.
        span: Duration, as `--for` takes it.
        io: Name of the I/O domain; empty for the default.
        guest: Name of the guest; empty for the default.
        database: URL of the user's own database; empty for none.
        password: Password of that database; empty if libpq finds the password.
    """

    url: str
    span: str
    io: str = ""
    guest: str = ""
    database: str = ""
    password: str = field(default="", repr=False)

    @property
    def domains(self) -> list[str]:
        """Command-line options that name the domains."""
        named = (("--io", self.io), ("--guest", self.guest))
        return [f"{option}={name}" for option, name in named if name]

    @property
    def words(self) -> list[str]:
        """Arguments of `domtune watch`, without the password."""
        database = [f"--database={self.database}"] if self.database else []
        return ["--for", self.span, *self.domains, *database, "--", self.url]

    @property
    def environment(self) -> Mapping[str, str]:
        """Additional environment variables of the process: the password for libpq."""
        return {"PGPASSWORD": self.password} if self.database and self.password else {}


def find_input_errors(asked: WatchRequest) -> dict[str, str]:
    """Return error texts by invalid field (`host`, `database`), without passwords."""
    found: dict[str, str] = {}
    _note_error(found, "host", lambda: input_parsing.parse_host_url(asked.url))
    if "://" in asked.url and ":" in asked.url.partition("://")[2].rpartition("@")[0]:
        found["host"] = QCoreApplication.translate(
            "watch", "A URL is no place for a password. Leave it out: DomTune asks for it where the host wants one."
        )
    if asked.database:
        _note_error(found, "database", lambda: input_parsing.parse_database_url(asked.database))
    return found


def _note_error(found: dict[str, str], name: str, read: Callable[[], object]) -> None:
    try:
        read()
    except SchedulerError as error:
        found[name] = describe_error(error)
