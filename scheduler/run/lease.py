"""Host lease: the only code that writes to a host and restores it.

The order is: undo record, write, read back. The record is removed after every original was read back.
"""

import contextlib
import logging
import os
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

import msgspec

from scheduler.errors import RestoreFailed, SchedulerError, WriteNotVerified
from scheduler.hosts.protocols import Host
from scheduler.model.lock_owner import LockOwner
from scheduler.model.placement import PlacementParams, is_other_place, is_place
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import GUEST, IO, ROLES, DomainId
from scheduler.model.vcpus import GUEST_VCPUS
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord
from scheduler.run.placing import (
    check_vcpu_counts,
    list_placement_steps,
    placement_changed_error,
    sort_by_width,
)
from scheduler.run.restore import Originals, params_words, restore_originals, unique_present, write_and_verify
from scheduler.run.undo_record import seal_record
from scheduler.translation import _

log = logging.getLogger(__name__)

DOMAINS = (IO, GUEST)


class LeaseScope(NamedTuple):
    """Scope of a lease.

    Attributes:
        slots: Domains, vCPUs and placements that are recorded before the first write and restored, in that order.
            Placements are restored last, the widest first.
        heeds: True to leave a domain that another program has set meanwhile.
        holder: Purpose for which the host is held.
    """

    slots: Sequence[DomainId] = DOMAINS
    heeds: bool = False
    holder: LockOwner = LockOwner.SWEEP


SWEEP_SCOPE = LeaseScope()  # a sweep overwrites foreign values
VCPUS_SCOPE = LeaseScope((*DOMAINS, GUEST_VCPUS))  # for a study that varies the guest's vCPUs
GUESTS_SCOPE = LeaseScope(ROLES)  # for a study of two guests
FOLLOW_SCOPE = LeaseScope(heeds=True, holder=LockOwner.FOLLOW)

Reopen = Callable[[UndoRecord], Host]
"""Opens the host of an undo record that another process left changed."""


