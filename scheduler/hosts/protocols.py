"""Define the host: everything the engine may ask of one, and the parts that only some hosts have.

To add a host: derive a class from `Host`, write `open_host(url, ...)`, name its URL scheme in
`hosts/host_registry.py`, and run the contract suite against it (`tests/contract/host_contract.py`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Protocol

from scheduler.errors import HostNotUsable
from scheduler.model.host_properties import CpuUsage, DomainUsage, HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import GUEST, DomainId

CommandLog = Callable[[str, str], None]
"""Called with (command, answer) for everything that the host is told."""

PAUSED_HINT = (
    "A sweep ends and restores the host; the trial does not count. Let the domain run ({resume}), then go on with: "
    "domtune run --continue RUN"
)
CRASHED_HINT = "The sweep ends and restores the host; the trial does not count. Start the domain, then sweep again."
GUARD_TOKEN = "token"
"""Key in an undo record's context of a host with a guard: that host may restore itself."""


class HostGuard(Protocol):
    """The guard of a host that may become unresponsive: the guard restores the host when heartbeats stop."""

    def unresponsive_reason(self) -> str:
        """Return why the current split must be left now; empty while heartbeats are answered in time.

        Asks the host nothing. The reason comes early enough to set the originals before the guard fires.
        """
        ...

    def check_guard(self) -> None:
        """Ask the host whether its guard is alive; raises GuardFired, HostUnreachable."""
        ...

    def rearm_guard(self) -> None:
        """Restore every original after the guard fired, or may have fired; then arm a new guard.

        May be called again after an error; until this returns nothing may be changed.

        Raises:
            HostUnreachable: The host does not answer (yet).
            HostBusy: Another sweep took the host meanwhile.
            HostError: An original is not restored.
        """
        ...

    def disarm_restore(self) -> None:
        """Keep the current settings when the host is closed; raises HostError when that fails."""
        ...

    def vary_vcpus(self) -> None:
        """Guard and restore the guest's vCPUs, too; call before `Host.boot`."""
        ...


class BuiltInDatabase(Protocol):
    """The database servers that a host starts itself, one for each guest."""

    def set_server(self, settings: Mapping[str, str]) -> None:
        """Start the servers with these settings from the next `Host.boot` on (`model/databases.py` declares them)."""
        ...

    def url(self, guest: DomainId = GUEST) -> str:
        """Return the URL of a guest's database through the I/O domain; empty before the host was booted."""
        ...

    def reference_url(self) -> str:
        """Return the URL of the guest's database without the I/O domain; empty before the host was booted."""
        ...

    def secret(self, guest: DomainId = GUEST) -> str:
        """Return the password for those URLs; empty when the database needs none."""
        ...


