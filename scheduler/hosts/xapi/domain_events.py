"""Watching the swept domains: a reboot, a move or another power state ends the sweep.

Changes made with `xl` bring no event; what is watched is what the toolstack does to the domains behind a sweep's back.
"""

import logging
import threading
import time
from collections.abc import Mapping

from scheduler.errors import HostError, LoginRefused
from scheduler.hosts.xapi.xapi_failures import NEVER, XapiFailure
from scheduler.hosts.xapi.xapi_records import EventBatch, EventRecord, VmRecord, parse_record
from scheduler.hosts.xapi.xapi_session import XapiConnection

log = logging.getLogger(__name__)

POLL_S = 30.0
_GRACE_S = 15.0  # beyond the server's own limit
_AGAIN_S = 2.0
_END_S = 5.0


class EventWatcher:
    """A thread with a connection of its own that waits for events.

    Args:
        line: The connection; closed by `stop`.
        found: Reference to the domain as found, for everything that is watched.
        hosts: Reference to a host's name.
        poll_s: How long the server may hold an answer back, seconds.
    """

    def __init__(
        self, line: XapiConnection, found: Mapping[str, VmRecord], hosts: Mapping[str, str], *, poll_s: float = POLL_S
    ) -> None:
        self._line = line
        self._found = dict(found)
        self._hosts = dict(hosts)
        self._poll_s = poll_s
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._happened: list[str] = []
        self._blind = ""
        self._missed = ""
        self._seen_s = time.monotonic()
        self._thread = threading.Thread(target=self._watch_events, name="xapi-events", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    @property
    def domain_changes(self) -> tuple[str, ...]:
        """What happened to a domain, one sentence each; empty while nothing did."""
        with self._lock:
            return tuple(self._happened)

    @property
    def blind(self) -> str:
        """Why nothing is seen at the moment; empty while all is well."""
        with self._lock:
            return self._blind

    @property
    def missed(self) -> str:
        """Why no events came for longer than `poll_s`, at any time so far; empty while that did not happen."""
        with self._lock:
            return self._missed

    def stop(self) -> None:
        """Stop watching, within seconds; may be called twice."""
        self._over.set()
        self._line.cut()
        if self._thread.is_alive():
            self._thread.join(_END_S)
        self._line.close()

    def _watch_events(self) -> None:
        token = ""
        while not self._over.is_set():
            try:
                token = self._wait_for_batch(token)
                self._set_blind_reason("")
            except XapiFailure as failure:
                # The server forgot where we were: begin again with the state of now, which tells all the same.
                log.info("events start anew: %s", failure.code)
                token = ""
                self._over.wait(_AGAIN_S)
            except LoginRefused as refused:
                # XAPI holds every refused login back, and everybody else's with it; too many may lock the account.
                self._set_blind_reason(f"{refused}; it is not tried again", lasting=True)
                return
            except HostError as error:
                if self._over.is_set():
                    return
                if isinstance(error.__cause__, XapiFailure) and error.__cause__.code in NEVER:
                    log.warning("no events: %s", error)
                    self._set_blind_reason(f"{error}; it is not tried again", lasting=True)
                    return
                log.info("no events: %s", error)
                self._set_blind_reason(str(error))
                token = ""
                self._over.wait(_AGAIN_S)

    def _wait_for_batch(self, token: str) -> str:
        """Wait for one batch, take it, return the token of the next. Raises HostError, Failure."""
        classes = [f"vm/{ref}" for ref in self._found]
        params = (classes, token, self._poll_s)
        answer = self._line.call("watching", "event.from", *params, timeout_s=self._poll_s + _GRACE_S)
        batch = parse_record(answer, EventBatch)
        for event in batch.events:
            self._take(event)
        return batch.token

    def _set_blind_reason(self, blind: str, *, lasting: bool = False) -> None:
        """Remember why nothing is seen; empty where events come.

        Args:
            blind: The reason.
            lasting: Whether nothing more will be tried.
        """
        now_s = time.monotonic()
        with self._lock:
            self._blind = blind
            if not blind:
                self._seen_s = now_s
            elif lasting or now_s - self._seen_s > self._poll_s:
                self._missed = self._missed or blind

    def _take(self, event: EventRecord) -> None:
        before = self._found.get(event.ref)
        if before is None or event.class_.lower() != "vm":
            return
        text = f"{before.name_label} was removed"
        if event.operation != "del":
            now = parse_record(event.snapshot, VmRecord)
            text = _describe_difference(before, now, self._hosts)
            self._found[event.ref] = now
        if text:
            log.warning("%s", text)
            with self._lock:
                self._happened.append(text)


def _describe_difference(before: VmRecord, now: VmRecord, hosts: Mapping[str, str]) -> str:
    """Return what happened, in words; empty for changes that do not touch a sweep."""
    if now.power_state != before.power_state:
        return f"{before.name_label} is {now.power_state.lower()} now (it was {before.power_state.lower()})"
    if now.resident_on != before.resident_on:
        place = hosts.get(now.resident_on, "another host")
        return f"{before.name_label} was moved to {place}, where XAPI sets its kept weight and cap again"
    if now.domid != before.domid:
        return f"{before.name_label} was started anew (domain {before.domid}, now {now.domid})"
    return ""
