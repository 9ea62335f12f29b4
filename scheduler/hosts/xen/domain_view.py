"""View of a host survey for the domains of a sweep; pure."""

from dataclasses import dataclass, replace

from scheduler.errors import HostNotUsable
from scheduler.hosts.remote.guard_commands import guard_folder
from scheduler.hosts.xen.host_survey import HostSurvey
from scheduler.hosts.xen.toolstack_access import lists_pools
from scheduler.hosts.xen.xen_setup import DomainIdentity, XenSetup
from scheduler.hosts.xen.xl_tables import DomainRow, parse_affinity
from scheduler.toolstacks.tool_output import parse_cpu_number
from scheduler.translation import _


@dataclass(frozen=True, slots=True)
class DomainSnapshot:
    """One domain of the sweep at the time of the survey.

    Attributes:
        row: The domain, as the toolstack lists it.
        online: Number of online vCPUs, >= 0.
        all: Number of vCPUs, offline ones included.
        pool: Name of the CPU pool; empty on hosts without pools in their list.
        scheduler: Scheduler of the CPU pool.
        cpus: Physical CPUs within the pool on which the online vCPUs may run.
    """

    row: DomainRow
    online: int
    all: int
    pool: str
    scheduler: str
    cpus: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DomainView:
    """A host and the domains of a sweep.

    Attributes:
        survey: The survey of the host.
        io: The I/O domain.
        guest: The guest.
        pcpus: Number of physical CPUs, >= 1.
        guest_2: The second guest, in a study of two guests.
    """

    survey: HostSurvey
    io: DomainSnapshot
    guest: DomainSnapshot
    pcpus: int
    guest_2: DomainSnapshot | None = None

    @property
    def guests(self) -> tuple[DomainSnapshot, ...]:
        """The guest, or both guests."""
        return (self.guest,) if self.guest_2 is None else (self.guest, self.guest_2)

    @property
    def domains(self) -> tuple[DomainSnapshot, ...]:
        """The I/O domain and the guests."""
        return (self.io, *self.guests)

    @property
    def shared(self) -> tuple[int, ...]:
        """The CPUs on which all domains of the sweep may run."""
        return tuple(sorted(set(self.io.cpus).intersection(*(guest.cpus for guest in self.guests))))

    @property
    def scheduler(self) -> str:
        """The share model's name of the scheduler that divides the CPU."""
        historic = self.survey.access.name == "xm" and self.guest.scheduler == "sedf"
        return "sedf-xm" if historic else self.guest.scheduler

    def setup(self) -> XenSetup:
        """Return the setup to keep while the host is open."""
        access = self.survey.access
        return XenSetup(
            sudo=access.sudo,
            program=access.program,
            version=access.version,
            scheduler=self.guest.scheduler,
            boot_id=self.survey.boot_id,
            run=guard_folder(),
            io=identify_domain(self.io),
            guest=identify_domain(self.guest),
        )

    def with_second(self, row: DomainRow) -> "DomainView":
        """Return the same view with a second guest."""
        return replace(self, guest_2=_view_domain(self.survey, row))


def build_domain_view(survey: HostSurvey, io: DomainRow, guest: DomainRow) -> DomainView:
    """Return the view of a survey for two domains.

    Args:
        survey: The survey of the host.
        io: The I/O domain.
        guest: The guest.

    Raises:
        HostNotUsable: The survey contains CPU numbers out of range.
    """
    return DomainView(survey, _view_domain(survey, io), _view_domain(survey, guest), _count_pcpus(survey))


def allowed_cpus(survey: HostSurvey, domid: int) -> set[int]:
    """Return the physical CPUs of a domain's online vCPUs, without regard to the pool.

    Args:
        survey: The survey of the host.
        domid: Number of the domain.
    """
    # CPU numbers may have gaps (smt=0 skips every other CPU): `all` includes the highest number.
    last = survey.info.get("max_cpu_id", "")
    count = max(_count_pcpus(survey), parse_cpu_number(last) + 1 if last.isdecimal() else 0)
    online = [vcpu for vcpu in survey.vcpus if vcpu.domid == domid and vcpu.online]
    return {cpu for vcpu in online for cpu in parse_affinity(vcpu.hard, count)}


def _count_pcpus(survey: HostSurvey) -> int:
    count = survey.info.get("nr_cpus", "")
    return max(1, parse_cpu_number(count)) if count.isdecimal() else 1


def _view_domain(survey: HostSurvey, row: DomainRow) -> DomainSnapshot:
    vcpus = [vcpu for vcpu in survey.vcpus if vcpu.domid == row.domid]
    pool = row.pool or (survey.pools[0].name if len(survey.pools) == 1 else "")
    schedulers = {each.name: each.scheduler for each in survey.pools}
    if pool not in schedulers and len(survey.pools) > 1 and lists_pools(survey.access):
        raise HostNotUsable(
            _("{row!r} (number {domid}) is in the CPU pool {pool!r}, which 'xl cpupool-list' does not list").format(
                row=row.name, domid=row.domid, pool=pool
            ),
            hint=_(
                "If the domain was just moved, try again. Check the output of 'xl list -v -c' and 'xl cpupool-list'."
            ),
        )
    allowed = allowed_cpus(survey, row.domid)
    within = survey.pool_cpus.get(pool)
    return DomainSnapshot(
        row=row,
        online=sum(vcpu.online for vcpu in vcpus),
        all=len(vcpus),
        pool=pool,
        scheduler=schedulers.get(pool, survey.info.get("xen_scheduler", "")),
        cpus=tuple(sorted(allowed if within is None else allowed & set(within))),
    )


def identify_domain(seen: DomainSnapshot) -> DomainIdentity:
    """Return the identity to keep of a domain while the host is open."""
    return DomainIdentity(name=seen.row.name, uuid=seen.row.uuid, domid=seen.row.domid, vcpus=max(1, seen.all))
