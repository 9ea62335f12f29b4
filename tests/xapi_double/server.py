"""One member of the pool: an HTTPS server on a loopback address with a certificate of its own."""

import socket
import ssl
import threading
import xmlrpc.client
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.xapi_double import rrd, wire
from tests.xapi_double.calls import Refused, dispatch
from tests.xapi_double.certificates import Pair
from tests.xapi_double.pool import Pool

_THUMB_ASKED = "x-xenapi-request-host-certificate-thumbprint"
_THUMB_TOLD = "x-xenapi-response-host-certificate-thumbprint"


class Member:
    """A member, listening.

    Args:
        pool: What it is a member of.
        pair: Its certificate and key.
        address: A loopback address.
        port: 0 for any; the members of a pool listen on the same one.
        rsa_alone: It knows no other way to exchange keys, as up to 7.6; its own key must be of RSA then.
    """

    def __init__(
        self, pool: Pool, pair: Pair, address: str = "127.0.0.1", port: int = 0, *, rsa_alone: bool = False
    ) -> None:
        self.pool, self.pair, self.address, self.rsa_alone = pool, pair, address, rsa_alone
        self.asked: list[str] = []
        self.queries: list[tuple[str, dict]] = []
        self._server = _Server((address, port), self)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"xapi://{self.address}:{self.port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._server.cut_all()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, place, member):
        self.member = member
        self.open: set[socket.socket] = set()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(member.pair.certificate, member.pair.key)
        if member.rsa_alone:
            self.context.maximum_version = ssl.TLSVersion.TLSv1_2
            self.context.set_ciphers("AES256-SHA:AES128-SHA")
        super().__init__(place, _Handler)

    def get_request(self):
        plain, place = super().get_request()
        secure = self.context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
        self.open.add(secure)
        return secure, place

    def shutdown_request(self, request):
        self.open.discard(request)
        super().shutdown_request(request)

    def cut_all(self):
        for secure in tuple(self.open):
            try:
                socket.socket.shutdown(secure, socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request, client_address):
        """Clients that go away in the middle are what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # an answer goes in two pieces: the second would wait for 40 ms

    def setup(self):
        self.request.settimeout(60)
        self.request.do_handshake()
        super().setup()

    def log_message(self, *words):
        """Say nothing."""

    @property
    def member(self):
        return self.server.member

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        params, method = xmlrpc.client.loads(body)
        self.member.asked.append(method)
        fault = self.member.pool.fault_of(method)
        if fault is not None and fault.kind == "cut":
            self._cut()
            return
        if fault is not None and fault.kind == "wait":
            threading.Event().wait(fault.seconds)
        headers, answer = self._answer(method, params, fault)
        if fault is not None and fault.kind == "drop":
            self._cut()
        elif fault is not None and fault.kind in {"body", "status"}:
            self._send(fault.body, fault.status, {})
        elif fault is not None and fault.kind == "drip":
            self._drip(answer, fault.seconds)
        else:
            self._send(answer, 200, headers)

    def do_GET(self):
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        pool = self.member.pool
        self.member.asked.append(parts.path)
        self.member.queries.append((parts.path, query))
        if parts.path != "/rrd_updates" or query.get("session_id", [""])[0] not in pool.sessions:
            self._send(b"<html><body>Unauthorised</body></html>", 401, {})
        else:
            body, kind = rrd.answer(pool.metrics, query, pool.rrd, self.headers.get("Accept", ""))
            self._send(pool.metrics_body or body, 200, {"Content-Type": kind})

    def _answer(self, method, params, fault):
        pool = self.member.pool
        if fault is not None and fault.kind == "fail":
            return {}, wire.failure(fault.details)
        if pool.coordinator and pool.coordinator != self.member.address:
            reported = pool.thumbprints.get(pool.coordinator, "")
            wanted = self.headers.get(_THUMB_ASKED) == "sha-256:master" and reported
            return ({_THUMB_TOLD: reported} if wanted else {}), wire.failure(["HOST_IS_SLAVE", pool.coordinator])
        try:
            result = dispatch(pool, method, params)
        except Refused as refused:
            return {}, wire.failure(refused.details)
        if method == "session.logout":
            pool.sessions.pop(params[0], None)
        return {}, wire.success(result)

    def _send(self, body, status, headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in {"Content-Type": "text/xml" if status == 200 else "text/html", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _drip(self, body, seconds):
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body):
            self.wfile.write(bytes([byte]))
            threading.Event().wait(seconds)

    def _cut(self):
        self.close_connection = True
        socket.socket.shutdown(self.request, socket.SHUT_RDWR)
