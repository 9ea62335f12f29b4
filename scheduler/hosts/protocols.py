"""Base class of hosts, and protocols of the parts that only some hosts have.

To add a host: derive a class from `Host`, write `open_host(url, ...)`, name its URL scheme in `hosts/host_registry.py`,
and run the contract suite against it (`tests/contract/host_contract.py`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from scheduler.errors import HostNotUsable
from scheduler.model.host_properties import CpuUsage, DomainUsage, HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, DomainId
from scheduler.translation import _

if TYPE_CHECKING:
    from scheduler.sim.own_load import OwnSimulatedLoad
    from scheduler.sim.simulated_machine import SimulatedMachine

CommandLog = Callable[[str, str], None]
"""Called with (command, answer) for everything that the host is told."""

PAUSED_HINT = _(
    "A sweep ends and restores the host; the trial does not count. Let the domain run ({resume}), then go on with: "
    "domtune run --continue RUN"
)
CRASHED_HINT = _("The sweep ends and restores the host; the trial does not count. Start the domain, then sweep again.")
GUARD_TOKEN = "token"
"""Key in an undo record's context of a host with a guard: that host may restore itself."""


class HostGuard(Protocol):
    """Guard of a host: restores the host when the heartbeats stop."""

    def unresponsive_reason(self) -> str:
        """Return the reason to leave the current split now; empty for no reason.

        The text is empty while heartbeats are answered in time. Asks the host nothing. The reason appears early enough
        to set the originals before the guard fires.
        """
        ...

    def check_guard(self) -> None:
        """Check on the host that the guard is alive.

        Raises:
            GuardFired: The guard has fired or died.
            HostUnreachable: The host does not answer.
        """
        ...

    def rearm_guard(self) -> None:
        """Restore every original after the guard may have fired; arm a new guard.

        May be called again after an error. Change nothing until this method returns.

        Raises:
            HostUnreachable: The host does not answer (yet).
            HostBusy: Another sweep took the host in the meantime.
            HostError: An original is not restored.
        """
        ...

    def disarm_restore(self) -> None:
        """Keep the current settings when the host is closed; raise HostError on failure."""
        ...

    def guard_slot(self, slot: DomainId) -> None:
        """Include vCPUs or a placement in the guard's restore; call before `Host.boot`.

        Args:
            slot: `guest-vcpus`, or one of `PLACE_SLOTS`.

        Raises:
            HostError: The guard is armed already.
        """
        ...


class BuiltInDatabase(Protocol):
    """The database servers that a host starts itself, one for each guest."""

    def set_server(self, settings: Mapping[str, str]) -> None:
        """Start the servers with these settings from the next `Host.boot` on.

        `model/databases.py` declares the settings.
        """
        ...

    def url(self, guest: DomainId = GUEST) -> str:
        """Return the URL of a guest's database through the I/O domain.

        The URL is empty before `Host.boot`.
        """
        ...

    def reference_url(self) -> str:
        """Return the URL of the guest's database without the I/O domain.

        The URL is empty before `Host.boot`.
        """
        ...

    def secret(self, guest: DomainId = GUEST) -> str:
        """Return the password for those URLs; empty when the database needs none."""
        ...


class HostSimulation(Protocol):
    """The simulated machine of a host, with a clock and a load of its own."""

    own_load: "OwnSimulatedLoad"
    world: "SimulatedMachine"

    def join(self, spec: RunSpec, now: Callable[[], float]) -> None:
        """Take the clock and the seed of a sweep.

        Args:
            spec: The sweep.
            now: Clock of the sweep, seconds.

        Raises:
            SpecError: The machine does not support something in the plan.
        """
        ...

    def live(self, now: Callable[[], float], params: Mapping[DomainId, SchedParams]) -> None:
        """Start the machine's own load at these parameters.

        Args:
            now: Clock, seconds.
            params: Live parameters of each domain.

        Raises:
            SpecError: The URL names no load.
        """
        ...

    def committed(self) -> tuple[int, float]:
        """Return commits of the own load, and the time of that count, seconds."""
        ...


