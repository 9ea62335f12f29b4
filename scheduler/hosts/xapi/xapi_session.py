"""Login to a pool's coordinator, renewed when ended, and always logged out."""

import logging
import threading

from scheduler.errors import HostKeyChanged, HostNotUsable, HostUnreachable, SchedulerError
from scheduler.hosts.xapi import rpc
from scheduler.hosts.xapi.certificate_pins import find_pin, format_fingerprint, normalise_fingerprint
from scheduler.hosts.xapi.https_wire import ConnectionBroken, HttpsWire
from scheduler.hosts.xapi.xapi_failures import (
    HOST_IS_SLAVE,
    SESSION_INVALID,
    TOKEN_LOST,
    XapiFailure,
    translate_failure,
)
from scheduler.hosts.xapi.xapi_url import XapiAddress
from scheduler.translation import _

log = logging.getLogger(__name__)

CALL_S = 20.0
CONNECT_S = 20.0
LOGIN_S = 130.0  # XAPI delays a login for up to 120 s while its directory service starts
_ENTERING_S = 10.0  # seconds for which `close` lets a login continue, to be able to log out
_LOGOUT_S = 5.0
_HOPS = 3
_API = "2.21"
_ORIGINATOR = "domtune"  # XAPI allows each originator 500 sessions; a fixed name separates DomTune's from all others
_ASK_PIN = {"x-xenapi-request-host-certificate-thumbprint": "sha-256:master"}
_TOLD_PIN = "x-xenapi-response-host-certificate-thumbprint"


class XapiSession:
    """One login for any number of connections.

    The session's reference and the password stay in this process.

    Args:
        address: A member of the pool.
        user: Name of the user.
        password: Password of the user.
    """

    def __init__(self, address: XapiAddress, user: str, password: str) -> None:
        self._given = address
        self._user = user
        self._password = password
        self._lock = threading.Lock()
        self._ref = ""
        self._closed = False
        self._at = (address, "")
        self._entering: HttpsWire | None = None

    @property
    def named_address(self) -> XapiAddress:
        """The member of the pool that was named."""
        return self._given

    def __repr__(self) -> str:
        """Return a text without the password, for messages."""
        return f"Session({self._user}@{self._given.where})"

    def current(self) -> tuple[str, XapiAddress, str]:
        """Return the session's reference, the coordinator and its pin.

        Logs in if necessary.

        Raises:
            HostError: The login failed.
        """
        with self._lock:
            if self._closed:
                raise HostUnreachable(_("the session at {where} was closed").format(where=self._given.where))
            if not self._ref:
                self._ref, self._at = self._log_in()
            address, pin = self._at
            return self._ref, address, pin

    def ended(self, ref: str) -> None:
        """Record that a session has ended; the next `current` logs in again.

        The next login finds the pool's coordinator of that time.
        """
        with self._lock:
            if self._ref == ref:
                self._ref = ""

    def close(self) -> None:
        """Log out and refuse later logins; never raise, may be called twice.

        Waits up to ten seconds for a login in progress.
        """
        if not self._lock.acquire(timeout=_ENTERING_S):
            entering = self._entering
            if entering is not None:
                entering.cut()
            self._lock.acquire()
        try:
            self._closed = True
            ref, self._ref = self._ref, ""
        finally:
            self._lock.release()
        if not ref:
            return
        wire = HttpsWire(*self._at)
        try:
            rpc.call_method(wire, "session.logout", (ref,), _LOGOUT_S)
        except (SchedulerError, XapiFailure) as error:
            log.info("logging out at %s failed: %s", self._at[0].where, error)
        finally:
            wire.close()

    def _log_in(self) -> tuple[str, tuple[XapiAddress, str]]:
        address, pin = self._given, find_pin(self._given)
        for _unused in range(_HOPS + 1):
            self._entering = wire = HttpsWire(address, pin)
            try:
                wire.check_certificate(
                    CONNECT_S
                )  # an absent host is then reported sooner than a host whose login takes long
                params = (self._user, self._password, _API, _ORIGINATOR)
                value, _unused = rpc.call_method(wire, "session.login_with_password", params, LOGIN_S, _ASK_PIN)
                return str(value), (address, pin)
            except XapiFailure as failure:
                if failure.code != HOST_IS_SLAVE or not failure.parameters:
                    raise translate_failure(_("logging in"), failure) from failure
                address, pin = _find_coordinator(address, failure)
            finally:
                self._entering = None
                wire.close()
        raise HostNotUsable(
            _("{where}: after {hops} hops, {where_2} is still not the pool's coordinator").format(
                where=self._given.where, hops=_HOPS, where_2=address.where
            ),
            hint=_("The members name each other as coordinator; is the pool whole?"),
        )


