"""The host protocol: everything the engine may ask of a host.

To add a host: write a module with these methods and `open_host(url, ...)`, name its URL scheme in
`hosts/registry.py`, and run the contract suite against it (`tests/contract/host_contract.py`).
"""

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from scheduler.model.host_properties import CpuUsage, DomainUsage, HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId

CommandLog = Callable[[str, str], None]
"""Called with (command, answer) for everything that the host is told."""

PAUSED_HINT = (
    "A sweep ends and restores the host; the trial does not count. Let the domain run ({resume}), then go on with: "
    "domtune run --continue RUN"
)
CRASHED_HINT = "The sweep ends and restores the host; the trial does not count. Start the domain, then sweep again."
GUARD_TOKEN = "token"
"""Key in an undo record's context of a host with a guard: that host may restore itself."""


class Host(Protocol):
    """One host; every call blocks until done or raises HostUnreachable after its time limit."""

    def facts(self) -> HostProperties:
        """Return what the host is; raises HostNotUsable when no sweep is possible here."""
        ...

    def boot(self) -> None:
        """Start what exists only for the sweep; no scheduler parameter changes. Nothing to do on real hosts."""
        ...

    def database_url(self) -> str:
        """Return the URL of the database that the host brings, reached through the I/O domain; else empty."""
        ...

    def database_secret(self) -> str:
        """Return the password for `database_url()`; empty when it needs none."""
        ...

    def read(self, domain: DomainId) -> SchedParams | None:
        """Return the domain's live parameters; None when the domain does not exist.

        Hosts whose facts say so read and write the number of the guest's vCPUs in the same way, as those of
        `guest-vcpus` (`scheduler/model/vcpus.py`).
        """
        ...

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        """Set live parameters, gone at reboot; None makes the domain not exist (as it was found).

        Raises:
            ParameterRefused: The host does not accept a value.
            DomainGone: The domain ended.
        """
        ...

    def release_domain(self, domain: DomainId) -> None:
        """Take out of the domain what the sweep put into it; nothing to do where it puts nothing into domains.

        Called with the originals back, for a pause, at the end, and by a restore; the next `write` may put it in again.

        Raises:
            HostError: Something of the sweep is still in it.
        """
        ...

    def baseline(self, domain: DomainId) -> SchedParams:
        """Return the parameters of a visit to the host as found (an applied split's, where one is in force).

        A domain that did not exist (`local:`, where nothing is applied) has its hypervisor's or kernel's defaults.
        """
        ...

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        """Return what `write` would do, as lines that can be typed by hand; touches nothing."""
        ...

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        """Return the counters of both domains; cheap, called once a second."""
        ...

    def failure_details(self) -> str:
        """Return what the host knows of a failure beyond the error that was raised, for people; empty for nothing.

        To be asked before `close`. Several lines, bounded, without secrets; never raises.
        """
        ...

    def context(self) -> Mapping[str, str]:
        """Return what `registry.reopen_host` needs to find the same parameters again from another process."""
        ...

    def close(self) -> None:
        """End what `boot` started and let go; never raises, may be called twice."""
        ...


@runtime_checkable
class HasReferenceDatabase(Protocol):
    """A host whose database can also be reached without its I/O domain between."""

    def reference_database_url(self) -> str:
        """Return that URL; empty before the host was booted, and where there is no such way."""
        ...


@runtime_checkable
class HasBuiltInDatabase(Protocol):
    """A host that starts the database itself."""

    def set_server(self, settings: Mapping[str, str]) -> None:
        """Have it started with these settings from the next `boot` on (`model/databases.py` declares them)."""
        ...


@runtime_checkable
class SupportsSecondGuest(Protocol):
    """A host that can have a second guest for the time of a study; its facts say whether it can here."""

    def add_guest(self, name: str = "") -> None:
        """Have one from the next `boot` on, with a database of its own; nothing is touched yet.

        It is among the facts' domains from now on, and `GUEST_2` is read, written, withdrawn and counted as the others.

        Args:
            name: What the host calls it, where it runs already; empty where it is the only one, or the host brings it.

        Raises:
            HostError: There is no such domain, or it is one of the others.
        """
        ...

    def second_database_url(self) -> str:
        """Return the URL of its database, reached through the I/O domain.

        Empty before the host was booted, and where the host brings none.
        """
        ...

    def second_database_secret(self) -> str:
        """Return the password for that URL."""
        ...


