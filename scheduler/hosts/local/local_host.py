"""Host `local:`: a relay and a database in control groups, on one CPU or more.

With a second guest there are two of each.
"""

import logging
from collections.abc import Iterable, Mapping

import msgspec

from scheduler.errors import HostError
from scheduler.hosts.local import followed_groups, group_placement, guest_cpus, leftover_processes, local_cpus
from scheduler.hosts.local.cgroup_lock import CgroupLock
from scheduler.hosts.local.cgroup_paths import (
    DOMAINS,
    CgroupPaths,
    InitialGroups,
    ProcessOrigin,
    group_folder,
    read_initial_groups,
)
from scheduler.hosts.local.cgroup_steps import CgroupStep
from scheduler.hosts.local.control_groups import ControlGroups, plan_return, require_cgroup_params
from scheduler.hosts.local.describe_computer import describe_local
from scheduler.hosts.local.domain_processes import DomainProcesses
from scheduler.hosts.local.group_placement import ANY_CPU, PLACED_DOMAINS
from scheduler.hosts.local.group_usage import GroupUsage
from scheduler.hosts.local.original_groups import find_origin, read_affinity, read_tasks, refuse_no_return
from scheduler.hosts.local.second_group import add_second_guest
from scheduler.hosts.local.stale_records import boot_id, encode_inode_marks
from scheduler.hosts.local.step_runner import run_steps
from scheduler.hosts.protocols import CommandLog, Host
from scheduler.model.host_properties import CpuUsage, DomainUsage, HostProperties
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.placement import CpuMask, PlacementParams
from scheduler.model.scheduler_params import CgroupParams, SchedParams
from scheduler.model.split import GUEST, GUEST_2, ROLES, DomainId
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.translation import _

log = logging.getLogger(__name__)

URL = "local:"
SECOND = "second guest"  # key in an undo record's context
_ROUNDS = 10  # rounds of moves while a server starts processes; each round finds fewer


