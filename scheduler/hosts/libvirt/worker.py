"""Worker process with one libvirt connection, driven by lines of JSON.

    PYTHON -I worker.py

A separate process is necessary for three reasons. libvirt's calls have no time limit (`open` on a silent port never
returns). A crash in libvirt's library must not end a sweep. The Python with libvirt may be the system's, so only the
standard library and libvirt are imported here. The worker makes no decisions.

Each line is a request `{"do": NAME, ...}`, or an answer `{"ok": ...}` or `{"error": {...}}`.
"""

import json
import os
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import TypeVar

import libvirt

_LIVE_FLAG = frozenset({"QEMU", "LXC"})  # the other drivers refuse every flag (libxl_driver.c, test_driver.c)
_UNSUPPORTED = (libvirt.VIR_ERR_NO_SUPPORT, libvirt.VIR_ERR_OPERATION_UNSUPPORTED)

WorkerAnswer = dict[str, object]
T = TypeVar("T")


class ConnectionNotOpen(Exception):
    """Error of a request before `open`."""


# States of an active domain whose vCPUs do not run (libvirt-domain.h, virDomainState).
_CONDITIONS = {
    libvirt.VIR_DOMAIN_PAUSED: "paused",
    libvirt.VIR_DOMAIN_SHUTDOWN: "being shut down",
    libvirt.VIR_DOMAIN_CRASHED: "crashed",
    libvirt.VIR_DOMAIN_PMSUSPENDED: "suspended",
}


