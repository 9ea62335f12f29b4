"""A host that is only looked at: every way to change it is shut, whatever the caller does."""

from collections.abc import Mapping
from typing import NoReturn

from scheduler.errors import HostNotUsable
from scheduler.hosts.protocols import CountsGuestIo, HasCpuUsage, Host
from scheduler.model.host_properties import CpuUsage, DomainUsage, HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId


class ObservedHost:
    """Passes on what reads; refuses what would change anything.

    Args:
        host: The host; closed with this one.
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    def facts(self) -> HostProperties:
        return self._host.facts()

    def boot(self) -> None:
        self._refuse_change("start anything on it")

    def database_url(self) -> str:
        return self._host.database_url()

    def database_secret(self) -> str:
        return self._host.database_secret()

    def read(self, domain: DomainId) -> SchedParams | None:
        return self._host.read(domain)

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        what = "nothing" if params is None else params.words
        self._refuse_change(f"set {domain} to {what}")

    def release_domain(self, domain: DomainId) -> None:
        self._refuse_change(f"take anything out of {domain}")

    def baseline(self, domain: DomainId) -> SchedParams:
        return self._host.baseline(domain)

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        return self._host.commands(domain, params)

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        return self._host.usage()

    def cpu_usage(self) -> CpuUsage | None:
        return self._host.cpu_usage() if isinstance(self._host, HasCpuUsage) else None

    def passed(self) -> Mapping[str, int]:
        return self._host.passed() if isinstance(self._host, CountsGuestIo) else {}

    def failure_details(self) -> str:
        return self._host.failure_details()

    def context(self) -> Mapping[str, str]:
        return self._host.context()

    def close(self) -> None:
        self._host.close()

    def _refuse_change(self, what: str) -> NoReturn:
        raise HostNotUsable(
            f"this host was opened to be looked at only: refused to {what}",
            hint="Open it for a sweep ('domtune run') to change it.",
        )
