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
from scheduler.translation import _

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
_LOOK = _("Log in once with ssh as this user and look at the key, then try again.")
_GROUP = _("Join the group that may (usually 'libvirt'), or use an account that is in it.")
_KNOWN = (
    _KnownError(
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        HostKeyChanged,
        _("the host shows another ssh key than before"),
        _("Find out why. If the new key is right, remove the old key with 'ssh-keygen -R HOST'."),
    ),
    _KnownError("Host key verification failed", HostNotUsable, _("its ssh key is not known here"), _LOOK),
    _KnownError("decision to accept host key", HostNotUsable, _("its ssh key is not known here"), _LOOK),  # libssh
    _KnownError("polkit", HostNotUsable, _("this account may not manage libvirt"), _GROUP),
    _KnownError(
        "': Permission denied", HostNotUsable, _("this account may not talk to libvirtd"), _GROUP
    ),  # a socket's path
    _KnownError(
        "Permission denied",
        HostNotUsable,
        _("ssh was refused"),
        _("Load the right key into your ssh agent ('ssh-add'), or name the right user in the URI."),
    ),
    _KnownError(
        "nc: not found", HostUnreachable, _("netcat is missing there"), _("Install netcat-openbsd on the host.")
    ),
    _KnownError(
        "non-zero code: 127", HostUnreachable, _("netcat is missing there"), _("Install netcat-openbsd on the host.")
    ),
    _KnownError(
        "Failed to connect socket",
        HostUnreachable,
        _("libvirtd does not listen there"),
        _("Is libvirtd running there?"),
    ),
    _KnownError(
        "Connection refused",
        HostUnreachable,
        _("no server listens there"),
        _("Is libvirtd running, and on that port?"),
    ),
    _KnownError(
        "Name or service not known", HostUnreachable, _("the name of the host is unknown"), _("Check it in the URI.")
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
        hint = _("Put user and password into the environment variables {user} and {secret}.").format(
            user=USER, secret=SECRET
        )
        return LoginRefused(
            _("{redact_url}: the login was refused ({text})").format(redact_url=redact_url(uri.text), text=text),
            hint=hint,
        )
    return HostUnreachable(
        _("{redact_url} could not be opened: {text}").format(redact_url=redact_url(uri.text), text=text),
        hint=_("Try 'virsh -c URI list' by hand."),
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
        return DomainGone(text, hint=_("It was shut down, destroyed or undefined."))
    if refused.code in (_BINDING, _INVALID_ARG) or _XEN_REFUSED in refused.text:
        return ParameterRefused(text, hint=_("The host keeps its value."))
    return HostError(text)


def _unusable_hint(uri: LibvirtUri, refused: CallRefused) -> str:
    """Return advice where the connection can never serve the call; else empty."""
    if "session mode" in refused.text:
        system = redact_url(uri.text).replace("/session", "/system")
        return _("Use {system}: libvirt's session daemon has no rights over CPU time.").format(system=system)
    if "cgroup" in refused.text and refused.code == _OPERATION_INVALID:
        return _("Mount the CPU controller of control groups on the host, then restart libvirtd.")
    if refused.code in _MAY_NOT:
        return _("Connect as a user who may change domains. Do not connect read-only.")
    if refused.code in _NOT_SUPPORTED:
        return _("libvirt's {driver} driver cannot do this.").format(driver=uri.driver)
    return ""


def connection_lost_error(uri: LibvirtUri, why: str) -> HostUnreachable:
    """Return the error for a lost connection that did not return.

    Args:
        uri: URI of the host.
        why: The reason.
    """
    return HostUnreachable(
        _("{redact_url} does not answer any more: {join_lines}").format(
            redact_url=redact_url(uri.text), join_lines=_join_lines(why)
        ),
        hint=_("Check that libvirtd runs there. Then 'domtune restore' restores the changes of a sweep."),
    )


def _join_lines(text: str) -> str:
    return " ".join(text.split())
