"""Connection to libvirt that survives a restart of libvirtd during a sweep."""

import math
import time
from collections.abc import Callable, Mapping
from threading import Event
from typing import TypeVar

import msgspec

from scheduler.errors import HostError, HostUnreachable
from scheduler.hosts.libvirt import libvirt_errors
from scheduler.hosts.libvirt.libvirt_python import find_python
from scheduler.hosts.libvirt.libvirt_uri import LibvirtUri, read_credentials
from scheduler.hosts.libvirt.worker_answers import SetAnswer
from scheduler.hosts.libvirt.worker_process import CallRefused, ConnectionLost, WorkerProcess
from scheduler.model.urls import redact_url
from scheduler.translation import _

_MORE_TRIES = 3
_NO_WORD = "Broken pipe"  # text of EPIPE in libvirt's "Cannot write data"
_OPEN_S = 20.0  # seconds; ssh to a slow host is slow, and a silent port never answers
_CALL_S = 10.0  # seconds; a set on a busy host took 0.09 s; `virsh destroy` blocks a domain for more than 3 s
_BACK_S = 8.0  # seconds; a service manager restarts a killed daemon within a second or two
_AGAIN_S = 0.25

T = TypeVar("T")


class HypervisorInfo(msgspec.Struct, frozen=True):
    """A connection's information on its host.

    Attributes:
        type: libvirt's name of the driver: `QEMU`, `LXC`, `Xen`, `TEST`.
        hostname: Name of the host.
        version: Version of the hypervisor, as one number.
        library: Version of libvirt on the host, as one number.
        pcpus: Number of physical CPUs.
    """

    type: str
    hostname: str
    version: int
    library: int
    pcpus: int


class LibvirtConnection:
    """Connection to one libvirt URI.

    Args:
        uri: The URI.
    """

    def __init__(self, uri: LibvirtUri) -> None:
        self.uri = uri
        self._python = find_python()
        self._speaker: WorkerProcess | None = None
        self._about: HypervisorInfo | None = None
        self._patience_s = 0.0  # no wait for a connection that never existed

    def about(self) -> HypervisorInfo:
        """Return the information from the first opening; raise HostError."""
        if self._about is None:
            try:
                self._open_worker()
            except ConnectionLost as error:
                raise libvirt_errors.connection_lost_error(self.uri, str(error)) from error
        if self._about is None:
            raise HostError(_("{redact_url} did not identify itself").format(redact_url=redact_url(self.uri.text)))
        return self._about

    def ask(self, what: str, request: Mapping[str, object], answer: type[T]) -> T:
        """Send a query, over a new connection if the old one is lost.

        Only for requests that may be repeated.

        Args:
            what: Purpose of the request, for messages.
            request: Request for the worker.
            answer: Type of the answer.

        Raises:
            HostError: The request failed, or the connection did not return.
        """
        return self._retry_while_lost(lambda: self._send_request(what, request, answer))

    def ask_once(self, what: str, request: Mapping[str, object], answer: type[T], limit_s: float) -> T | None:
        """Send a query that may take long; None when it fails.

        Args:
            what: Purpose of the request, for messages.
            request: Request for the worker.
            answer: Type of the answer.
            limit_s: Time limit, seconds.
        """
        try:
            return self._send_request(what, request, answer, limit_s)
        except (ConnectionLost, HostError):
            return None

    def tell(self, what: str, request: Mapping[str, object], done: Callable[[], bool]) -> SetAnswer:
        """Send a change once; return an answer that names a missing domain.

        After a lost connection, the change may have been made: check, and repeat only if not.

        Args:
            what: Purpose of the request, for messages.
            request: Request for the worker.
            done: Returns True when the change was made.

        Raises:
            HostError: The change failed, or the connection did not return.
        """
        try:
            return self._send_request(what, request, SetAnswer)
        except ConnectionLost:
            return SetAnswer() if done() else self.ask(what, request, SetAnswer)

    def close(self) -> None:
        """Close the connection; never raise, may be called twice."""
        if self._speaker is not None:
            self._speaker.end()
            self._speaker = None

    def _retry_while_lost(self, ask: Callable[[], T]) -> T:
        """Repeat a request while the connection is lost, up to a time limit."""
        deadline_s = math.inf
        while True:
            try:
                return ask()
            except ConnectionLost as error:
                deadline_s = min(deadline_s, time.monotonic() + self._patience_s)
                if time.monotonic() >= deadline_s:
                    self._patience_s = 0.0  # only the first request after a loss waits
                    raise libvirt_errors.connection_lost_error(self.uri, str(error)) from error
            Event().wait(_AGAIN_S)

    def _send_request(self, what: str, request: Mapping[str, object], answer: type[T], limit_s: float = _CALL_S) -> T:
        self._open_worker()
        if self._speaker is None:
            raise ConnectionLost("closed")
        try:
            found = self._speaker.ask(request, limit_s)
        except ConnectionLost:
            self.close()
            raise
        except CallRefused as refused:
            raise libvirt_errors.call_error(self.uri, what, refused) from refused
        try:
            return msgspec.convert(found, answer)
        except msgspec.ValidationError as error:
            raise HostError(
                _("{redact_url}: unexpected answer to {what}: {error}").format(
                    redact_url=redact_url(self.uri.text), what=what, error=error
                )
            ) from error

    def _open_worker(self) -> None:
        if self._speaker is not None:
            return
        user, secret = read_credentials(self.uri)
        speaker = WorkerProcess(self._python)
        request = {"do": "open", "uri": self.uri.asked_for, "user": user, "password": secret}
        try:
            about = msgspec.convert(_open_with_retries(speaker, request), HypervisorInfo)
        except CallRefused as refused:
            speaker.end()
            error = libvirt_errors.open_error(self.uri, refused)
            if self._about is not None and isinstance(error, HostUnreachable):
                raise ConnectionLost(refused.text) from refused  # the host was there before, so it may return
            raise error from refused
        except BaseException:
            speaker.end()
            raise
        self._speaker = speaker
        self._about = self._require_same_host(about)
        self._patience_s = _BACK_S

    def _require_same_host(self, about: HypervisorInfo) -> HypervisorInfo:
        """Raise HostUnreachable when another host answers, with other domains."""
        if self._about is not None and self._about.hostname != about.hostname:
            self.close()
            raise HostUnreachable(
                _("{redact_url} is {hostname!r} now; it was {hostname_2!r} before").format(
                    redact_url=redact_url(self.uri.text), hostname=about.hostname, hostname_2=self._about.hostname
                ),
                hint=_("Make the URI lead to the first host again, then run 'domtune restore'."),
            )
        return about


def _open_with_retries(speaker: WorkerProcess, request: Mapping[str, object]) -> object:
    """Open a connection; repeat after an early end of libvirt's ssh.

    libvirt then reports a broken pipe, without ssh's message. Another attempt may show the message.
    """
    for _unused in range(_MORE_TRIES):
        try:
            return speaker.ask(request, _OPEN_S)
        except CallRefused as refused:
            if _NO_WORD not in refused.text:
                raise
    return speaker.ask(request, _OPEN_S)
