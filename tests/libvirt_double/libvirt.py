"""A double of libvirt-python for what no driver does here: a domain that migrates, a scheduler without a name.

Only what the worker calls is here, with the numbers of libvirt's headers. `DOMTUNE_DOUBLE` names a file with the state:
`{"migrated": bool, "scheduler": str}`.
"""

import json
import os
from pathlib import Path

VIR_CRED_USERNAME, VIR_CRED_AUTHNAME, VIR_CRED_ECHOPROMPT = 1, 2, 5
VIR_CRED_PASSPHRASE, VIR_CRED_NOECHOPROMPT = 6, 7
VIR_DOMAIN_AFFECT_LIVE, VIR_DOMAIN_VCPU_MAXIMUM = 1, 4
VIR_DOMAIN_PAUSED, VIR_DOMAIN_SHUTDOWN, VIR_DOMAIN_CRASHED, VIR_DOMAIN_PMSUSPENDED = 3, 4, 6, 7
VIR_DOMAIN_SHUTOFF, VIR_DOMAIN_SHUTOFF_MIGRATED = 5, 4
VIR_ERR_NO_SUPPORT, VIR_ERR_NO_DOMAIN, VIR_ERR_OPERATION_UNSUPPORTED = 3, 42, 84
_XML = "<domain type='kvm'><vcpu cpuset='0'>1</vcpu><iothreads>2</iothreads></domain>"
_QEMU = {"cpu_shares": 1024, "vcpu_period": 100_000, "vcpu_quota": -1, "emulator_period": 100_000, "emulator_quota": -1}


class libvirtError(Exception):  # noqa: N801 # its name
    def get_error_code(self):
        return 1

    def get_error_domain(self):
        return 61


class Unsupported(libvirtError):
    def get_error_code(self):
        return VIR_ERR_NO_SUPPORT


def state():
    return json.loads(Path(os.environ["DOMTUNE_DOUBLE"]).read_text())


class virDomain:  # noqa: N801
    def __init__(self, number):
        self._number = number

    def name(self):
        return ("Domain-0", "db1")[self._number]

    def ID(self):  # noqa: N802
        return 1

    def UUIDString(self):  # noqa: N802
        return f"00000000-0000-4000-8000-00000000000{self._number}"

    def isActive(self):  # noqa: N802
        return 0 if state()["migrated"] else 1

    def state(self):
        return [VIR_DOMAIN_SHUTOFF, VIR_DOMAIN_SHUTOFF_MIGRATED]

    def info(self):
        return [state().get("condition", 1), 1024, 1024, 1, 0]

    def getCPUStats(self, total):  # noqa: N802
        raise Unsupported("this function is not supported by the connection driver: virDomainGetCPUStats")

    def vcpus(self):
        return ([(0, 1, 0, 0)], [(True, False)])

    def XMLDesc(self, flags=0):  # noqa: N802
        fixed = state().get("vcpus", {}).get("fixed", 1)
        each = (f"<vcpu id='{n}' enabled='yes' hotpluggable='{'no' if n < fixed else 'yes'}'/>" for n in range(4))
        cputune = "".join(map(_pin_xml, state().get("pins", {}).get(str(self._number), {}).items()))
        more = f"<cputune>{cputune}</cputune><vcpus>{''.join(each)}</vcpus></domain>"
        return state().get("xml", _XML).replace("</domain>", more)

    def vcpusFlags(self, flags):  # noqa: N802
        now = state().get("vcpus")
        if now is None:
            raise Unsupported("this function is not supported by the connection driver: virDomainGetVcpusFlags")
        return now["most"] if flags & VIR_DOMAIN_VCPU_MAXIMUM else now["online"]

    def setVcpusFlags(self, number, flags):  # noqa: N802
        assert flags == VIR_DOMAIN_AFFECT_LIVE
        now = state()
        if now["vcpus"].get("stubborn"):
            raise libvirtError("operation failed: vcpu unplug request timed out")
        now["vcpus"]["online"] = number
        Path(os.environ["DOMTUNE_DOUBLE"]).write_text(json.dumps(now))

    def schedulerType(self):  # noqa: N802
        if not state()["scheduler"]:
            raise libvirtError("internal error: Failed to get scheduler id for domain '1' with libxenlight")
        return (state()["scheduler"], 5)

    def schedulerParametersFlags(self, flags):  # noqa: N802
        return dict(_QEMU)

    def _pin(self, kind, number, cpumap):
        if list(cpumap) in state().get("refused", []):
            raise libvirtError("Requested operation is not valid: cpuset cannot be set")
        if not state().get("throws_pins_away"):
            now = state()
            pins = now.setdefault("pins", {}).setdefault(str(self._number), {})
            pins[f"{kind} {number}"] = ",".join(str(cpu) for cpu, allowed in enumerate(cpumap) if allowed)
            Path(os.environ["DOMTUNE_DOUBLE"]).write_text(json.dumps(now))
        return 0

    def pinVcpuFlags(self, number, cpumap, flags):  # noqa: N802
        assert flags == VIR_DOMAIN_AFFECT_LIVE
        return self._pin("vcpu", number, cpumap)

    def pinEmulator(self, cpumap, flags):  # noqa: N802
        assert flags == VIR_DOMAIN_AFFECT_LIVE
        return self._pin("emulator", 0, cpumap)

    def pinIOThread(self, number, cpumap, flags):  # noqa: N802
        assert flags == VIR_DOMAIN_AFFECT_LIVE
        return self._pin("iothread", number, cpumap)

    def vcpuPinInfo(self, flags):  # noqa: N802
        return [(True, False)]

    def emulatorPinInfo(self, flags):  # noqa: N802
        return (True, False)


def _pin_xml(pin):
    (kind, number), cpus = pin[0].split(), pin[1]
    return f"<{kind}pin {'' if kind == 'emulator' else f'{kind}={number!r} '}cpuset='{cpus}'/>"


class virConnect:  # noqa: N801
    def getType(self):  # noqa: N802
        return "QEMU"

    def getCPUMap(self, flags):  # noqa: N802
        cpus = state().get("cpus", 2)
        return (cpus, [True] * cpus, cpus)

    def getCapabilities(self):  # noqa: N802
        return state().get("capabilities", "")

    def getHostname(self):  # noqa: N802
        return "double"

    def getVersion(self):  # noqa: N802
        return 7_002_000

    def getLibVersion(self):  # noqa: N802
        return 9_000_000

    def getInfo(self):  # noqa: N802
        cpus = state().get("cpus", 2)
        return ("x86_64", 1024, cpus, 2000, 1, 1, cpus, 1)

    def isAlive(self):  # noqa: N802
        return 1

    def listAllDomains(self, flags):  # noqa: N802
        return [virDomain(0), virDomain(1)]

    def lookupByUUIDString(self, uuid):  # noqa: N802
        return virDomain(int(uuid[-1]))


def openAuth(uri, auth, flags):  # noqa: N802
    return virConnect()


def registerErrorHandler(handler, context):  # noqa: N802
    return 0
