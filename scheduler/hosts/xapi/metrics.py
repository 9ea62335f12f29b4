"""Fetching metrics from the host where a domain runs; that host shows a certificate of its own."""

import logging
from urllib.parse import urlencode

from scheduler.errors import HostError
from scheduler.hosts.xapi.certificate_pins import find_pin, normalise_fingerprint
from scheduler.hosts.xapi.https_wire import HttpsWire
from scheduler.hosts.xapi.pool_inventory import PoolInventory
from scheduler.hosts.xapi.rrd import MOST_BYTES, Series, parse_metrics
from scheduler.hosts.xapi.xapi_records import CertificateRecord, parse_records
from scheduler.hosts.xapi.xapi_session import XapiConnection, XapiSession
from scheduler.hosts.xapi.xapi_url import XapiAddress

log = logging.getLogger(__name__)

WINDOW_S = 60
_TIMEOUT_S = 10.0


def read_certificates(line: XapiConnection) -> dict[str, CertificateRecord]:
    """Return host reference to the certificate that it shows, as the pool knows it; empty from old versions."""
    try:
        known = parse_records(
            line.call("looking at the certificates", "Certificate.get_all_records"), CertificateRecord
        )
    except HostError as error:
        log.info("no certificates from XAPI: %s", error)
        return {}
    return {item.host: item for item in known.values() if item.type == "host"}


def fetch_metrics(
    session: XapiSession, world: PoolInventory, ref: str, certificate: CertificateRecord | None
) -> Series:
    """Return the last minute of a host and of everything that runs on it; empty when it tells nothing.

    Args:
        session: The login.
        world: The pool.
        ref: The host to ask.
        certificate: What the pool says that it shows; None from old versions.

    Raises:
        HostKeyUnknown: Nobody vouches for the host.
        HostError: It does not answer.
    """
    wire = HttpsWire(*_find_address(session, world, ref, certificate))
    # A negative start counts back from the newest value, so that two clocks need not agree.
    reference = session.current()[0]
    query = {"session_id": reference, "start": f"-{WINDOW_S}", "cf": "AVERAGE", "interval": "5", "host": "true"}
    try:
        # Neither `json` in the query nor an Accept: what comes without them is XML in every version.
        reply = wire.exchange(("GET", f"/rrd_updates?{urlencode(query)}"), b"", {}, _TIMEOUT_S, MOST_BYTES)
    finally:
        wire.close()
    return parse_metrics(reply.body) if reply.status == 200 else {}


def _find_address(
    session: XapiSession, world: PoolInventory, ref: str, certificate: CertificateRecord | None
) -> tuple[XapiAddress, str]:
    """Return where a host is asked, and the certificate to expect: what a person accepted before what the pool says."""
    _, coordinator, pin = session.current()
    if ref == world.pool.master:
        return coordinator, pin  # by whichever of its names we are logged in there
    host, given = world.hosts[ref], session.named_address
    address = given if given.host in host.names else XapiAddress(host.address, coordinator.port)
    return address, find_pin(address) or normalise_fingerprint(certificate.sha256 if certificate else "")
