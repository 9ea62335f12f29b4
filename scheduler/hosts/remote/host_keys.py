"""Host keys: fetched to be shown, kept only when somebody accepted their fingerprint. Nothing is trusted unasked."""

import contextlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scheduler.errors import HostKeyChanged, HostUnreachable
from scheduler.files import make_private_folder, open_regular, path_exists
from scheduler.hosts.remote.askpass import quiet_environment
from scheduler.hosts.remote.ssh_options import CONNECT_S, app_known_hosts, fetch_options
from scheduler.hosts.remote.ssh_url import SshTarget
from scheduler.private_folders import PrivateFolder

_TIMEOUT_S = 2.0 * CONNECT_S


@dataclass(frozen=True, slots=True)
class HostKey:
    """A key that a host showed.

    Attributes:
        line: As it stands in a known_hosts file.
        fingerprint: `SHA256:` and 43 characters, as ssh shows it.
        kind: For example `ED25519`.
    """

    line: str
    fingerprint: str
    kind: str


def fetch_key(target: SshTarget) -> HostKey:
    """Ask a host for its key by the way that ssh takes to it, without logging in; raises HostUnreachable."""
    with contextlib.closing(PrivateFolder("key")) as folder:
        kept = folder.path / "known_hosts"
        said = _run_ssh_tool(["ssh", "-T", *fetch_options(kept), *target.argv, "true"], target)
        if not path_exists(kept):
            reason = said.strip().splitlines()[-1:] or ["no answer"]
            raise HostUnreachable(f"{target.where} showed no host key: {reason[0]}", hint="Is it up, and is sshd?")
        listed = _run_ssh_tool(["ssh-keygen", "-l", "-f", str(kept)], target).split()
        return HostKey(kept.read_text().strip(), listed[1], listed[-1].strip("()"))


def accept_key(target: SshTarget, fingerprint: str) -> Path:
    """Keep a host's key, if it still is the one that was accepted.

    Returns:
        The file that holds it now.

    Raises:
        HostKeyChanged: The host shows another key than the accepted one.
        HostUnreachable: It shows none.
    """
    key = fetch_key(target)
    if key.fingerprint != fingerprint.strip():
        raise HostKeyChanged(
            f"{target.where} shows the key {key.fingerprint}, not {fingerprint.strip()}",
            hint="Compare the fingerprint with one that you got from the host's console.",
        )
    path = app_known_hosts()
    make_private_folder(path.parent)
    descriptor = open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with os.fdopen(descriptor, "a") as kept:
        kept.write(f"{key.line}\n")
    return path


def read_ssh_settings(target: SshTarget) -> dict[str, str]:
    """Return what ssh's configuration says about a host (`ssh -G`): small keyword to value."""
    pairs = (line.partition(" ") for line in _run_ssh_tool(["ssh", "-G", *target.argv], target).splitlines())
    return {name: value for name, _, value in pairs}


def _run_ssh_tool(argv: list[str], target: SshTarget) -> str:
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            env=quiet_environment(),  # the user's configuration may run programs (`Match exec`)
            start_new_session=True,  # without a terminal, a jump host has nowhere to ask
            check=False,
        )
    except (subprocess.TimeoutExpired, FileNotFoundError) as error:
        raise HostUnreachable(
            f"{target.where}: '{argv[0]}' gave no answer within {_TIMEOUT_S:g} s or is not installed",
            hint="DomTune uses the system's OpenSSH (package openssh-client).",
        ) from error
    return (done.stdout or done.stderr).decode(errors="replace")
