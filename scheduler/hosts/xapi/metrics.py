"""Metrics from the host where a domain runs; this host has its own certificate."""

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
    """Return the pool's certificate records by host reference; empty for old versions."""
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
    """Return the last minute's metrics of a host and its machines; empty for none.

    Args:
        session: The login.
        world: The pool.
        ref: Reference of the host to ask.
        certificate: The pool's record of the host's certificate; None for old versions.

    Raises:
        HostKeyUnknown: Neither the user nor the pool has confirmed the certificate.
        HostError: The host does not answer.
    """
    wire = HttpsWire(*_find_address(session, world, ref, certificate))
    # A negative start counts back from the newest value, so that the two clocks need not agree.
    reference = session.current()[0]
    query = {"session_id": reference, "start": f"-{WINDOW_S}", "cf": "AVERAGE", "interval": "5", "host": "true"}
    try:
        # Neither `json` in the query nor an Accept header: the default is XML in every version.
        reply = wire.exchange(("GET", f"/rrd_updates?{urlencode(query)}"), b"", {}, _TIMEOUT_S, MOST_BYTES)
    finally:
        wire.close()
    return parse_metrics(reply.body) if reply.status == 200 else {}


def _find_address(
    session: XapiSession, world: PoolInventory, ref: str, certificate: CertificateRecord | None
) -> tuple[XapiAddress, str]:
    """Return a host's address and expected certificate.

    A certificate accepted by a person has precedence over the pool's record.
    """
    _, coordinator, pin = session.current()
    if ref == world.pool.master:
        return coordinator, pin  # under the name that the login used
    host, given = world.hosts[ref], session.named_address
    address = given if given.host in host.names else XapiAddress(host.address, coordinator.port)
    return address, find_pin(address) or normalise_fingerprint(certificate.sha256 if certificate else "")
