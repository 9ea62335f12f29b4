"""What the double does for each call, in the order of checks and with the failures of a real XAPI."""

import time

from tests.xapi_double import datamodel
from tests.xapi_double.pool import PASSWORD

NO_LIVE = "This operation is not allowed on a control domain"


class Refused(Exception):
    """XAPI's answer to this call is a failure."""

    def __init__(self, *details):
        assert details[0] in datamodel.CODES
        super().__init__(*details)
        self.details = details


def dispatch(pool, method, params):
    """Carry a call out; raises Refused."""
    message = datamodel.message(method)
    if message is None:
        raise Refused("MESSAGE_METHOD_UNKNOWN", method)
    if len(params) != len(message["params"]):
        raise Refused("MESSAGE_PARAMETER_COUNT_MISMATCH", method, str(len(message["params"])), str(len(params)))
    for value, kind in zip(params, message["params"], strict=True):
        if not datamodel.fits(value, kind):
            raise Refused("FIELD_TYPE_ERROR", kind)
    if method == "session.login_with_password":
        return _login(pool, *params)
    _check_session(pool, method, message, params[0])
    result = _CALLS[method](pool, *params[1:])
    pool.calls.append((method, params, result))
    return result


def _login(pool, user, password, version, originator):
    if user in pool.strangers and password == PASSWORD:
        raise Refused("SESSION_AUTHORIZATION_FAILED", user, "No subject of the pool has this user or a group of theirs")
    if user not in pool.users or password != PASSWORD:
        raise Refused("SESSION_AUTHENTICATION_FAILED", user, "Authentication failure")
    ref = pool.login(user)
    pool.calls.append(("session.login_with_password", (user, "", version, originator), ref))
    return ref


def _check_session(pool, method, message, ref):
    if ref not in pool.sessions:
        raise Refused("SESSION_INVALID", ref)
    user = pool.sessions[ref]
    # root of the host passes every check of roles
    if user != "root" and pool.users[user] not in message["roles"]:
        allowed = ", ".join(message["roles"])
        text = f"No permission in user session. (Roles with this permission: {allowed})"
        raise Refused("RBAC_PERMISSION_DENIED", method.lower(), text)


def _vm(pool, ref):
    if ref not in pool.vms:
        raise Refused("HANDLE_INVALID", "VM", ref)
    return pool.vms[ref]


def _by_uuid(pool, uuid):
    for ref, vm in pool.vms.items():
        if vm["uuid"] == uuid:
            return ref
    raise Refused("UUID_INVALID", "VM", uuid)


def _set_params(pool, ref, value):
    # A setter of the database: in every power state, for Dom0, too, whatever the keys are.
    before = _vm(pool, ref)["VCPUs_params"]
    pool.alter(ref, VCPUs_params=dict(before if pool.forgetful else value))
    return ""


def _add_param(pool, ref, key, value):
    now = _vm(pool, ref)["VCPUs_params"]
    if key in now:
        raise Refused("MAP_DUPLICATE_KEY", "VM", "VCPUs_params", ref, key)
    return _set_params(pool, ref, {**now, key: value})


def _remove_param(pool, ref, key):
    now = _vm(pool, ref)["VCPUs_params"]
    return _set_params(pool, ref, {name: value for name, value in now.items() if name != key})


def _add_live(pool, ref, key, value):
    """Refuse, always: documented as working, implemented in no version."""
    vm = _vm(pool, ref)
    if ref in pool.blocked:
        raise Refused("OPERATION_BLOCKED", ref, "changing_VCPUs_live")
    if vm["power_state"] != "Running":
        raise Refused("VM_BAD_POWER_STATE", ref, "running", vm["power_state"].lower())
    if vm["current_operations"]:
        raise Refused("OTHER_OPERATION_IN_PROGRESS", "VM", ref)
    if vm["is_control_domain"]:
        raise Refused("OPERATION_NOT_ALLOWED", NO_LIVE)
    raise Refused("NOT_IMPLEMENTED", "add_to_VCPUs_params_live")


def _events(pool, classes, token, timeout):
    """Hold the answer back until something happens to what is asked for, or the time is over.

    A token of any age is good: what is told is compared from the database itself (`event.next` has a queue, and
    EVENTS_LOST when it overflows; `event.from` has neither, whatever the datamodel says).
    """
    wanted = [_subscription(text) for text in classes]
    with pool.change:
        if token == "":
            return _batch(pool, {ref: "add" for ref in pool.vms if _matches(wanted, ref)})
        number = token.partition(",")[0]
        if len(number) != 20 or not number.isdigit():
            raise Refused("EVENT_FROM_TOKEN_PARSE_FAILURE", token)
        end_s = time.monotonic() + timeout
        while True:
            # One event for an object, however often it changed.
            news = {ref: what for count, ref, what in pool.events if count > int(number) and _matches(wanted, ref)}
            left_s = end_s - time.monotonic()
            if news or left_s <= 0:
                return _batch(pool, news)
            pool.change.wait(left_s)


def _subscription(text):
    """Read `*`, `CLASS` or `CLASS/REF`; classes in any case."""
    kind, _, ref = text.partition("/")
    return kind.lower(), ref


def _matches(wanted, ref):
    return any(kind == "*" or (kind == "vm" and only in {"", ref}) for kind, only in wanted)


def _batch(pool, news):
    events = []
    for number, (ref, operation) in enumerate(news.items(), start=len(pool.events)):
        event = {"id": str(number), "timestamp": "0.0", "class": "vm", "operation": operation, "ref": ref}
        if operation != "del" and ref in pool.vms:
            event["snapshot"] = dict(pool.vms[ref])
        events.append(event)
    token = f"{len(pool.events):020d},{0:020d}"
    return {"events": events, "valid_ref_counts": {"vm": str(len(pool.vms))}, "token": token}


def _logout(pool):
    return ""


_CALLS = {
    "session.logout": _logout,
    "pool.get_all_records": lambda pool: {"OpaqueRef:p1": pool.pool},
    "host.get_all_records": lambda pool: pool.hosts,
    "VM.get_all_records": lambda pool: pool.vms,
    "VM.get_by_uuid": _by_uuid,
    "VM.get_record": _vm,
    "VM.get_VCPUs_params": lambda pool, ref: dict(_vm(pool, ref)["VCPUs_params"]),
    "VM.set_VCPUs_params": _set_params,
    "VM.add_to_VCPUs_params": _add_param,
    "VM.remove_from_VCPUs_params": _remove_param,
    "VM.add_to_VCPUs_params_live": _add_live,
    "Certificate.get_all_records": lambda pool: pool.certificates,
    "event.from": _events,
}
