"""TLS sockets with a certificate check and a deadline for the whole exchange."""

from __future__ import annotations

import socket
import ssl
import time
from typing import TYPE_CHECKING

from scheduler.hosts.xapi.certificate_pins import check_fingerprint, fingerprint_of
from scheduler.hosts.xapi.xapi_url import XapiAddress
from scheduler.translation import _

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


class DeadlineSocket(ssl.SSLSocket):
    """TLS socket with one deadline; an ordinary timeout restarts with every byte."""

    deadline_s: float = 0.0  # on the monotonic clock

    def recv_into(self, buffer: WriteableBuffer, nbytes: int | None = None, flags: int = 0) -> int:
        """Receive until the deadline; raise TimeoutError.

        Args:
            buffer: As for `ssl.SSLSocket`.
            nbytes: As for `ssl.SSLSocket`.
            flags: As for `ssl.SSLSocket`.
        """
        self.settimeout(left_s(self.deadline_s))
        return super().recv_into(buffer, nbytes, flags)

    def send(self, data: ReadableBuffer, flags: int = 0) -> int:
        """Send until the deadline; raise TimeoutError.

        Args:
            data: As for `ssl.SSLSocket`.
            flags: As for `ssl.SSLSocket`.
        """
        self.settimeout(left_s(self.deadline_s))
        return super().send(data, flags)


def left_s(deadline_s: float) -> float:
    """Return the seconds left until a deadline; raise TimeoutError when none are left."""
    left = deadline_s - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def connect(address: XapiAddress, pin: str, deadline_s: float) -> DeadlineSocket:
    """Connect by TLS and compare the certificate; send nothing else.

    Args:
        address: The host.
        pin: The accepted fingerprint; empty for none.
        deadline_s: Deadline on the monotonic clock.

    Raises:
        HostKeyUnknown: No certificate was accepted for this host.
        HostKeyChanged: Another certificate was accepted.
        OSError: The connection or TLS failed, or the deadline passed (`TimeoutError`).
    """
    plain = _open_socket(address, deadline_s)
    try:
        plain.settimeout(left_s(deadline_s))
        # The handshake proves that the host has the certificate's private key.
        secure = _tls_context().wrap_socket(plain, server_hostname=address.host)
    except BaseException:
        plain.close()
        raise
    if not isinstance(secure, DeadlineSocket):
        raise TypeError("the TLS context made a socket of another class")
    try:
        check_fingerprint(address, fingerprint_of(secure.getpeercert(binary_form=True) or b""), pin)
    except BaseException:
        secure.close()
        raise
    secure.deadline_s = deadline_s
    return secure


def _open_socket(address: XapiAddress, deadline_s: float) -> socket.socket:
    """Try every address of a name within one common deadline."""
    last: OSError = ConnectionError(_("the name has no address"))
    try:
        places = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # a label that is empty or longer than 63 letters
        raise ConnectionError(
            _("{host!r} is no name of a host ({error})").format(host=address.host, error=error)
        ) from error
    for family, kind, protocol, _unused, place in places:
        plain = socket.socket(family, kind, protocol)
        try:
            plain.settimeout(left_s(deadline_s))
            plain.connect(place)
        except OSError as error:
            plain.close()
            last = error
        else:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return plain
    raise last


def _tls_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False  # the fingerprint is compared instead, which proves more than a signature
    context.verify_mode = ssl.CERT_NONE
    context.sslsocket_class = DeadlineSocket
    return context
