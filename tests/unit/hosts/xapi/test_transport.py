"""The pinned connection: nothing is sent to whoever does not show the accepted certificate; everything ends in time."""

import os
import socket
import ssl
import threading
import time
from http.client import NotConnected

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.errors import HostKeyChanged, HostKeyUnknown, HostNotUsable, HostUnreachable, SpecError
from scheduler.hosts.xapi import certificate_pins
from scheduler.hosts.xapi.certificate_trust import accept_certificate
from scheduler.hosts.xapi.https_wire import ConnectionBroken, HttpsWire, _PinnedHttp
from scheduler.hosts.xapi.xapi_session import XapiSession
from scheduler.hosts.xapi.xapi_url import XapiAddress
from tests.volume import times
from tests.xapi_double.fixtures import forget_pins, until
from tests.xapi_double.pool import PASSWORD, Fault, small_pool
from tests.xapi_double.server import Member

POST = ("POST", "/RPC2")


class Plain:
    """A server that speaks no TLS, and keeps what it was told."""

    def __init__(self, answer):
        self.heard = b""
        self._answer = answer
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(5)
        self.address = XapiAddress(*self._socket.getsockname())
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        taken, _ = self._socket.accept()
        with taken:
            taken.settimeout(2)
            try:
                self.heard = taken.recv(4096)
                taken.sendall(self._answer)
                while taken.recv(4096):
                    pass
            except OSError:
                return

    def stop(self):
        self._thread.join()
        self._socket.close()


def login(address):
    session = XapiSession(address, "root", PASSWORD)
    try:
        return session.current()
    finally:
        session.close()


def test_first_contact_shows_the_fingerprint_and_sends_nothing(member, pairs):
    forget_pins()
    with pytest.raises(HostKeyUnknown) as caught:
        login(XapiAddress("127.0.0.1", member.port))
    assert certificate_pins.normalise_fingerprint(caught.value.fingerprint) == pairs["xcp1"].fingerprint
    assert caught.value.fingerprint in caught.value.hint
    assert f"domtune trust {member.url} --fingerprint" in caught.value.hint
    assert member.asked == []


def test_words_of_the_first_contact_accept_it(member):
    forget_pins()
    with pytest.raises(HostKeyUnknown) as caught:
        login(XapiAddress("127.0.0.1", member.port))
    url, fingerprint = caught.value.hint.split("domtune trust ")[1].split(" --fingerprint ")
    path = accept_certificate(url, fingerprint)
    assert login(XapiAddress("127.0.0.1", member.port))[0].startswith("OpaqueRef:")
    assert path.stat().st_mode & 0o077 == 0
    assert PASSWORD not in path.read_text()


def test_changed_certificate_stops_everything_before_the_password(member, pool, pairs):
    certificate_pins.accept_fingerprint(XapiAddress("127.0.0.1", member.port), pairs["xcp2"].fingerprint)
    with pytest.raises(HostKeyChanged, match="another certificate") as caught:
        login(XapiAddress("127.0.0.1", member.port))
    shown = certificate_pins.format_fingerprint(pairs["xcp1"].fingerprint)
    assert shown in str(caught.value)
    assert shown not in caught.value.hint  # nobody accepts by copying a line
    assert member.asked == []


def test_another_certificate_than_the_named_one_is_not_accepted(member, pairs):
    forget_pins()
    with pytest.raises(HostKeyChanged):
        accept_certificate(member.url, pairs["xcp2"].fingerprint)
    assert not certificate_pins.pins_path().exists()


@pytest.mark.parametrize(
    "text", ["", "00:11", "zz" * 32, "ab" * 31, "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"]
)
def test_only_a_whole_sha256_fingerprint_is_taken(member, text):
    with pytest.raises(SpecError, match="fingerprint"):
        accept_certificate(member.url, text)


@given(st.binary(min_size=32, max_size=32))
@settings(max_examples=times(12, 30), deadline=None)
def test_fingerprint_may_be_written_in_any_usual_way(digest):
    plain = digest.hex()
    for text in (
        plain,
        plain.upper(),
        certificate_pins.format_fingerprint(plain),
        f"SHA256:{certificate_pins.format_fingerprint(plain)}",
        f"sha-256:{plain}",
    ):
        assert certificate_pins.normalise_fingerprint(text) == plain
    assert (
        certificate_pins.normalise_fingerprint(f"sha256 Fingerprint={certificate_pins.format_fingerprint(plain)}")
        == plain
    )  # as openssl prints it


