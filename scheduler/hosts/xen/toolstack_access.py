"""Access to a host's toolstack: tool, version, sudo and list of domains."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scheduler.errors import HostNotUsable
from scheduler.hosts.remote.command_batch import run_all
from scheduler.hosts.remote.shell import CommandResult, Shell
from scheduler.hosts.xen.commands import INFO, LIST, LIST_WITH_POOLS, LIST_WITH_UUIDS, vm_path
from scheduler.hosts.xen.xl_tables import DomainRow, parse_domains, parse_info
from scheduler.model.number_parsing import parse_whole_number
from scheduler.places import XEN_FOLDER
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.xen_tool import Version
from scheduler.translation import _

TIMEOUT_S = 60.0
# Folders of packages, of Xen built from source, of NetBSD and of NixOS. A login by ssh may not have them on PATH.
_FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/usr/pkg/sbin", "/run/current-system/sw/bin")
_TOOLS = ("xl", "xm")
_LIST_POOLS: Version = (4, 6)  # xl list -c


@dataclass(frozen=True, slots=True)
class ToolstackAccess:
    """Access to the toolstack of a host.

    Attributes:
        sudo: Command prefix for root; empty for root.
        program: Absolute path of the tool.
        version: Version of Xen.
    """

    sudo: Argv
    program: str
    version: Version

    @property
    def name(self) -> str:
        """Name of the tool: `xl` or `xm`."""
        return self.program.rpartition("/")[2]

    def beside(self, name: str) -> str:
        """Return the path of another program in the toolstack's folder."""
        return f"{self.program.rpartition('/')[0]}/{name}"


def find_access(shell: Shell) -> ToolstackAccess:
    """Find the tool and the required privilege; raise HostNotUsable, HostUnreachable."""
    program, is_root = _find_tool(shell)
    sudo = () if is_root else ("sudo", "-n")
    answer = shell.run([*sudo, program, *INFO], timeout_s=TIMEOUT_S)
    raise_tool_error(answer, shell.where, ToolstackAccess(sudo, program, (0, 0)))
    info = parse_info(answer.out)
    version = (_parse_number(info.get("xen_major", "")), _parse_number(info.get("xen_minor", "")))
    if not version[0]:
        raise HostNotUsable(
            _("{where}: '{program} info' reports no version of Xen: {answer}").format(
                where=shell.where, program=program, answer=answer.said[:200]
            )
        )
    return ToolstackAccess(sudo, program, version)


def _find_tool(shell: Shell) -> tuple[str, bool]:
    """Return the absolute path of the tool, and True when the account is root.

    Raises:
        HostNotUsable: The host has no tool.
        HostUnreachable: The host does not answer.
    """
    folders = [*filter(None, [os.environ.get(XEN_FOLDER)]), *_FOLDERS]
    fixed = [f"{folder}/{tool}" for tool in _TOOLS for folder in folders]
    looks = [*(["test", "-x", program] for program in fixed), *(["command", "-v", tool] for tool in _TOOLS)]
    uid, *answers = run_all(shell, [["id", "-u"], *looks])
    there, on_path = answers[: len(fixed)], [answer.out.strip() for answer in answers[len(fixed) :]]
    found = [program for program, answer in zip(fixed, there, strict=True) if answer.code == 0]
    found += [program for program in on_path if program.startswith("/")]  # else an alias, or of the current folder
    if not found:
        raise HostNotUsable(
            _("{where} has neither xl nor xm in {folders}, nor on PATH").format(
                where=shell.where, folders=", ".join(folders)
            ),
            hint=_(
                "If Xen's tools are in another folder, name that folder in {xen_folder}. Otherwise "
                "connect to a Xen Dom0. For KVM and LXC use a libvirt URL such as qemu:///system."
            ).format(xen_folder=XEN_FOLDER),
        )
    return found[0], uid.out.strip() == "0"


def list_domains(shell: Shell, access: ToolstackAccess) -> list[DomainRow]:
    """Return the running domains with their UUIDs.

    Args:
        shell: Shell of the host.
        access: Access to the toolstack.

    Raises:
        HostNotUsable: The tool fails, or its output cannot be read.
        HostUnreachable: The host does not answer.
    """
    answer = shell.run(list_command(access), timeout_s=TIMEOUT_S)
    raise_tool_error(answer, shell.where, access)
    return add_uuids(shell, access, parse_domains(answer.out))


def add_uuids(shell: Shell, access: ToolstackAccess, rows: list[DomainRow]) -> list[DomainRow]:
    """Return the rows with UUIDs from xenstore, which `xm list` does not print.

    Args:
        shell: Shell of the host.
        access: Access to the toolstack.
        rows: The running domains.
    """
    if all(row.uuid for row in rows):
        return rows
    reads = [[*access.sudo, "xenstore-read", vm_path(row.domid)] for row in rows]
    paths = run_all(shell, reads, timeout_s=TIMEOUT_S)
    # xend appends a count after a reboot: /vm/UUID-1.
    return [replace(row, uuid=path.out.strip()[len("/vm/") :][:36]) for row, path in zip(rows, paths, strict=True)]


def list_command(access: ToolstackAccess) -> Sequence[str]:
    """Return the command that lists the domains in the most detail of this version."""
    verbose = LIST_WITH_POOLS if lists_pools(access) else LIST_WITH_UUIDS
    words = LIST if access.name == "xm" else verbose
    return [*access.sudo, access.program, *words]


def lists_pools(access: ToolstackAccess) -> bool:
    """Return True when the list of domains includes their CPU pools."""
    return access.name == "xl" and access.version >= _LIST_POOLS


def raise_tool_error(answer: CommandResult, where: str, access: ToolstackAccess) -> None:
    """Raise HostNotUsable when the tool failed.

    Args:
        answer: Result of the tool's command.
        where: The host, for messages.
        access: Access to the toolstack.
    """
    if answer.code == 0:
        return
    program = access.program
    said = answer.said
    if is_sudo_refusal(access.sudo, answer):
        raise HostNotUsable(
            _("{where}: this account may not call {program} by sudo: {splitlines}").format(
                where=where, program=program, splitlines=said.splitlines()[-1]
            ),
            hint=_("Connect as root, or let the account call it without a password (docs: least privilege)."),
        )
    if "hypervisor information" in said or "privileged command interface" in said or "libxc handle" in said:
        raise HostNotUsable(
            _("{where}: {program} is there, but no Xen runs below it").format(where=where, program=program),
            hint=_("Is this the Dom0 of a Xen host, and was it booted with Xen?"),
        )
    raise HostNotUsable(
        _("{where}: '{program}' fails with code {code}: {answer}").format(
            where=where, program=program, code=answer.code, answer=said[:300]
        )
    )


def is_sudo_refusal(argv: Sequence[str], answer: CommandResult) -> bool:
    """Return True when sudo, the first word of a command, refused to run the command.

    Args:
        argv: The command.
        answer: Result of the command.
    """
    refusals = ("sudo:", "a password is required", "must have a tty")
    return "sudo" in argv[:1] and answer.code != 0 and any(words in answer.said for words in refusals)


def _parse_number(text: str) -> int:
    return parse_whole_number(text, most=9999) or 0
