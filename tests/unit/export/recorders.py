"""Small executables named xl, xm, xenstore-list, xenstore-read, xe and virsh that keep what they are told in a file.

They answer as the real ones do where the scripts depend on it: empty output with exit code 0 under another scheduler,
names with blanks in the listings, `-v all` needed for RTDS, parameters of a configuration that read 0 until set.
"""

import json
import sys
from pathlib import Path

DOM0 = "00000000-0000-0000-0000-000000000000"
GUEST_UUID = "6f1c2b1e-9f0a-4c1e-8a1b-0123456789ab"
IO_UUID = "1a2b3c4d-0000-4c1e-8a1b-0123456789ab"
NASTY = """a b;$(touch x)'"`*"""
TOOLS = ("xl", "xm", "xenstore-list", "xenstore-read", "xe", "virsh")


def install(folder: Path, state: dict) -> None:
    """Put the executables into `folder` and their world beside them."""
    folder.mkdir()
    (folder / "world.json").write_text(json.dumps(state))
    (folder / "told.jsonl").touch()
    for name in TOOLS:
        path = folder / name
        # Without `site`, and from the compiled file: a script calls dozens of these.
        start = f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\nimport recorders\n"
        path.write_text(f"#!{sys.executable} -IS\n{start}sys.exit(recorders.main(sys.argv))\n")
        path.chmod(0o755)


def world(folder: Path) -> dict:
    return json.loads((folder / "world.json").read_text())


def change(folder: Path, **changes) -> None:
    (folder / "world.json").write_text(json.dumps({**world(folder), **changes}))


def told(folder: Path) -> list[list[str]]:
    return [json.loads(line) for line in (folder / "told.jsonl").read_text().splitlines()]


def xen_world(scheduler: str, first, second, **more) -> dict:
    """Return a Xen host: Dom0 and a guest with a name that no shell should see."""
    return {
        "scheduler": scheduler,
        "version": "4.17.7",
        "params": {"0": first, "7": second},
        "uuids": {"0": DOM0, "7": GUEST_UUID},
        "names": {"0": "Domain-0", "7": NASTY},
        "xapi": {},
        **more,
    }


def libvirt_world(first: dict, second: dict) -> dict:
    """Return a libvirt host with two running domains."""
    live = {IO_UUID: first, GUEST_UUID: second}
    config = {uuid: dict.fromkeys(values, 0) for uuid, values in live.items()}
    return {"live": live, "config": config, "running": list(live), "shut_off_asked": False}


class Told:
    """One call of one tool."""

    def __init__(self, folder: Path, name: str, words: list[str]) -> None:
        self.folder, self.name, self.words = folder, name, words
        self.world = world(folder)

    def option(self, letter: str) -> str | None:
        return self.words[self.words.index(letter) + 1] if letter in self.words else None

    def run(self) -> int:
        with (self.folder / "told.jsonl").open("a") as log:
            log.write(json.dumps([self.name, *self.words]) + "\n")
        code = getattr(self, self.name.replace("-", "_"))()
        (self.folder / "world.json").write_text(json.dumps(self.world))
        return code

    def xenstore_list(self) -> int:
        print(*self.world["uuids"], sep="\n")
        return 0

    def xenstore_read(self) -> int:
        uuid = self.world["uuids"].get(self.words[0].split("/")[3])
        print(f"/vm/{uuid}" if uuid else "")
        return 0 if uuid else 1

    def xm(self) -> int:
        if self.words[0] != "info":
            self.words[1:2] = ["-d", self.words[1]]  # it takes the domain as it is
        return self.xl()

    def xl(self) -> int:
        if self.words[0] == "info":
            print(f"xen_version            : {self.world['version']}\nnr_cpus                : 2")
            return 0
        asked = self.words[0].removeprefix("sched-")
        domain = self.option("-d")
        if asked != self.world["scheduler"]:
            return 1 if len(self.words) > 3 and "all" not in self.words else 0
        if domain not in self.world["params"]:
            return 1
        return {"credit": self.weighted, "credit2": self.weighted, "rtds": self.rtds, "sedf": self.sedf}[asked](domain)

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
        print(f"{'Name':<33} {'ID':>4} Weight  Cap")
        print(self.head(domain), *(f"{value:>6}" for value in self.world["params"][domain]))
        return 0

    def rtds(self, domain: str) -> int:
        rows = self.world["params"][domain]
        if self.option("-p") is None:
            print(f"{'Name':<33} {'ID':>4} VCPU    Period    Budget  Extratime")
            for number, (period, budget, extra) in enumerate(rows):
                print(self.head(domain), f"{number:>4} {period:>9} {budget:>9} {'yes' if extra else 'no':>10}")
            return 0
        if self.option("-e") is None:
            print("Incorrect number of period, budget and extratime", file=sys.stderr)
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
        print(f"{'Name':<33} {'ID':>4} Period(ms) Slice(ms) Lat(ms) Extra Weight")
        print(self.head(domain), *self.world["params"][domain])
        return 0

    def xe(self) -> int:
        given = dict(word.split("=", 1) for word in self.words[1:])
        kept = self.world["xapi"]
        if self.words[0] == "vm-param-set":
            kept.update({key.partition(":")[2]: value for key, value in given.items() if ":" in key})
        elif self.words[0] == "vm-param-remove":
            kept.pop(given["param-key"])
        elif given["param-key"] not in kept:
            print("Error: Key not found in map", file=sys.stderr)
            return 1
        else:
            print(kept[given["param-key"]])
        return 0

    def virsh(self) -> int:
        _, _, self.uri, word, *rest = self.words
        return {"domstate": self.domstate, "schedinfo": self.schedinfo, "dumpxml": self.dumpxml, "define": self.define}[
            word
        ](rest)

    def domstate(self, rest: list[str]) -> int:
        print("running" if rest[0] in self.world["running"] else "shut off")
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
        print("Scheduler      : posix", *(f"{name:<15}: {value}" for name, value in values.items()), sep="\n")
        return 0

    def dumpxml(self, rest: list[str]) -> int:
        print(json.dumps({"uuid": rest[-1], "name": NASTY, **self.world["config"][rest[-1]]}))
        return 0

    def define(self, rest: list[str]) -> int:
        definition = json.loads(Path(rest[0]).read_text())
        uuid = definition.pop("uuid")
        definition.pop("name")
        self.world["config"][uuid] = definition
        return 0


def main(argv: list[str]) -> int:
    called = Path(argv[0])
    return Told(called.parent, called.name, argv[1:]).run()
