"""What the adapter calls and reads; `packaging/make_xapi_datamodel.py` takes these out of XAPI's datamodel."""

import msgspec

from scheduler.hosts.xapi.xapi_records import CertificateRecord, EventRecord, HostRecord, PoolRecord, VmRecord

# What the adapter calls, and what the double has besides: for tests of a session, and writes, which the adapter must
# never call.
CALLED = {
    "session": ["login_with_password", "logout"],
    "pool": ["get_all_records"],
    "host": ["get_all_records"],
    "VM": ["get_all_records"],
    "Certificate": ["get_all_records"],
    "event": ["from"],
}
FORBIDDEN = {
    "VM": [
        "get_by_uuid",
        "get_record",
        "get_VCPUs_params",
        "set_VCPUs_params",
        "add_to_VCPUs_params",
        "remove_from_VCPUs_params",
        "add_to_VCPUs_params_live",
    ]
}

# Read by nobody, on purpose: the double sends it so that reading it would show.
TRAPS = {"host": ["sched_policy"]}

RECORDS: dict[str, type[msgspec.Struct]] = {
    "pool": PoolRecord,
    "host": HostRecord,
    "VM": VmRecord,
    "Certificate": CertificateRecord,
    "event": EventRecord,
}

# Newer than the datamodel's file, which ends with 24.10.0 (ocaml/idl/datamodel_host.ml, since 25.21 and 25.27;
# ocaml/idl/datamodel_certificate.ml, since 24.19).
LATER = {
    "Certificate": {"fingerprint_sha256": "string"},
    "host": {
        "ssh_enabled": "bool",
        "ssh_enabled_timeout": "int",
        "ssh_expiry": "datetime",
        "ssh_auto_mode": "bool",
    },
}

# What the double may answer with and the adapter understands (ocaml/xapi-consts/api_errors.ml).
CODES = [
    "EVENTS_LOST",
    "EVENT_FROM_TOKEN_PARSE_FAILURE",
    "FIELD_TYPE_ERROR",
    "HANDLE_INVALID",
    "HOST_IN_EMERGENCY_MODE",
    "HOST_IS_SLAVE",
    "HOST_OFFLINE",
    "HOST_STILL_BOOTING",
    "INTERNAL_ERROR",
    "MAP_DUPLICATE_KEY",
    "MESSAGE_METHOD_UNKNOWN",
    "MESSAGE_PARAMETER_COUNT_MISMATCH",
    "NOT_IMPLEMENTED",
    "OPERATION_BLOCKED",
    "OPERATION_NOT_ALLOWED",
    "OTHER_OPERATION_IN_PROGRESS",
    "RBAC_PERMISSION_DENIED",
    "SESSION_AUTHENTICATION_FAILED",
    "SESSION_AUTHORIZATION_FAILED",
    "SESSION_INVALID",
    "UUID_INVALID",
    "VM_BAD_POWER_STATE",
]


def fields_of(name: str) -> list[str]:
    """Return the fields of a class that the adapter reads, as XAPI calls them."""
    return [field.encode_name for field in msgspec.structs.fields(RECORDS[name])]


def messages_of(name: str) -> list[str]:
    """Return the calls of a class that adapter or double know."""
    return [*CALLED.get(name, ()), *FORBIDDEN.get(name, ())]
