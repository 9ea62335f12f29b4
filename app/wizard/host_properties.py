"""What really holds on a host, as rows for people: what matters before a sweep, and the details. No Qt here."""

from app.glossary import glossary_term
from app.wizard.plan_texts import cpus_text, domain_of, tr
from app.wizard.scheduler_texts import changes_sentence, scheduler_name
from scheduler.model.host_properties import HostProperties, VerifiedProperty
from scheduler.model.split import GUEST, IO


def essentials_of(facts: HostProperties) -> tuple[VerifiedProperty, ...]:
    """Return who shares what, under which scheduler, and what a sweep changes, until when."""
    settings = ", ".join(f"{name} {value}" for name, value in facts.scheduler_settings.items())
    return (
        VerifiedProperty(tr("Shared"), _shared_text(facts)),
        VerifiedProperty(tr("Scheduler"), ", ".join(filter(None, (scheduler_name(facts.scheduler), settings)))),
        VerifiedProperty(tr("A sweep changes"), f"{changes_sentence(facts.scheduler)} {_effect_time_text(facts)}"),
    )


def details_of(facts: HostProperties) -> tuple[VerifiedProperty, ...]:
    """Return what the host said itself, where that can be looked at, and what may be set there."""
    versions = ", ".join(f"{name} {number}" for name, number in facts.versions.items())
    rows = (
        VerifiedProperty(tr("Runs"), versions),
        *facts.truths,
        VerifiedProperty(tr("Legal values"), _legal_values_text(facts.scheduler)),
    )
    return tuple(row for row in rows if row.value)


def _shared_text(facts: HostProperties) -> str:
    io, guest = domain_of(facts, IO), domain_of(facts, GUEST)
    text = tr("{cpus} of {all}, by {io} ({io_domain}) and {guest} ({role}).").format(
        cpus=cpus_text(facts.contended_cpus),
        all=facts.pcpus,
        io=io.name,
        io_domain=glossary_term("io-domain")[0],
        guest=guest.name,
        role=glossary_term("guest")[0].lower(),
    )
    if not facts.client_cpus:
        return text
    return f"{text} {tr('The clients have {cpus}.').format(cpus=cpus_text(facts.client_cpus))}"


def _legal_values_text(scheduler: str) -> str:
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


def _effect_time_text(facts: HostProperties) -> str:
    if facts.simulated:
        return tr("At once, in the simulation only.")
    if facts.url.startswith("xapi:"):
        return tr("At once by xl, until the guest starts again; kept by XAPI, from the guest's next start.")
    if facts.scheduler.startswith("cgroup"):
        return tr("At once, for the sweep only; a restart of the computer takes it away in any case.")
    return tr("At once; gone when the domain or the host starts again.")