@given(flipped=st.integers(0, 255))
@settings(max_examples=times(15, 40), deadline=None)
def test_pin_wrong_in_a_single_bit_is_wrong(everlasting, flipped):
    wrong = bytearray.fromhex(everlasting.pair.fingerprint)
    wrong[flipped // 8] ^= 1 << flipped % 8
    wire = HttpsWire(XapiAddress("127.0.0.1", everlasting.port), wrong.hex())
    with pytest.raises(HostKeyChanged):
        wire.exchange(POST, b"secret", {}, 5.0)
    wire.close()
    assert everlasting.asked == []


@pytest.fixture(scope="module")
def everlasting(pairs):
    member = Member(small_pool(), pairs["xcp1"])
    yield member
    member.stop()


def test_accepted_certificate_counts_after_it_ran_out(home, pool, pairs):
    member = Member(pool, pairs["old"])
    try:
        with pytest.raises(HostKeyUnknown):
            login(XapiAddress("127.0.0.1", member.port))
        accept_certificate(member.url, pairs["old"].fingerprint)
        assert login(XapiAddress("127.0.0.1", member.port))[0]
    finally:
        member.stop()


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b"", b"SSH-2.0-OpenSSH_9.2\r\n", os.urandom(200)]
)
def test_server_without_tls_never_hears_a_password(home, answer):
    plain = Plain(answer)
    certificate_pins.accept_fingerprint(plain.address, "ab" * 32)
    with pytest.raises((HostNotUsable, HostUnreachable)) as caught:
        login(plain.address)
    plain.stop()
    assert plain.address.where in str(caught.value)
    assert PASSWORD.encode() not in plain.heard
    assert b"login" not in plain.heard


def test_server_that_knows_only_rsa_is_reported_to_be_too_old(home, pool, pairs):
    """Where Python refuses that exchange: Debian's own offers what its OpenSSL does, and gets through."""
    member = Member(pool, pairs["rsa"], rsa_alone=True)
    address = XapiAddress("127.0.0.1", member.port)
    certificate_pins.accept_fingerprint(address, pairs["rsa"].fingerprint)
    offered = {cipher["kea"] for cipher in ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).get_ciphers()}
    try:
        if "kx-rsa" in offered:
            login(address)
            return
        with pytest.raises(HostNotUsable, match=r"too old: .* up to 7\.6 support only RSA key exchange") as caught:
            login(address)
    finally:
        member.stop()
    assert "xl+ssh://root@HOST" in caught.value.hint
    assert member.asked == []


def test_http_by_itself_opens_no_connection(member):
    http = _PinnedHttp("127.0.0.1", member.port)  # it would be one without TLS
    with pytest.raises(NotConnected):
        http.request("POST", "/RPC2", b"secret")


def test_address_where_no_one_listens_is_unreachable(home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = XapiAddress(*taken.getsockname())
    certificate_pins.accept_fingerprint(address, "ab" * 32)
    with pytest.raises(HostUnreachable, match="cannot be reached"):
        login(address)


@pytest.mark.parametrize("host", ["xcp1..example", "x" * 64, ".xcp1"])
def test_name_that_no_host_can_have_is_unreachable(home, host):
    with pytest.raises(HostUnreachable, match=r"cannot be reached: .*no name of a host"):
        login(XapiAddress(host))


@pytest.mark.parametrize("stage", ["no handshake", "no answer", "dripping"])
def test_every_wait_ends(home, pool, pairs, stage):
    member = Member(pool, pairs["xcp1"])
    silent = socket.create_server(("127.0.0.1", 0))
    address = XapiAddress(*silent.getsockname()) if stage == "no handshake" else XapiAddress("127.0.0.1", member.port)
    # Single bytes come faster than the limit: only one for the whole answer ends that.
    fault = Fault("wait", seconds=8.0) if stage == "no answer" else Fault("drip", seconds=0.05)
    pool.fail_at("session.logout", fault)
    pool.sessions["OpaqueRef:s"] = "root"
    wire = HttpsWire(address, pairs["xcp1"].fingerprint)
    body = (
        b"<methodCall><methodName>session.logout</methodName><params><param><value>OpaqueRef:s</value></param></params>"
        b"</methodCall>"
    )
    begun_s = time.monotonic()
    with pytest.raises(HostUnreachable, match=r"within 0\.2 s"):
        wire.exchange(POST, body, {}, 0.2)
    assert time.monotonic() - begun_s < 6
    silent.close()
    member.stop()


def test_wire_that_was_cut_before_it_was_connected_asks_nothing(member, pairs):
    """Whoever cuts it may come while the other thread still connects; nobody would cut it again."""
    wire = HttpsWire(XapiAddress("127.0.0.1", member.port), pairs["xcp1"].fingerprint)
    wire.cut()
    with pytest.raises(ConnectionBroken):
        wire.exchange(POST, b"<methodCall><methodName>session.logout</methodName></methodCall>", {}, 5.0)
    assert member.asked == []


def test_cut_wakes_the_one_that_waits(home, pool, pairs):
    member = Member(pool, pairs["xcp1"])
    pool.fail_at("session.logout", Fault("wait", seconds=8.0))
    wire = HttpsWire(XapiAddress("127.0.0.1", member.port), pairs["xcp1"].fingerprint)
    threading.Thread(target=lambda: (until(lambda: member.asked), wire.cut())).start()
    begun_s = time.monotonic()
    with pytest.raises(ConnectionBroken):
        wire.exchange(POST, b"<methodCall><methodName>session.logout</methodName></methodCall>", {}, 30.0)
    assert time.monotonic() - begun_s < 6
    member.stop()
