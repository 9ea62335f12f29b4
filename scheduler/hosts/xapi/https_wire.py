"""HTTPS with one XAPI host over one pinned connection.

A request is sent once, and a broken connection is an error. `xmlrpc.client.Transport` sends a request again when the
connection breaks, so that a call may run twice, and has no time limit. Here the caller decides about a retry, and every
exchange has a time limit.
"""

import contextlib
import http.client
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass

from scheduler.errors import HostNotUsable, HostUnreachable
from scheduler.hosts.xapi.tls_sockets import DeadlineSocket, connect
from scheduler.hosts.xapi.xapi_url import XapiAddress
from scheduler.translation import _

MOST_BYTES = 128 << 20  # all records of a pool with ten thousand machines need about half
# OpenSSL's reasons for two ends of TLS without a common protocol (openssl/sslerr.h).
_TOO_OLD = frozenset(
    {
        "SSLV3_ALERT_HANDSHAKE_FAILURE",
        "TLSV1_ALERT_PROTOCOL_VERSION",
        "TLSV1_ALERT_INSUFFICIENT_SECURITY",
        "UNSUPPORTED_PROTOCOL",
        "DH_KEY_TOO_SMALL",
    }
)


class ConnectionBroken(HostUnreachable):
    """Break of a connection during a request.

    The request may have been carried out.
    """


@dataclass(frozen=True, slots=True)
class HttpReply:
    """An HTTP answer.

    Attributes:
        status: HTTP status, for example 200.
        headers: Values by lower-case name.
        body: The complete body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpsWire:
    """HTTPS connection, opened on demand and again after a break.

    One thread may use the connection; any thread may call `cut`.

    Args:
        address: The host.
        pin: Fingerprint of the certificate that the host must show; empty when none was accepted.
    """

    def __init__(self, address: XapiAddress, pin: str) -> None:
        self.address = address
        self._pin = pin
        self._http = _PinnedHttp(address.host, address.port)
        self._socket: DeadlineSocket | None = None
        self._over = False

    def exchange(
        self,
        request: tuple[str, str],
        body: bytes,
        headers: Mapping[str, str],
        timeout_s: float,
        most_bytes: int = MOST_BYTES,
    ) -> HttpReply:
        """Send one request once and return the answer.

        Args:
            request: Method and path. The path may hold a session's reference, so no message contains the path.
            body: Data to send; empty for none.
            headers: Headers in addition to the usual ones.
            timeout_s: Seconds for the whole exchange, > 0.
            most_bytes: Largest answer, bytes.

        Raises:
            ConnectionBroken: The connection broke; the request may have been carried out.
            HostUnreachable: There is no connection, or no answer in time.
            HostNotUsable: The server does not use TLS, is not the accepted one, or sends a longer answer.
        """
        deadline_s = time.monotonic() + timeout_s
        try:
            self._ensure_open(deadline_s)
            return self._send_request(request, body, headers, most_bytes)
        except TimeoutError as error:
            self.close()
            raise self._timeout_error(timeout_s) from error
        except BaseException:
            self.close()
            raise

    def check_certificate(self, timeout_s: float) -> None:
        """Connect and compare the certificate without a request; raise like `exchange`."""
        try:
            self._ensure_open(time.monotonic() + timeout_s)
        except TimeoutError as error:
            raise self._timeout_error(timeout_s) from error

    def cut(self) -> None:
        """Break the exchange of another thread, and refuse every later one.

        These exchanges raise ConnectionBroken.
        """
        self._over = True
        secure = self._socket
        if secure is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(secure, socket.SHUT_RDWR)  # ssl's own shutdown would first remove TLS

    def close(self) -> None:
        """Close the connection."""
        self._http.close()
        self._socket = None

    def _timeout_error(self, timeout_s: float) -> HostUnreachable:
        return HostUnreachable(
            _("{where} gave no answer within {timeout_s:g} s").format(where=self.address.where, timeout_s=timeout_s),
            hint=_("Check the host and the network. The command may still have been carried out."),
        )

    def _ensure_open(self, deadline_s: float) -> None:
        if self._socket is None or self._http.sock is None:
            self._socket = self._http.sock = self._open_socket(deadline_s)
        # Check after the socket is visible to `cut`: the later thread then notices the other.
        if self._over:
            raise ConnectionBroken(_("{where}: given up").format(where=self.address.where))
        self._socket.deadline_s = deadline_s

    def _open_socket(self, deadline_s: float) -> DeadlineSocket:
        where = self.address.where
        try:
            return connect(self.address, self._pin, deadline_s)
        except TimeoutError:
            raise
        except ssl.SSLError as error:
            raise _no_tls(where, error.reason or str(error)) from error
        except OSError as error:
            hint = _("Is the host up, and is this its management address?")
            raise HostUnreachable(
                _("{where} cannot be reached: {strerror}").format(where=where, strerror=error.strerror or error),
                hint=hint,
            ) from error

    def _send_request(
        self, request: tuple[str, str], body: bytes, headers: Mapping[str, str], most_bytes: int
    ) -> HttpReply:
        try:
            self._http.request(*request, body=body or None, headers=dict(headers))
            answer = self._http.getresponse()
            data = answer.read(most_bytes + 1)
        except TimeoutError:
            raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ConnectionBroken(
                _("{where}: the connection broke before an answer came ({error})").format(
                    where=self.address.where, error=type(error).__name__
                ),
                hint=_("The result of the command is unknown. DomTune reads the settings back before it continues."),
            ) from error
        if len(data) > most_bytes:
            raise HostNotUsable(
                _("{where} answers with more than {most_bytes} MiB").format(
                    where=self.address.where, most_bytes=most_bytes >> 20
                )
            )
        if answer.will_close:
            self.close()
        return HttpReply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, data)


def _no_tls(where: str, reason: str) -> HostNotUsable:
    if reason in _TOO_OLD:
        return HostNotUsable(
            _(
                "{where} is too old: it supports no cipher of this computer ({reason}). XenServer "
                "and XCP-ng up to 7.6 support only RSA key exchange, without forward secrecy"
            ).format(where=where, reason=reason),
            hint=_("Update the host. Until then use xl without XAPI: xl+ssh://root@HOST"),
        )
    return HostNotUsable(
        _("{where} does not speak TLS as a XAPI does: {reason}").format(where=where, reason=reason),
        hint=_("Is the port right? DomTune sends no password over a connection that is not encrypted."),
    )


class _PinnedHttp(http.client.HTTPConnection):
    """HTTP connection on a given socket, without reconnects.

    A reconnect would happen without TLS.
    """

    auto_open = 0
