"""Whether a schema of our name is ours: only what carries our marker is ever written to, emptied or dropped."""

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import DatabaseUnsuitable


def refuse_foreign_schema(session: WorkloadSession, name: str, *, marked: bool) -> None:
    """Refuse a schema that we did not make, and one that we may not make; writes nothing. Raises DatabaseUnsuitable.

    Args:
        session: On the database.
        name: Of the schema.
        marked: Whether our marker is in it.
    """
    found = session.tables(name)
    if found and not marked:
        some = ", ".join(sorted(found)[:5])
        raise DatabaseUnsuitable(
            f"the database has a schema {name} that DomTune did not make (it holds {some}); nothing was changed",
            hint="Rename that schema, or name another database.",
        )
    if not found and not session.may_create(name):
        raise DatabaseUnsuitable(
            f"the user may not create the schema {name} in this database",
            hint="GRANT CREATE ON DATABASE to this user, or name another database.",
        )
