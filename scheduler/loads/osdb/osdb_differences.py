"""Report sentences: differences between the OSDB loads and OSDB and AS3AP."""

import math
import re
from collections.abc import Mapping

from scheduler.loads.osdb.osdb_dialects import osdb_dialect
from scheduler.loads.osdb.osdb_schema import OsdbDialect
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.spec import RunSpec
from scheduler.translation import _

_INNODB_GROWTH = 3  # times the logical size: headers, indexes, the copy of one relation, partly filled pages
_BYTES_PER_USER = 4_000_000  # AS3AP: one user per 4 MB of logical size


def difference_sentences(
    load: LoadSpec, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the differences from OSDB and AS3AP, one sentence each.

    Args:
        load: The load with its parameters.
        spec: Plan of the run.
        facts: Properties of the host.
        versions: Name of a program or server setting to its version or value.
    """
    protocol = spec.protocol
    megabytes = load.tuples * 400 / 1e6  # four relations, 100 bytes a tuple
    dialect = osdb_dialect(load.dialect, load.values)
    by_rule = max(1, load.tuples * 400 // _BYTES_PER_USER)
    return (
        _(
            "Not OSDB: an independent implementation from the AS3AP text and from measured properties of OSDB's data; "
            "OSDB's program was not consulted."
        ),
        f"{load.kind}: {_rate_sentence(load)}",
        _(
            "Rates count completions by their time inside a fixed window; how OSDB counts is not known, and published "
            "OSDB figures are probably one client's rate."
        ),
        _(
            "Windows are {measure_s} s after {settle_s} s (after a change of load "
            "{load_settle_s} s) of settling, not 5 minutes after 15; no single-user part."
        ).format(measure_s=protocol.measure_s, settle_s=protocol.settle_s, load_settle_s=protocol.load_settle_s),
        _("{users} users were asked for; AS3AP's rule gives {by_rule} for {megabytes:g} MB.").format(
            users=load.users, by_rule=by_rule, megabytes=megabytes
        ),
        dialect.isolation,
        dialect.shapes,
        _(
            "Durability and buffers: {settings}; text protocol over TCP, BEGIN, statement and "
            "COMMIT in three round trips{driver}."
        ).format(settings=_settings_text(dialect, versions), driver=_driver_text(versions)),
        _client_cpu_sentence(facts),
        _(
            "The data have OSDB's distributions and links between tables, with other permutations and texts; texts "
            "neither begin nor end with a blank."
        ),
        _("Before each block of trials the updated table is restored from a copy, not from tape and log."),
        _cache_sentence(megabytes, versions),
        _("Keys are uniform on 0, 2, 3, ..., N-1: there is no key 1, and N is never drawn."),
    )


def _rate_sentence(load: LoadSpec) -> str:
    probe = (
        _("; one extra reader, which AS3AP step 9 measures, runs all the time; its rate is reported separately")
        if load.probe
        else _("; the extra reader of AS3AP step 9 is off")
    )
    return _("the figure is the rate of {counts} of all users together{probe}.").format(
        counts=LOAD_KINDS[load.kind].counts, probe=probe
    )


def _settings_text(dialect: OsdbDialect, versions: Mapping[str, str]) -> str:
    found = [f"{name} {versions.get(name, 'unknown')}" for name in dialect.settings]
    if dialect.engine and not found:
        found = [_("a crash of the computer loses the data that the kernel has not written yet")]
    return ", ".join([*([_("engine {engine}").format(engine=dialect.engine)] if dialect.engine else []), *found])


def _driver_text(versions: Mapping[str, str]) -> str:
    driver = versions.get("users' driver", "")
    return _(" by {driver}").format(driver=driver) if driver else ""


def _client_cpu_sentence(facts: HostProperties) -> str:
    shared = sorted(set(facts.client_cpus) & set(facts.shared_cpus))
    clients = ", ".join(str(cpu) for cpu in facts.client_cpus)
    contended = ", ".join(str(cpu) for cpu in facts.shared_cpus)
    if not facts.client_cpus:
        return _("The clients are not confined to CPUs of their own.")
    if shared:
        return _("The clients run on the server's computer and share CPU {shared} with it.").format(
            shared=format_cpu_list(shared)
        )
    return _("The clients run on the server's computer, on CPU {clients}; the shared CPU is {contended}.").format(
        clients=clients, contended=contended
    )


def _cache_sentence(megabytes: float, versions: Mapping[str, str]) -> str:
    pool = versions.get("innodb_buffer_pool_size", "")
    pool_megabytes = int(pool) / 1e6 if re.fullmatch("[0-9]{1,15}", pool) else math.inf
    if megabytes * _INNODB_GROWTH > pool_megabytes:
        return _(
            "The logical size, {megabytes:g} MB, may be more than InnoDB's buffers of "
            "{pool_megabytes:.0f} MB, below which there is no page cache: rows may come from the "
            "disk."
        ).format(megabytes=megabytes, pool_megabytes=pool_megabytes)
    return _(
        "The logical size, {megabytes:g} MB, is below the memory: all data are cached (AS3AP asks for the opposite)."
    ).format(megabytes=megabytes)
