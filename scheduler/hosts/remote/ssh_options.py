"""Options of the system's ssh.

The user's own configuration counts, except where ssh would wait, ask or trust a new key.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from scheduler import places

CONNECT_S = 10
NOT_SENT = "domtune-not-sent"  # printed without a connection: the command was certainly not carried out

_ALWAYS = {
    "StrictHostKeyChecking": "yes",
    "UpdateHostKeys": "no",  # the user's known_hosts is read, never written
    "ConnectTimeout": str(CONNECT_S),
    "ConnectionAttempts": "1",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
    "LogLevel": "ERROR",  # no banners; QUIET in the user's configuration would hide the reasons
    "ClearAllForwardings": "yes",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "PermitLocalCommand": "no",
    "RemoteCommand": "none",
    "RequestTTY": "no",
    "EscapeChar": "none",
    "ControlPersist": "no",
}


def app_known_hosts() -> Path:
    """Return the path of the file with the host keys accepted in DomTune."""
    return places.state_dir() / "known_hosts"


def known_hosts_of(settings: Mapping[str, str]) -> list[str]:
    """Return the known_hosts files that ssh's configuration names (`ssh -G`)."""
    return [str(Path(word).expanduser()) for word in settings.get("userknownhostsfile", "").split()]


def master_options(socket: Path, known_hosts: Sequence[str], *, may_ask: bool) -> list[str]:
    """Return the options of the single connection to a host.

    Args:
        socket: Control socket, in a private folder.
        known_hosts: The user's files, named by ssh's configuration.
        may_ask: True when a password or passphrase was given.
    """
    files = " ".join(f'"{name}"' for name in (str(app_known_hosts()), *known_hosts))
    options = {
        **_ALWAYS,
        "UserKnownHostsFile": files,
        "BatchMode": "no" if may_ask else "yes",
        "NumberOfPasswordPrompts": "1",
        "ControlMaster": "yes",
        "ControlPath": f'"{socket}"',
    }
    return _format_options(options)


def session_options(socket: Path) -> list[str]:
    """Return the options of one command over the connection, never a new connection."""
    options = {**_ALWAYS, "BatchMode": "yes", "ControlMaster": "no", "ControlPath": f'"{socket}"'}
    # Without the connection, ssh would silently try a new one. This option makes that attempt fail recognisably.
    return _format_options({**options, "ProxyCommand": f"sh -c 'echo {NOT_SENT} >&2'"})


def fetch_options(known_hosts: Path) -> list[str]:
    """Return the options that fetch a host's key into a file, without a login."""
    options = {
        **_ALWAYS,
        "StrictHostKeyChecking": "accept-new",
        "UserKnownHostsFile": f'"{known_hosts}"',
        "GlobalKnownHostsFile": "/dev/null",
        "HashKnownHosts": "no",
        "PreferredAuthentications": "none",
        "BatchMode": "yes",
        "ControlMaster": "no",
        "ControlPath": "none",
    }
    return _format_options(options)


def _format_options(options: dict[str, str]) -> list[str]:
    return [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
