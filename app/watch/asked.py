"""What a person wants watched, and what is wrong with it before anybody is asked. Plain values, no widgets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QCoreApplication

from app.wizard import reading
from scheduler.errors import SchedulerError

HERE = "local:"
EXAMPLE = "sim:?load=osdb-oltp&split=1:1&scheduler=credit2"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be watched.

    Attributes:
        url: The host.
        span: For how long, as `--for` takes it.
        io: Name of the I/O domain; empty for the obvious one.
        guest: Name of the guest; likewise.
        database: URL of the person's own database; empty for none.
        password: That database's; empty where libpq finds it.
    """

    url: str
    span: str
    io: str = ""
    guest: str = ""
    database: str = ""
    password: str = field(default="", repr=False)

    @property
    def domains(self) -> list[str]:
        """Words that name the domains."""
        named = (("--io", self.io), ("--guest", self.guest))
        return [f"{option}={name}" for option, name in named if name]

    @property
    def words(self) -> list[str]:
        """What `domtune watch` is to be told; the password goes by the environment."""
        database = [f"--database={self.database}"] if self.database else []
        return ["--for", self.span, *self.domains, *database, "--", self.url]

    @property
    def environment(self) -> Mapping[str, str]:
        """What its process gets beside ours: where libpq looks for a password."""
        return {"PGPASSWORD": self.password} if self.database and self.password else {}


def wrong(asked: Asked) -> dict[str, str]:
    """Return what cannot be read, by field (`host`, `database`), in words that repeat no password."""
    found: dict[str, str] = {}
    _try(found, "host", lambda: reading.host_url(asked.url))
    if "://" in asked.url and ":" in asked.url.partition("://")[2].rpartition("@")[0]:
        found["host"] = QCoreApplication.translate(
            "watch", "A URL is no place for a password. Leave it out: DomTune asks for it where the host wants one."
        )
    if asked.database:
        _try(found, "database", lambda: reading.database(asked.database))
    return found


def _try(found: dict[str, str], name: str, read: Callable[[], object]) -> None:
    try:
        read()
    except SchedulerError as error:
        found[name] = reading.in_words(error)
