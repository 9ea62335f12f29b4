"""Dialects of the OSDB loads by database."""

from collections.abc import Callable, Mapping

from scheduler.errors import SpecError
from scheduler.loads.osdb.on_mariadb import mariadb_dialect
from scheduler.loads.osdb.on_postgresql import POSTGRESQL
from scheduler.loads.osdb.osdb_schema import OsdbDialect
from scheduler.model.parameters import ParameterValue
from scheduler.translation import _

_DIALECTS: Mapping[str, Callable[[Mapping[str, ParameterValue]], OsdbDialect]] = {
    "postgresql": lambda _: POSTGRESQL,
    "mariadb": lambda values: mariadb_dialect(str(values.get("engine", "innodb"))),
}


def osdb_dialect(database: str, values: Mapping[str, ParameterValue]) -> OsdbDialect:
    """Return the dialect of a database.

    Args:
        database: Kind of database (`scheduler/model/databases.py`).
        values: Parameters of the load.

    Raises:
        SpecError: The OSDB loads do not run on this database.
    """
    if database not in _DIALECTS:
        raise SpecError(
            "load.database",
            _("the osdb loads do not run on {database}").format(database=database),
            hint=_("Take another database."),
        )
    return _DIALECTS[database](values)
