"""The 22 queries: texts in `resources/tpch-queries`, with validation parameters and dates written out."""

import random
from importlib.resources import files

from scheduler.loads.tpch.tpch_schema import qualify_statement

QUERY_COUNT = 22
QUERY_NUMBERS = range(1, QUERY_COUNT + 1)

POWER_ORDER = (14, 2, 9, 20, 6, 17, 18, 8, 21, 13, 3, 22, 16, 4, 11, 15, 1, 10, 19, 5, 7, 12)
"""The order of a power test (TPC-H, appendix A)."""

_FRACTION = 0.0001  # of query 11, at scale 1; it is divided by the scale


def query_text(number: int, database: str, scale: float) -> str:
    """Return a query in the dialect of a database.

    Args:
        number: From 1 to 22.
        database: Name of its kind (`scheduler/model/databases.py`), or of another engine that speaks the standard.
        scale: Whose tables it reads.
    """
    folder = files("resources").joinpath("tpch-queries")
    own = folder.joinpath(f"{number:02d}.{database}.sql")
    found = own if own.is_file() else folder.joinpath(f"{number:02d}.sql")
    text = found.read_text(encoding="utf-8").replace("{fraction}", f"{_FRACTION / scale:.10f}")
    return qualify_statement(text.strip(), scale)


def query_order(seed: int, user: int) -> tuple[int, ...]:
    """Return the order of one user: the first one's is that of the power test, others are drawn."""
    if user == 0:
        return POWER_ORDER
    order = list(QUERY_NUMBERS)
    random.Random(f"{seed}/{user}").shuffle(order)
    return tuple(order)
