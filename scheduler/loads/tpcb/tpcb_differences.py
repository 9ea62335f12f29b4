"""Report sentences: differences between the load tpcb and TPC-B."""

from collections.abc import Mapping

from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.translation import _, ngettext

_ACCOUNTS_MB = 13  # per unit of scale, PostgreSQL 18: 1,640 pages of 8 KiB


def difference_sentences(load: LoadSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
    """Return the differences from TPC-B, one sentence each, with values of the run.

    Args:
        load: The load with its parameters.
        facts: Properties of the host.
        versions: Name of a program or server setting to its version or value.
    """
    scale = int(load.values["scale"])
    program = _("pgbench {versions}").format(versions=versions.get("pgbench", _("of an unknown version")))
    return (
        _("tpcb: not TPC-B, but the TPC-B-like script of {program}, the unchanged program of PostgreSQL.").format(
            program=program
        ),
        _(
            "tpcb: scale {scale} is {scale} branches, {scale_2} tellers and {scale_3:,} accounts "
            "(about {accounts_mb} MB). TPC-B ties its scale to the rate that is reported; this "
            "one was asked for."
        ).format(scale=scale, scale_2=10 * scale, scale_3=100000 * scale, accounts_mb=_ACCOUNTS_MB * scale),
        *_lock_sentences(load.users, scale),
        _("tpcb: the account is drawn from all branches alike; TPC-B draws 85 of 100 from the teller's own."),
        _(
            "tpcb: a transaction is seven statements in seven round trips, in READ COMMITTED and simple query mode, by "
            "users who do not think."
        ),
        _("tpcb: no service times: pgbench reports a mean every second, but no percentiles."),
        _(
            "tpcb: pgbench's seconds begin when it does; DomTune interpolates linearly between its "
            "reports, which are a second apart."
        ),
        _(
            "tpcb: pgbench cannot be paused. If users pause while the host is changed, pgbench ends and "
            "restarts with new "
            "connections."
        ),
        _("tpcb: before each block of trials history is emptied and the tables are vacuumed; balances continue."),
        *_client_cpu_sentences(facts),
    )


def _lock_sentences(users: int, scale: int) -> tuple[str, ...]:
    if scale >= users:
        return ()
    branches = ngettext("{n} branch", "{n} branches", scale).format(n=scale)
    return (
        _(
            "tpcb: {users} users share {branches}: every transaction changes its branch's row, "
            "so they wait for each other, and locks limit the figure as much as the host."
        ).format(users=users, branches=branches),
    )


def _client_cpu_sentences(facts: HostProperties) -> tuple[str, ...]:
    if not facts.client_cpus:
        return (_("tpcb: pgbench is not confined to its own CPUs."),)
    cpus = format_cpu_list(facts.client_cpus)
    return (_("tpcb: pgbench runs on CPU {cpus}.").format(cpus=cpus),)
