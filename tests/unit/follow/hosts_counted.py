"""A host whose counters follow a made-up day, and which fails on whatever would change it."""

from collections.abc import Callable, Mapping
from typing import NoReturn

from scheduler.errors import HostError
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import CpuUsage, DomainProperties, DomainUsage, HostProperties
from scheduler.model.scheduler_params import CgroupParams, SchedParams
from scheduler.model.split import GUEST, IO, DomainId

Pair = tuple[float, float]
LIMITED = {IO: CgroupParams(100, 50_000, 100_000), GUEST: CgroupParams(100, 50_000, 100_000)}
WEIGHED = {IO: CgroupParams(100), GUEST: CgroupParams(100)}
_STEP_S = 1.0


class CountedHost(Host):
    """Two domains that use what `uses(second, params)` says, CPUs of each; reads alone are allowed.

    Args:
        now: The clock.
        uses: What both use, I/O domain first.
        params: What is set; a test changes it as somebody else would.
        others: Part of the CPU that other programs use; None for a host that does not tell.
        held: Part of the time in which the I/O domain's limit holds it back; None for a host that does not tell.
    """

    def __init__(
        self,
        now: Callable[[], float],
        uses: Callable[[float, Mapping[DomainId, SchedParams | None]], Pair],
        params: Mapping[DomainId, SchedParams | None] = LIMITED,
        others: float | None = None,
        held: float | None = None,
    ) -> None:
        self._now, self._uses, self.params, self._others = now, uses, dict(params), others
        self._held, self._held_s = held, None if held is None else 0.0
        self._at_s = now()
        self._cpu_s = [0.0, 0.0]
        self._busy_s = 0.0
        self.breaks: Callable[[float], HostError | None] = lambda now_s: None
        self.reads = 0

    def facts(self) -> HostProperties:
        return HostProperties(
            host_id="counted",
            url="fake:counted",
            title="Fake host",
            scheduler="cgroup-v2",
            pcpus=2,
            shared_cpus=(0,),
            client_cpus=(),
            domains=tuple(DomainProperties(id=domain, name=domain, vcpus=1, cpus=(0,)) for domain in (IO, GUEST)),
            versions={},
        )

    def read(self, domain: DomainId) -> SchedParams | None:
        self.reads += 1
        self._break()
        return self.params[domain]

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        self._advance()
        self._break()
        return {
            domain: DomainUsage(
                user_s=seconds,
                system_s=0.0,
                memory_bytes=0,
                in_bytes=0,
                out_bytes=0,
                throttled_s=self._held_s if domain == IO or self._held is None else 0.0,
            )
            for domain, seconds in zip((IO, GUEST), self._cpu_s, strict=True)
        }

    def cpu_usage(self) -> CpuUsage | None:
        return None if self._others is None else CpuUsage(stolen_s=0.0, busy_s=self._busy_s)

    def reset_counters(self) -> None:
        self._cpu_s = [0.0, 0.0]

    def boot(self) -> NoReturn:
        raise AssertionError("watching started something")

    def write(self, domain: DomainId, params: SchedParams | None) -> NoReturn:
        raise AssertionError(f"watching wrote {params} to {domain}")

    def release_domain(self, domain: DomainId) -> NoReturn:
        raise AssertionError(f"watching took something out of {domain}")

    def baseline(self, domain: DomainId) -> NoReturn:
        raise AssertionError("watching asked for a baseline")

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        return ()

    def context(self) -> Mapping[str, str]:
        return {}

    def _advance(self) -> None:
        while self._at_s < self._now():
            step_s = min(_STEP_S, self._now() - self._at_s)
            used = self._uses(self._at_s, self.params)
            for place, cpus in enumerate(used):
                self._cpu_s[place] += cpus * step_s
            self._busy_s += (sum(used) + (self._others or 0.0)) * step_s
            if self._held is not None and self._held_s is not None:
                self._held_s += self._held * step_s
            self._at_s += step_s

    def _break(self) -> None:
        error = self.breaks(self._now())
        if error is not None:
            raise error
