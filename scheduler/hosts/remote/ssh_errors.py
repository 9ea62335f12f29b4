"""Translation of ssh's messages into errors with advice."""

import re
import shlex

from scheduler.errors import HostError, HostKeyChanged, HostKeyUnknown, HostNotUsable, HostUnreachable, LoginRefused
from scheduler.hosts.remote.host_keys import fetch_key
from scheduler.hosts.remote.ssh_url import SshTarget
from scheduler.translation import _

_CHANGED = ("REMOTE HOST IDENTIFICATION HAS CHANGED", "differs from the key for the IP address", "Host key for")
_SHOWN = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")


def connect_error(target: SshTarget, said: str, scheme: str) -> HostError:
    """Return the error for a failed connection.

    Args:
        target: The host.
        said: Messages of ssh.
        scheme: Scheme of the URL, for the command that accepts a key.
    """
    if any(words in said for words in _CHANGED):
        return _key_changed_error(target, said)
    if "host key is known for" in said or "Host key verification failed" in said:
        return _key_unknown_error(target, scheme)
    if "Permission denied" in said or "Too many authentication failures" in said:
        return LoginRefused(
            _("{where} refused the login: {last_line}").format(where=target.where, last_line=_last_line(said)),
            hint=_("Load a key into your ssh agent, or give a password (scripts: DOMTUNE_SSH_PASSWORD)."),
        )
    if "Bad configuration option" in said or "terminating," in said:
        return HostNotUsable(f"ssh refuses its configuration: {_last_line(said)}", hint=_("Look into ~/.ssh/config."))
    return HostUnreachable(
        _("{where} cannot be reached: {last_line}").format(where=target.where, last_line=_last_line(said)),
        hint=_("Try it by hand: ssh {where}").format(where=target.where.replace(":", " -p ")),
    )


def _key_changed_error(target: SshTarget, said: str) -> HostKeyChanged:
    shown = _SHOWN.search(said)
    place = re.search(r"Offending .* in (\S+)", said)
    return HostKeyChanged(
        _("{where} has another ssh key than before{value}").format(
            where=target.where, value=f": {shown[0]}" if shown else ""
        ),
        hint=_(
            "An attacker may intercept the connection, or the host was reinstalled. If its "
            "administrator confirms the new key, remove the old key{value}."
        ).format(value=f" ({place[1]})" if place else ""),
    )


def _key_unknown_error(target: SshTarget, scheme: str) -> HostError:
    try:
        key = fetch_key(target)
    except HostUnreachable as error:
        return HostKeyUnknown(
            _("the ssh key of {where}, or of a host on the way there, was never accepted: {error}").format(
                where=target.where, error=error
            ),
            "",
            hint=_("Connect once by hand with ssh and compare the fingerprint."),
        )
    url = f"{scheme}://{target.where}"
    return HostKeyUnknown(
        _("{where} shows the {kind} key {fingerprint}, which was never accepted").format(
            where=target.where, kind=key.kind, fingerprint=key.fingerprint
        ),
        key.fingerprint,
        hint=_("Compare it with the host's own; then: domtune trust {url} --fingerprint {fingerprint}").format(
            url=shlex.quote(url), fingerprint=key.fingerprint
        ),
    )


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1] if lines else "ssh reported no error"
