"""Options of the system's ssh: the user's own configuration counts, except where it would wait, ask or trust."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from scheduler import places

CONNECT_S = 10
NOT_SENT = "domtune-not-sent"  # said when a command found no connection: it certainly was not carried out

_ALWAYS = {
    "StrictHostKeyChecking": "yes",
    "UpdateHostKeys": "no",  # the user's known_hosts is read, never written
    "ConnectTimeout": str(CONNECT_S),
    "ConnectionAttempts": "1",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
    "LogLevel": "ERROR",  # without banners; QUIET in the user's configuration would hide the reasons
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
    """Return the file with the host keys that were accepted in DomTune."""
    return places.state_dir() / "known_hosts"


def known_hosts_of(settings: Mapping[str, str]) -> list[str]:
    """Return the known_hosts files that ssh's configuration names (`ssh -G`)."""
    return [str(Path(word).expanduser()) for word in settings.get("userknownhostsfile", "").split()]


def master_options(socket: Path, known_hosts: Sequence[str], *, may_ask: bool) -> list[str]:
    """Return the options of the one connection per host.

    Args:
        socket: Its control socket, in a folder of our own.
        known_hosts: The user's files, as ssh's configuration names them.
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
    """Return the options of one command over the connection; never opens a connection of its own."""
    options = {**_ALWAYS, "BatchMode": "yes", "ControlMaster": "no", "ControlPath": f'"{socket}"'}
    # When the connection is gone, ssh would quietly try a new one; this makes that fail, and tell it apart.
    return _format_options({**options, "ProxyCommand": f"sh -c 'echo {NOT_SENT} >&2'"})


def fetch_options(known_hosts: Path) -> list[str]:
    """Return the options that only fetch a host's key into a file; nobody logs in."""
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
