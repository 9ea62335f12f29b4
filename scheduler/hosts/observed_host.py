"""Read-only wrapper of a host, which refuses every change."""

from collections.abc import Mapping
from typing import NoReturn

from scheduler.errors import HostNotUsable
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import CpuUsage, DomainUsage, HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.translation import _


class ObservedHost(Host):
    """Read-only host: passes readings on and refuses every change.

    Args:
        host: The host; closed with this wrapper.
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    def facts(self) -> HostProperties:
        return self._host.facts()

    def look_again(self) -> HostProperties:
        return self._host.look_again()

    def boot(self) -> None:
        self._refuse_change(_("start a program on it"))

    def read(self, domain: DomainId) -> SchedParams | None:
        return self._host.read(domain)

    def follow(self, hard_s: float) -> bool:
        self._refuse_change(_("follow it"))

    def add_guest(self, name: str = "") -> None:
        self._refuse_change(_("add a guest"))

    def restart_database(self, *, cold: bool = False) -> int:
        self._refuse_change(_("restart its database"))

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        what = "nothing" if params is None else params.words
        self._refuse_change(f"set {domain} to {what}")

    def release_domain(self, domain: DomainId) -> None:
        self._refuse_change(_("take anything out of {domain}").format(domain=domain))

    def baseline(self, domain: DomainId) -> SchedParams:
        return self._host.baseline(domain)

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        return self._host.commands(domain, params)

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        return self._host.usage()

    def cpu_usage(self) -> CpuUsage | None:
        return self._host.cpu_usage()

    def passed(self) -> Mapping[str, int]:
        return self._host.passed()

    def warnings(self) -> tuple[str, ...]:
        return self._host.warnings()

    def failure_details(self) -> str:
        return self._host.failure_details()

    def context(self) -> Mapping[str, str]:
        return self._host.context()

    def creation_context(self) -> Mapping[str, str]:
        return self._host.creation_context()

    def close(self) -> None:
        self._host.close()

    def _refuse_change(self, what: str) -> NoReturn:
        raise HostNotUsable(
            _("this host was opened read-only: refused to {what}").format(what=what),
            hint=_("Open it for a sweep ('domtune run') to change it."),
        )
