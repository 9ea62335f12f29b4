"""The lease: the only code that writes to a host, and the one way out.

Undo record first, then write, then read back; the record goes when every original has been read back.
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
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import GUEST, IO, ROLES, DomainId
from scheduler.model.vcpus import GUEST_VCPUS
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord
from scheduler.run.restore import Originals, params_words, restore_originals, unique_present, write_and_verify
from scheduler.run.undo_record import FORMAT, NEWEST, seal_record

log = logging.getLogger(__name__)

DOMAINS = (IO, GUEST)


class LeaseScope(NamedTuple):
    """What a lease covers.

    Attributes:
        slots: What is noted before the first write and put back, in that order.
        heeds: Leave a domain on the way out that somebody else has set meanwhile.
        holder: What the host is held for.
    """

    slots: Sequence[DomainId] = DOMAINS
    heeds: bool = False
    holder: LockOwner = LockOwner.SWEEP


SWEEP_SCOPE = LeaseScope()  # a sweep overwrites what others set meanwhile
VCPUS_SCOPE = LeaseScope((*DOMAINS, GUEST_VCPUS))  # of a study that varies the guest's vCPUs
GUESTS_SCOPE = LeaseScope(ROLES)  # of a study of two guests
FOLLOW_SCOPE = LeaseScope(heeds=True, holder=LockOwner.FOLLOW)

Reopen = Callable[[UndoRecord], Host]
"""Opens the host of an undo record as another process left it."""


class HostLease:
    """The right to write to one host, as a context: leaving it puts the host back.

    Args:
        host: The host.
        folder: Where undo records and locks live.
        host_id: The host's identity.
        url: The URL it was opened by.
        reopen: Opens what an earlier, killed run left.
        scope: What it covers.
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
        self._slots, self._heeds, holder = scope
        self._host = host
        self._host_id = host_id
        self._url = url
        self._reopen = reopen
        self._journal = UndoJournal(folder, host_id)
        self._lock = HostLock(folder, host_id, holder)
        self._originals: Originals = {}
        self._undo: UndoRecord | None = None  # as it is on the disk
        self._maybe: dict[DomainId, tuple[SchedParams, ...]] = {}  # what may be in force, after writes that failed, too
        self._wanted: dict[DomainId, SchedParams] = {}
        self._kept = False  # True while `hold` has the lock
        # Told when what an earlier run left was put back, seconds since 1970; 0 where nothing was left.
        self.on_recovery: Callable[[float], None] = lambda _: None
        # Called with the text of the undo record after it is on the disk, empty once the host is restored.
        self.recorded: Callable[[bytes], None] = lambda _: None
        self._recovering = False  # stays True when what an earlier run left could not be put back
        self.touched = False  # True once this run has begun to write

    @property
    def pending(self) -> bool:
        """True while the host may differ from what was found, by us or by an earlier run."""
        return self._recovering or bool(self._originals)

    @contextmanager
    def hold(self) -> Generator[None]:
        """Keep others from the host for longer than the lease: a run is in nobody's way while it is told of.

        Raises:
            HostBusy: Another process holds it.
        """
        with self._lock:
            self._kept = True
            try:
                yield
            finally:
                self._kept = False

    def __enter__(self) -> Self:
        """Take the host; if an earlier run left it changed, put it back first. Raises HostBusy, HostError."""
        if not self._kept:
            self._lock.__enter__()
        try:
            self._restore_earlier_run()
        except BaseException:
            self._release_lock()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Put the host back and let go; raises RestoreFailed with the journal still armed."""
        try:
            self.restore_host()
        finally:
            self._release_lock()

    def apply(self, params: Mapping[DomainId, SchedParams]) -> None:
        """Write and read back; raises WriteNotTaken, HostError. Arms the journal before the first write."""
        if not self._originals:
            self._write_undo_record()
        if self._heeds:
            self._record_intent(params)
        for domain, wanted in params.items():
            self._wanted.pop(domain, None)
            try:
                write_and_verify(self._host, domain, wanted)
            except WriteNotVerified:
                self._record_read_back(domain)
                raise
            self._wanted[domain], self._maybe[domain] = wanted, (wanted,)

    def confirm(self) -> None:
        """Read back once more what was applied; raises WriteNotTaken when it did not last, HostError.

        A value may read back well at first and be gone a second later: XenServer recomputes Dom0's weight under credit
        (xen-toolstacks.md, A.7), libvirt and systemd write to the same control groups.
        """
        for domain, wanted in self._wanted.items():
            got = self._host.read(domain)
            if got != wanted:
                raise WriteNotVerified(
                    f"{domain}: {params_words(wanted)} was written and read back, but did not last: "
                    f"it reads {params_words(got)} now",
                    hint="Another program sets it too, or Xen itself, as XenServer does with the weight of Domain-0 "
                    "under credit (mode 'caps' works there). The trial does not count.",
                )

    def check_found(self) -> None:
        """Read every original back, somebody else having put it there; the record stays. Raises RestoreFailed."""
        self._wanted = {}
        reads = ((domain, original, self._host.read(domain)) for domain, original in self._originals.items())
        failed = {
            str(domain): f"reads {params_words(got)}, was {params_words(original)}"
            for domain, original, got in reads
            if got != original
        }
        if failed:
            details = "; ".join(f"{domain} {what}" for domain, what in failed.items())
            raise RestoreFailed(
                f"after its guard fired the host is not as it was found: {details}",
                failed,
                hint="The sweep ends and restores it; if that fails, too: 'domtune restore', the undo record is kept.",
            )

    def baseline(self) -> dict[DomainId, SchedParams]:
        """Return the parameters of a trial to the host as found."""
        return {domain: self._host.baseline(domain) for domain in write_order(self._slots)}

    def restore_host(self) -> None:
        """Put every original back, read it back, drop the record; raises RestoreFailed."""
        if not self._originals:
            return
        self._wanted = {}
        restore_originals(self._host, self._originals, self._undo.ours if self._undo is not None else {})
        self._journal.disarm()
        self.recorded(b"")
        self._originals, self._undo = {}, None

    def _release_lock(self) -> None:
        if not self._kept:
            self._lock.__exit__()

    def _write_undo_record(self) -> None:
        originals = {domain: self._host.read(domain) for domain in self._slots}
        undo = UndoRecord(
            host_url=self._url,
            host_id=self._host_id,
            context=self._host.context(),
            originals=originals,
            armed_unix_s=time.time(),
            pid=os.getpid(),
            format=NEWEST if self._heeds else FORMAT,
        )
        self._journal.arm(undo)
        self.recorded(seal_record(undo))
        self._originals, self._undo = originals, undo
        self.touched = True

    def _record_intent(self, params: Mapping[DomainId, SchedParams]) -> None:
        """Write down what is about to be set, so that it is known to be ours whenever we die. Raises JournalError."""
        ours = {domain: unique_present(*self._maybe.get(domain, ()), params.get(domain)) for domain in DOMAINS}
        self._rewrite_undo_record({domain: those for domain, those in ours.items() if those})

    def _record_read_back(self, domain: DomainId) -> None:
        """What reads back otherwise right after our write came of that write; never raises."""
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
    """Return slots in the order in which they are written: vCPUs, the I/O domain (all I/O needs it), the guest."""
    return sorted(slots, key=DOMAINS.__contains__)


def restore_from_record(undo: UndoRecord, journal: UndoJournal, reopen: Reopen, *, force: bool = False) -> None:
    """Put back what an undo record holds and drop the record; the caller holds the host's lock.

    With `force`, what somebody else has set on a followed host, too.

    Raises:
        RestoreFailed: Some original is not back; the record stays.
        HostError: The host cannot be reached; the record stays.
    """
    host = reopen(undo)
    try:
        restore_originals(host, undo.originals, {} if force else undo.ours)
    finally:
        host.close()
    journal.disarm()
