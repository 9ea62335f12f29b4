"""Report sentences: properties of the load sysbench."""

from collections.abc import Mapping

from scheduler.loads.sysbench.sysbench_program import PERCENTILE, SCRIPTS
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.sentence_texts import format_cpu_list

_SCRIPT_TEXTS = {
    "read-write": "10 reads by key, 4 of ranges, 2 updates, a delete and an insert in a transaction",
    "read-only": "10 reads by key and 4 of ranges in a transaction",
    "write-only": "2 updates, a delete and an insert in a transaction",
    "point-select": "one read by key, without a transaction",
}


def difference_sentences(load: LoadSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
    """Return the properties of the load, one sentence each, with values of the run.

    Args:
        load: The load with its parameters.
        facts: Properties of the host.
        versions: Name of a program or server setting to its version or value.
    """
    values = load.values
    script, tables, size = str(values["script"]), int(values["tables"]), int(values["table_size"])
    version = versions.get("sysbench", "of an unknown version")
    return (
        f"sysbench: {SCRIPTS[script]} of sysbench {version} as it is: {_SCRIPT_TEXTS[script]}; users do not think.",
        f"sysbench: {tables} tables of {size:,} rows (about {max(1, tables * size // 4000)} MB), statements "
        "prepared, at the server's default isolation. By its own default three of four keys are drawn from a hundredth "
        "of them, so that users who write wait for each other the more, the fewer rows there are.",
        f"sysbench: the {PERCENTILE}th percentile is the only one that it reports every second; a trial has the "
        "mean of its seconds.",
        "sysbench: transactions that the server asks to repeat are repeated and counted; any other error ends it.",
        "sysbench: its users are threads of one process. Each client second has the CPU time of the process.",
        "sysbench: its seconds begin when it does; DomTune interpolates linearly between its reports, which are "
        "a second apart.",
        "sysbench: it cannot be paused. If users pause while the host is changed, sysbench ends and restarts with new "
        "connections.",
        "sysbench: rows that it has changed stay so from block to block; their number and size do not change.",
        *_client_cpu_sentences(facts),
    )


def _client_cpu_sentences(facts: HostProperties) -> tuple[str, ...]:
    if not facts.client_cpus:
        return ("sysbench: its processes are not confined to their own CPUs.",)
    return (f"sysbench: it runs on CPU {format_cpu_list(facts.client_cpus)}.",)
