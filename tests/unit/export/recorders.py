"""Small executables named xl, xm, xenstore-list, xenstore-read, xe and virsh that keep what they are told in a file.

They answer as the real ones do where the scripts depend on it: empty output with exit code 0 under another scheduler,
names with blanks in the listings, `-v all` needed for RTDS, parameters of a configuration that read 0 until set.
"""

import io
import marshal
from pathlib import Path

from tests.unit.export.listening import Listener

DOM0 = "00000000-0000-0000-0000-000000000000"
GUEST_UUID = "6f1c2b1e-9f0a-4c1e-8a1b-0123456789ab"
IO_UUID = "1a2b3c4d-0000-4c1e-8a1b-0123456789ab"
NASTY = """a b;$(touch x)'"`*"""
TOOLS = ("xl", "xm", "xenstore-list", "xenstore-read", "xe", "virsh")


def install(folder: Path, state: dict) -> Listener:
    """Put the executables into `folder` and their world beside them; they work until the listener is closed."""
    folder.mkdir()
    _write(folder, state)
    return Listener(folder, TOOLS, lambda name, words: Told(folder, name, list(words)).run())


def world(folder: Path) -> dict:
    return marshal.loads((folder / "world").read_bytes())


def change(folder: Path, **changes) -> None:
    _write(folder, {**world(folder), **changes})


def told(folder: Path) -> list[list[str]]:
    """Return every call so far: the tool's name and its words."""
    if not (folder / "told").exists():
        return []
    return [line.split("\0")[:-1] for line in (folder / "told").read_text().split("\1")[:-1]]


def _write(folder: Path, state: dict) -> None:
    # Version 3 would make one dict of two equal ones.
    (folder / "world").write_bytes(marshal.dumps(state, 2))


def xen_world(scheduler: str, first, second, **more) -> dict:
    """Return a Xen host: Dom0 and a guest with a name that no shell should see."""
    return {
        "scheduler": scheduler,
        "version": "4.17.7",
        "params": {"0": first, "7": second},
        "uuids": {"0": DOM0, "7": GUEST_UUID},
        "names": {"0": "Domain-0", "7": NASTY},
        "xapi": {},
        "booted": "dom0_mem=1G dom0_max_vcpus=1",
        "hard": {"0": ["1", "1"], "7": ["1"]},
        **more,
    }


def libvirt_world(first: dict, second: dict) -> dict:
    """Return a libvirt host with two running domains."""
    live = {IO_UUID: first, GUEST_UUID: second}
    config = {uuid: dict.fromkeys(values, 0) for uuid, values in live.items()}
    pins = {how: dict.fromkeys(live, "1") for how in ("live", "config")}
    return {"live": live, "config": config, "running": list(live), "shut_off_asked": False, "pins": pins}


