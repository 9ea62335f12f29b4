"""The lease: the only code that writes to a host, and the one way out.

Undo record first, then write, then read back; the record goes when every original has been read back.
"""

import logging
import os
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from scheduler.errors import RestoreFailed, SchedulerError, WriteNotTaken
from scheduler.hosts.base import Host
from scheduler.model.params import SchedParams
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.model.vcpus import GUEST_VCPUS
from scheduler.run.journal import HostLock, Journal, Undo

log = logging.getLogger(__name__)

DOMAINS = (IO, GUEST)
SIZED = (*DOMAINS, GUEST_VCPUS)  # of a study that varies the vCPUs

Originals = Mapping[DomainId, SchedParams | None]
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
        slots: What is noted before the first write and put back, in that order: the domains, and `guest-vcpus` where
            their number is changed, too.
    """

    def __init__(
        self,
        host: Host,
        folder: Path,
        host_id: str,
        url: str,
        reopen: Reopen,
        slots: Sequence[DomainId] = DOMAINS,
    ) -> None:
        self._slots = tuple(slots)
        self._host = host
        self._host_id = host_id
        self._url = url
        self._reopen = reopen
        self._journal = Journal(folder, host_id)
        self._lock = HostLock(folder, host_id)
        self._originals: Originals = {}
        self._wanted: dict[DomainId, SchedParams] = {}
        self._kept = False  # True while `hold` has the lock
        # Told when what an earlier run left was put back, seconds since 1970; 0 where nothing was left.
        self.recovered: Callable[[float], None] = lambda _: None
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
            HostBusy: Another sweep holds it.
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
        for domain, wanted in params.items():
            self._wanted.pop(domain, None)
            write_checked(self._host, domain, wanted)
            self._wanted[domain] = wanted

    def confirm(self) -> None:
        """Read back once more what was applied; raises WriteNotTaken when it did not last, HostError.

        A value may read back well at first and be gone a second later: XenServer recomputes Dom0's weight under credit
        (xen-toolstacks.md, A.7), libvirt and systemd write to the same control groups.
        """
        for domain, wanted in self._wanted.items():
            got = self._host.read(domain)
            if got != wanted:
                raise WriteNotTaken(
                    f"{domain}: {wanted} was written and read back, but did not last: it reads {got} now",
                    hint="Another program sets it too, or Xen itself, as XenServer does with the weight of Domain-0 "
                    "under credit (mode 'partition' works there). The visit does not count.",
                )

    def check_found(self) -> None:
        """Read every original back, somebody else having put it there; the record stays. Raises RestoreFailed."""
        self._wanted = {}
        reads = ((domain, original, self._host.read(domain)) for domain, original in self._originals.items())
        failed = {str(domain): f"reads {got}, was {original}" for domain, original, got in reads if got != original}
        if failed:
            details = "; ".join(f"{domain} {what}" for domain, what in failed.items())
            raise RestoreFailed(
                f"after its guard fired the host is not as it was found: {details}",
                failed,
                hint="The sweep ends and puts it back; if that fails, too: 'domtune restore', the undo record is kept.",
            )

    def baseline(self) -> dict[DomainId, SchedParams]:
        """Return the parameters of a visit to the host as found."""
        return {domain: self._host.baseline(domain) for domain in as_written(self._slots)}

    def give_back(self) -> None:
        """Put every original back, read it back, drop the record; raises RestoreFailed."""
        if not self._originals:
            return
        self._wanted = {}
        put_back(self._host, self._originals)
        self._journal.disarm()
        self._originals = {}

    def _let_go(self) -> None:
        if not self._kept:
            self._lock.__exit__()

    def _arm(self) -> None:
        originals = {domain: self._host.read(domain) for domain in self._slots}
        self._journal.arm(
            Undo(
                host_url=self._url,
                host_id=self._host_id,
                context=self._host.context(),
                originals=originals,
                armed_unix_s=time.time(),
                pid=os.getpid(),
            )
        )
        self._originals = originals
        self.touched = True

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


def restore(undo: Undo, journal: Journal, reopen: Reopen) -> None:
    """Put back what an undo record holds and drop the record; the caller holds the host's lock.

    Raises:
        RestoreFailed: Some original is not back; the record stays.
        HostError: The host cannot be reached; the record stays.
    """
    host = reopen(undo)
    try:
        put_back(host, undo.originals)
    finally:
        host.close()
    journal.disarm()


def write_checked(host: Host, domain: DomainId, wanted: SchedParams | None) -> None:
    """Write, then believe only what reads back; raises WriteNotTaken."""
    host.write(domain, wanted)
    got = host.read(domain)
    if got != wanted:
        raise _not_taken(domain, wanted, got)


def _not_taken(domain: DomainId, wanted: SchedParams | None, got: SchedParams | None) -> WriteNotTaken:
    return WriteNotTaken(
        f"{domain}: wrote {wanted}, but it reads back {got}",
        hint="Does another program manage the same domain? The host is put back now.",
    )


def put_back(host: Host, originals: Originals) -> None:
    """Put back all that can be put back, then raise RestoreFailed if anything is missing.

    What breaks at one domain, and be it a bug, does not keep the other from being put back.
    """
    failed = dict(_failures(host, originals.items()))
    if failed:
        details = "; ".join(f"{domain}: {reason}" for domain, reason in failed.items())
        raise RestoreFailed(
            f"{len(failed)} of {len(originals)} domains are not as they were found ({details})",
            failed,
            hint="Run 'domtune restore' once the cause is gone; the undo record is kept.",
        )


def _failures(host: Host, originals: Iterable[tuple[DomainId, SchedParams | None]]) -> Iterable[tuple[str, str]]:
    for domain, original in originals:
        try:
            _put_back_one(host, domain, original)
        except SchedulerError as error:
            yield domain, str(error)
        except Exception as error:
            log.warning("a bug kept %s from being put back", domain, exc_info=True)
            yield domain, f"a bug: {type(error).__name__}; it is in the log"


def _put_back_one(host: Host, domain: DomainId, original: SchedParams | None) -> None:
    # A domain that is gone has nothing to restore, one that is as it was needs no write. Absence is always
    # written: half-made domains read as absent, too.
    if original is None or host.read(domain) not in (None, original):
        write_checked(host, domain, original)
    host.withdraw(domain)
    if (got := host.read(domain)) not in (None, original):  # taking processes out may need writes, too
        raise _not_taken(domain, original, got)
