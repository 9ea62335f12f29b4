"""The core's end of the pipe to the Dask process, with time limits and own errors."""

import contextlib
import itertools
import os
import queue
import select
import threading
import time
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from scheduler.children import ChildProgram, bare_environment, python_module
from scheduler.confinement import choose_account, kill_account
from scheduler.errors import ClusterNotUsable
from scheduler.loads.cluster.cluster_messages import (
    ConnectQuestion,
    EndShare,
    ListWorkers,
    LookAtWorker,
    NumberedQuestion,
    NumberedReply,
    PassOrders,
    ReadClock,
    ReadVersions,
    RefusalReply,
    ReplyBody,
    ShareOver,
    ShareWords,
    StartShare,
    decode_event,
    encode_message,
)
from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.translation import _
from scheduler.waiting import is_abort_requested

_MODULE = "scheduler.loads.cluster.dask_process"
_CONNECT_S = 10.0
_START_S = 20.0  # time to import Python and Dask on a busy computer
_MARGIN_S = 3.0  # the process ends a question at its limit; without a reply after this margin, it is killed
_LOOK_S = 0.25
_WAIT_S = 3.0

_Question = ListWorkers | ReadVersions | LookAtWorker | ReadClock | StartShare
_ReplyT = TypeVar("_ReplyT", bound=ReplyBody)


class NoDaskAnswer(Exception):
    """A question has no answer. The text is the reason."""


class ShareListener(Protocol):
    """Receiver of messages from one share. The link's thread calls its methods."""

    def hear(self, words: ShareWords) -> None:
        """Take lines; an empty message is a sign of life."""
        ...

    def lose(self, why: str, *, ended: bool) -> None:
        """Mark the share as lost.

        Args:
            why: The reason.
            ended: True if its task has ended, and its users with it.
        """
        ...


