"""Databases that loads can run on, one record each.

The code for a database is its folder in `scheduler/databases`.
"""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.parameters import Parameter
from scheduler.translation import _

POOLER = _("connection pooler")
"""Key in the versions of a database whose connections pass a pooler; absent without a pooler."""
POOLER_IN_SESSION_MODE = _("in session mode")
"""Value of that key: the pooler keeps one server connection for each client connection. No other mode is used."""
POOLER_SENTENCE = _(
    "A connection pooler is between the users and the database (in session mode): its work is measured along with "
    "the database's."
)
"""Warning about such a pooler."""
IO_METHOD = "io_method"


class DatabaseKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One database.

    Attributes:
        name: Name in plan files before the colon, and of its folder in `scheduler/databases`.
        title: Name for people.
        schemes: Allowed schemes of its URLs, before `://`; hints use the first one.
        port: Default TCP port of its servers.
        secret: Places where a user may keep its password, as text.
        password_variable: Environment variable from which its clients read a password.
        dialect_of: Name of the database whose SQL, URL rules and drivers it has; empty for its own.
        counts_statements: True where its servers count statements by kind (`SHOW GLOBAL STATUS`), and no commits.
        built_in: True where DomTune can start a server of its own.
        settings: Settings of the built-in server that a plan may set; their defaults are the server's own.
    """

    name: str
    title: str
    schemes: tuple[str, ...]
    port: int
    secret: str
    password_variable: str
    dialect_of: str = ""
    counts_statements: bool = False
    built_in: bool = True
    settings: tuple[Parameter, ...] = ()

    def setting(self, name: str) -> Parameter:
        """Return the declaration of a setting.

        Raises:
            SpecError: The database has no such setting; the hint lists all of them.
        """
        found = next((each for each in self.settings if each.name == name), None)
        if found is None:
            known = ", ".join(each.name for each in self.settings)
            hint = _("Its settings: {known}.").format(known=known) if known else _("Leave it out.")
            raise SpecError(
                f"server.{name}",
                _("{value} has no such setting that a plan may set").format(value=self.title),
                hint=hint,
            )
        return found

    @property
    def dialect(self) -> str:
        """Name of the database whose SQL, URL rules and drivers it has."""
        return self.dialect_of or self.name

    @property
    def brought(self) -> str:
        """Name of the built-in server in a plan: `postgresql:`."""
        return f"{self.name}:"

    @property
    def template(self) -> str:
        """Form of its URLs, for hints."""
        return f"{self.schemes[0]}://USER@HOST:PORT/NAME"


DATABASES: Mapping[str, DatabaseKind] = {
    kind.name: kind
    for kind in (
        DatabaseKind(
            name="postgresql",
            title="PostgreSQL",
            schemes=("postgresql", "postgres"),  # libpq accepts both (connection URIs)
            port=5432,
            secret=_("~/.pgpass or PGPASSWORD"),
            password_variable="PGPASSWORD",
            settings=(
                Parameter(
                    name=IO_METHOD,
                    title=_("Reading"),
                    help=_(
                        "With worker, I/O workers read for all users (from PostgreSQL 18 on), and their cost belongs "
                        "to no single query. With sync, each back end reads for itself, as in earlier versions."
                    ),
                    default="worker",
                    choices=("worker", "sync"),
                ),
            ),
        ),
        DatabaseKind(
            name="mariadb",
            title="MariaDB",
            schemes=("mariadb", "mysql"),  # both servers have the same protocol
            port=3306,
            secret=_("~/.my.cnf or MYSQL_PWD"),
            password_variable="MYSQL_PWD",
            counts_statements=True,
        ),
    )
}
"""Name to database; the first one is the built-in database of a plan without a database."""

STANDARD_DATABASE = next(iter(DATABASES))
"""Database of a plan that names none."""


def parse_database_name(named: str) -> str:
    """Return the name of the database that a plan's `database` means.

    The value is a URL, a built-in database, or empty for the standard database.

    Raises:
        SpecError: The value is none of these. The message quotes only its beginning, because a malformed URL may
            contain a password.
    """
    if not named:
        return STANDARD_DATABASE
    scheme, separator, _unused = named.partition("://")
    for kind in DATABASES.values():
        if named == kind.brought or (separator and scheme in kind.schemes):
            return kind.name
    found = _("begins with {scheme!r}").format(scheme=scheme + separator) if separator else _("has no scheme")
    schemes = [f"{scheme}://" for kind in DATABASES.values() for scheme in kind.schemes]
    hint = _("Write {template}.").format(template=" or ".join(kind.template for kind in DATABASES.values()))
    raise SpecError(
        "load.database", _("{found}, not with {schemes}").format(found=found, schemes=" or ".join(schemes)), hint=hint
    )


def find_url_kind(url: str) -> DatabaseKind | None:
    """Return the database of a URL's scheme; None for any other text."""
    scheme, separator, _ = url.partition("://")
    return next((kind for kind in DATABASES.values() if separator and scheme in kind.schemes), None)


def database_url(named: str) -> str:
    """Return the URL in a plan's `database`; empty for a built-in database."""
    return named if "://" in named else ""
