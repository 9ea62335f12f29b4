"""Translation of XAPI's failures into errors with advice.

Source of the codes: xapi-project/xen-api, api_errors.ml.
"""

from collections.abc import Mapping, Sequence

from scheduler.errors import DomainGone, HostError, HostNotUsable, HostUnreachable, LoginRefused, ParameterRefused
from scheduler.hosts.xapi.xapi_url import SECRET, USER
from scheduler.translation import _

SESSION_INVALID = "SESSION_INVALID"
HOST_IS_SLAVE = "HOST_IS_SLAVE"
NEVER = frozenset({"MESSAGE_METHOD_UNKNOWN", "NOT_IMPLEMENTED", "RBAC_PERMISSION_DENIED"})
"""Codes of a call that this server will never carry out for this user."""
TOKEN_LOST = frozenset({"EVENTS_LOST", "EVENT_FROM_TOKEN_PARSE_FAILURE"})


class XapiFailure(Exception):
    """Failure of a call that XAPI has completed.

    Args:
        where: The host.
        details: The code, then its parameters.
        headers: Headers of the answer, by lower-case name.
    """

    def __init__(self, where: str, details: Sequence[str], headers: Mapping[str, str]) -> None:
        self.where = where
        self.headers = headers
        self.code = details[0] if details else _("(no code)")
        self.parameters = tuple(details[1:])
        super().__init__(" ".join((self.code, *self.parameters)))


_KINDS: dict[str, tuple[type[HostError], str, str]] = {
    "SESSION_AUTHENTICATION_FAILED": (
        LoginRefused,
        _("user name or password is wrong"),
        _("Look at the environment variables {user} and {secret}.").format(user=USER, secret=SECRET),
    ),
    "SESSION_AUTHORIZATION_FAILED": (
        LoginRefused,
        _("the user is known, but may not log in to this pool"),
        _("Its administrator adds the user, or a group of theirs, with a role (read-only is enough to look)."),
    ),
    SESSION_INVALID: (
        HostNotUsable,
        _("the host ended the session twice in a row"),
        _("Check if another client logs out all sessions."),
    ),
    "HANDLE_INVALID": (
        DomainGone,
        _("the requested object does not exist any more"),
        _("Was the virtual machine or the host removed?"),
    ),
    "UUID_INVALID": (
        DomainGone,
        _("the requested object does not exist any more"),
        _("Was the virtual machine or the host removed?"),
    ),
    "RBAC_PERMISSION_DENIED": (
        HostNotUsable,
        _("the user's role does not allow it"),
        _("DomTune needs the role read-only."),
    ),
    "VM_BAD_POWER_STATE": (HostNotUsable, _("the virtual machine is in another state"), _("Start it, then try again.")),
    "OTHER_OPERATION_IN_PROGRESS": (
        HostNotUsable,
        _("another operation on the object is in progress"),
        _("Wait until that has ended."),
    ),
    "OPERATION_NOT_ALLOWED": (ParameterRefused, _("XAPI does not allow it"), ""),
    "OPERATION_BLOCKED": (ParameterRefused, _("its administrator blocked this operation"), ""),
    "NOT_IMPLEMENTED": (HostNotUsable, _("XAPI has the call and does not do it"), ""),
    "MESSAGE_METHOD_UNKNOWN": (HostNotUsable, _("this version of XAPI has no such call"), ""),
    "HOST_STILL_BOOTING": (HostUnreachable, _("the host is still starting"), _("Try again in a minute.")),
    "HOST_IN_EMERGENCY_MODE": (
        HostUnreachable,
        _("the host cannot find its pool's coordinator"),
        _("Is the pool whole?"),
    ),
    "HOST_OFFLINE": (HostUnreachable, _("the host is offline"), ""),
    HOST_IS_SLAVE: (HostNotUsable, _("its pool has no coordinator that stays one"), _("Is the pool whole?")),
}


def translate_failure(what: str, failure: XapiFailure) -> HostError:
    """Return the error for a failed call.

    Args:
        what: Purpose of the call, for messages.
        failure: XAPI's failure; its text is data.
    """
    kind, meaning, hint = _KINDS.get(failure.code, (HostError, _("XAPI refused"), ""))
    parameters = f": {', '.join(failure.parameters)[:300]}" if failure.parameters else ""
    return kind(f"{failure.where}, {what}: {meaning} ({failure.code}{parameters})", hint=hint)
