"""What a survey means for the domains of a sweep; pure."""

from dataclasses import dataclass, replace

from scheduler.errors import HostNotUsable
from scheduler.hosts.printed import cpu_number
from scheduler.hosts.remote.guard_words import run_folder
from scheduler.hosts.xen.access import lists_pools
from scheduler.hosts.xen.setup import Member, Setup
from scheduler.hosts.xen.survey import Survey
from scheduler.hosts.xen.tables import DomainRow, cpus_of


@dataclass(frozen=True, slots=True)
class DomainSeen:
    """One of the domains as found.

    Attributes:
        row: As the toolstack lists it.
        online: Its online vCPUs, >= 0.
        all: Its vCPUs, offline ones too.
        pool: Its CPU pool; empty when the host is too old to say.
        scheduler: Of that pool.
        cpus: Physical CPUs that its online vCPUs may run on, within its pool.
    """

    row: DomainRow
    online: int
    all: int
    pool: str
    scheduler: str
    cpus: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A host and the domains of a sweep.

    Attributes:
        survey: What was read.
        io: The I/O domain.
        guest: The guest.
        pcpus: Number of physical CPUs, >= 1.
        guest_2: The second guest, in a study of two.
    """

    survey: Survey
    io: DomainSeen
    guest: DomainSeen
    pcpus: int
    guest_2: DomainSeen | None = None

    @property
    def guests(self) -> tuple[DomainSeen, ...]:
        """The guest, or both."""
        return (self.guest,) if self.guest_2 is None else (self.guest, self.guest_2)

    @property
    def domains(self) -> tuple[DomainSeen, ...]:
        """The I/O domain and the guests."""
        return (self.io, *self.guests)

    @property
    def shared(self) -> tuple[int, ...]:
        """CPUs on which all of them may run."""
        return tuple(sorted(set(self.io.cpus).intersection(*(guest.cpus for guest in self.guests))))

    @property
    def scheduler(self) -> str:
        """The share model's name of the scheduler that divides the CPU between them."""
        historic = self.survey.access.name == "xm" and self.guest.scheduler == "sedf"
        return "sedf-xm" if historic else self.guest.scheduler

    def setup(self) -> Setup:
        """Return what to keep of it while the host is open."""
        access = self.survey.access
        return Setup(
            sudo=access.sudo,
            program=access.program,
            version=access.version,
            scheduler=self.guest.scheduler,
            boot_id=self.survey.boot_id,
            run=run_folder(),
            io=member_of(self.io),
            guest=member_of(self.guest),
        )

    def with_second(self, row: DomainRow) -> "Picture":
        """Return the same host with a second guest."""
        return replace(self, guest_2=_seen(self.survey, row))


def picture(survey: Survey, io: DomainRow, guest: DomainRow) -> Picture:
    """Return what the survey says of two domains; raises HostNotUsable when it tells of CPUs that no host has."""
    return Picture(survey, _seen(survey, io), _seen(survey, guest), _pcpus(survey))


def allowed_cpus(survey: Survey, domid: int) -> set[int]:
    """Return the physical CPUs that a domain's online vCPUs may run on, whatever its pool has."""
    # Numbers may have gaps (smt=0 leaves every other one out): `all` reaches to the highest.
    last = survey.info.get("max_cpu_id", "")
    count = max(_pcpus(survey), cpu_number(last) + 1 if last.isdecimal() else 0)
    online = [vcpu for vcpu in survey.vcpus if vcpu.domid == domid and vcpu.online]
    return {cpu for vcpu in online for cpu in cpus_of(vcpu.hard, count)}


def _pcpus(survey: Survey) -> int:
    count = survey.info.get("nr_cpus", "")
    return max(1, cpu_number(count)) if count.isdecimal() else 1


def _seen(survey: Survey, row: DomainRow) -> DomainSeen:
    vcpus = [vcpu for vcpu in survey.vcpus if vcpu.domid == row.domid]
    pool = row.pool or (survey.pools[0].name if len(survey.pools) == 1 else "")
    schedulers = {each.name: each.scheduler for each in survey.pools}
    if pool not in schedulers and len(survey.pools) > 1 and lists_pools(survey.access):
        raise HostNotUsable(
            f"{row.name!r} (number {row.domid}) is in the CPU pool {pool!r}, which 'xl cpupool-list' does not list",
            hint="Was it moved a moment ago? Then look again. What do 'xl list -v -c' and 'xl cpupool-list' print?",
        )
    allowed = allowed_cpus(survey, row.domid)
    within = survey.pool_cpus.get(pool)
    return DomainSeen(
        row=row,
        online=sum(vcpu.online for vcpu in vcpus),
        all=len(vcpus),
        pool=pool,
        scheduler=schedulers.get(pool, survey.info.get("xen_scheduler", "")),
        cpus=tuple(sorted(allowed if within is None else allowed & set(within))),
    )


def member_of(seen: DomainSeen) -> Member:
    """Return what to keep of a domain while the host is open."""
    return Member(name=seen.row.name, uuid=seen.row.uuid, domid=seen.row.domid, vcpus=max(1, seen.all))
