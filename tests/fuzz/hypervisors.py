"""Fuzz libvirt's descriptions of domains: the worker's answers, and descriptions in XML."""

from random import Random

import msgspec

from scheduler.errors import HostError
from scheduler.hosts.libvirt.api_host import LibvirtHost
from scheduler.hosts.libvirt.domain_pair import DomainPair
from scheduler.hosts.libvirt.libvirt_connection import HypervisorInfo
from scheduler.hosts.libvirt.libvirt_uri import parse_uri
from scheduler.toolstacks.virsh import IoSide
from tests.fuzz.spoiling import spoil, spoil_value

_XML = """<domain type='qemu' id='1'><name>db1</name><vcpu placement='static' cpuset='0-3,^2'>2</vcpu>
<iothreads>2</iothreads><cputune><shares>1024</shares></cputune><on_crash>preserve</on_crash></domain>"""
_PARAMS = {"cpu_shares": 1024, "vcpu_period": 100_000, "vcpu_quota": -1, "emulator_period": 1000, "emulator_quota": -1}
_DOMAIN = {
    "name": "db1",
    "number": 1,
    "condition": "",
    "vcpus": 2,
    "scheduler": "posix",
    "vcpu_pins": [[True, False]],
    "emulator_pins": [True, True],
}
_CAPABILITIES = (
    "<capabilities><host><topology><cells num='1'><cell id='0'><cpus num='1'><cpu id='0'/></cpus></cell></cells>"
    "</topology></host></capabilities>"
)
_ANSWERS: dict[str, object] = {
    "cpus": [0, 1, 2, 3],
    "capabilities": _CAPABILITIES,
    "read": {"params": _PARAMS},
    "vcpus": {"online": 2, "most": 4, "least": 1},
    "usage": {
        "number": 1,
        "cpu_ns": 7,
        "system_ns": 3,
        "vcpu_ns": 4,
        "memory_kib": 1024,
        "in_bytes": 1,
        "out_bytes": 2,
    },
}


class Relaying:
    """A connection whose worker relays what the seed says."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.uri = parse_uri(rng.choice(("qemu:///system", "lxc:///system", "qemu+ssh://root@kvm1/system")))

    def about(self) -> HypervisorInfo:
        about = {"type": "QEMU", "hostname": "kvm1", "version": 7_002_000, "library": 9_000_000, "pcpus": 4}
        return self._as(HypervisorInfo, about)

    def ask(self, what, request, answer):
        if request["do"] == "domain":
            pins = {} if self._rng.random() < 0.7 else {"vcpu_pins": None, "emulator_pins": None}
            xml = spoil(self._rng, _XML, 2)
            return self._as(answer, {**_DOMAIN, **pins, "xml": xml})
        return self._as(answer, _ANSWERS[request["do"]])

    def ask_once(self, what, request, answer, limit_s):
        del limit_s
        return self.ask(what, request, answer)

    def close(self) -> None:
        """Nothing is open."""

    def _as(self, answer, value):
        try:
            return msgspec.convert(spoil_value(self._rng, value, self._rng.choice((0.0, 0.0, 0.02))), answer)
        except msgspec.ValidationError as error:
            raise HostError(f"it was answered with something else: {error}") from error


def libvirt_host(rng: Random) -> object:
    """Everything that is read of a libvirt host, from its facts to its counters."""
    side = rng.choice(list(IoSide))
    host = LibvirtHost(
        Relaying(rng), DomainPair("a", "a" if side is IoSide.EMULATOR else "b", side), lambda *_: None, "posix"
    )
    return host.facts(), host.usage(), {domain: host.read(domain) for domain in ("io", "guest", "guest-vcpus")}


TARGETS = {"libvirt_host": libvirt_host}