class Host(ABC):
    """One host; every call blocks until done or raises HostUnreachable after its time limit.

    The methods with a body say what a host does that has nothing of the kind.
    """

    @property
    def guard(self) -> HostGuard | None:
        """The guard, which outlives this process; None on hosts that only this process restores.

        Not to be asked before `facts`: the host may be connected to first.
        """
        return None

    @property
    def database(self) -> BuiltInDatabase | None:
        """The built-in database; None on hosts whose users name their own."""
        return None

    @abstractmethod
    def facts(self) -> HostProperties:
        """Return what the host is; raises HostNotUsable when no sweep is possible here."""

    def look_again(self) -> HostProperties:
        """Return what the host is now, read again, once in some minutes; raises HostError."""
        return self.facts()

    @abstractmethod
    def boot(self) -> None:
        """Start what exists only for the sweep; no scheduler parameter changes."""

    def follow(self, hard_s: float) -> bool:
        """Change nothing but parameters of domains that exist, from now on; end, start and move no process.

        To be called before the first write, instead of `boot`. A guard is armed now, and hears of this process only by
        `HostGuard.check_guard`: no thread sends heartbeats.

        Args:
            hard_s: Seconds from now after which the guard restores the host, whoever still sends heartbeats.

        Returns:
            True where the host restores itself when this process is gone; False where another process must.

        Raises:
            HostError: The host cannot be followed.
        """
        raise HostNotUsable(
            "a split of this kind of host cannot be followed", hint="'domtune watch' can look at this host."
        )

    def add_guest(self, name: str = "") -> None:
        """Add a second guest from the next `boot` on, with a database of its own; nothing is touched yet.

        The second guest is among the facts' domains from now on. `GUEST_2` is read, written, released and counted as
        the other domains. The facts tell whether the host can have a second guest.

        Args:
            name: The host's name of a second guest that runs already; empty where the choice is obvious, or the host
                starts the second guest.

        Raises:
            HostError: There is no such domain, or it is one of the others.
        """
        raise HostNotUsable("this kind of host cannot have a second guest", hint="Take local:, or a Xen host by xl.")

    @abstractmethod
    def read(self, domain: DomainId) -> SchedParams | None:
        """Return the domain's live parameters; None when the domain does not exist.

        Hosts whose facts say so read and write the number of the guest's vCPUs in the same way, as those of
        `guest-vcpus` (`scheduler/model/vcpus.py`).
        """

    @abstractmethod
    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        """Set live parameters, gone at reboot; None makes the domain not exist (as it was found).

        Raises:
            ParameterRefused: The host does not accept a value.
            DomainGone: The domain ended.
        """

    def release_domain(self, domain: DomainId) -> None:
        """Take out of the domain what the sweep put into it.

        Called with the originals restored, for a pause, at the end, and by a restore; the next `write` may put it in
        again.

        Raises:
            HostError: Something of the sweep is still in it.
        """
        return

    @abstractmethod
    def baseline(self, domain: DomainId) -> SchedParams:
        """Return the domain's parameters in a trial of the baseline (an applied split's, where one is in force).

        A domain that did not exist (`local:`, where nothing is applied) has its hypervisor's or kernel's defaults.
        """

    @abstractmethod
    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        """Return what `write` would do, as lines that can be typed by hand; touches nothing."""

    def restart_database(self, *, cold: bool = False) -> int:
        """Stop the database's server and start it again at the same URL, in the same domain.

        Called while no user is connected: at the baseline, or, for a cold start, within a trial. The facts tell
        whether the host can do this.

        Args:
            cold: Start with none of the database's files in the kernel's memory.

        Returns:
            The bytes of the files that stayed in memory all the same; 0 unless cold.

        Raises:
            HostNotUsable: The server does not start again.
        """
        raise HostNotUsable("this host's database cannot be started anew", hint="Leave the restart out of the plan.")

    @abstractmethod
    def usage(self) -> Mapping[DomainId, DomainUsage]:
        """Return the counters of the domains; cheap, called once a second."""

    def cpu_usage(self) -> CpuUsage | None:
        """Return the shared CPUs' counters, None when they cannot be read; cheap, called once a second."""
        return None

    def passed(self) -> Mapping[str, int]:
        """Return the bytes that each guest has exchanged through the I/O domain by now, by the guest's name; cheap.

        Raises:
            HostUnreachable: No counters.
        """
        return {}

    def warnings(self) -> tuple[str, ...]:
        """Return what the host did not see since it was booted, a text each; asks the host nothing, never raises."""
        return ()

    def failure_details(self) -> str:
        """Return what the host knows of a failure beyond the error that was raised, for people; empty for nothing.

        To be asked before `close`. Several lines, bounded, without secrets; never raises.
        """
        return ""

    @abstractmethod
    def context(self) -> Mapping[str, str]:
        """Return what `host_registry.reopen_host` needs to find the same parameters from another process."""

    def creation_context(self) -> Mapping[str, str]:
        """Return what `context` must hold besides, once written, to tell created domains from later ones."""
        return {}

    def close(self) -> None:
        """End what `boot` started and disconnect; never raises, may be called twice."""
        return
