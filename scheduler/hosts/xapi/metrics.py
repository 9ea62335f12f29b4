"""Fetching metrics from the host where a domain runs; that host shows a certificate of its own."""

import logging
from urllib.parse import urlencode

from scheduler.errors import HostError
from scheduler.hosts.xapi.pins import normal, pin_of
from scheduler.hosts.xapi.records import Certificate, HostRecord, records
from scheduler.hosts.xapi.rrd import Series, parse
from scheduler.hosts.xapi.session import Line, Session
from scheduler.hosts.xapi.url import Address
from scheduler.hosts.xapi.wire import Wire

log = logging.getLogger(__name__)

WINDOW_S = 60
_TIMEOUT_S = 10.0


def certificates(line: Line) -> dict[str, Certificate]:
    """Return host reference to the certificate that it shows, as the pool knows it; empty from old versions."""
    try:
        known = records(line.call("looking at the certificates", "Certificate.get_all_records"), Certificate)
    except HostError as error:
        log.info("no certificates from XAPI: %s", error)
        return {}
    return {item.host: item for item in known.values() if item.type == "host"}


def fetch(session: Session, host: HostRecord, certificate: Certificate | None) -> Series:
    """Return the last minute of a host and of everything that runs on it; empty when it tells nothing.

    Args:
        session: The login.
        host: The host to ask.
        certificate: What the pool says that it shows.

    Raises:
        HostKeyUnknown: Nobody vouches for the host.
        HostError: It does not answer.
    """
    ref, coordinator, pin = session.current()
    address = Address(host.address, coordinator.port)
    if address != coordinator:
        pin = pin_of(address) or normal(certificate.fingerprint if certificate else "")
    wire = Wire(address, pin)
    # A negative start counts back from the newest value, so that two clocks need not agree.
    query = {"session_id": ref, "start": f"-{WINDOW_S}", "cf": "AVERAGE", "interval": "5", "host": "true"}
    path = f"/rrd_updates?{urlencode(query)}&json=true"
    try:
        reply = wire.exchange(("GET", path), b"", {"Accept": "application/json"}, _TIMEOUT_S)
    finally:
        wire.close()
    return parse(reply.body) if reply.status == 200 else {}
