"""What really holds on a host, as rows for people: scheduler, legal values, when a change takes effect. No Qt here."""

from app.wizard.host_text import scheduler_name, what_changes
from app.wizard.sentences import tr
from scheduler.model.facts import HostFacts, Truth


def truths_of(facts: HostFacts) -> tuple[Truth, ...]:
    """Return what the host said itself first, then what follows from its scheduler."""
    return (*facts.truths, *_of_scheduler(facts))


def _of_scheduler(facts: HostFacts) -> tuple[Truth, ...]:
    told = {truth.label for truth in facts.truths}
    settings = ", ".join(f"{name} {value}" for name, value in facts.scheduler_settings.items())
    rows = (
        Truth(tr("Scheduler"), scheduler_name(facts.scheduler), settings),
        Truth(tr("Legal values"), _legal(facts.scheduler)),
        Truth(tr("A sweep changes"), what_changes(facts.scheduler)),
        Truth(tr("A change works"), _when(facts)),
    )
    return tuple(row for row in rows if row.value and row.label not in told)


def _legal(scheduler: str) -> str:
    if scheduler in {"credit", "credit2"}:
        return tr("Weight 1 to 65535; cap in percent of one CPU, 0 for none.")
    if scheduler == "rtds":
        return tr("Budget at most the period, both in microseconds, for each vCPU; nothing beyond the budget.")
    if scheduler.startswith("sedf"):
        return tr("Slice at most the period; both sums stay below the CPU's own time.")
    if scheduler.endswith("-v1"):
        return tr("cpu.shares 2 to 262144; a quota of at least 1 ms per period, \N{MINUS SIGN}1 for none.")
    if scheduler.endswith("-v2"):
        return tr("cpu.weight 1 to 10000; a quota of at least 1 ms per period, 'max' for none.")
    return ""


def _when(facts: HostFacts) -> str:
    if facts.simulated:
        return tr("At once, in the simulation only.")
    if facts.url.startswith("xapi:"):
        return tr("At once by xl, until the guest starts again; kept by XAPI, from the guest's next start.")
    if facts.scheduler.startswith("cgroup"):
        return tr("At once; gone after a restart of the computer.")
    return tr("At once; gone when the domain or the host starts again.")
