"""The databases that loads can run on, one record each; what speaks to one is its folder in `scheduler/databases`."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.parameters import Parameter

POOLER = "connection pooler"
"""Name in the versions of a database whose connections pass a pooler; absent without one."""
POOLER_IN_SESSION_MODE = "in session mode"
"""Its value: a pooler that keeps one server connection for each of ours. No other is used."""
POOLER_SENTENCE = (
    "A connection pooler is between the users and the database (in session mode): its work is measured along with "
    "the database's."
)
"""Warning about such a pooler."""
IO_METHOD = "io_method"


class DatabaseKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One database.

    Attributes:
        name: As plan files have it before the colon, and the name of its folder in `scheduler/databases`.
        title: What people call it.
        schemes: What its URLs may begin with, before `://`; the first one stands in hints.
        port: Where its servers listen if nothing else is said.
        secret: Where a user may keep its password, in words.
        settings: What a plan may set of a server that we start; their defaults are the server's own.
    """

    name: str
    title: str
    schemes: tuple[str, ...]
    port: int
    secret: str
    settings: tuple[Parameter, ...] = ()

    def setting(self, name: str) -> Parameter:
        """Return one of its settings; raises SpecError that names those there are."""
        found = next((each for each in self.settings if each.name == name), None)
        if found is None:
            known = ", ".join(each.name for each in self.settings)
            hint = f"Its settings: {known}." if known else "Leave it out."
            raise SpecError(f"server.{name}", f"{self.title} has no such setting that a plan may set", hint=hint)
        return found

    @property
    def brought(self) -> str:
        """What a plan calls the server that the host brings: `postgresql:`."""
        return f"{self.name}:"

    @property
    def template(self) -> str:
        """How its URLs look."""
        return f"{self.schemes[0]}://USER@HOST:PORT/NAME"


DATABASES: Mapping[str, DatabaseKind] = {
    kind.name: kind
    for kind in (
        DatabaseKind(
            name="postgresql",
            title="PostgreSQL",
            schemes=("postgresql", "postgres"),  # libpq, connection URIs: it takes both
            port=5432,
            secret="~/.pgpass or PGPASSWORD",
            settings=(
                Parameter(
                    name=IO_METHOD,
                    title="Reading",
                    help="With worker, I/O workers read for all users (from PostgreSQL 18 on), and what that costs "
                    "stands at nobody's query; with sync each back end reads itself, as in earlier versions.",
                    default="worker",
                    choices=("worker", "sync"),
                ),
            ),
        ),
        DatabaseKind(
            name="mariadb",
            title="MariaDB",
            schemes=("mariadb", "mysql"),  # servers of both speak the same, and of both names
            port=3306,
            secret="~/.my.cnf or MYSQL_PWD",
        ),
    )
}
"""Name to database; the first one is brought where a plan names none."""

STANDARD_DATABASE = next(iter(DATABASES))
"""What a plan means that names no database."""


def parse_database_name(named: str) -> str:
    """Return the name of the database that a plan's `database` means: an URL's, a brought one's, else the standard.

    Raises:
        SpecError: It is none of these; only its beginning is repeated, since what is no URL of ours may hold a password
            where nobody looks for one.
    """
    if not named:
        return STANDARD_DATABASE
    scheme, separator, _ = named.partition("://")
    for kind in DATABASES.values():
        if named == kind.brought or (separator and scheme in kind.schemes):
            return kind.name
    found = f"begins with {scheme + separator!r}" if separator else "has no scheme"
    schemes = [f"{scheme}://" for kind in DATABASES.values() for scheme in kind.schemes]
    hint = f"Write {' or '.join(kind.template for kind in DATABASES.values())}."
    raise SpecError("load.database", f"{found}, not with {' or '.join(schemes)}", hint=hint)


def database_url(named: str) -> str:
    """Return the URL that a plan's `database` is; empty for one that the host brings."""
    return named if "://" in named else ""
