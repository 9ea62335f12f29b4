"""Text for a change ticket that sets a split.

`docs/explanation/safety.md` has the same text.
"""

from scheduler.model.host_properties import HostProperties
from scheduler.model.observation_documents import WatchResult
from scheduler.model.results import Results
from scheduler.model.split import GUEST
from scheduler.store.observation_summary import ObservationRecord
from scheduler.translation import _

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
        (
            "Change",
            _("Set the CPU split {split} (I/O domain:guest) between Dom0 and guest {guest} on {host}").format(
                split=split, guest=guest, host=host
            ),
        ),
        ("Reason", _("{reason} Run {run_id}").format(reason=reason, run_id=run_id)),
        ("Scope", _("Scheduler parameters of two domains; live values only, a reboot clears them")),
        ("Duration", _("A few seconds, without a restart of a domain or of the database")),
        ("Steps", _("domtune apply {run_id}, or apply.sh of the exported configuration").format(run_id=run_id)),
        ("Reboot", _("persist.sh of the exported configuration keeps the split over a reboot")),
        ("Effect", _("The domains get other shares of the CPU at once")),
        ("Undo", _("domtune revert {host}, or rollback.sh of the exported configuration").format(host=host)),
        ("Check", _("Each value is read back; verify.sh compares all values again at any time")),
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
    reason = _("{headline} This is an estimate from counters.").format(headline=record.headline)
    return split_ticket(ordered.label, "GUEST", record.started.host, reason, record.run_id)
