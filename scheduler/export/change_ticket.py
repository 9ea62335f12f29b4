"""Text for a change ticket that sets a split.

`docs/explanation/safety.md` has the same text.
"""

from scheduler.model.host_properties import HostProperties
from scheduler.model.observation_documents import WatchResult
from scheduler.model.results import Results
from scheduler.model.split import GUEST
from scheduler.store.observation_summary import ObservationRecord

TicketRow = tuple[str, str]
"""Name and text of one field of a ticket."""


def split_ticket(split: str, guest: str, host: str, reason: str, run_id: str) -> tuple[TicketRow, ...]:
    """Return the fields of a ticket that sets a split.

    Args:
        split: Label of the split.
        guest: Name of the guest.
        host: URL of the host.
        reason: Decision of the run.
        run_id: Identifier of the run.
    """
    return (
        ("Change", f"Set the CPU split {split} (I/O domain:guest) between Dom0 and guest {guest} on {host}"),
        ("Reason", f"{reason} Run {run_id}"),
        ("Scope", "Scheduler parameters of two domains; live values only, a reboot clears them"),
        ("Duration", "A few seconds, without a restart of a domain or of the database"),
        ("Steps", f"domtune apply {run_id}, or apply.sh of the exported configuration"),
        ("Reboot", "persist.sh of the exported configuration keeps the split over a reboot"),
        ("Effect", "The domains get other shares of the CPU at once"),
        ("Undo", f"domtune revert {host}, or rollback.sh of the exported configuration"),
        ("Check", "Each value is read back; verify.sh compares all values again at any time"),
    )


def result_ticket(results: Results, facts: HostProperties) -> tuple[TicketRow, ...]:
    """Return the ticket of a sweep that orders a change of a real host; else empty.

    Args:
        results: Results of the sweep.
        facts: Properties of the host during the sweep.
    """
    ordered = results.answer.decision.ordered
    if ordered is None or results.simulated:
        return ()
    guest = next((domain.name for domain in facts.domains if domain.id == GUEST), "GUEST")
    return split_ticket(ordered.label, guest, results.host, results.answer.headline, results.run_id)


def watch_ticket(record: ObservationRecord) -> tuple[TicketRow, ...]:
    """Return the ticket of a watch that orders a split of a real host; else empty."""
    last = record.last
    ordered = last.ordered_split if isinstance(last, WatchResult) else None
    if ordered is None or record.started.simulated:
        return ()
    reason = f"{record.headline} This is an estimate from counters."
    return split_ticket(ordered.label, "GUEST", record.started.host, reason, record.run_id)
