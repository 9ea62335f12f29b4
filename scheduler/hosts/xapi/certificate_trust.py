"""Accepting a host's certificate by its fingerprint."""

from pathlib import Path

from scheduler.errors import HostKeyUnknown, SpecError
from scheduler.hosts.xapi.certificate_pins import accept_fingerprint, normalise_fingerprint
from scheduler.hosts.xapi.https_wire import HttpsWire
from scheduler.hosts.xapi.xapi_url import parse_xapi_url

_TIMEOUT_S = 15.0


def fetch_fingerprint(url: str) -> tuple[str, str]:
    """Return a host as people write it, and the fingerprint that it shows; nothing is sent. Raises HostUnreachable."""
    address = parse_xapi_url(url).address
    wire = HttpsWire(address, "")
    try:
        wire.check_certificate(_TIMEOUT_S)
    except HostKeyUnknown as unknown:
        return address.where, unknown.fingerprint
    finally:
        wire.close()
    return address.where, ""


def accept_certificate(url: str, fingerprint: str) -> Path:
    """Accept a host's certificate, if it still is the one that was looked at.

    Returns:
        The file that holds its fingerprint now.

    Raises:
        SpecError: No such URL, or no fingerprint.
        HostKeyChanged: The host shows another certificate than the accepted one.
        HostUnreachable: It shows none.
    """
    address = parse_xapi_url(url).address
    pin = normalise_fingerprint(fingerprint)
    if not pin:
        hint = "Give all 64 hexadecimal digits of the SHA-256 fingerprint, with or without colons."
        raise SpecError("--fingerprint", f"{fingerprint!r} is no SHA-256 fingerprint", hint=hint)
    wire = HttpsWire(address, pin)
    try:
        wire.check_certificate(_TIMEOUT_S)
    finally:
        wire.close()
    return accept_fingerprint(address, pin)
