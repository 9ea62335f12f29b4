"""Placement of LXC containers on this computer, by their control group's CPU set.

libvirt's LXC driver has no calls for pins (lxc_driver.c), so the file is written directly.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from scheduler.errors import HostError, HostNotUsable, ParameterRefused
from scheduler.files import path_exists
from scheduler.hosts.cgroup_mounts import CgroupMount, Memberships, parse_memberships, parse_mounts
from scheduler.hosts.libvirt.cpu_sets import parse_cpu_set
from scheduler.hosts.libvirt.domain_placement import (
    AS_FOUND_HINT,
    PLACED_ROLES,
    SideDomains,
)
from scheduler.hosts.libvirt.host_cpus import HostCpus
from scheduler.hosts.libvirt.worker_answers import DomainDescription
from scheduler.hosts.protocols import CommandLog
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.placement import CpuMask, PlacementParams, PlacementSupport
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.sentence_texts import encode_cpu_list, format_cpu_list
from scheduler.model.split import DomainId
from scheduler.toolstacks.virsh import PinStep
from scheduler.translation import _

_PROC = Path("/proc")
_CPUS = "cpuset.cpus"
_EFFECTIVE = ("cpuset.cpus.effective", "cpuset.effective_cpus", _CPUS)  # version 2, version 1, before Linux 3.17
_NO_CALL = _("libvirt's driver for LXC has no call that changes the CPUs of a running container")


class ContainerPlacement:
    """CPU sets of both containers.

    Args:
        domains: The two containers.
        cpus: CPUs of the host.
        command_log: Called with each command and its answer.
        here: True when the containers run on this computer.
    """

    def __init__(self, domains: SideDomains, cpus: HostCpus, command_log: CommandLog, *, here: bool) -> None:
        self.cpus = cpus
        self._domains = domains
        self._command_log = command_log
        self._here = here

    def support(self, domains: Iterable[DomainDescription]) -> PlacementSupport:
        """Return the support for placing the containers.

        Args:
            domains: libvirt's descriptions of both domains.
        """
        choices = self.cpus.numbers()
        if not self._here:
            return PlacementSupport(choices=choices, why=_NO_CALL, hint=AS_FOUND_HINT)
        for each in domains:
            try:
                folder = find_cpu_set(each.number)
            except HostNotUsable as error:
                return PlacementSupport(choices=choices, why=f"{each.name}: {error}", hint=error.hint)
            if not os.access(folder / _CPUS, os.W_OK):
                why = _("{no_call}, and this account may not write to {folder}").format(
                    no_call=_NO_CALL, folder=folder / _CPUS
                )
                return PlacementSupport(
                    choices=choices,
                    why=why,
                    hint=_("Run DomTune as root. {as_found_hint}").format(as_found_hint=AS_FOUND_HINT),
                )
        return PlacementSupport(possible=True, choices=choices, why="")

    def read(self, slot: DomainId) -> PlacementParams | None:
        """Return a container's CPUs in effect; None when gone. Raise HostError."""
        description = self._domains.describe(slot)
        return None if description.gone else PlacementParams((self._read_mask(find_cpu_set(description.number)),))

    def plan(self, slot: DomainId, params: SchedParams, *, all_threads: bool = False) -> list[PinStep]:
        """Raise ParameterRefused: virsh has no command for a container's CPUs."""
        raise ParameterRefused(
            _("{placed_roles} cannot be placed: {no_call}").format(placed_roles=PLACED_ROLES[slot], no_call=_NO_CALL),
            hint=AS_FOUND_HINT,
        )

    def check(self, slot: DomainId, params: SchedParams) -> None:
        """Raise ParameterRefused for a placement that a container cannot have.

        Args:
            slot: The container.
            params: The placement.
        """
        wanted, choices = narrow_params(params, PlacementParams, _("a container's CPUs")), self.cpus.numbers()
        support = self.support([self._domains.require(slot)])
        if not support.possible:
            raise ParameterRefused(
                _("{placed_roles} cannot be placed: {why}").format(placed_roles=PLACED_ROLES[slot], why=support.why),
                hint=support.hint,
            )
        if len(wanted.vcpus) != 1 or any(wanted.soft) or wanted.emulator is not None or wanted.iothreads:
            raise ParameterRefused(
                _("a container has only one set of CPUs ({words})").format(words=wanted.words),
                hint=_("Write one mask for it."),
            )
        if strange := set(wanted.vcpus[0]) - set(choices):
            raise ParameterRefused(
                _("{placed_roles} cannot run on CPU {strange}: not online").format(
                    placed_roles=PLACED_ROLES[slot], strange=format_cpu_list(strange)
                ),
                hint=_("Choose from CPU {choices}.").format(choices=format_cpu_list(choices)),
            )

    def write(self, slot: DomainId, params: SchedParams) -> None:
        """Place a container; raise HostError."""
        self.check(slot, params)
        folder = find_cpu_set(self._domains.require(slot).number)
        text = self._format_mask(folder, narrow_params(params, PlacementParams, _("a container's CPUs")).vcpus[0])
        line = _format_line(folder, text)
        try:
            (folder / _CPUS).write_text(f"{text}\n")
        except OSError as error:
            self._command_log(line, str(error))
            raise HostError(
                _("{folder} does not take {text!r}: {strerror}").format(
                    folder=folder / _CPUS, text=text, strerror=error.strerror
                ),
                hint=_("A control group inside the container, or above it, uses other CPUs."),
            ) from error
        self._command_log(line, "ok")

    def lines(self, slot: DomainId, params: SchedParams) -> tuple[str, ...]:
        """Return the command of `write` as a line to type; touch nothing.

        Args:
            slot: The container.
            params: The placement.
        """
        self.check(slot, params)
        folder = find_cpu_set(self._domains.require(slot).number)
        mask = narrow_params(params, PlacementParams, _("a container's CPUs")).vcpus[0]
        return (_format_line(folder, self._format_mask(folder, mask)),)

    def _read_mask(self, folder: Path) -> CpuMask:
        cpus = self.cpus.numbers()
        try:
            text = next(text for name in _EFFECTIVE if (text := _read_text(folder / name)) is not None)
        except StopIteration:
            raise HostError(
                _("{folder} has no {cpus}").format(folder=folder, cpus=_CPUS), hint=_("Is the container still running?")
            ) from None
        found = parse_cpu_set(text, max(cpus) + 1)
        return () if found.issuperset(cpus) else tuple(sorted(found))

    def _format_mask(self, folder: Path, mask: CpuMask) -> str:
        """Return a mask as the kernel takes it.

        Under version 2, an empty text means every CPU.
        """
        if not mask and path_exists(folder / _EFFECTIVE[0]):
            return ""
        return encode_cpu_list(mask or self.cpus.numbers())


