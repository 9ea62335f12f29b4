"""Acceptance of a host's certificate by its fingerprint."""

from pathlib import Path

from scheduler.errors import HostKeyUnknown, SpecError
from scheduler.hosts.xapi.certificate_pins import accept_fingerprint, normalise_fingerprint
from scheduler.hosts.xapi.https_wire import HttpsWire
from scheduler.hosts.xapi.xapi_url import parse_xapi_url
from scheduler.translation import _

_TIMEOUT_S = 15.0


def fetch_fingerprint(url: str) -> tuple[str, str]:
    """Return the address of a host and the fingerprint of its certificate.

    No request is sent.

    Raises:
        HostUnreachable: The host does not answer.
    """
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
    """Accept a host's certificate if the host still shows the expected one.

    Args:
        url: URL of the host.
        fingerprint: The expected SHA-256 fingerprint.

    Returns:
        The file that now holds the fingerprint.

    Raises:
        SpecError: The URL or the fingerprint is not valid.
        HostKeyChanged: The host shows a certificate other than the expected one.
        HostUnreachable: The host shows no certificate.
    """
    address = parse_xapi_url(url).address
    pin = normalise_fingerprint(fingerprint)
    if not pin:
        hint = _("Give all 64 hexadecimal digits of the SHA-256 fingerprint, with or without colons.")
        raise SpecError(
            "--fingerprint", _("{fingerprint!r} is no SHA-256 fingerprint").format(fingerprint=fingerprint), hint=hint
        )
    wire = HttpsWire(address, pin)
    try:
        wire.check_certificate(_TIMEOUT_S)
    finally:
        wire.close()
    return accept_fingerprint(address, pin)
