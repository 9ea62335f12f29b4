"""Accepting a host's certificate by its fingerprint."""

from pathlib import Path

from scheduler.errors import HostKeyUnknown, SpecError
from scheduler.hosts.xapi.pins import keep, normal
from scheduler.hosts.xapi.url import parse
from scheduler.hosts.xapi.wire import Wire

_TIMEOUT_S = 15.0


def fetch(url: str) -> tuple[str, str]:
    """Return a host as people write it, and the fingerprint that it shows; nothing is sent. Raises HostUnreachable."""
    address = parse(url).address
    wire = Wire(address, "")
    try:
        wire.greet(_TIMEOUT_S)
    except HostKeyUnknown as unknown:
        return address.where, unknown.fingerprint
    finally:
        wire.close()
    return address.where, ""


def trust(url: str, fingerprint: str) -> Path:
    """Accept a host's certificate, if it still is the one that was looked at.

    Returns:
        The file that holds its fingerprint now.

    Raises:
        SpecError: No such URL, or no fingerprint.
        HostKeyChanged: The host shows another certificate than the accepted one.
        HostUnreachable: It shows none.
    """
    address = parse(url).address
    pin = normal(fingerprint)
    if not pin:
        hint = "Give all 64 hexadecimal digits of the SHA-256 fingerprint, with or without colons."
        raise SpecError("--fingerprint", f"{fingerprint!r} is no SHA-256 fingerprint", hint=hint)
    wire = Wire(address, pin)
    try:
        wire.greet(_TIMEOUT_S)
    finally:
        wire.close()
    return keep(address, pin)
