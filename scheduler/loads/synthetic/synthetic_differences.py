"""Report sentences: properties of the synthetic loads, which no benchmark has."""

from collections.abc import Mapping

from scheduler.loads.synthetic.numbered_table import NumberedTable
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.translation import _

_SETTINGS = {"postgresql": ("shared_buffers",), "mariadb": ("innodb_buffer_pool_size",)}
"""Kind of database to the settings that determine whether the rows are in memory."""


def difference_sentences(
    load: LoadSpec, table: NumberedTable, facts: HostProperties, versions: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the properties of the load, one sentence each, with values of the run.

    Args:
        load: The load with its parameters.
        table: Table of the load.
        facts: Properties of the host.
        versions: Name of a program or server setting to its version or value.
    """
    settings = [f"{name} {versions.get(name, 'unknown')}" for name in _SETTINGS[load.dialect]]
    driver = versions.get("users' driver", "")
    reported = (
        _("this load is not from a benchmark. Compare its rate only with its own rate on other settings."),
        _bulk_sentence(load, table) if table.texts else _compute_sentence(load, table),
        _(
            "each operation is one transaction, BEGIN, SELECT and COMMIT in three round "
            "trips{value}, at READ COMMITTED; users do not think."
        ).format(value=_(" by {driver}").format(driver=driver) if driver else ""),
        _("the table is read before the users begin, and small enough for the memory ({settings}).").format(
            settings=", ".join(settings)
        ),
        _client_cpu_sentence(facts),
    )
    return tuple(f"{load.kind}: {sentence}" for sentence in reported)


def _bulk_sentence(load: LoadSpec, table: NumberedTable) -> str:
    return _(
        "an operation fetches {rows} neighbouring rows of 1 kB from a table of {rows_2:,} "
        "({rows_3} MB); their number, and number and text of the first and the last one, "
        "must be right."
    ).format(rows=load.values["rows"], rows_2=table.rows, rows_3=table.rows // 1000)


def _compute_sentence(load: LoadSpec, table: NumberedTable) -> str:
    return _(
        "an operation adds up {rows:,} rows that the server generates from pairs of a "
        "table's {rows_2:,}; the sum, which differs from operation to operation, must be "
        "right."
    ).format(rows=load.values["rows"], rows_2=table.rows)


def _client_cpu_sentence(facts: HostProperties) -> str:
    if not facts.client_cpus:
        return _("the users are not confined to CPUs of their own.")
    return _("the users run on CPU {client_cpus}.").format(client_cpus=format_cpu_list(facts.client_cpus))
