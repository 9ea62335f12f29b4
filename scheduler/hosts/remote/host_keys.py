"""Host keys: fetched, shown, and stored only after a user accepts them."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from scheduler.children import run_and_capture
from scheduler.errors import HostKeyChanged, HostUnreachable
from scheduler.files import make_private_folder, open_regular, path_exists
from scheduler.hosts.remote.askpass import quiet_environment
from scheduler.hosts.remote.ssh_options import CONNECT_S, app_known_hosts, fetch_options
from scheduler.hosts.remote.ssh_url import SshTarget
from scheduler.private_folders import PrivateFolder
from scheduler.translation import _

_TIMEOUT_S = 2.0 * CONNECT_S


@dataclass(frozen=True, slots=True)
class HostKey:
    """A key that a host showed.

    Attributes:
        line: Line for a known_hosts file.
        fingerprint: `SHA256:` and 43 characters, as ssh prints it.
        kind: Type of the key, for example `ED25519`.
    """

    line: str
    fingerprint: str
    kind: str


def fetch_key(target: SshTarget) -> HostKey:
    """Fetch a host's key over ssh's own route, without a login; raise HostUnreachable."""
    with contextlib.closing(PrivateFolder("key")) as folder:
        kept = folder.path / "known_hosts"
        said = _run_ssh_tool(["ssh", "-T", *fetch_options(kept), *target.argv, "true"], target)
        if not path_exists(kept):
            reason = said.strip().splitlines()[-1:] or [_("no answer")]
            raise HostUnreachable(
                _("{where} showed no host key: {reason}").format(where=target.where, reason=reason[0]),
                hint=_("Is it up, and is sshd?"),
            )
        listed = _run_ssh_tool(["ssh-keygen", "-l", "-f", str(kept)], target).split()
        return HostKey(kept.read_text().strip(), listed[1], listed[-1].strip("()"))


def accept_key(target: SshTarget, fingerprint: str) -> Path:
    """Store a host's key if the host still shows the accepted one.

    Args:
        target: The host.
        fingerprint: Fingerprint of the accepted key.

    Returns:
        The file that now holds the key.

    Raises:
        HostKeyChanged: The host shows a key other than the accepted one.
        HostUnreachable: The host shows no key.
    """
    key = fetch_key(target)
    if key.fingerprint != fingerprint.strip():
        raise HostKeyChanged(
            _("{where} shows the key {fingerprint}, not {fingerprint_2}").format(
                where=target.where, fingerprint=key.fingerprint, fingerprint_2=fingerprint.strip()
            ),
            hint=_("Compare the fingerprint with one that you got from the host's console."),
        )
    path = app_known_hosts()
    make_private_folder(path.parent)
    descriptor = open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with os.fdopen(descriptor, "a") as kept:
        kept.write(f"{key.line}\n")
    return path


def read_ssh_settings(target: SshTarget) -> dict[str, str]:
    """Return ssh's settings for a host by lower-case keyword (`ssh -G`)."""
    pairs = (line.partition(" ") for line in _run_ssh_tool(["ssh", "-G", *target.argv], target).splitlines())
    return {name: value for name, _, value in pairs}


def _run_ssh_tool(argv: list[str], target: SshTarget) -> str:
    try:
        # The user's configuration may run programs (`Match exec`).
        done = run_and_capture(argv, _TIMEOUT_S, environment=quiet_environment())
    except OSError as error:
        raise HostUnreachable(
            _("{where}: '{argv}' gave no answer within {timeout_s:g} s or is not installed").format(
                where=target.where, argv=argv[0], timeout_s=_TIMEOUT_S
            ),
            hint=_("DomTune uses the system's OpenSSH (package openssh-client)."),
        ) from error
    return done.stdout or done.stderr
