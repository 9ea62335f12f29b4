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

from scheduler.errors import RestoreFailed, SchedulerError, WriteNotTaken
from scheduler.hosts.base import Host
from scheduler.model.guests import THREE
from scheduler.model.holder import Holder
from scheduler.model.params import SchedParams
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.model.vcpus import GUEST_VCPUS
from scheduler.run.journal import HostLock, Journal, Undo
from scheduler.run.putting_back import Originals, present, put_back, words_of, write_checked
from scheduler.run.undo import FORMAT, NEWEST, seal

log = logging.getLogger(__name__)

DOMAINS = (IO, GUEST)


class Scope(NamedTuple):
    """What a lease covers.

    Attributes:
        slots: What is noted before the first write and put back, in that order.
        heeds: Leave a domain on the way out that somebody else has set meanwhile.
        holder: What the host is held for.
    """

    slots: Sequence[DomainId] = DOMAINS
    heeds: bool = False
    holder: Holder = Holder.SWEEP


SWEPT = Scope()  # a sweep overwrites what others set meanwhile
SIZED = Scope((*DOMAINS, GUEST_VCPUS))  # of a study that varies the guest's vCPUs
NEIGHBOURS = Scope(THREE)  # of a study of two guests
FOLLOWED = Scope(heeds=True, holder=Holder.FOLLOW)

Reopen = Callable[[Undo], Host]
"""Opens the host of an undo record as another process left it."""


class Lease:
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
        scope: Scope = SWEPT,
    ) -> None:
        self._slots, self._heeds, holder = scope
        self._host = host
        self._host_id = host_id
        self._url = url
        self._reopen = reopen
        self._journal = Journal(folder, host_id)
        self._lock = HostLock(folder, host_id, holder)
        self._originals: Originals = {}
        self._undo: Undo | None = None  # as it is on the disk
        self._maybe: dict[DomainId, tuple[SchedParams, ...]] = {}  # what may be in force, after writes that failed, too
        self._wanted: dict[DomainId, SchedParams] = {}
        self._kept = False  # True while `hold` has the lock
        # Told when what an earlier run left was put back, seconds since 1970; 0 where nothing was left.
        self.recovered: Callable[[float], None] = lambda _: None
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
            self._recover()
        except BaseException:
            self._let_go()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Put the host back and let go; raises RestoreFailed with the journal still armed."""
        try:
            self.give_back()
        finally:
            self._let_go()

    def apply(self, params: Mapping[DomainId, SchedParams]) -> None:
        """Write and read back; raises WriteNotTaken, HostError. Arms the journal before the first write."""
        if not self._originals:
            self._arm()
        if self._heeds:
            self._note(params)
        for domain, wanted in params.items():
            self._wanted.pop(domain, None)
            try:
                write_checked(self._host, domain, wanted)
            except WriteNotTaken:
                self._note_taken(domain)
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
                raise WriteNotTaken(
                    f"{domain}: {words_of(wanted)} was written and read back, but did not last: "
                    f"it reads {words_of(got)} now",
                    hint="Another program sets it too, or Xen itself, as XenServer does with the weight of Domain-0 "
                    "under credit (mode 'partition' works there). The trial does not count.",
                )

    def check_found(self) -> None:
        """Read every original back, somebody else having put it there; the record stays. Raises RestoreFailed."""
        self._wanted = {}
        reads = ((domain, original, self._host.read(domain)) for domain, original in self._originals.items())
        failed = {
            str(domain): f"reads {words_of(got)}, was {words_of(original)}"
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
        """Return the parameters of a visit to the host as found."""
        return {domain: self._host.baseline(domain) for domain in as_written(self._slots)}

    def give_back(self) -> None:
        """Put every original back, read it back, drop the record; raises RestoreFailed."""
        if not self._originals:
            return
        self._wanted = {}
        put_back(self._host, self._originals, self._undo.ours if self._undo is not None else {})
        self._journal.disarm()
        self.recorded(b"")
        self._originals, self._undo = {}, None

    def _let_go(self) -> None:
        if not self._kept:
            self._lock.__exit__()

    def _arm(self) -> None:
        originals = {domain: self._host.read(domain) for domain in self._slots}
        undo = Undo(
            host_url=self._url,
            host_id=self._host_id,
            context=self._host.context(),
            originals=originals,
            armed_unix_s=time.time(),
            pid=os.getpid(),
            format=NEWEST if self._heeds else FORMAT,
        )
        self._journal.arm(undo)
        self.recorded(seal(undo))
        self._originals, self._undo = originals, undo
        self.touched = True

    def _note(self, params: Mapping[DomainId, SchedParams]) -> None:
        """Write down what is about to be set, so that it is known to be ours whenever we die. Raises JournalError."""
        ours = {domain: present(*self._maybe.get(domain, ()), params.get(domain)) for domain in DOMAINS}
        self._arm_anew({domain: those for domain, those in ours.items() if those})

    def _note_taken(self, domain: DomainId) -> None:
        """What reads back otherwise right after our write came of that write; never raises."""
        if not (self._heeds and self._undo):
            return
        with contextlib.suppress(SchedulerError):
            got = self._host.read(domain)
            self._arm_anew({**self._undo.ours, domain: present(*self._undo.ours.get(domain, ()), got)})

    def _arm_anew(self, ours: Mapping[DomainId, tuple[SchedParams, ...]]) -> None:
        if self._undo is not None:
            undo = msgspec.structs.replace(self._undo, ours=ours)
            self._journal.arm(undo)
            self.recorded(seal(undo))
            self._undo, self._maybe = undo, dict(ours)

    def _recover(self) -> None:
        self._recovering = True
        undo = self._journal.read()
        if undo is not None:
            log.warning("host %s was left changed by an earlier run; restoring", self._host_id)
            restore(undo, self._journal, self._reopen)
        self._recovering = False
        self.recovered(time.time() if undo is not None else 0.0)


def as_written(slots: Iterable[DomainId]) -> list[DomainId]:
    """Return slots in the order in which they are written: vCPUs, the I/O domain (all I/O needs it), the guest."""
    return sorted(slots, key=DOMAINS.__contains__)


def restore(undo: Undo, journal: Journal, reopen: Reopen, *, force: bool = False) -> None:
    """Put back what an undo record holds and drop the record; the caller holds the host's lock.

    With `force`, what somebody else has set on a followed host, too.

    Raises:
        RestoreFailed: Some original is not back; the record stays.
        HostError: The host cannot be reached; the record stays.
    """
    host = reopen(undo)
    try:
        put_back(host, undo.originals, {} if force else undo.ours)
    finally:
        host.close()
    journal.disarm()
