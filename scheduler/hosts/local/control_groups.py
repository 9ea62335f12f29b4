"""DomTune's control groups, two or three: readings, and plans of changes as steps."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from scheduler.errors import HostError, ParameterRefused
from scheduler.files import path_exists
from scheduler.hosts.local.cgroup_dialect import CgroupDialect, CpuTimes
from scheduler.hosts.local.cgroup_paths import DOMAINS, CgroupPaths, InitialGroups, ProcessOrigin, group_folder
from scheduler.hosts.local.cgroup_steps import (
    CgroupStep,
    ConfineProcess,
    ConfineTask,
    EmptyGroup,
    EnterGroup,
    MakeFolder,
    RemoveFolder,
    confine_line,
    enter_line,
    read_pids,
)
from scheduler.hosts.local.cgroup_v1 import CgroupV1
from scheduler.hosts.local.cgroup_v2 import CgroupV2
from scheduler.hosts.local.original_groups import exit_folder, read_task_affinity, read_tasks
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.placement import CpuMask
from scheduler.model.scheduler_params import CGROUP_V1, MIN_QUOTA_US, CgroupParams, SchedParams
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.spec import PERIOD_US_RANGE
from scheduler.model.split import GUEST, ROLES, DomainId
from scheduler.translation import _

_MAX_QUOTA_US = 2**44 - 1  # kernel/sched: max_cfs_runtime


class ControlGroups:
    """The groups below one set of paths; methods that return steps touch nothing.

    Args:
        place: Paths of the groups.
        found: State of DomTune's folders before the first write.

    Attributes:
        domains: The domains with a group: two, or three with a second guest.
        masks: CPUs of the domains, ascending, as far as they differ from the one shared CPU.
    """

    def __init__(self, place: CgroupPaths, found: InitialGroups) -> None:
        self.place = place
        self.found = found
        self.domains: tuple[DomainId, ...] = DOMAINS
        self.masks: dict[DomainId, CpuMask] = {}
        self.default = CgroupParams(place.limits.default_weight)
        is_v1 = place.scheduler == CGROUP_V1.scheduler
        self._dialect: CgroupDialect = CgroupV1(place) if is_v1 else CgroupV2(place)

    def exists(self, domain: DomainId) -> bool:
        """Return True when the group with the parameters exists."""
        return path_exists(self._cpu_folder(domain))

    def read(self, domain: DomainId) -> CgroupParams | None:
        """Return the parameters; None without the group. Raise HostError."""
        try:
            return self._dialect.read(self._cpu_folder(domain))
        except FileNotFoundError:
            if self.exists(domain):
                raise HostError(
                    _("{cpu_folder} has no files of the CPU controller").format(cpu_folder=self._cpu_folder(domain)),
                    hint=_("Remove that folder (rmdir), or enable the controller in the folder above it."),
                ) from None
            return None
        except (OSError, ValueError) as error:
            raise HostError(
                _("the control group {cpu_folder} cannot be read: {error}").format(
                    cpu_folder=self._cpu_folder(domain), error=error
                )
            ) from error

    def pids(self, domain: DomainId) -> list[int]:
        """Return the processes in any of the domain's folders."""
        return sorted({pid for folder in self._group_folders(domain) for pid in read_pids(folder)})

    def times(self, domain: DomainId) -> CpuTimes | None:
        """Return the counters; None without the group or its accounting. Raise HostError."""
        try:
            return self._dialect.times(self._cpu_folder(domain), group_folder(self.place.cpuacct, domain))
        except OSError:
            return None
        except ValueError as error:
            raise HostError(
                _("the counters of the control group {cpu_folder} cannot be read: {error}").format(
                    cpu_folder=self._cpu_folder(domain), error=error
                )
            ) from error

    def check(self, domain: DomainId, params: CgroupParams) -> None:
        """Raise ParameterRefused for values that the kernel would refuse or change.

        Args:
            domain: The domain.
            params: Parameters to check.
        """
        rows = [(self._dialect.weight_file, params.weight, self.place.limits.weights)]
        rows.append(
            (_("period in {quota_file}").format(quota_file=self._dialect.quota_file), params.period_us, PERIOD_US_RANGE)
        )
        if params.quota_us is not None:
            rows.append((self._dialect.quota_file, params.quota_us, (MIN_QUOTA_US, _MAX_QUOTA_US)))
        for name, value, (low, high) in rows:
            if not low <= value <= high:
                raise ParameterRefused(
                    _("{cpu_folder}: {name} cannot be {value}, only {low}..{high}").format(
                        cpu_folder=self._cpu_folder(domain), name=name, value=value, low=low, high=high
                    ),
                    hint=_("Use a value from {low} to {high}.").format(low=low, high=high),
                )

    def make_and_set(self, domain: DomainId, wanted: CgroupParams) -> Iterator[CgroupStep]:
        """Plan the creation of a missing group, and the changes of its parameters.

        Args:
            domain: The domain.
            wanted: Parameters to set.
        """
        folder = self._cpu_folder(domain)
        now = self.read(domain)
        if now is None:
            yield from self._dialect.prepare()
            yield MakeFolder(folder)
        yield from self._dialect.values(folder, now or self.default, wanted)

    def enter(self, domain: DomainId, pids: Iterable[int], mask: CpuMask | None = None) -> Iterator[CgroupStep]:
        """Plan the move of processes into the group and onto the domain's CPUs.

        Processes that are already there need no step.

        Args:
            domain: The domain.
            pids: The processes.
            mask: The CPUs, ascending; None for those that are meant for the domain.
        """
        by_set, cpus = self._confines_by_set(domain), mask or self.domain_cpus(domain)
        if by_set:
            yield from self._dialect.confine_cpus(group_folder(self.place.cpuset, domain), cpus)
        for folder in (
            group_folder(base, domain) for base in self.place.aside if not (by_set and base == self.place.cpuset)
        ):
            yield from (MakeFolder(path) for path in (folder.parent, folder) if not path_exists(path))
        present = list(pids)
        for folder in self._group_folders(domain):
            insiders = set(read_pids(folder))
            outside = tuple(pid for pid in present if pid not in insiders)
            if outside:
                yield EnterGroup(outside, folder)
        if not by_set:
            yield from (ConfineProcess(pid, cpus) for pid in present if read_task_affinity(pid) not in {cpus, ()})

    def rehearse_enter(self, domain: DomainId, mask: CpuMask | None = None) -> Iterator[str]:
        """Yield the lines of `enter` for processes that do not run yet.

        Args:
            domain: The domain.
            mask: As in `enter`.
        """
        yield from (step.line for step in self.enter(domain, (), mask))
        pids = f"$PIDS_OF_{domain.upper()}"
        yield from (enter_line(pids, folder) for folder in self._group_folders(domain))
        if not self._confines_by_set(domain):
            yield confine_line(pids, mask or self.domain_cpus(domain))

    def effective_cpus(self, domain: DomainId) -> CpuMask:
        """Return the CPUs in effect for the domain's processes, by the kernel.

        A group above may allow fewer CPUs than were written.

        Raises:
            HostError: The kernel's files cannot be read.
        """
        try:
            by_set = self._confines_by_set(domain)
            now = self._dialect.effective_cpus(group_folder(self.place.cpuset, domain)) if by_set else ()
        except OSError as error:
            raise HostError(
                _("the CPUs of {cpu_folder} cannot be read: {strerror}").format(
                    cpu_folder=self._cpu_folder(domain), strerror=error.strerror
                )
            ) from error
        return now or tuple(sorted({cpu for pid in self.pids(domain) for cpu in read_task_affinity(pid)}))

    def guest_cpus(self) -> int:
        """Return the number of CPUs on which the guest's processes may run.

        Raises:
            HostError: The CPUs are not those that DomTune set.
        """
        now = self.effective_cpus(GUEST)
        if now not in (self.domain_cpus(GUEST), tuple(sorted(self.place.cpus[: len(now)]))):
            raise HostError(
                _("the guest's processes may run on CPU {now}, which was not set").format(now=format_cpu_list(now)),
                hint=_("Another program sets the CPUs of the same processes; end that first."),
            )
        return len(now)

    def domain_cpus(self, domain: DomainId) -> CpuMask:
        """Return the CPUs that are meant for a domain: by default the shared CPU."""
        return self.masks.get(domain, (self.place.contended_cpu,))

    def leave(self, domain: DomainId, stay: ProcessOrigin) -> Iterator[CgroupStep]:
        """Plan the move of all processes out of a group, to their origin where allowed.

        Args:
            domain: The domain of the group.
            stay: Origin of the processes; the parent of the others moves first.
        """
        origin, cpus = stay.origin, stay.cpus
        pids = sorted(self.pids(domain), key=lambda pid: (pid != stay.first_pid, pid))
        for base in (self.place.cpu, *self.place.aside):
            if read_pids(group_folder(base, domain)):
                yield EmptyGroup(group_folder(base, domain), exit_folder(base, Path(origin.get(base, base))))
        # A process that leaves a CPU set may run on all CPUs of the next one.
        if not self._confines_by_set(domain) or len(cpus) != os.cpu_count():
            yield from (ConfineProcess(pid, cpus) for pid in pids)
        tasks = (task for pid in pids for task in read_tasks(pid))
        yield from (ConfineTask(task, stay.task_cpus[task]) for task in tasks if task in stay.task_cpus)

    def lift_quota(self, domain: DomainId) -> Iterator[CgroupStep]:
        """Plan the removal of the quota: throttled processes might not end in time."""
        now = self.read(domain)
        if now is not None and now.quota_us is not None:
            yield from self._dialect.lift_quota(self._cpu_folder(domain))

    def clear_aside(self, domain: DomainId) -> Iterator[CgroupStep]:
        """Plan the removal of the folders in the other hierarchies, except original ones."""
        for base in self.place.aside:
            folders = self._removable_folders(base, domain, is_last=self._is_last(base, domain))
            yield from (RemoveFolder(path) for path in folders if path_exists(path))

    def remove(self, domain: DomainId) -> Iterator[CgroupStep]:
        """Plan the removal of the group; with the last group, also of the common folders."""
        yield from self.clear_aside(domain)
        folder = self._cpu_folder(domain)
        if path_exists(folder):
            yield RemoveFolder(folder)
        if self._is_last(self.place.cpu, domain):
            yield from self._dialect.undo_prepare(self.found)
            if path_exists(folder.parent) and str(folder.parent) not in self.found.folders:
                yield RemoveFolder(folder.parent)

    def rehearse_remove(self, domain: DomainId) -> Iterator[CgroupStep]:
        """Plan the removal of a group with a quota, before the group exists."""
        yield from self._dialect.lift_quota(self._cpu_folder(domain))
        for base in (*self.place.aside, self.place.cpu):
            yield from (
                RemoveFolder(path) for path in self._removable_folders(base, domain, is_last=domain == self.domains[-1])
            )

    def _removable_folders(self, base: str, domain: DomainId, *, is_last: bool) -> list[Path]:
        folder = group_folder(base, domain)
        paths = (folder, folder.parent) if is_last else (folder,)
        return [path for path in paths if str(path) not in self.found.folders]

    def _is_last(self, base: str, domain: DomainId) -> bool:
        return not any(path_exists(group_folder(base, each)) for each in ROLES if each != domain)

    def _confines_by_set(self, domain: DomainId) -> bool:
        """Return True for a group that DomTune created, where CPU sets are usable.

        A group that existed before keeps its CPU set, and CPU affinity has the same effect.
        """
        return bool(self.place.cpuset) and str(group_folder(self.place.cpuset, domain)) not in self.found.folders

    def _cpu_folder(self, domain: DomainId) -> Path:
        return group_folder(self.place.cpu, domain)

    def _group_folders(self, domain: DomainId) -> list[Path]:
        return [group_folder(base, domain) for base in (self.place.cpu, *self.place.aside)]


def require_cgroup_params(domain: DomainId, params: SchedParams | None) -> CgroupParams | None:
    """Return parameters as those of a group; raise ParameterRefused for other kinds.

    Args:
        domain: The domain.
        params: The parameters; None for none.
    """
    return (
        None if params is None else narrow_params(params, CgroupParams, _("the {domain} group").format(domain=domain))
    )


def plan_return(groups: ControlGroups, domain: DomainId, stay: ProcessOrigin) -> Iterator[CgroupStep]:
    """Plan the return of a domain's processes to their origin, without throttling.

    Args:
        groups: The groups.
        domain: The domain.
        stay: Origin of the processes.
    """
    yield from groups.lift_quota(domain)
    yield from groups.leave(domain, stay)
