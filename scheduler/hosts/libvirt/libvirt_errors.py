"""Translation of libvirt's errors, by number or by text.

The text decides where a number is ambiguous.
"""

import msgspec

from scheduler.errors import (
    DomainGone,
    HostError,
    HostKeyChanged,
    HostNotUsable,
    HostUnreachable,
    LoginRefused,
    ParameterRefused,
)
from scheduler.hosts.libvirt.libvirt_uri import SECRET, USER, LibvirtUri
from scheduler.hosts.libvirt.worker_process import CallRefused
from scheduler.model.urls import redact_url

# Numbers of virErrorNumber, from libvirt/virterror.h.
_BINDING = 0  # LookupError, OverflowError or TypeError of libvirt-python: no call was made
_INVALID_ARG = 8
_OPERATION_DENIED = 29
_NO_DOMAIN = 42
_AUTH_FAILED = 45
_OPERATION_INVALID = 55
_AUTH_CANCELLED = 79
_AUTH_UNAVAILABLE = 94
_ACCESS_DENIED = 88
_XEN_REFUSED = "Failed to set scheduler parameters"  # libxl gives no reason: an internal error, out of range or not
_AUTH = frozenset({_AUTH_FAILED, _AUTH_CANCELLED, _AUTH_UNAVAILABLE})
_NOT_SUPPORTED = frozenset({3, 67, 84})  # unsupported by the driver, by this configuration, or as an operation
_MAY_NOT = frozenset({_OPERATION_DENIED, _ACCESS_DENIED})


class _KnownError(msgspec.Struct, frozen=True):
    """A part of a message from libvirt or ssh, with its meaning and advice.

    Attributes:
        part: Part of the message.
        kind: Class of the error.
        meaning: Meaning of the message.
        hint: Advice.
    """

    part: str
    kind: type[HostError]
    meaning: str
    hint: str


# Over ssh every failure has number 38 (VIR_ERR_SYSTEM_ERROR); only ssh's message distinguishes them.
_LOOK = "Log in once with ssh as this user and look at the key, then try again."
_GROUP = "Join the group that may (usually 'libvirt'), or use an account that is in it."
_KNOWN = (
    _KnownError(
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        HostKeyChanged,
        "the host shows another ssh key than before",
        "Find out why. If the new key is right, remove the old key with 'ssh-keygen -R HOST'.",
    ),
    _KnownError("Host key verification failed", HostNotUsable, "its ssh key is not known here", _LOOK),
    _KnownError("decision to accept host key", HostNotUsable, "its ssh key is not known here", _LOOK),  # libssh
    _KnownError("polkit", HostNotUsable, "this account may not manage libvirt", _GROUP),
    _KnownError(
        "': Permission denied", HostNotUsable, "this account may not talk to libvirtd", _GROUP
    ),  # a socket's path
    _KnownError(
        "Permission denied",
        HostNotUsable,
        "ssh was refused",
        "Load the right key into your ssh agent ('ssh-add'), or name the right user in the URI.",
    ),
    _KnownError("nc: not found", HostUnreachable, "netcat is missing there", "Install netcat-openbsd on the host."),
    _KnownError(
        "non-zero code: 127", HostUnreachable, "netcat is missing there", "Install netcat-openbsd on the host."
    ),
    _KnownError(
        "Failed to connect socket", HostUnreachable, "libvirtd does not listen there", "Is libvirtd running there?"
    ),
    _KnownError(
        "Connection refused", HostUnreachable, "no server listens there", "Is libvirtd running, and on that port?"
    ),
    _KnownError(
        "Name or service not known", HostUnreachable, "the name of the host is unknown", "Check it in the URI."
    ),
)


def open_error(uri: LibvirtUri, refused: CallRefused) -> HostError:
    """Return the error for a connection that could not be opened.

    Args:
        uri: URI of the host.
        refused: libvirt's error.
    """
    text = _join_lines(
        refused.text.replace(uri.asked_for, redact_url(uri.text)).replace(uri.text, redact_url(uri.text))
    )
    known = next((known for known in _KNOWN if known.part in refused.text), None)
    if known is not None:
        return known.kind(f"{redact_url(uri.text)}: {known.meaning} ({text})", hint=known.hint)
    if refused.code in _AUTH:
        hint = f"Put user and password into the environment variables {USER} and {SECRET}."
        return LoginRefused(f"{redact_url(uri.text)}: the login was refused ({text})", hint=hint)
    return HostUnreachable(
        f"{redact_url(uri.text)} could not be opened: {text}", hint="Try 'virsh -c URI list' by hand."
    )


def call_error(uri: LibvirtUri, what: str, refused: CallRefused) -> HostError:
    """Return the error for a failed call over an open connection.

    Args:
        uri: URI of the host.
        what: Purpose of the call, for messages.
        refused: libvirt's error.
    """
    text = f"{what}: {_join_lines(refused.text)}"
    if hint := _unusable_hint(uri, refused):
        return HostNotUsable(text, hint=hint)
    if refused.code in (_NO_DOMAIN, _OPERATION_INVALID):
        return DomainGone(text, hint="It was shut down, destroyed or undefined.")
    if refused.code in (_BINDING, _INVALID_ARG) or _XEN_REFUSED in refused.text:
        return ParameterRefused(text, hint="The host keeps its value.")
    return HostError(text)


def _unusable_hint(uri: LibvirtUri, refused: CallRefused) -> str:
    """Return advice where the connection can never serve the call; else empty."""
    if "session mode" in refused.text:
        system = redact_url(uri.text).replace("/session", "/system")
        return f"Use {system}: libvirt's session daemon has no rights over CPU time."
    if "cgroup" in refused.text and refused.code == _OPERATION_INVALID:
        return "Mount the CPU controller of control groups on the host, then restart libvirtd."
    if refused.code in _MAY_NOT:
        return "Connect as a user who may change domains. Do not connect read-only."
    if refused.code in _NOT_SUPPORTED:
        return f"libvirt's {uri.driver} driver cannot do this."
    return ""


def connection_lost_error(uri: LibvirtUri, why: str) -> HostUnreachable:
    """Return the error for a lost connection that did not return.

    Args:
        uri: URI of the host.
        why: The reason.
    """
    return HostUnreachable(
        f"{redact_url(uri.text)} does not answer any more: {_join_lines(why)}",
        hint="Check that libvirtd runs there. Then 'domtune restore' restores the changes of a sweep.",
    )


def _join_lines(text: str) -> str:
    return " ".join(text.split())
