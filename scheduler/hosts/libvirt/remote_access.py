"""Shell access to a remote libvirt host, for the guard and for all changes."""

from urllib.parse import parse_qsl, quote, urlsplit

import msgspec

from scheduler.errors import HostNotUsable
from scheduler.hosts.libvirt.domain_pair import DomainPair
from scheduler.hosts.libvirt.libvirt_uri import LibvirtUri, read_credentials
from scheduler.hosts.remote.askpass import given_secret
from scheduler.hosts.remote.guard_commands import guard_folder
from scheduler.hosts.remote.shell import Shell
from scheduler.hosts.remote.ssh_shell import SshShell
from scheduler.hosts.remote.ssh_url import SshTarget
from scheduler.translation import _

_BY_SSH = ("ssh", "libssh", "libssh2")
_TIMEOUT_S = 30.0


class RemoteAccess(msgspec.Struct, frozen=True):
    """Access for changes on the host; stored in the undo record.

    Attributes:
        virsh: Absolute path of virsh on the host.
        uri: URI for virsh on the host.
        sudo: Command prefix for root; empty for root.
        run: Folder of the guard.
    """

    virsh: str
    uri: str
    sudo: tuple[str, ...]
    run: str

    @property
    def argv(self) -> tuple[str, ...]:
        """The first words of every virsh command.

        The guard's restore depends on their order.
        """
        return (self.virsh, "-q", "-c", self.uri)


def open_shell(uri: LibvirtUri) -> Shell:
    """Return a shell on the URI's host by the system's ssh; connects on first use.

    Raises:
        HostNotUsable: The transport leads to libvirtd only.
    """
    if uri.transport not in _BY_SSH:
        raise HostNotUsable(
            _("+{transport} leads to libvirtd only: no guard can be left on {server}, and nothing is changed").format(
                transport=uri.transport, server=uri.server
            ),
            hint=_("Use {driver}+ssh://{server}/system.").format(driver=uri.driver, server=uri.server),
        )
    _unused, secret = read_credentials(uri)
    return SshShell(_build_ssh_target(uri), f"{uri.driver}+ssh", secret or given_secret())


def find_access(shell: Shell, uri: LibvirtUri, pair: DomainPair) -> RemoteAccess:
    """Find the access to the host; touch nothing.

    Args:
        shell: Shell of the host.
        uri: URI of the host.
        pair: The two sides of the sweep.

    Raises:
        HostNotUsable: Root access or virsh is missing, or libvirt does not know the two domains.
        HostUnreachable: The host does not answer.
    """
    where = shell.where
    sudo = () if shell.run(["id", "-u"]).out.strip() == "0" else ("sudo", "-n")
    if sudo and (answer := shell.run([*sudo, "true"])).code:
        raise HostNotUsable(
            _("{where}: the guard needs root, and this account may not call sudo: {answer}").format(
                where=where, answer=answer.said[:200]
            ),
            hint=_("Connect as root, or allow the account sudo without a password."),
        )
    virsh = shell.run(["sh", "-c", "command -v virsh"]).out.strip()
    if not virsh.startswith("/"):
        raise HostNotUsable(
            _("{where} has no virsh, which the guard needs to restore the host").format(where=where),
            hint=_("Install libvirt-clients there."),
        )
    reach = RemoteAccess(virsh=virsh, uri=_build_remote_uri(uri), sudo=sudo, run=guard_folder())
    answer = shell.run([*sudo, *reach.argv, "list", "--uuid"], timeout_s=_TIMEOUT_S)
    if answer.code:
        raise HostNotUsable(
            _("{where}: virsh -c {uri} fails there: {answer}").format(
                where=where, uri=reach.uri, answer=answer.said[:300]
            ),
            hint=_("Is libvirtd running there?"),
        )
    missing = {pair.io, pair.guest} - set(answer.out.split())
    if missing:
        raise HostNotUsable(
            _("ssh to {where} leads to a libvirt that does not run {domains}").format(
                where=where, domains=", ".join(sorted(missing))
            ),
            hint=_("Does the URI go through another port or socket than ssh does?"),
        )
    return reach


def _build_ssh_target(uri: LibvirtUri) -> SshTarget:
    parts = urlsplit(uri.text)
    given = dict(parse_qsl(parts.query))
    options: list[str] = []
    if keyfile := given.get("keyfile"):
        options += ["-i", keyfile]
    if known := given.get("known_hosts"):
        options += ["-o", f'UserKnownHostsFile="{known}"']
    return SshTarget(uri.server, uri.user, parts.port or 0, tuple(options))


def _build_remote_uri(uri: LibvirtUri) -> str:
    """Return the URI for virsh on the host itself."""
    parts = urlsplit(uri.text)
    socket = dict(parse_qsl(parts.query)).get("socket", "")
    path = parts.path if parts.path in ("/system", "/session") else "/system"
    return f"{uri.driver}+unix://{path}?socket={quote(socket)}" if socket else f"{uri.driver}://{path}"
