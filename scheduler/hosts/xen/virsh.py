"""Sets of splits by libvirt's virsh in Dom0.

xl does everything else, above all every restore: a dead libvirtd must not prevent a restore.
"""

from scheduler.errors import HostNotUsable, ParameterRefused
from scheduler.hosts.remote.shell import Shell
from scheduler.hosts.xen.xen_setup import DomainIdentity, XenSetup
from scheduler.model.scheduler_params import Credit2Params, CreditParams, SchedParams
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.virsh import schedinfo_words
from scheduler.translation import _

_URI = "xen:///system"
_KNOWN = ("credit", "credit2")  # libvirt neither reads nor sets parameters of another scheduler
_TIMEOUT_S = 60.0


def virsh_steps(program: str, domid: int, params: SchedParams) -> list[Argv]:
    """Return the single command that sets weight and cap together.

    Args:
        program: Absolute path of virsh.
        domid: Number of the domain.
        params: Parameters that xl's grammar has accepted.

    Raises:
        ParameterRefused: libvirt does not set parameters of this scheduler.
    """
    if not isinstance(params, CreditParams | Credit2Params):
        raise ParameterRefused(
            _("libvirt sets weight and cap only, not {words}").format(words=params.words), hint=_("Use xl+ssh://.")
        )
    words = schedinfo_words(str(domid), "", ("weight", params.weight), ("cap", params.cap_pct))
    return [(program, "-q", "-c", _URI, *words)]


def find_virsh(shell: Shell, setup: XenSetup) -> tuple[str, str]:
    """Return virsh's path and libvirt's version; refuse hosts that libvirt cannot set.

    Args:
        shell: Shell of the host.
        setup: The open host with its domains.

    Raises:
        HostNotUsable: virsh, libvirtd or root access is missing, libvirt does not support the scheduler, or libvirt
            does not know a domain.
        HostUnreachable: The host does not answer.
    """
    where = shell.where
    if setup.sudo:
        raise HostNotUsable(
            _("{where}: through libvirt a sweep needs root there; other accounts are allowed xl only").format(
                where=where
            ),
            hint=_("Use xl+ssh:// with this account, or connect as root."),
        )
    if setup.scheduler not in _KNOWN:
        raise HostNotUsable(
            _("{where}: libvirt has no parameters for the scheduler '{scheduler}'").format(
                where=where, scheduler=setup.scheduler
            ),
            hint=_("Use xl+ssh://."),
        )
    program = shell.run(["sh", "-c", "command -v virsh"]).out.strip()
    if not program.startswith("/"):
        raise HostNotUsable(
            _("{where} has no virsh").format(where=where), hint=_("Install libvirt-clients there, or use xl+ssh://.")
        )
    version = shell.run([program, "-q", "-c", _URI, "version", "--daemon"], timeout_s=_TIMEOUT_S)
    if version.code:
        raise HostNotUsable(
            _("{where}: libvirt does not answer: {answer}").format(where=where, answer=version.said[:300]),
            hint=_("Start libvirtd there, or use xl+ssh://."),
        )
    for member in (setup.io, setup.guest):
        refuse_unknown(shell, program, member)
    return program, _parse_library(version.out)


def refuse_unknown(shell: Shell, program: str, member: DomainIdentity) -> None:
    """Refuse a domain that libvirt does not know.

    Args:
        shell: Shell of the host.
        program: Absolute path of virsh.
        member: The domain.

    Raises:
        HostNotUsable: libvirt does not know the domain.
        HostUnreachable: The host does not answer.
    """
    if shell.run([program, "-q", "-c", _URI, "domuuid", str(member.domid)], timeout_s=_TIMEOUT_S).code:
        raise HostNotUsable(
            _("{where}: libvirt does not know {member!r} (number {domid})").format(
                where=shell.where, member=member.name, domid=member.domid
            ),
            hint=_("It sees only guests that it has started, none made by 'xl create'; for those use xl+ssh://."),
        )


def _parse_library(text: str) -> str:
    """Read the version from a line such as `Using library: libvirt 9.0.0`."""
    line = next((line for line in text.splitlines() if "ibrary" in line), "")
    return line.rpartition("libvirt ")[2].strip() or _("of unknown version")