def find_cpu_set(pid: int, processes: Path = _PROC) -> Path:
    """Return the folder with the CPU set of a container.

    Args:
        pid: Process id of the container's controller, which is libvirt's number of the domain.
        processes: Folder of all processes.

    Raises:
        HostNotUsable: The container has no CPU set of its own, or its processes are outside of it.
    """
    try:
        mounts = parse_mounts((processes / "self/mountinfo").read_text())
        memberships = parse_memberships((processes / str(pid) / "cgroup").read_text())
        children = _read_text(processes / str(pid) / f"task/{pid}/children") or ""
        inside = [parse_memberships(_read_text(processes / child / "cgroup") or "") for child in children.split()]
    except OSError as error:
        raise HostNotUsable(
            _("its control group cannot be read: {strerror}").format(strerror=error.strerror), hint=AS_FOUND_HINT
        ) from error
    for mount in sorted(mounts, key=lambda each: "cpuset" not in each.controllers):
        folder = _find_folder(mount, memberships)
        if folder is not None and all(_is_inside(mount, each, folder) for each in inside):
            return folder
    raise HostNotUsable(_("the container has no own CPU set: the controller cpuset is off"), hint=AS_FOUND_HINT)


def _find_folder(mount: CgroupMount, memberships: Memberships) -> Path | None:
    """Return a controller's folder in a hierarchy with CPU sets; None for the root."""
    folder = mount.folder_of(memberships)
    usable = folder is not None and folder != mount.point and path_exists(folder / _CPUS)
    return folder if usable else None


def _is_inside(mount: CgroupMount, memberships: Memberships, folder: Path) -> bool:
    own = mount.folder_of(memberships)
    return own is None or own.is_relative_to(folder)


def _format_line(folder: Path, text: str) -> str:
    return f"echo {text} > {folder / _CPUS}"


def _read_text(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None
