"""Report sentences: properties of the load sysbench."""

from collections.abc import Mapping

from scheduler.loads.sysbench.sysbench_program import PERCENTILE, SCRIPTS
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.translation import _

_SCRIPT_TEXTS = {
    "read-write": _("10 reads by key, 4 of ranges, 2 updates, a delete and an insert in a transaction"),
    "read-only": _("10 reads by key and 4 of ranges in a transaction"),
    "write-only": _("2 updates, a delete and an insert in a transaction"),
    "point-select": _("one read by key, without a transaction"),
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
    version = versions.get("sysbench", _("of an unknown version"))
    return (
        _("sysbench: {scripts} of sysbench {version} as it is: {script_texts}; users do not think.").format(
            scripts=SCRIPTS[script], version=version, script_texts=_SCRIPT_TEXTS[script]
        ),
        _(
            "sysbench: {tables} tables of {size:,} rows (about {max} MB), statements prepared, "
            "at the server's default isolation. By its own default three of four keys are drawn "
            "from a hundredth of them, so that users who write wait for each other the more, the "
            "fewer rows there are."
        ).format(tables=tables, size=size, max=max(1, tables * size // 4000)),
        _(
            "sysbench: the {percentile}th percentile is the only one that it reports every "
            "second; a trial has the mean of its seconds."
        ).format(percentile=PERCENTILE),
        _("sysbench: transactions that the server asks to repeat are repeated and counted; any other error ends it."),
        _("sysbench: its users are threads of one process. Each client second has the CPU time of the process."),
        _(
            "sysbench: its seconds begin when it does; DomTune interpolates linearly between its reports, which are "
            "a second apart."
        ),
        _(
            "sysbench: it cannot be paused. If users pause while the host is changed, sysbench ends and "
            "restarts with new "
            "connections."
        ),
        _("sysbench: rows that it has changed stay so from block to block; their number and size do not change."),
        *_client_cpu_sentences(facts),
    )


def _client_cpu_sentences(facts: HostProperties) -> tuple[str, ...]:
    if not facts.client_cpus:
        return (_("sysbench: its processes are not confined to their own CPUs."),)
    return (_("sysbench: it runs on CPU {client_cpus}.").format(client_cpus=format_cpu_list(facts.client_cpus)),)