def _find_coordinator(member: XapiAddress, failure: XapiFailure) -> tuple[XapiAddress, str]:
    """Return the coordinator that a member names, and the certificate to expect.

    The certificate was accepted earlier, or is confirmed by the pinned member.
    """
    address = XapiAddress(failure.parameters[0].strip("[]"), member.port)
    kept, reported = find_pin(address), normalise_fingerprint(failure.headers.get(_TOLD_PIN, ""))
    if kept and reported and kept != reported:
        raise HostKeyChanged(
            _(
                "{where} reports the certificate {reported} for its coordinator {where_2}, but {kept} was accepted"
            ).format(
                where=member.where,
                reported=format_fingerprint(reported),
                where_2=address.where,
                kept=format_fingerprint(kept),
            ),
            hint=_(
                "Did the coordinator get a new certificate? Accept it with 'domtune trust' once its administrator "
                "has read it to you."
            ),
        )
    return address, kept or reported


class XapiConnection:
    """Calls over one connection, for one thread; several connections share a session.

    Args:
        session: The login.
    """

    def __init__(self, session: XapiSession) -> None:
        self._session = session
        self._wire: HttpsWire | None = None
        self._over = False

    def call(self, what: str, method: str, *params: rpc.Value, timeout_s: float = CALL_S) -> object:
        """Make a call that may be repeated: a query, or the setting of a whole value.

        Args:
            what: Purpose of the call, for messages.
            method: Name of the method, for example `VM.get_record`.
            *params: Arguments after the session's reference.
            timeout_s: Seconds for one attempt.

        Raises:
            HostError: The call failed, also after a new connection or a new login.
            XapiFailure: The events of a token are lost.
        """
        forgiven = {ConnectionBroken.__name__, SESSION_INVALID, HOST_IS_SLAVE}
        while True:
            self._refuse_after_cut(what)
            ref, address, pin = self._session.current()
            wire = self._open_wire(address, pin)
            self._refuse_after_cut(what)  # The login takes seconds, and `cut` saw no wire to cut in this time.
            try:
                return rpc.call_method(wire, method, (ref, *params), timeout_s)[0]
            except ConnectionBroken:
                if self._over or ConnectionBroken.__name__ not in forgiven:
                    raise
                forgiven.discard(ConnectionBroken.__name__)
            except XapiFailure as failure:
                if failure.code in TOKEN_LOST:
                    raise
                if failure.code not in forgiven:
                    raise translate_failure(what, failure) from failure
                forgiven.discard(failure.code)
                self._session.ended(ref)

    def cut(self) -> None:
        """End the call of another thread, and every later call."""
        self._over = True
        if self._wire is not None:
            self._wire.cut()

    def close(self) -> None:
        """Close the connection; the session stays."""
        if self._wire is not None:
            self._wire.close()

    def _refuse_after_cut(self, what: str) -> None:
        if self._over:
            raise ConnectionBroken(_("{what}: given up").format(what=what))

    def _open_wire(self, address: XapiAddress, pin: str) -> HttpsWire:
        if self._wire is None or self._wire.address != address:
            self.close()
            self._wire = HttpsWire(address, pin)
        return self._wire
