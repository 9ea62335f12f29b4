"""A person's own passwords (PGPASSWORD, ~/.pgpass, MYSQL_PWD, ~/.my.cnf) for the databases that a plan names.

Plans are passed around, and a plan names the server that a password is sent to: none is looked up unless the person has
agreed to the servers of this plan.
"""

from collections.abc import Mapping

from scheduler.databases.database_registry import own_password
from scheduler.model.databases import database_url
from scheduler.model.spec import RunSpec


def add_own_passwords(spec: RunSpec, secrets: Mapping[str, str]) -> dict[str, str]:
    """Return the passwords with those of the person's own variables and files, for databases that have none yet.

    Args:
        spec: The sweep, to whose servers the person has agreed.
        secrets: Database URL to password, as given for this sweep.

    Raises:
        SpecError: A database's URL is none.
    """
    named = (
        *(load.url for load in spec.loads),
        *map(database_url, (spec.database, spec.base, spec.neighbour_database)),
    )
    urls = [url for url in dict.fromkeys(named) if url and not secrets.get(url)]
    return {**secrets, **{url: found for url in urls if (found := own_password(url))}}