class LibvirtWorker:
    """One connection and its requests."""

    def __init__(self) -> None:
        self._opened: libvirt.virConnect | None = None
        self._live_flag = False
        self._cards: dict[str, list[str]] = {}
        self.actions: dict[str, Callable[..., object]] = {
            "open": self.open,
            "domains": self.domains,
            "domain": self.domain,
            "read": self.read,
            "set": self.set,
            "vcpus": self.vcpus,
            "size": self.size,
            "pin": self.pin,
            "cpus": self.cpus,
            "capabilities": self.capabilities,
            "usage": self.usage,
        }

    def alive(self) -> bool:
        """Return True while the connection is up; a lost connection never returns."""
        try:
            return self._opened is not None and self._opened.isAlive() == 1
        except libvirt.libvirtError:
            return False

    def open(self, uri: str, user: str, password: str) -> WorkerAnswer:
        """Open the connection; return the properties of the host.

        Args:
            uri: The libvirt URI.
            user: Name of the user for SASL; may be empty.
            password: Password for SASL; may be empty.
        """
        conn = libvirt.openAuth(uri, [_QUESTIONS, credential_callback(user, password), None], 0)
        self._opened, self._live_flag = conn, conn.getType() in _LIVE_FLAG
        return {
            "type": conn.getType(),
            "hostname": conn.getHostname(),
            "version": call_optional(conn.getVersion, 0),
            "library": conn.getLibVersion(),
            "pcpus": conn.getInfo()[2],
        }

    def domains(self) -> list[WorkerAnswer]:
        """Return every domain, running or not."""
        found: list[WorkerAnswer] = []
        for domain in self._require_connection().listAllDomains(0):
            try:
                active = domain.isActive() == 1
                found.append({"uuid": domain.UUIDString(), "name": domain.name(), "active": active})
            except libvirt.libvirtError:  # the domain ended in the meantime
                if not self.alive():
                    raise
        return found

    def domain(self, uuid: str) -> WorkerAnswer:
        """Return a running domain's name, size and CPUs."""
        domain, gone = self._find_running(uuid)
        if domain is None:
            return gone
        info = domain.info()
        return {
            "name": domain.name(),
            "number": domain.ID(),
            "condition": _CONDITIONS.get(info[0], ""),
            "vcpus": info[3],
            "scheduler": self._read_scheduler(domain),
            "xml": domain.XMLDesc(0),
            "vcpu_pins": call_optional(lambda: [[bool(pin) for pin in pins] for pins in domain.vcpuPinInfo(0)], None),
            "emulator_pins": call_optional(lambda: [bool(pin) for pin in domain.emulatorPinInfo(0)], None),
        }

    def read(self, uuid: str) -> WorkerAnswer:
        """Return a running domain's live parameters.

        Parameters of a stopped domain are never read: libvirtd 9.0 dies on reading those of a container.
        """
        domain, gone = self._find_running(uuid)
        if domain is None:
            return gone
        if self._live_flag:
            params = domain.schedulerParametersFlags(libvirt.VIR_DOMAIN_AFFECT_LIVE)
        else:
            params = domain.schedulerParameters()
        return {"params": {name: value for name, value in params.items() if isinstance(value, int)}}

    def set(self, uuid: str, name: str, value: int) -> WorkerAnswer:
        """Set one live parameter of a running domain.

        Several parameters in one call are not set together, and an error does not name the parameters that were set.

        Args:
            uuid: UUID of the domain.
            name: libvirt's name of the parameter.
            value: Value to set.
        """
        domain, gone = self._find_running(uuid)
        if domain is None:
            return gone
        if self._live_flag:
            domain.setSchedulerParametersFlags({name: value}, libvirt.VIR_DOMAIN_AFFECT_LIVE)
        else:
            domain.setSchedulerParameters({name: value})
        return {}

    def vcpus(self, uuid: str) -> WorkerAnswer:
        """Return a running domain's present, highest and lowest number of vCPUs."""
        domain, gone = self._find_running(uuid)
        if domain is None:
            return gone
        live = libvirt.VIR_DOMAIN_AFFECT_LIVE
        online = call_optional(lambda: domain.vcpusFlags(live), 0)
        most = call_optional(lambda: domain.vcpusFlags(live | libvirt.VIR_DOMAIN_VCPU_MAXIMUM), 0)
        each = ET.fromstring(domain.XMLDesc(0)).findall("./vcpus/vcpu")
        fixed = sum(vcpu.get("enabled") == "yes" and vcpu.get("hotpluggable") == "no" for vcpu in each)
        return {"online": online, "most": most, "least": max(1, fixed)}

    def size(self, uuid: str, online: int) -> WorkerAnswer:
        """Set a running domain's number of vCPUs.

        The domain's kernel must cooperate in a reduction.

        Args:
            uuid: UUID of the domain.
            online: Number of vCPUs, >= 1.
        """
        domain, gone = self._find_running(uuid)
        if domain is None:
            return gone
        domain.setVcpusFlags(online, libvirt.VIR_DOMAIN_AFFECT_LIVE)
        return {}

    def pin(self, uuid: str, kind: str, number: int, cpus: list[int], count: int) -> WorkerAnswer:
        """Pin a thread of a running domain, for its present life only.

        Args:
            uuid: UUID of the domain.
            kind: `vcpu`, `emulator` or `iothread`.
            number: Number of the vCPU or I/O thread.
            cpus: Physical CPUs on which it may run.
            count: Number of physical CPUs.
        """
        domain, gone = self._find_running(uuid)
        if domain is None:
            return gone
        allowed, live = set(cpus), libvirt.VIR_DOMAIN_AFFECT_LIVE
        mask = tuple(cpu in allowed for cpu in range(count))
        if kind == "emulator":
            domain.pinEmulator(mask, live)
        elif kind == "iothread":
            domain.pinIOThread(number, mask, live)
        elif self._live_flag:
            domain.pinVcpuFlags(number, mask, live)
        else:
            domain.pinVcpu(number, mask)
        return {}

    def cpus(self) -> list[int]:
        """Return the numbers of the online CPUs; empty where unknown."""
        conn = self._require_connection()
        states: list[bool] = call_optional(lambda: [bool(up) for up in conn.getCPUMap(0)[1]], [])
        return [cpu for cpu, up in enumerate(states) if up]

    def capabilities(self) -> str:
        """Return the host's capabilities as XML; empty where unknown.

        QEMU's driver starts every QEMU program once for the answer, which takes seconds.
        """
        return call_optional(self._require_connection().getCapabilities, "")

    def usage(self, uuid: str) -> WorkerAnswer:
        """Return a running domain's counters; times in nanoseconds, memory in KiB."""
        domain, gone = self._find_running(uuid)
        if domain is None:
            return gone
        info = domain.info()
        cards = [_card_stats(domain, card) for card in self._card_names(domain)]
        total = call_optional(lambda: domain.getCPUStats(1)[0], {"cpu_time": info[4]})
        return {
            "number": domain.ID(),
            "condition": _CONDITIONS.get(info[0], ""),
            "cpu_ns": total.get("cpu_time", info[4]),
            "system_ns": total.get("system_time", 0),
            "vcpu_ns": call_optional(lambda: sum(vcpu[2] for vcpu in domain.vcpus()[0]), 0),
            "memory_kib": info[2],
            "in_bytes": sum(max(0, card[0]) for card in cards if card),
            "out_bytes": sum(max(0, card[4]) for card in cards if card),
        }

    def _read_scheduler(self, domain: libvirt.virDomain) -> str:
        """Return libvirt's name of the scheduler; empty for one unknown to libvirt.

        Examples are Xen's RTDS and null.
        """
        try:
            return domain.schedulerType()[0]
        except libvirt.libvirtError:
            if not self.alive():
                raise
            return ""

    def _require_connection(self) -> libvirt.virConnect:
        if self._opened is None:
            raise ConnectionNotOpen
        return self._opened

    def _find_running(self, uuid: str) -> tuple[libvirt.virDomain | None, WorkerAnswer]:
        """Return the domain; for one that does not run, return None and the answer."""
        try:
            domain = self._require_connection().lookupByUUIDString(uuid)
            if domain.isActive():
                return domain, {}
            state, reason = domain.state()
        except libvirt.libvirtError as error:
            if error.get_error_code() == libvirt.VIR_ERR_NO_DOMAIN:
                return None, {"gone": True}
            raise
        off = state == libvirt.VIR_DOMAIN_SHUTOFF
        return None, {"gone": True, "migrated": off and reason == libvirt.VIR_DOMAIN_SHUTOFF_MIGRATED}

    def _card_names(self, domain: libvirt.virDomain) -> list[str]:
        """Return the host's names of a domain's network cards.

        The names change when the domain is restarted.
        """
        key = f"{domain.UUIDString()} {domain.ID()}"
        if key not in self._cards:
            targets = ET.fromstring(domain.XMLDesc(0)).iterfind("./devices/interface/target")
            self._cards[key] = [target.get("dev", "") for target in targets]
        return self._cards[key]


