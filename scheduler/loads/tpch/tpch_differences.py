"""Report sentences: differences between the load tpch and TPC-H."""

from collections.abc import Mapping

from scheduler.loads.tpch.queries import QUERY_COUNT
from scheduler.loads.tpch.tpch_data import generator_version
from scheduler.loads.tpch.tpch_schema import SETTINGS, USER_STATEMENTS, scale_text
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.spec import RunSpec
from scheduler.model.tpch_parameters import COLD_PARAMETER, RECONNECT_PARAMETER
from scheduler.translation import _

_MEGABYTES = 1_650  # for tables and indexes at scale 1, on both databases


def difference_sentences(
    load: LoadSpec, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the differences from TPC-H, one sentence each, with values of the run.

    Args:
        load: The load with its parameters.
        spec: Plan of the run.
        facts: Properties of the host.
        versions: Name of a program or server setting to its version or value.
    """
    scale = float(load.values["scale"])
    statements = USER_STATEMENTS[load.dialect]
    settings = [f"{name} {versions.get(name, 'unknown')}" for name in SETTINGS[load.dialect]]
    said = _("; the session of a user runs {statements}").format(statements=", ".join(statements)) if statements else ""
    return (
        _(
            "tpch: not TPC-H: neither audited nor priced, without refresh functions, without a timed load and "
            "without its "
            "metrics; figures must not be compared with published ones."
        ),
        _(
            "tpch: scale {scale}, about {scale_2:.0f} MB with indexes{value}. The rows are made "
            "by tpchgen-cli {generator_version}."
        ).format(
            scale=scale_text(scale),
            scale_2=scale * _MEGABYTES,
            value="" if scale >= 1 else _("; the least that TPC-H allows is 1"),
            generator_version=generator_version(),
        ),
        _(
            "tpch: all {query_count} queries have their validation parameters each time, not "
            "drawn ones, and dates are written out; on MariaDB query 13 names its columns "
            "elsewhere."
        ).format(query_count=QUERY_COUNT),
        _order_sentence(load.users),
        _(
            "tpch: the rate counts queries of unequal cost by the moment of their end. Users go "
            "on in their order from trial to trial; a trial of {measure_s} s that has less than "
            "a whole round of {query_count} of each user depends on which queries fall into it, "
            "and a notice reports that."
        ).format(measure_s=spec.protocol.measure_s, query_count=QUERY_COUNT),
        _(
            "tpch: a query that takes more than {limit_s} s is ended by the server; its trial is "
            "discarded, and the reason names the query."
        ).format(limit_s=load.values["limit_s"]),
        "tpch: tables have their primary keys and indexes on the columns of foreign keys, o_orderdate and l_shipdate; "
        "foreign keys are not declared.",
        _("tpch: the server's settings are as they are ({settings}){answer}.").format(
            settings=", ".join(settings), answer=said
        ),
        _memory_sentence(cold=bool(load.values[COLD_PARAMETER]), reconnect=bool(load.values[RECONNECT_PARAMETER])),
        _(
            "tpch: figures per query are medians over the trial; CPU time, page faults and bytes read are those of the "
            "user's own back end (on MariaDB its thread), where it is on this computer and may be looked at, "
            "else they are "
            "not known. PostgreSQL's I/O workers (io_method, from 18 on) read for all users: theirs are "
            "figures of their "
            "own. Waiting for the disk is known where the kernel accounts for it (kernel.task_delayacct is 1, "
            "and was when "
            "the server started), and is that of the back end alone."
        ),
        _client_cpu_sentence(facts),
    )


def _memory_sentence(*, cold: bool, reconnect: bool) -> str:
    if not cold:
        way = _("each query has a new connection, whose time is in the rate but in no query time")
        kept = way if reconnect else _("a user keeps one connection for all queries")
        return _("tpch: the data are warm: each table is read once before the users begin; {kept}.").format(kept=kept)
    return _(
        "tpch: the data are cold. Before each query the server is stopped, its files are written and dropped from the "
        "memory of the kernel (posix_fadvise), and the server is restarted. The time of the query excludes the restart "
        "and the connection, after which the catalogs are in memory. Each query reports the rest kept in memory. "
        "What a hypervisor below this computer or a disk keeps is not dropped. The rate counts the time of all this, "
        "queries' own times do not."
    )


def _order_sentence(users: int) -> str:
    if users == 1:
        return _("tpch: one user runs the queries in the order of a power test, again and again.")
    return _(
        "tpch: the first of {users} users runs the queries in the order of a power test; the "
        "others' orders are drawn from the sweep's seed, and are not those of TPC-H's table "
        "of streams."
    ).format(users=users)


def _client_cpu_sentence(facts: HostProperties) -> str:
    if not facts.client_cpus:
        return _("tpch: the users are not confined to CPUs of their own.")
    return _("tpch: the users run on CPU {client_cpus}.").format(client_cpus=format_cpu_list(facts.client_cpus))