class Host(ABC):
    """One host with an I/O domain and a guest.

    Every call blocks until it is done, or raises HostUnreachable after its time limit. Methods with a body are the
    defaults for hosts without that feature.
    """

    @property
    def guard(self) -> HostGuard | None:
        """The guard, which outlives this process; None where only this process restores.

        Call `facts` first: the host may have to be connected.
        """
        return None

    @property
    def database(self) -> BuiltInDatabase | None:
        """The built-in database; None where users name their own database."""
        return None

    @property
    def simulation(self) -> HostSimulation | None:
        """The simulated machine; None for a real host."""
        return None

    @abstractmethod
    def facts(self) -> HostProperties:
        """Return the properties of the host.

        Raises:
            HostNotUsable: No sweep is possible here.
        """

    def look_again(self) -> HostProperties:
        """Read the properties of the host again.

        Called every few minutes.

        Raises:
            HostError: The properties cannot be read.
        """
        return self.facts()

    @abstractmethod
    def boot(self) -> None:
        """Start everything that exists only for the sweep; change no scheduler parameter."""

    def follow(self, hard_s: float) -> bool:
        """Restrict this host to changing parameters of existing domains from now on.

        No process is ended, started or moved. Call this before the first write, instead of `boot`. The guard is armed
        now. No thread sends heartbeats: the guard hears from this process only by `HostGuard.check_guard`.

        Args:
            hard_s: Seconds from now after which the guard restores the host, with or without heartbeats.

        Returns:
            True where the host restores itself when this process is gone; False where another process must.

        Raises:
            HostError: The host cannot be followed.
        """
        raise HostNotUsable(
            _("a split of this kind of host cannot be followed"), hint=_("'domtune watch' can look at this host.")
        )

    def add_guest(self, name: str = "") -> None:
        """Add a second guest with a database of its own from the next `boot` on.

        Touches nothing yet. From now on, `facts` lists the second guest. `GUEST_2` is read, written, released and
        counted like the other domains. `facts` also shows if the host supports a second guest.

        Args:
            name: The host's name of a running second guest; empty where only one choice exists, or where the host
                starts the guest.

        Raises:
            HostError: No domain has this name, or the domain already has another role.
        """
        raise HostNotUsable(
            _("this kind of host cannot have a second guest"), hint=_("Take local:, or a Xen host by xl.")
        )

    @abstractmethod
    def read(self, domain: DomainId) -> SchedParams | None:
        """Return the domain's live parameters; None when the domain does not exist.

        Where `facts` allows changes of the guest's vCPUs, `guest-vcpus` is read and written in the same way
        (`scheduler/model/vcpus.py`).
        """

    @abstractmethod
    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        """Set live parameters, which a reboot clears; None removes a created domain.

        Args:
            domain: The domain.
            params: Parameters of the host's scheduler; None restores a domain that did not exist.

        Raises:
            ParameterRefused: The host does not accept a value.
            DomainGone: The domain ended.
        """

    def release_domain(self, domain: DomainId) -> None:
        """Remove from the domain everything that the sweep put there.

        Called with the originals restored: for a pause, at the end, and by a restore. The next `write` may add the same
        things again.

        Raises:
            HostError: Something of the sweep remains in the domain.
        """
        return

    @abstractmethod
    def baseline(self, domain: DomainId) -> SchedParams:
        """Return the domain's parameters in a trial of the baseline.

        With an applied split in force, these are the parameters of that split. A domain that did not exist (`local:`,
        where nothing is applied) has the defaults of its hypervisor or kernel.
        """

    @abstractmethod
    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        """Return the commands of `write` as lines to type by hand; touch nothing.

        Args:
            domain: The domain.
            params: As in `write`.
        """

    def restart_database(self, *, cold: bool = False) -> int:
        """Stop the database server and start it again at the same URL, in the same domain.

        Called while no user is connected: at the baseline, or, for a cold start, within a trial. `facts` shows if the
        host supports restarts.

        Args:
            cold: Start with none of the database's files in the kernel's page cache.

        Returns:
            Bytes of the files that stayed in the page cache after a cold start; 0 unless `cold`.

        Raises:
            HostNotUsable: The server does not start again.
        """
        raise HostNotUsable(
            _("DomTune cannot restart the database of this host"), hint=_("Remove the restart from the plan.")
        )

    @abstractmethod
    def usage(self) -> Mapping[DomainId, DomainUsage]:
        """Return the counters of the domains; cheap, called once a second."""

    def cpu_usage(self) -> CpuUsage | None:
        """Return the shared CPUs' counters, called once a second; None when unreadable."""
        return None

    def passed(self) -> Mapping[str, int]:
        """Return each guest's bytes exchanged through the I/O domain, by guest name.

        Cheap.

        Raises:
            HostUnreachable: The counters cannot be read.
        """
        return {}

    def warnings(self) -> tuple[str, ...]:
        """Return observations that the host missed since `boot`, each a text; never raise.

        Asks the host nothing.
        """
        return ()

    def failure_details(self) -> str:
        """Return details of a failure beyond the raised error, for people; empty for none.

        Call this before `close`. The text has several lines, is bounded and free of secrets. Never raises.
        """
        return ""

    @abstractmethod
    def context(self) -> Mapping[str, str]:
        """Return the context for `host_registry.reopen_host` in another process."""

    def creation_context(self) -> Mapping[str, str]:
        """Return the entries of `context` that identify created domains.

        The entries exist after `write`, and distinguish the created domains from later domains of the same name.
        """
        return {}

    def close(self) -> None:
        """End everything that `boot` started and disconnect.

        Never raises. May be called twice.
        """
        return