_NAMES = (libvirt.VIR_CRED_USERNAME, libvirt.VIR_CRED_AUTHNAME)
_SECRETS = (libvirt.VIR_CRED_PASSPHRASE, libvirt.VIR_CRED_NOECHOPROMPT)
_QUESTIONS = [*_NAMES, *_SECRETS, libvirt.VIR_CRED_ECHOPROMPT]  # the last asks if an unknown host key is accepted


def credential_callback(user: str, password: str) -> Callable[[list[list[object]], object], int]:
    """Return the callback that answers libvirt's questions for credentials.

    Each question is answered once, so that a wrong password ends the login. Questions on host keys are never answered.

    Args:
        user: Name of the user; may be empty.
        password: Password; may be empty.
    """
    asked: set[object] = set()

    def answer(questions: list[list[object]], _: object) -> int:
        for question in questions:
            kind = question[0]
            value = user if kind in _NAMES else password if kind in _SECRETS else ""
            if not value or kind in asked:
                return -1
            asked.add(kind)
            question[4] = value
        return 0

    return answer


def _card_stats(domain: libvirt.virDomain, card: str) -> tuple[int, ...]:
    """Return a card's counters in libvirt's order; empty where unknown.

    The order is received bytes, packets, errors and drops, then the same for sent data.
    """
    nothing: tuple[int, ...] = ()
    return call_optional(lambda: domain.interfaceStats(card), nothing)


def call_optional(ask: Callable[[], T], otherwise: T) -> T:
    """Return a value that not every driver supports, or the given default.

    Args:
        ask: Reads the value.
        otherwise: The default.
    """
    try:
        return ask()
    except libvirt.libvirtError as error:
        if error.get_error_code() in _UNSUPPORTED:
            return otherwise
        raise


def answer_request(worker: LibvirtWorker, line: str) -> WorkerAnswer:
    """Carry out one request; return its answer or its error.

    Args:
        worker: The worker.
        line: The request, as JSON.
    """
    request = json.loads(line)
    try:
        return {"ok": worker.actions[request.pop("do")](**request)}
    except libvirt.libvirtError as error:
        code, part, text = error.get_error_code() or 0, error.get_error_domain() or 0, str(error)
    except (
        LookupError,
        OverflowError,
        SyntaxError,
        TypeError,
        ValueError,
        ConnectionNotOpen,
    ) as error:  # from the binding, or for a text that is not XML
        code, part, text = 0, 0, f"{type(error).__name__}: {error}"
    return {"error": {"code": code, "part": part, "text": text, "alive": worker.alive()}}


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a library's output must not look like an answer
    libvirt.registerErrorHandler(lambda _context, _error: None, None)  # otherwise libvirt prints every error
    worker = LibvirtWorker()
    for line in sys.stdin:
        answers.write(json.dumps(answer_request(worker, line)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