@runtime_checkable
class CanRestartDatabase(Protocol):
    """A host whose database can be started anew; its facts say whether it does so now."""

    def restart_database(self, *, cold: bool = False) -> int:
        """End the database's server and start it again at the same URL, in the same domain.

        Called while no user is connected: with the host as found, or, where it is to be cold, within a visit.

        Args:
            cold: With nothing of its files in the memory of the kernel that it runs on.

        Returns:
            The bytes of them that stayed there all the same; 0 unless cold.

        Raises:
            HostNotUsable: It does not start again.
        """
        ...


@runtime_checkable
class CanResizeVcpus(Protocol):
    """A host that must know before it is booted that the guest's vCPUs will be changed: one with a guard.

    Whether they can be, as `guest-vcpus`, is in the facts of every host.
    """

    def vary_vcpus(self) -> None:
        """Have them among what is guarded and put back."""
        ...


@runtime_checkable
class HasCpuUsage(Protocol):
    """A host that knows what else the contended CPUs are busy with."""

    def cpu_usage(self) -> CpuUsage | None:
        """Return the contended CPUs' counters, None when they cannot be read; cheap, called once a second."""
        ...


@runtime_checkable
class CountsGuestIo(Protocol):
    """A host whose I/O domain may do the input and output of more guests than the one, and which counts them."""

    def passed(self) -> Mapping[str, int]:
        """Return the bytes that each guest has exchanged with networks and disks by now, by its name; cheap.

        Raises:
            HostUnreachable: No counters.
        """
        ...


@runtime_checkable
class HasWarnings(Protocol):
    """A host that may lose sight of something while it is swept."""

    def warnings(self) -> tuple[str, ...]:
        """Return what it did not see since it was booted, a text each; asks the host nothing, never raises."""
        ...


@runtime_checkable
class HasGuard(Protocol):
    """A host that may become too slow to be held: one with a guard, which puts it back when it hears nothing."""

    def unresponsive_reason(self) -> str:
        """Return why what is set must be left now; empty while heartbeats are answered in time. Asks the host nothing.

        Early enough that the originals can be set before the guard fires.
        """
        ...

    def check_guard(self) -> None:
        """Ask the host whether its guard still holds it; raises GuardFired, HostUnreachable."""
        ...

    def rearm_guard(self) -> None:
        """Take the host again after its guard fired, or out of doubt: every original back, then a new guard.

        May be called again after an error; until it returns nothing may be changed.

        Raises:
            HostUnreachable: It does not answer (yet).
            HostBusy: Another sweep took it meanwhile.
            HostError: An original is not back.
        """
        ...


@runtime_checkable
class RestoresUnlessReleased(Protocol):
    """A host that puts itself back unless it is told otherwise: one with a guard."""

    def disarm_restore(self) -> None:
        """Let what is set now stay when the host is closed; raises HostError when it does not."""
        ...


@runtime_checkable
class SupportsFollowing(Protocol):
    """A host whose domains run their users' own load, and go on when we end: its split may be followed."""

    def follow(self, hard_s: float) -> bool:
        """Change nothing but parameters of domains that are there, from now on; end, start and move no process.

        To be called before the first write, instead of `boot`. Where the host has a guard, that is armed now, and hears
        of us only by `Holding.assure`: no thread of ours tells it that we live.

        Args:
            hard_s: Seconds from now after which the host is to be as found, whoever still sends heartbeats.

        Returns:
            True where the host puts itself back when we are gone; False where somebody must do it.

        Raises:
            HostError: It cannot be followed.
        """
        ...

    def look_again(self) -> HostProperties:
        """Return what the host is now, asked anew, once in some minutes; raises HostError."""
        ...


@runtime_checkable
class CreatesDomains(Protocol):
    """A host whose domains are made by the first write, and may be gone later, with others under their names."""

    def creation_context(self) -> Mapping[str, str]:
        """Return what `context` is to hold besides, once written, to tell what was made from what comes after it."""
        ...
