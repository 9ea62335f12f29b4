"""How this load differs from OSDB and AS3AP, with the values of the run: in every report."""

from collections.abc import Mapping

from scheduler.model.facts import HostFacts
from scheduler.model.load_kinds import KINDS
from scheduler.model.spec import LoadSpec, RunSpec

_BYTES_PER_USER = 4_000_000  # AS3AP: one user per 4 MB of logical size


def common(load: LoadSpec, spec: RunSpec, facts: HostFacts, versions: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sentences, one each."""
    protocol = spec.protocol
    megabytes = load.tuples * 400 / 1e6  # four relations, 100 bytes a tuple
    by_rule = max(1, load.tuples * 400 // _BYTES_PER_USER)
    return (
        "Not OSDB: an independent implementation from the AS3AP text and from measured properties of OSDB's data; "
        "OSDB's program was not consulted.",
        f"{load.kind}: {_figure(load)}",
        "Rates count completions by their time inside a fixed window; how OSDB counts is not known, and published "
        "OSDB figures are probably one client's rate.",
        f"Windows are {protocol.measure_s} s after {protocol.settle_s} s (after a change of load "
        f"{protocol.load_settle_s} s) of settling, not 5 minutes after 15; no single-user part.",
        f"{load.users} users were asked for; AS3AP's rule gives {by_rule} for {megabytes:g} MB.",
        "Isolation is READ COMMITTED, not level 0 (IR) and level 3 (OLTP): PostgreSQL has no level 0.",
        "Dates are text, as in OSDB; code indexes are hash indexes, key indexes are clustered.",
        f"Durability and buffers: {_settings(versions)}; text protocol over TCP, BEGIN, statement and COMMIT in "
        f"three round trips.",
        _place_of_clients(facts),
        "The data have OSDB's distributions and links between tables, with other permutations and texts; texts "
        "neither begin nor end with a blank.",
        "Before each block of visits the updated table is restored from a copy, not from tape and log.",
        f"The logical size, {megabytes:g} MB, is below the memory: all data are cached (AS3AP asks for the opposite).",
        "Keys are uniform on 0, 2, 3, ..., N-1: there is no key 1, and N is never drawn.",
    )


def _figure(load: LoadSpec) -> str:
    probe = (
        "; the rate of one extra reader, which AS3AP step 9 measures, is reported beside it and runs all the time"
        if load.probe
        else "; the extra reader that AS3AP step 9 measures was not asked for"
    )
    return f"the figure is the rate of {KINDS[load.kind].counts} of all users together{probe}."


def _settings(versions: Mapping[str, str]) -> str:
    names = ("fsync", "synchronous_commit", "full_page_writes", "shared_buffers")
    return ", ".join(f"{name} {versions.get(name, 'unknown')}" for name in names)


def _place_of_clients(facts: HostFacts) -> str:
    shared = sorted(set(facts.client_cpus) & set(facts.contended_cpus))
    clients = ", ".join(str(cpu) for cpu in facts.client_cpus)
    contended = ", ".join(str(cpu) for cpu in facts.contended_cpus)
    if not facts.client_cpus:
        return "The clients are not confined to CPUs of their own."
    if shared:
        return f"The clients run on the server's computer and share CPU {', '.join(map(str, shared))} with it."
    return f"The clients run on the server's computer, on CPU {clients}; the contended CPU is {contended}."
