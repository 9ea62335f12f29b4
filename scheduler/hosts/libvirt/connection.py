"""A connection that comes back: libvirtd may be restarted while a sweep runs."""

import math
import time
from collections.abc import Callable, Mapping
from threading import Event
from typing import TypeVar

import msgspec

from scheduler.errors import HostError, HostUnreachable
from scheduler.hosts.libvirt import refusals
from scheduler.hosts.libvirt.answers import SetAnswer
from scheduler.hosts.libvirt.interpreters import find_python
from scheduler.hosts.libvirt.speaker import CallRefused, Lost, Speaker
from scheduler.hosts.libvirt.uri import Uri, credentials
from scheduler.model.urls import shown

_MORE_TRIES = 3
_NO_WORD = "Broken pipe"  # of EPIPE, in libvirt's "Cannot write data"
_OPEN_S = 20.0  # ssh to a slow host takes seconds; a port that accepts and stays silent takes for ever
_CALL_S = 10.0  # a set on a busy host was seen to take 0.09 s; `virsh destroy` holds a domain for more than 3 s
_BACK_S = 8.0  # a service manager starts a killed daemon anew within a second or two
_AGAIN_S = 0.25

T = TypeVar("T")


class About(msgspec.Struct, frozen=True):
    """What a connection says about its host.

    Attributes:
        type: Libvirt's name of the driver: `QEMU`, `LXC`, `Xen`, `TEST`.
        hostname: The host's name.
        version: Of the hypervisor, as one number.
        library: Of libvirt there, as one number.
        pcpus: Number of physical CPUs.
    """

    type: str
    hostname: str
    version: int
    library: int
    pcpus: int


class Connection:
    """One libvirt URI.

    Args:
        uri: Where to.
    """

    def __init__(self, uri: Uri) -> None:
        self.uri = uri
        self._python = find_python()
        self._speaker: Speaker | None = None
        self._about: About | None = None
        self._patience_s = 0.0  # one that was never there does not come back

    def about(self) -> About:
        """Return what was said when it was opened first; raises HostError."""
        if self._about is None:
            try:
                self._open()
            except Lost as error:
                raise refusals.lost(self.uri, str(error)) from error
        if self._about is None:
            raise HostError(f"{shown(self.uri.text)} did not say what it is")
        return self._about

    def ask(self, what: str, request: Mapping[str, object], answer: type[T]) -> T:
        """Ask, over a new connection if the old one is lost; raises HostError. For what may be asked twice.

        Args:
            what: What this is about, for messages.
            request: For the worker.
            answer: Type of the answer.
        """
        return self._twice(lambda: self._ask(what, request, answer))

    def tell(self, what: str, request: Mapping[str, object], done: Callable[[], bool]) -> SetAnswer:
        """Tell something and return whether there was somebody to be told; raises HostError.

        A connection that is lost meanwhile does not say whether it was done: look, and only then say it again.

        Args:
            what: What this is about, for messages.
            request: For the worker.
            done: Looks whether it was done.
        """
        try:
            return self._ask(what, request, SetAnswer)
        except Lost:
            return SetAnswer() if done() else self.ask(what, request, SetAnswer)

    def close(self) -> None:
        """Let go; never raises, may be called twice."""
        if self._speaker is not None:
            self._speaker.end()
            self._speaker = None

    def _twice(self, ask: Callable[[], T]) -> T:
        """Ask, and while the connection is lost ask again, until it is back or the time for that is over."""
        deadline_s = math.inf
        while True:
            try:
                return ask()
            except Lost as error:
                deadline_s = min(deadline_s, time.monotonic() + self._patience_s)
                if time.monotonic() >= deadline_s:
                    self._patience_s = 0.0  # nobody waits a second time for the same loss
                    raise refusals.lost(self.uri, str(error)) from error
            Event().wait(_AGAIN_S)

    def _ask(self, what: str, request: Mapping[str, object], answer: type[T]) -> T:
        self._open()
        if self._speaker is None:
            raise Lost("closed")
        try:
            found = self._speaker.ask(request, _CALL_S)
        except Lost:
            self.close()
            raise
        except CallRefused as refused:
            raise refusals.not_done(self.uri, what, refused) from refused
        try:
            return msgspec.convert(found, answer)
        except msgspec.ValidationError as error:
            raise HostError(f"{shown(self.uri.text)}: {what} was answered with something else: {error}") from error

    def _open(self) -> None:
        if self._speaker is not None:
            return
        user, secret = credentials(self.uri)
        speaker = Speaker(self._python)
        request = {"do": "open", "uri": self.uri.asked_for, "user": user, "password": secret}
        try:
            about = msgspec.convert(_opened(speaker, request), About)
        except CallRefused as refused:
            speaker.end()
            error = refusals.not_opened(self.uri, refused)
            if self._about is not None and isinstance(error, HostUnreachable):
                raise Lost(refused.text) from refused  # it was there: it may come back
            raise error from refused
        except BaseException:
            speaker.end()
            raise
        self._speaker = speaker
        self._about = self._same(about)
        self._patience_s = _BACK_S

    def _same(self, about: About) -> About:
        """Refuse another host that answers now: its domains are not the ones that we know by their identity."""
        if self._about is not None and self._about.hostname != about.hostname:
            self.close()
            raise HostUnreachable(
                f"{shown(self.uri.text)} is {about.hostname!r} now; it was {self._about.hostname!r} before",
                hint="Make the URI lead to the first host again, then run 'domtune restore'.",
            )
        return about


def _opened(speaker: Speaker, request: Mapping[str, object]) -> object:
    """Ask for a connection; again where the ssh that libvirt starts had ended before libvirt wrote to it.

    Then libvirt speaks of a broken pipe, and what ssh said of the cause is lost: another try may tell it.
    """
    for _ in range(_MORE_TRIES):
        try:
            return speaker.ask(request, _OPEN_S)
        except CallRefused as refused:
            if _NO_WORD not in refused.text:
                raise
    return speaker.ask(request, _OPEN_S)
