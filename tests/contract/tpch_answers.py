"""The second engine: the same data and the same queries in DuckDB, with its own reader and its own executor."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

import duckdb

from scheduler.loads.tpch import queries, tpch_data
from scheduler.loads.tpch.tpch_schema import TABLES, qualify_statement, tpch_schema_name

RELATIVE, ABSOLUTE = 1e-6, 0.01


@cache
def answers_of_duckdb(folder: Path, scale: float) -> dict[int, list[tuple]]:
    """Return query to its rows."""
    with duckdb.connect() as engine:
        engine.execute(f"CREATE SCHEMA {tpch_schema_name(scale)}")
        for table in TABLES:
            engine.execute(qualify_statement(f"CREATE TABLE @.{table.name} ({table.columns}, ending varchar)", scale))
            rows = f"(DELIMITER '{tpch_data.DELIMITER}', HEADER false, QUOTE '', ESCAPE '')"
            engine.execute(
                qualify_statement(f"COPY @.{table.name} FROM '{folder / f'{table.name}.tbl'}' {rows}", scale)
            )
        return {n: engine.execute(queries.query_text(n, "duckdb", scale)).fetchall() for n in queries.QUERY_NUMBERS}


def differences(found: Sequence[Sequence], wanted: Sequence[Sequence]) -> Iterator[str]:
    """Yield how rows differ, one by one."""
    if len(found) != len(wanted):
        yield f"{len(found)} rows, not {len(wanted)}"
        return
    for number, (row, other) in enumerate(zip(found, wanted, strict=True)):
        if len(row) != len(other) or not all(map(alike, row, other)):
            yield f"row {number}: {row} is not {other}"


def alike(found: object, wanted: object) -> bool:
    numbers = (int, float, Decimal)
    if isinstance(found, numbers) and isinstance(wanted, numbers):
        return abs(float(found) - float(wanted)) <= max(RELATIVE * abs(float(wanted)), ABSOLUTE)
    if isinstance(found, date) or found is None or wanted is None:
        return found == wanted
    return str(found).rstrip() == str(wanted).rstrip()