class HostLease:
    """The right to write to one host; a context manager that restores the host.

    Args:
        host: The host.
        folder: Folder of undo records and locks.
        host_id: The host's identity.
        url: URL of the host.
        reopen: Opens the host that an earlier, killed run left changed.
        scope: Scope of the lease.
    """

    def __init__(
        self,
        host: Host,
        folder: Path,
        host_id: str,
        url: str,
        reopen: Reopen,
        scope: LeaseScope = SWEEP_SCOPE,
    ) -> None:
        self._slots, self._heeds, self._holder = scope
        self._host = host
        self._host_id = host_id
        self._url = url
        self._reopen = reopen
        self._journal = UndoJournal(folder, host_id)
        self._lock = HostLock(folder, host_id, self._holder)
        self._originals: Originals = {}
        self._undo: UndoRecord | None = None  # the record on the disk
        self._maybe: dict[DomainId, tuple[SchedParams, ...]] = {}  # possible values, also after failed writes
        self._wanted: dict[DomainId, SchedParams] = {}
        self._kept = False  # True while `hold` has the lock
        # Called with the time at which an earlier run's changes were restored, seconds since 1970; 0 for none.
        self.on_recovery: Callable[[float], None] = lambda _: None
        # Called with the text of the undo record once it is on the disk; empty once the host is restored.
        self.recorded: Callable[[bytes], None] = lambda _: None
        self._recovering = False  # stays True when an earlier run's changes could not be restored
        self.touched = False  # True after this run began to write

    @property
    def pending(self) -> bool:
        """True while the host may differ from its original settings."""
        return self._recovering or bool(self._originals)

    @contextmanager
    def hold(self) -> Generator[None]:
        """Hold the host's lock longer than the lease, until the run is reported.

        Raises:
            HostBusy: Another process holds the host.
        """
        with self._lock:
            self._kept = True
            try:
                yield
            finally:
                self._kept = False

    def __enter__(self) -> Self:
        """Take the host; first restore it if an earlier run left it changed.

        Raises:
            HostBusy: Another process holds the host.
            HostError: The earlier run's changes cannot be restored.
        """
        if not self._kept:
            self._lock.__enter__()
        try:
            self._restore_earlier_run()
            self._guard_slots()
        except BaseException:
            self._release_lock()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the host and release it.

        Raises:
            RestoreFailed: An original is not restored; the undo record is kept.
        """
        try:
            self.restore_host()
        finally:
            self._release_lock()

    def apply(self, params: Mapping[DomainId, SchedParams]) -> None:
        """Write parameters and read them back; the undo record precedes the first write.

        Args:
            params: Domain to its parameters.

        Raises:
            WriteNotVerified: Another value was read back.
            HostError: A write failed.
        """
        if not self._originals:
            self._write_undo_record()
        if self._heeds:
            self._record_intent(params)
        placed = {slot: each for slot, each in params.items() if isinstance(each, PlacementParams)}
        for domain, wanted in params.items():
            if domain not in placed:
                self._write(domain, wanted)
            elif domain == next(iter(placed)):
                self._place(placed)

    def _place(self, placed: Mapping[DomainId, PlacementParams]) -> None:
        """Write placements in an order that never leaves the I/O domain short of CPUs."""
        now = dict[DomainId, PlacementParams]()
        for slot, wanted in placed.items():
            known = self._wanted.get(slot, None) or self._host.read(slot)
            if known is None and is_other_place(slot):  # an other guest may end during a sweep
                continue
            now[slot] = check_vcpu_counts(slot, known, wanted)
        present = {slot: placed[slot] for slot in now}
        for slot, wanted in list_placement_steps(now, present):
            self._write(slot, wanted)
        self._wanted.update(present)

    def _write(self, domain: DomainId, wanted: SchedParams) -> None:
        self._wanted.pop(domain, None)
        try:
            write_and_verify(self._host, domain, wanted)
        except WriteNotVerified:
            self._record_read_back(domain)
            raise
        self._wanted[domain], self._maybe[domain] = wanted, (wanted,)

    def confirm(self) -> None:
        """Read the applied parameters again.

        A value can be right at first and wrong a second later. XenServer recomputes Dom0's weight under credit
        (xen-toolstacks.md, A.7). libvirt and systemd write to the same control groups.

        Raises:
            DomainGone: A domain ended, or was restarted and has the values of its new start.
            PlacementChanged: Another program placed a domain.
            WriteNotVerified: A value did not last.
            HostError: The host cannot be read.
        """
        for domain, wanted in tuple(self._wanted.items()):
            got = self._host.read(domain)
            if got is None and is_other_place(domain):
                del self._wanted[domain]
                continue
            if got != wanted:
                self._host.usage()  # raises DomainGone
            if got != wanted and isinstance(wanted, PlacementParams):
                del self._wanted[domain]  # the next trial writes it again
                raise placement_changed_error(domain, wanted, got)
            if got != wanted:
                raise WriteNotVerified(
                    _(
                        "{domain}: {params_words} was written and read back, but did not last: it reads "
                        "{params_words_2} now"
                    ).format(domain=domain, params_words=params_words(wanted), params_words_2=params_words(got)),
                    hint=_(
                        "Another program or Xen sets it, as XenServer does with the weight of Domain-0 "
                        "under credit (mode 'caps' works there). The trial is discarded."
                    ),
                )

    def check_found(self) -> None:
        """Verify every original after the guard restored the host; keep the undo record.

        Raises:
            RestoreFailed: An original is not restored.
        """
        self._wanted = {}
        reads = ((domain, original, self._host.read(domain)) for domain, original in self._originals.items())
        failed = {
            str(domain): _("reads {params_words}, was {params_words_2}").format(
                params_words=params_words(got), params_words_2=params_words(original)
            )
            for domain, original, got in reads
            if got != original and not (got is None and is_other_place(domain))
        }
        if failed:
            details = "; ".join(f"{domain} {what}" for domain, what in failed.items())
            raise RestoreFailed(
                _("after its guard fired the host is not as it was found: {details}").format(details=details),
                failed,
                hint=_(
                    "The sweep ends and restores it. If that fails, run 'domtune restore'; the undo record is kept."
                ),
            )

    def baseline(self) -> dict[DomainId, SchedParams]:
        """Return the parameters of a baseline trial, without other guests that ended."""
        return {domain: self._host.baseline(domain) for domain in write_order(self._list_present_slots())}

    def _list_present_slots(self) -> list[DomainId]:
        """Return the slots of this lease, without those of other guests that have ended."""
        known = self._originals
        return [
            slot
            for slot in self._slots
            if not is_other_place(slot) or slot in known or (not known and self._host.read(slot) is not None)
        ]

    def restore_host(self) -> None:
        """Restore and verify every original, then remove the undo record.

        Raises:
            RestoreFailed: An original is not restored; the undo record is kept.
        """
        if not self._originals:
            return
        self._wanted = {}
        restore_originals(self._host, self._originals, self._undo.ours if self._undo is not None else {})
        self._journal.disarm()
        self.recorded(b"")
        self._originals, self._undo = {}, None

    def _guard_slots(self) -> None:
        """Let the host's guard restore every slot, vCPUs and placements included."""
        if (guard := self._host.guard) is not None:
            for slot in self._slots:
                guard.guard_slot(slot)

    def _release_lock(self) -> None:
        if not self._kept:
            self._lock.__exit__()

    def _write_undo_record(self) -> None:
        originals = sort_by_width({domain: self._host.read(domain) for domain in self._list_present_slots()})
        undo = UndoRecord(
            host_url=self._url,
            host_id=self._host_id,
            context=self._host.context(),
            originals=originals,
            armed_unix_s=time.time(),
            pid=os.getpid(),
            by=LockOwner.FOLLOW if self._heeds else LockOwner.SWEEP,
        )
        self._journal.arm(undo)
        self.recorded(seal_record(undo))
        self._originals, self._undo = originals, undo
        self.touched = True

    def _record_intent(self, params: Mapping[DomainId, SchedParams]) -> None:
        """Record values before they are set, so that they count as ours after a crash.

        Raises:
            JournalError: The undo record could not be written.
        """
        ours = {domain: unique_present(*self._maybe.get(domain, ()), params.get(domain)) for domain in DOMAINS}
        self._rewrite_undo_record({domain: those for domain, those in ours.items() if those})

    def _record_read_back(self, domain: DomainId) -> None:
        """Record a different value that was read after our write as ours; never raise."""
        if not (self._heeds and self._undo):
            return
        with contextlib.suppress(SchedulerError):
            got = self._host.read(domain)
            self._rewrite_undo_record(
                {**self._undo.ours, domain: unique_present(*self._undo.ours.get(domain, ()), got)}
            )

    def _rewrite_undo_record(self, ours: Mapping[DomainId, tuple[SchedParams, ...]]) -> None:
        if self._undo is not None:
            undo = msgspec.structs.replace(self._undo, ours=ours)
            self._journal.arm(undo)
            self.recorded(seal_record(undo))
            self._undo, self._maybe = undo, dict(ours)

    def _restore_earlier_run(self) -> None:
        self._recovering = True
        undo = self._journal.read()
        if undo is not None:
            log.warning("host %s was left changed by an earlier run; restoring", self._host_id)
            restore_from_record(undo, self._journal, self._reopen)
        self._recovering = False
        self.on_recovery(time.time() if undo is not None else 0.0)


def write_order(slots: Iterable[DomainId]) -> list[DomainId]:
    """Return slots in the order of writes: vCPUs, I/O domain, guest, placements.

    The I/O domain comes before the guest because all I/O needs it. In a trial of the original settings, placements come
    last: a capped I/O domain places domains slowly.
    """
    return sorted(slots, key=lambda slot: (is_place(slot), slot in DOMAINS))


def restore_from_record(undo: UndoRecord, journal: UndoJournal, reopen: Reopen, *, force: bool = False) -> None:
    """Restore the originals of an undo record and remove the record.

    The caller holds the host's lock.

    Args:
        undo: The record.
        journal: The journal of the record's host.
        reopen: Opens the host of the record.
        force: True to overwrite values that another program has set on a followed host.

    Raises:
        RestoreFailed: An original is not restored; the record is kept.
        HostError: The host cannot be reached; the record is kept.
    """
    host = reopen(undo)
    try:
        restore_originals(host, undo.originals, {} if force else undo.ours)
    finally:
        host.close()
    journal.disarm()
