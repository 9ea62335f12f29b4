"""The 22 queries of TPC-H, read from `resources/tpch-queries`.

Their validation parameters and dates are part of the texts.
"""

import random
from importlib.resources import files

from scheduler.loads.tpch.tpch_schema import qualify_statement

QUERY_COUNT = 22
QUERY_NUMBERS = range(1, QUERY_COUNT + 1)

POWER_ORDER = (14, 2, 9, 20, 6, 17, 18, 8, 21, 13, 3, 22, 16, 4, 11, 15, 1, 10, 19, 5, 7, 12)
"""Order of the queries in a power test (TPC-H, appendix A)."""

_FRACTION = 0.0001  # for query 11 at scale 1; divided by the scale (TPC-H, 2.4.11)


def query_text(number: int, database: str, scale: float) -> str:
    """Return a query in the dialect of a database.

    Args:
        number: Number of the query, 1..22.
        database: Kind of database (`scheduler/model/databases.py`). Any other engine gets the standard text.
        scale: Scale of the tables that the query reads.
    """
    folder = files("resources").joinpath("tpch-queries")
    own = folder.joinpath(f"{number:02d}.{database}.sql")
    found = own if own.is_file() else folder.joinpath(f"{number:02d}.sql")
    text = found.read_text(encoding="utf-8").replace("{fraction}", f"{_FRACTION / scale:.10f}")
    return qualify_statement(text.strip(), scale)


def query_order(seed: int, user: int) -> tuple[int, ...]:
    """Return the order of the queries for one user.

    User 0 has the order of a power test. The order of other users is random.

    Args:
        seed: Seed of the random numbers.
        user: Number of the user, from 0.
    """
    if user == 0:
        return POWER_ORDER
    order = list(QUERY_NUMBERS)
    random.Random(f"{seed}/{user}").shuffle(order)
    return tuple(order)
