"""Translation of XAPI's failures into errors with advice.

Source of the codes: xapi-project/xen-api, api_errors.ml.
"""

from collections.abc import Mapping, Sequence

from scheduler.errors import DomainGone, HostError, HostNotUsable, HostUnreachable, LoginRefused, ParameterRefused
from scheduler.hosts.xapi.xapi_url import SECRET, USER

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
        self.code = details[0] if details else "(no code)"
        self.parameters = tuple(details[1:])
        super().__init__(" ".join((self.code, *self.parameters)))


_KINDS: dict[str, tuple[type[HostError], str, str]] = {
    "SESSION_AUTHENTICATION_FAILED": (
        LoginRefused,
        "user name or password is wrong",
        f"Look at the environment variables {USER} and {SECRET}.",
    ),
    "SESSION_AUTHORIZATION_FAILED": (
        LoginRefused,
        "the user is known, but may not log in to this pool",
        "Its administrator adds the user, or a group of theirs, with a role (read-only is enough to look).",
    ),
    SESSION_INVALID: (
        HostNotUsable,
        "the host ended the session twice in a row",
        "Check if another client logs out all sessions.",
    ),
    "HANDLE_INVALID": (
        DomainGone,
        "the requested object does not exist any more",
        "Was the virtual machine or the host removed?",
    ),
    "UUID_INVALID": (
        DomainGone,
        "the requested object does not exist any more",
        "Was the virtual machine or the host removed?",
    ),
    "RBAC_PERMISSION_DENIED": (
        HostNotUsable,
        "the user's role does not allow it",
        "DomTune needs the role read-only.",
    ),
    "VM_BAD_POWER_STATE": (HostNotUsable, "the virtual machine is in another state", "Start it, then try again."),
    "OTHER_OPERATION_IN_PROGRESS": (
        HostNotUsable,
        "another operation on the object is in progress",
        "Wait until that has ended.",
    ),
    "OPERATION_NOT_ALLOWED": (ParameterRefused, "XAPI does not allow it", ""),
    "OPERATION_BLOCKED": (ParameterRefused, "its administrator blocked this operation", ""),
    "NOT_IMPLEMENTED": (HostNotUsable, "XAPI has the call and does not do it", ""),
    "MESSAGE_METHOD_UNKNOWN": (HostNotUsable, "this version of XAPI has no such call", ""),
    "HOST_STILL_BOOTING": (HostUnreachable, "the host is still starting", "Try again in a minute."),
    "HOST_IN_EMERGENCY_MODE": (HostUnreachable, "the host cannot find its pool's coordinator", "Is the pool whole?"),
    "HOST_OFFLINE": (HostUnreachable, "the host is offline", ""),
    HOST_IS_SLAVE: (HostNotUsable, "its pool has no coordinator that stays one", "Is the pool whole?"),
}


def translate_failure(what: str, failure: XapiFailure) -> HostError:
    """Return the error for a failed call.

    Args:
        what: Purpose of the call, for messages.
        failure: XAPI's failure; its text is data.
    """
    kind, meaning, hint = _KINDS.get(failure.code, (HostError, "XAPI refused", ""))
    parameters = f": {', '.join(failure.parameters)[:300]}" if failure.parameters else ""
    return kind(f"{failure.where}, {what}: {meaning} ({failure.code}{parameters})", hint=hint)