class Told:
    """One call of one tool."""

    def __init__(self, folder: Path, name: str, words: list[str]) -> None:
        self.folder, self.name, self.words = folder, name, words
        self.world = world(folder)
        self.out, self.err = io.StringIO(), io.StringIO()

    def print(self, *words: object, sep: str = " ") -> None:
        print(*words, sep=sep, file=self.out)

    def option(self, letter: str) -> str | None:
        return self.words[self.words.index(letter) + 1] if letter in self.words else None

    def run(self) -> tuple[int, str, str]:
        with (self.folder / "told").open("a") as log:
            log.write("".join(f"{word}\0" for word in (self.name, *self.words)) + "\1")
        code = getattr(self, self.name.replace("-", "_"))()
        _write(self.folder, self.world)
        return code, self.out.getvalue(), self.err.getvalue()

    def complain(self, text: str) -> None:
        print(text, file=self.err)

    def xenstore_list(self) -> int:
        self.print(*self.world["uuids"], sep="\n")
        return 0

    def xenstore_read(self) -> int:
        uuid = self.world["uuids"].get(self.words[0].split("/")[3])
        self.print(f"/vm/{uuid}" if uuid else "")
        return 0 if uuid else 1

    def xm(self) -> int:
        if self.words[0] != "info":
            self.words[1:2] = ["-d", self.words[1]]  # it takes the domain as it is
        return self.xl()

    def xl(self) -> int:
        if self.words[0] == "info":
            self.print(f"xen_version            : {self.world['version']}\nnr_cpus                : 2")
            self.print(f"xen_commandline        : {self.world['booted']}")
            return 0
        if self.words[0] == "vcpu-pin":
            return self.vcpu_pin(*self.words[1:])
        if self.words[0] == "vcpu-list":
            return self.vcpu_list(self.words[-1])
        asked = self.words[0].removeprefix("sched-")
        domain = self.option("-d")
        if asked != self.world["scheduler"]:
            return 1 if len(self.words) > 3 and "all" not in self.words else 0
        if domain not in self.world["params"]:
            return 1
        return {"credit": self.weighted, "credit2": self.weighted, "rtds": self.rtds, "sedf": self.sedf}[asked](domain)

    def vcpu_list(self, domain: str) -> int:
        self.print("Name                                ID  VCPU   CPU State   Time(s) Affinity (Hard / Soft)")
        for number, hard in enumerate(self.world["hard"][domain]):
            where = f"{0:>4} {'-b-':>5}" if not number else f"{'-':>4} {'--p':>5}"
            self.print(f"{self.world['names'][domain]:<32} {domain:>5} {number:5d} {where} {1.5:9.1f}  {hard} / all")
        return 0

    def vcpu_pin(self, domain: str, vcpu: str, hard: str) -> int:
        if not self.world.get("deaf"):
            self.world["hard"][domain][int(vcpu)] = hard
        return 0

    def keep(self, domain: str, values) -> int:
        if not self.world.get("deaf"):
            self.world["params"][domain] = values
        return 0

    def head(self, domain: str) -> str:
        return f"{self.world['names'][domain]:<33} {domain:>4}"

    def weighted(self, domain: str) -> int:
        weight, cap = self.option("-w"), self.option("-c")
        if weight is not None:
            if domain == "0" and self.world.get("privdom"):
                weight = "9999"
            return self.keep(domain, [int(weight), int(cap)])
        self.print(f"{'Name':<33} {'ID':>4} Weight  Cap")
        self.print(self.head(domain), *(f"{value:>6}" for value in self.world["params"][domain]))
        return 0

    def rtds(self, domain: str) -> int:
        rows = self.world["params"][domain]
        if self.option("-p") is None:
            self.print(f"{'Name':<33} {'ID':>4} VCPU    Period    Budget  Extratime")
            for number, (period, budget, extra) in enumerate(rows):
                self.print(self.head(domain), f"{number:>4} {period:>9} {budget:>9} {'yes' if extra else 'no':>10}")
            return 0
        if self.option("-e") is None:
            self.complain("Incorrect number of period, budget and extratime")
            return 1
        wanted = [int(self.option(letter)) for letter in ("-p", "-b", "-e")]
        each = self.option("-v")
        return self.keep(domain, [wanted if each in ("all", str(n)) else row for n, row in enumerate(rows)])

    def sedf(self, domain: str) -> int:
        if "-p" in self.words:
            values = [float(self.option(letter)) for letter in ("-p", "-s", "-l", "-e")]
            return 1 if values[1] == 0 else self.keep(domain, [*values, 0])
        if "-w" in self.words:
            return self.keep(domain, [100, 0, 0, int(self.option("-e")), 0])
        self.print(f"{'Name':<33} {'ID':>4} Period(ms) Slice(ms) Lat(ms) Extra Weight")
        self.print(self.head(domain), *self.world["params"][domain])
        return 0

    def xe(self) -> int:
        given = dict(word.split("=", 1) for word in self.words[1:])
        kept = self.world["xapi"]
        if self.words[0] == "vm-param-set":
            kept.update({key.partition(":")[2]: value for key, value in given.items() if ":" in key})
        elif self.words[0] == "vm-param-remove":
            kept.pop(given["param-key"])
        elif given["param-key"] not in kept:
            self.complain("Error: Key not found in map")
            return 1
        else:
            self.print(kept[given["param-key"]])
        return 0

    def virsh(self) -> int:
        _, _, self.uri, word, *rest = self.words
        return getattr(self, word)(rest)

    def nodeinfo(self, _: list[str]) -> int:
        self.print("CPU model:           x86_64\nCPU(s):              2")
        return 0

    def threads(self, how: str, uuid: str) -> dict[str, str]:
        """Return thread to CPUs where this host has threads to place."""
        return self.world.get("threads", {}).get(how.removeprefix("--"), {}).get(uuid, {})

    def pin(self, thread: str, uuid: str, cpus: str, how: str) -> int:
        if thread not in self.threads(how, uuid):
            return 1
        if not self.world.get("deaf"):
            self.threads(how, uuid)[thread] = cpus
        return 0

    def iothreadinfo(self, rest: list[str]) -> int:
        self.print(" IOThread ID   CPU Affinity\n-----------------------------")
        self.list_threads("iothread", *rest)
        return 0

    def iothreadpin(self, rest: list[str]) -> int:
        uuid, number, cpus, how = rest
        return self.pin(f"iothread{number}", uuid, cpus, how)

    def list_threads(self, kind: str, uuid: str, how: str) -> None:
        for thread, cpus in self.threads(how, uuid).items():
            if thread.startswith(kind):
                self.print(f" {thread.removeprefix(kind) or '*':<13} {cpus}")

    def vcpupin(self, rest: list[str]) -> int:
        if len(rest) == 4:
            return self.pin(f"vcpu{rest[1]}", rest[0], *rest[2:])
        if self.threads(rest[1], rest[0]):
            self.print(" VCPU   CPU Affinity\n----------------------")
            self.list_threads("vcpu", *rest)
            return 0
        self.print(f" 0   {self.world['pins'][rest[1].removeprefix('--')][rest[0]]}")
        return 0

    def emulatorpin(self, rest: list[str]) -> int:
        if len(rest) == 3:
            return self.pin("emulator", *rest)
        if self.threads(rest[1], rest[0]):
            self.print(" emulator: CPU Affinity\n----------------------------------")
            self.list_threads("emulator", *rest)
            return 0
        self.print(self.world["pins"][rest[1].removeprefix("--")][rest[0]])
        return 0

    def domstate(self, rest: list[str]) -> int:
        self.print("running" if rest[0] in self.world["running"] else "shut off")
        return 0 if rest[0] in self.world["live"] else 1

    def schedinfo(self, rest: list[str]) -> int:
        uuid, how = rest[0], rest[1].removeprefix("--")
        if uuid not in self.world["running"]:
            self.world["shut_off_asked"] = True
            return 1
        values = self.world[how][uuid]
        if "--set" in rest:
            name, value = rest[rest.index("--set") + 1].split("=")
            if name not in values or (name.endswith("_quota") and 0 <= int(value) < 1000):
                return 1
            if not self.world.get("deaf"):
                values[name] = int(value)
        self.print("Scheduler      : posix", *(f"{name:<15}: {value}" for name, value in values.items()), sep="\n")
        return 0

    def dumpxml(self, rest: list[str]) -> int:
        definition = {"uuid": rest[-1], "name": NASTY, **self.world["config"][rest[-1]]}
        definition["threads"] = self.threads("config", rest[-1])
        self.print(marshal.dumps(definition, 2).hex())  # before version 3 equal values have equal bytes
        return 0

    def define(self, rest: list[str]) -> int:
        definition = marshal.loads(bytes.fromhex(Path(rest[0]).read_text()))
        uuid = definition.pop("uuid")
        definition.pop("name")
        if threads := definition.pop("threads"):
            self.world["threads"]["config"][uuid] = threads
        self.world["config"][uuid] = definition
        return 0