class LocalHost(Host):
    """Two control groups with the domains' processes, or three with a second guest.

    Args:
        place: Paths of the groups.
        command_log: Called with each command and its answer.
        left: State of DomTune's folders before the first write of another process; None for a new sweep.
        database: URL of an external server on this computer, or the kind of built-in database (`mariadb:`).
    """

    def __init__(
        self, place: CgroupPaths, command_log: CommandLog, left: InitialGroups | None = None, database: str = ""
    ) -> None:
        self._place = place
        self._command_log = command_log
        self._reopened = left is not None
        self._changed = self._reopened
        self._groups = ControlGroups(place, left or read_initial_groups(place, booted=False))
        self._claim = CgroupLock(place.cpu)
        self._domains = DomainProcesses(database)
        self._usage = GroupUsage(self._groups, self._domains)
        self._stays: dict[DomainId, ProcessOrigin] = {}
        self._stood: dict[DomainId, CgroupParams] = {}  # parameters of groups that existed before the first write
        self._placed: dict[DomainId, PlacementParams] = {}  # as written
        self._rehearsed: dict[DomainId, CpuMask] = {}  # for commands before the domains start
        self._made_for_place: set[DomainId] = set()  # domains whose group has no parameters of a sweep yet
        self._facts: HostProperties | None = None
        self.follows = False  # True: only parameters are changed; the groups' processes belong to others

    @property
    def database(self) -> DomainProcesses:
        return self._domains

    def facts(self) -> HostProperties:
        if self._facts is None:
            found = describe_local(URL, self._place, self._domains.database)
            self._facts = msgspec.structs.replace(found, restarts_database=not self._domains.is_external)
        return add_second_guest(self._facts) if self._has_second else self._facts

    def boot(self) -> None:
        self._claim.take()
        for domain in self._groups.domains:
            if domain not in self._stays:
                leftover_processes.refuse_foreign_processes(self._groups, domain)
        self._domains.start()
        if self._domains.is_external:
            refuse_no_return(self._domains.first_pid(GUEST), self._place)
        for notice in self._domains.notices:
            self._command_log(f"start {self._domains.product}", notice)

    def follow(self, hard_s: float) -> bool:
        followed_groups.refuse_missing(self._groups)
        self._claim.take()
        self.follows = True
        return False

    def add_guest(self, name: str = "") -> None:
        self._domains.add_guest()
        self._groups.domains = ROLES

    def read(self, domain: DomainId) -> SchedParams | None:
        if domain == GUEST_VCPUS:  # Without the guest's processes in the group, DomTune has set nothing.
            return VcpuParams(self._groups.guest_cpus()) if GUEST in self._stays else None
        if domain in PLACED_DOMAINS:
            return self._read_placement(PLACED_DOMAINS[domain])
        return self._groups.read(domain)

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        if domain == GUEST_VCPUS:
            self._set_guest_cpus(params)
            return
        if domain in PLACED_DOMAINS:
            self._place_domain(PLACED_DOMAINS[domain], params)
            return
        wanted = require_cgroup_params(domain, params)
        if wanted is not None:
            self._groups.check(domain, wanted)
        self._made_for_place.discard(domain)
        self._claim.take()
        if self.follows:
            self._run_steps(followed_groups.plan_values(self._groups, domain, wanted))
            return
        self._clear_group(domain)
        self._record_initial_groups()
        if wanted is None:
            self._remove_group(domain)
            return
        self._run_steps(list(self._groups.make_and_set(domain, wanted)))
        if self._domains.started and domain not in self._stays:
            self._move_into_group(domain)

    def release_domain(self, domain: DomainId) -> None:
        if self.follows or domain == GUEST_VCPUS or domain in PLACED_DOMAINS:
            return
        groups, stay = self._groups, self._stays.get(domain)
        params = groups.read(domain)
        self._usage.take(domain)  # Removing the other hierarchies' folders clears their counters.
        if stay is not None:
            self._run_steps(list(plan_return(groups, domain, stay)))
            del self._stays[domain]  # only now: a failed move may be repeated
        elif self._reopened and groups.found.booted:  # Otherwise no process of the sweep is in the group.
            self._claim.take()
            self._clear_group(domain)
        if stay is not None or self._reopened:
            self._run_steps(list(groups.clear_aside(domain)))
        if params is not None:
            self._run_steps(list(groups.make_and_set(domain, params)))  # the quota was removed for the move

    def restart_database(self, *, cold: bool = False) -> int:
        stay = self._stays.pop(GUEST, None)
        kept_bytes = self._domains.restart_server(cold=cold)
        self._command_log(
            f"restart {self._domains.product}",
            _("{kept_bytes} bytes of its files stay in memory").format(kept_bytes=kept_bytes) * cold,
        )
        if stay is not None:
            self._move_into_group(GUEST)
        return kept_bytes

    def baseline(self, domain: DomainId) -> SchedParams:
        if domain == GUEST_VCPUS:
            return guest_cpus.ONE_CPU
        if domain in PLACED_DOMAINS:
            return ANY_CPU  # the kernel's default
        stood = self._stood if self._changed else self._read_existing()
        return stood.get(domain, self._groups.default)

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        if domain == GUEST_VCPUS:
            mask = None if params is None else guest_cpus.count_to_mask(params, self._place)
            return self._plan_mask_lines(GUEST, mask)
        if domain in PLACED_DOMAINS:
            return self._plan_placement_lines(PLACED_DOMAINS[domain], params)
        lines = [step.line for step in self._plan_write(domain, require_cgroup_params(domain, params))]
        if params is not None and self._rehearses:
            lines += self._groups.rehearse_enter(domain, self._rehearsed.get(domain))
        return tuple(lines)

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        if self._domains.started:
            for domain in self._groups.domains:
                self._domains.first_pid(domain)  # raises DomainGone
        return self._usage.look()

    def cpu_usage(self) -> CpuUsage | None:
        cpus = self._shared_cpus()
        seen = local_cpus.read_cpu_usage(cpus)
        # Elsewhere the load runs on the same CPUs, or the guest on more: the rest is not the use by other programs.
        alone = cpus == self._groups.domain_cpus(GUEST) == (self._place.contended_cpu,)
        return seen if seen is None or alone else msgspec.structs.replace(seen, busy_s=None)

    def failure_details(self) -> str:
        return self._domains.failure_details()

    def context(self) -> Mapping[str, str]:
        found = self._groups.found if self._changed else self._read_initial_groups()
        more = {name: "yes" for name, is_so in (("follows", self.follows), (SECOND, self._has_second)) if is_so}
        return {"place": _encode_json(self._place), "found": _encode_json(found), "boot": boot_id(), **more}

    def creation_context(self) -> Mapping[str, str]:
        folders = (group_folder(self._place.cpu, domain) for domain in DOMAINS)
        return {
            "made": encode_inode_marks(folder for folder in folders if str(folder) not in self._groups.found.folders)
        }

    def close(self) -> None:
        theirs = self._stays.pop(GUEST, None) if self._domains.is_external else None
        swept = self._domains.started or (self._reopened and self._groups.found.booted)
        self._domains.stop()
        for domain in self._groups.domains if swept else ():
            # Original groups stay. Folders and processes that the sweep added do not.
            try:
                if theirs and domain == GUEST:
                    self._run_steps(list(plan_return(self._groups, domain, theirs)))
                self._run_steps(list(self._groups.clear_aside(domain)))
            except HostError as error:
                log.warning("not all of %s could be removed: %s", domain, error)
        self._claim.release()

    @property
    def _has_second(self) -> bool:
        return GUEST_2 in self._groups.domains

    def _plan_write(self, domain: DomainId, params: CgroupParams | None) -> Iterable[CgroupStep]:
        """Plan a write from the current state."""
        groups, stay = self._groups, self._stays.get(domain)
        left = stay is None and self._reopened and bool(groups.pids(domain))
        if left:
            theirs = self._external_origin(domain)
            yield from (
                plan_return(groups, domain, theirs) if theirs else leftover_processes.plan_termination(groups, domain)
            )
        if params is not None:
            yield from groups.make_and_set(domain, params)
            if self._domains.started and stay is None:
                yield from groups.enter(domain, self._domains.pids(domain))
            return
        steps = [] if left or stay else list(groups.lift_quota(domain))
        steps += plan_return(groups, domain, stay) if stay else ()
        steps += groups.remove(domain)
        yield from steps or groups.rehearse_remove(domain)

    def _shared_cpus(self) -> CpuMask:
        """Return the CPUs of all placed domains, or the one shared CPU."""
        placed = [group_placement.resolve_mask(params, self._place) for params in self._placed.values()]
        return tuple(sorted({cpu for mask in placed for cpu in mask})) or (self._place.contended_cpu,)

    @property
    def _rehearses(self) -> bool:
        """True before the domains start: their commands then have placeholders."""
        return not (self._domains.started or self._reopened)

    def _plan_placement_lines(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        """Return the commands of a placement.

        Before the domains start, the commands of the group's parameters include them.
        """
        if params is None:
            return self._plan_mask_lines(domain, None)
        mask = group_placement.resolve_mask(params, self._place)
        if self._rehearses:
            self._rehearsed[domain] = mask
            return ()
        if params == ANY_CPU and self._is_unneeded(domain, ANY_CPU):
            return self.commands(domain, None)
        return () if params == ANY_CPU and domain not in self._stays else self._plan_mask_lines(domain, mask)

    def _plan_mask_lines(self, domain: DomainId, mask: CpuMask | None) -> tuple[str, ...]:
        if mask is None and domain not in self._stays:
            return ()
        present = self._domains.pids(domain) if self._domains.started else None
        return group_placement.plan_mask_lines(self._groups, domain, mask, present)

    def _set_guest_cpus(self, params: SchedParams | None) -> None:
        """Set the number of the guest's CPUs; None for the shared CPU alone."""
        mask = guest_cpus.count_to_mask(params, self._place)
        if params is not None:
            self._require_started(_("the guest's CPUs"))
        self._placed.pop(GUEST, None)
        self._set_mask(GUEST, mask if params is not None else None)

    def _place_domain(self, domain: DomainId, params: SchedParams | None) -> None:
        """Set a domain's CPUs.

        A group that exists only for its CPUs is removed when every CPU is allowed again.

        Args:
            domain: The domain.
            params: The placement; None for the default, the shared CPU alone.
        """
        if params is None:
            self._placed.pop(domain, None)
            self._set_mask(domain, None)
            return
        placement = narrow_params(params, PlacementParams, _("a control group's CPUs"))
        mask = group_placement.resolve_mask(placement, self._place)
        if placement != ANY_CPU:
            self._require_started(_("the CPUs of {domain}").format(domain=domain))
        made, self._placed[domain] = not self._groups.exists(domain), placement
        if self._is_unneeded(domain, placement):
            self.write(domain, None)
            self._groups.masks[domain] = mask
        elif placement == ANY_CPU and domain not in self._stays:
            self._groups.masks[domain] = mask  # the processes may run on every CPU until they enter the group
        else:
            self._set_mask(domain, mask)
            if made:
                self._made_for_place.add(domain)

    def _is_unneeded(self, domain: DomainId, placement: PlacementParams) -> bool:
        """Return True when a group exists that only a placement needed."""
        found = str(group_folder(self._place.cpu, domain)) in self._groups.found.folders
        ours = domain in self._made_for_place or (self._reopened and self._groups.exists(domain) and not found)
        return placement == ANY_CPU and ours

    def _read_placement(self, domain: DomainId) -> PlacementParams:
        """Return a domain's CPUs in effect; every CPU while its group is not in use.

        The form of what was written is kept where the kernel's CPUs are the same: `any CPU` is one of two.
        """
        if domain not in self._stays:
            return ANY_CPU
        now, written = self._groups.effective_cpus(domain), self._placed.get(domain)
        if written is not None and now == group_placement.resolve_mask(written, self._place):
            return written
        return PlacementParams((now,))

    def _require_started(self, what: str) -> None:
        if self.follows or not self._domains.started:
            raise HostError(
                _("{what} cannot be set: nothing runs in it yet").format(what=what), hint=_("Start the domains first.")
            )

    def _set_mask(self, domain: DomainId, mask: CpuMask | None) -> None:
        """Set a domain's CPUs and move its processes there; None for the default."""
        if mask is None:
            self._groups.masks.pop(domain, None)
        else:
            self._groups.masks[domain] = mask
        if domain in self._stays:
            self._move_into_group(domain)
        elif mask is not None:
            self.write(domain, self._groups.read(domain) or self._groups.default)  # creates the group

    def _move_into_group(self, domain: DomainId) -> None:
        """Move a domain's processes into its group, with those started in the meantime."""
        if domain not in self._stays:
            self._stays[domain] = self._find_process_origin(domain)
        for _unused in range(_ROUNDS):
            steps = list(self._groups.enter(domain, self._domains.pids(domain)))
            if not steps:
                return
            self._run_steps(steps)
        raise HostError(
            _("the processes of {domain} start others faster than they can be moved into its group").format(
                domain=domain
            )
        )

    def _remove_group(self, domain: DomainId) -> None:
        groups, stay = self._groups, self._stays.pop(domain, None)
        self._run_steps(list(plan_return(groups, domain, stay) if stay else groups.lift_quota(domain)))
        self._usage.take(domain)  # removing the group clears the kernel's counters
        self._run_steps(list(groups.remove(domain)))
        self._changed = self._reopened or any(groups.exists(each) for each in ROLES)

    def _clear_group(self, domain: DomainId) -> None:
        """End or move back a killed sweep's processes; raise HostBusy for others."""
        if domain in self._stays or not self._groups.pids(domain):
            return
        theirs = self._external_origin(domain)
        if theirs is not None:
            self._run_steps(list(plan_return(self._groups, domain, theirs)))
        elif self._reopened and self._groups.found.booted:
            leftover_processes.end_processes(self._groups, domain, self._command_log)
        else:
            leftover_processes.refuse_foreign_processes(self._groups, domain)

    def _external_origin(self, domain: DomainId) -> ProcessOrigin | None:
        """Return the origin of an external server's processes that a killed sweep left."""
        return self._groups.found.adopted if self._reopened and domain == GUEST else None

    def _record_initial_groups(self) -> None:
        if not self._changed:
            self._groups.found, self._stood = self._read_initial_groups(), self._read_existing()
            self._changed = True

    def _read_existing(self) -> dict[DomainId, CgroupParams]:
        """Return the parameters of the existing groups.

        'domtune apply' or other programs set them.
        """
        return {domain: params for domain in ROLES if (params := self._groups.read(domain)) is not None}

    def _read_initial_groups(self) -> InitialGroups:
        adopted = self._find_process_origin(GUEST) if self._domains.started and self._domains.is_external else None
        return read_initial_groups(self._place, booted=self._domains.started, adopted=adopted)

    def _find_process_origin(self, domain: DomainId) -> ProcessOrigin:
        first = self._domains.first_pid(domain)
        cpus = read_affinity(first)
        theirs = self._domains.pids(domain) if self._domains.is_external and domain == GUEST else ()
        tasks = {task: mask for pid in theirs for task, mask in read_tasks(pid).items() if mask != cpus}
        return ProcessOrigin(first, find_origin(first, self._place), cpus, tasks)

    def _run_steps(self, steps: Iterable[CgroupStep]) -> None:
        run_steps(steps, self._command_log)


def _encode_json(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()