class DaskLink:
    """Process that is connected to a Dask scheduler. The constructor starts it.

    Args:
        connect: Address and certificates.

    Raises:
        NoDaskAnswer: The process does not start, or the scheduler is unreachable.
    """

    def __init__(self, connect: ConnectQuestion) -> None:
        self._numbers = itertools.count()
        self._replies: dict[int, queue.SimpleQueue[ReplyBody]] = {}
        self._shares: dict[str, ShareListener] = {}
        self._outbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._dead = ""  # reason; empty while alive
        try:
            self._uid = choose_account()
            words = python_module(_MODULE, str(self._uid), str(os.getpid()))
            self._process = ChildProgram(words, bare_environment(), folder=Path("/"))
        except OSError as error:
            raise NoDaskAnswer(
                _("no process that speaks with Dask can be started: {error}").format(error=error)
            ) from error
        for work, name in ((self._read_events, "from Dask"), (self._write_requests, "to Dask")):
            threading.Thread(target=work, daemon=True, name=name).start()
        try:
            self._ask_for_reply(connect, _CONNECT_S, _START_S)
        except NoDaskAnswer:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def account(self) -> int:
        """User id of the process; `KEEP_ACCOUNT` if this program runs as an ordinary user."""
        return self._uid

    @property
    def is_dead(self) -> bool:
        """True once no more questions are possible."""
        return bool(self._dead)

    def ask(self, question: _Question, answer: type[_ReplyT], limit_s: float) -> _ReplyT:
        """Return the answer to a question.

        Args:
            question: The question.
            answer: Type of the answer.
            limit_s: Time limit in seconds.

        Raises:
            NoDaskAnswer: The answer is late or of another type, or the process has ended.
        """
        body = self._ask_for_reply(question, limit_s, 0.0)
        if not isinstance(body, answer):
            self.kill(_("unexpected answer"))
            raise NoDaskAnswer(self._dead)
        return body

    def listen(self, share: str, listener: ShareListener) -> None:
        """Register the receiver of a share's messages.

        Args:
            share: Name of the share.
            listener: The receiver.
        """
        with self._lock:
            self._shares[share] = listener

    def send(self, request: PassOrders | EndShare) -> None:
        """Send a request without an answer; never wait, never raise."""
        if isinstance(request, EndShare):
            with self._lock:
                self._shares.pop(request.share, None)
        self._outbox.put(encode_message(request))

    def close(self) -> None:
        """End the process and all of its account; never raise. A second call does nothing."""
        self._process.close_input()
        self._process.wait_for(_LOOK_S)
        self.kill(_("it was closed"))

    def kill(self, why: str) -> None:
        """Kill the process and all of its account.

        Never raise. A second call does nothing.
        """
        self._mark_dead(why)
        self._process.kill()
        self._process.wait_for(_WAIT_S)
        kill_account(self._uid)
        self._outbox.put(b"")
        self._process.close_pipes()

    def _ask_for_reply(self, body: ConnectQuestion | _Question, limit_s: float, more_s: float) -> ReplyBody:
        if self._dead:
            raise NoDaskAnswer(self._dead)
        number, answers = next(self._numbers), queue.SimpleQueue[ReplyBody]()
        self._replies[number] = answers
        self._outbox.put(encode_message(NumberedQuestion(number, limit_s, body)))
        deadline_s = time.monotonic() + limit_s + more_s + _MARGIN_S
        try:
            while True:
                with contextlib.suppress(queue.Empty):
                    reply = answers.get(timeout=_LOOK_S)
                    if isinstance(reply, RefusalReply):
                        raise NoDaskAnswer(reply.text)
                    return reply
                self._check_wait(deadline_s)
        finally:
            self._replies.pop(number, None)

    def _check_wait(self, deadline_s: float) -> None:
        """Raise NoDaskAnswer when waiting is over: time limit, abort, or dead process."""
        if time.monotonic() > deadline_s:
            self.kill(_("the process that speaks with it has not answered in time"))
        if is_abort_requested():
            raise NoDaskAnswer(_("the wait was ended, since the sweep is to end"))
        if self._dead:
            raise NoDaskAnswer(self._dead)

    def _mark_dead(self, why: str) -> None:
        with self._lock:
            self._dead = self._dead or why
            shares, self._shares = list(self._shares.values()), {}
        for share in shares:
            share.lose(self._dead, ended=False)

    def _write_requests(self) -> None:
        """Write waiting requests until the process ends, in a separate thread."""
        while (line := self._outbox.get()) and self._process.write(line):
            pass

    def _read_events(self) -> None:
        """Read events until the process ends, in a separate thread."""
        why, rest, pipe = _("the process that speaks with Dask has ended"), bytearray(), self._process.stdout
        try:
            while pipe is not None and not self._dead:
                if not select.select([pipe], [], [], _LOOK_S)[0]:
                    continue
                chunk = os.read(pipe.fileno(), 65_536)
                if not chunk:
                    break
                rest += chunk
                *lines, last = rest.split(b"\n") if b"\n" in chunk else [rest]
                for line in lines:
                    self._take_event(bytes(line))
                rest = bytearray(last)
                if len(rest) > MOST_LINE_BYTES:
                    raise msgspec.DecodeError(_("the line is too long"))
        except msgspec.MsgspecError as error:
            why = _("the Dask process sent unreadable data ({error})").format(error=error)
            self._process.kill()
        except (OSError, ValueError):  # closed by `kill`
            pass
        self._mark_dead(why)

    def _take_event(self, line: bytes) -> None:
        match event := decode_event(line):
            case NumberedReply():
                if event.number in self._replies:
                    self._replies[event.number].put(event.body)
            case ShareWords() | ShareOver():
                with self._lock:
                    share = self._shares.get(event.share)
                if share is not None and isinstance(event, ShareWords):
                    share.hear(event)
                elif share is not None and isinstance(event, ShareOver):
                    share.lose(event.why, ended=event.ended)


def unreachable_error(address: str, error: NoDaskAnswer, *, encrypted: bool) -> ClusterNotUsable:
    """Return the error for an unreachable scheduler.

    Args:
        address: Address of the scheduler.
        error: The reason.
        encrypted: True for a TLS connection.
    """
    hint = _("Does dask scheduler run there, and does a firewall let this computer through?")
    if encrypted:
        hint += _(" Does it use TLS, and were its certificate and this computer's made by the same authority?")
    return ClusterNotUsable(
        _("the Dask scheduler {address} cannot be reached: {error}").format(address=address, error=error), hint=hint
    )
