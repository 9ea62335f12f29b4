"""Watcher of the swept domains, whose reboot or move ends the sweep.

A new power state also ends the sweep. Changes made with `xl` cause no event. The watcher sees changes that the
toolstack makes during a sweep.
"""

import logging
import threading
import time
from collections.abc import Mapping

from scheduler.errors import HostError, LoginRefused
from scheduler.hosts.xapi.xapi_failures import NEVER, XapiFailure
from scheduler.hosts.xapi.xapi_records import EventBatch, EventRecord, VmRecord, parse_record
from scheduler.hosts.xapi.xapi_session import XapiConnection
from scheduler.translation import _

log = logging.getLogger(__name__)

POLL_S = 30.0
_GRACE_S = 15.0  # seconds beyond the server's own limit
_AGAIN_S = 2.0
_END_S = 5.0


class EventWatcher:
    """Thread with a connection of its own that waits for events.

    Args:
        line: The connection; closed by `stop`.
        found: Record of each watched domain at the start, by reference.
        hosts: Name of each host, by reference.
        poll_s: Longest time for which the server may delay an answer, seconds.
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
        """Start the thread."""
        self._thread.start()

    @property
    def domain_changes(self) -> tuple[str, ...]:
        """Changes of the domains, one sentence each; empty for none."""
        with self._lock:
            return tuple(self._happened)

    @property
    def blind(self) -> str:
        """The present reason why no events arrive; empty while events arrive."""
        with self._lock:
            return self._blind

    @property
    def missed(self) -> str:
        """The first reason why no events arrived for more than `poll_s`; empty for none."""
        with self._lock:
            return self._missed

    def stop(self) -> None:
        """Stop watching within seconds; may be called twice."""
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
                # The server has lost the token: start again from the current state, which also shows every change.
                log.info("event stream restarted: %s", failure.code)
                token = ""
                self._over.wait(_AGAIN_S)
            except LoginRefused as refused:
                # XAPI delays every refused login, and all other logins with it; too many may lock the account.
                self._set_blind_reason(_("{refused}; DomTune does not try again").format(refused=refused), lasting=True)
                return
            except HostError as error:
                if self._over.is_set():
                    return
                if isinstance(error.__cause__, XapiFailure) and error.__cause__.code in NEVER:
                    log.warning("no events: %s", error)
                    self._set_blind_reason(_("{error}; DomTune does not try again").format(error=error), lasting=True)
                    return
                log.info("no events: %s", error)
                self._set_blind_reason(str(error))
                token = ""
                self._over.wait(_AGAIN_S)

    def _wait_for_batch(self, token: str) -> str:
        """Wait for a batch of events and handle it; return the next token.

        Raises:
            HostError: The call failed.
            XapiFailure: The server has lost the token.
        """
        classes = [f"vm/{ref}" for ref in self._found]
        params = (classes, token, self._poll_s)
        answer = self._line.call("watching", "event.from", *params, timeout_s=self._poll_s + _GRACE_S)
        batch = parse_record(answer, EventBatch)
        for event in batch.events:
            self._take(event)
        return batch.token

    def _set_blind_reason(self, blind: str, *, lasting: bool = False) -> None:
        """Record the reason why no events arrive; empty when events arrive.

        Args:
            blind: The reason.
            lasting: True when no further attempt follows.
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
        text = _("{label} was removed").format(label=before.name_label)
        if event.operation != "del":
            now = parse_record(event.snapshot, VmRecord)
            text = _describe_difference(before, now, self._hosts)
            self._found[event.ref] = now
        if text:
            log.warning("%s", text)
            with self._lock:
                self._happened.append(text)


def _describe_difference(before: VmRecord, now: VmRecord, hosts: Mapping[str, str]) -> str:
    """Return a description of a domain's change.

    The text is empty for changes without effect on a sweep.
    """
    if now.power_state != before.power_state:
        return _("{label} is {power_state} now (it was {power_state_2})").format(
            label=before.name_label, power_state=now.power_state.lower(), power_state_2=before.power_state.lower()
        )
    if now.resident_on != before.resident_on:
        place = hosts.get(now.resident_on, _("another host"))
        return _("{label} was moved to {place}, where XAPI sets its kept weight and cap again").format(
            label=before.name_label, place=place
        )
    if now.domid != before.domid:
        return _("{label} was restarted (domain {domid}, now {domid_2})").format(
            label=before.name_label, domid=before.domid, domid_2=now.domid
        )
    return ""
