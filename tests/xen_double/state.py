"""The state of a doubled Xen host, and what a test may do to it behind the adapter's back."""

import stat
import sys
import time
from pathlib import Path

from tests.xen_double import answer_server, state_file
from tests.xen_double.pins import masks

GUEST_UUID = "58677b50-9f2c-49aa-8085-3e8ccbf30f65"
NO_UUID = "00000000-0000-0000-0000-000000000000"
REPO = Path(__file__).resolve().parents[2]
PROGRAMS = ("xl", "xentop", "xenstore-list", "xenstore-read", "virsh")
# A module has its bytecode kept, a script has not; and nothing is imported that is not needed, see `state_file`.
_MAIN = "import sys; sys.path.insert(0, sys.argv[1]); from tests.xen_double.programs import main; main()"
# Perl starts in a quarter of the time. The answer begins with the exit code (`-`: run it yourself) and the length of
# the output; the rest is for standard error.
_PERL = "/usr/bin/perl"
_PROGRAM = """#!/usr/bin/perl
my @own = ('{python}', '-S', '-I', '-c', '{main}', '{repo}', '{state}', '{name}', @ARGV);
exec @own if '{name}' eq 'xentop';
my $line;
socket($line, 1, 1, 0) && connect($line, pack('Sa*', 1, '{answers}')) || exec @own;
syswrite($line, join("\\0", '{state}', '{name}', @ARGV));
shutdown($line, 1);
local $/;
my ($code, $length, $text) = split(/ /, <$line>, 3);
exec @own unless defined $code && $code ne '-';
syswrite(STDOUT, substr($text, 0, $length));
syswrite(STDERR, substr($text, $length));
exit $code;
"""


class Double:
    """A doubled host in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "state"

    @property
    def sbin(self) -> Path:
        return self.folder / "sbin"

    def install(self, **changes: object) -> None:
        """Make the programs and a host with Dom0 and one guest on one CPU."""
        assert Path(_PERL).exists(), "package perl-base is missing"
        self.sbin.mkdir(parents=True)
        for name in PROGRAMS:
            program = self.sbin / name
            values = {"python": sys.executable, "main": _MAIN, "repo": REPO, "state": self.path, "name": name}
            values["answers"] = answer_server.SERVER.socket_path()
            program.write_text(_PROGRAM.format(**values))
            program.chmod(program.stat().st_mode | stat.S_IEXEC)
        state = {
            "scheduler": "credit2",
            "version": [4, 17],
            "cpus": 1,
            "dmesg": "",
            "privileged": False,
            "libvirtd": True,
            "unknown_to_libvirt": [],
            "calls": 0,
            "slow_s": 0.0,
            "threads": 1,
            "nodes": 1,
            "boot": "",
            "pools": {},
            "mask": [],
            "busy_pins": 0,
            "lost_pins": False,
            "domains": [domain(0, "Domain-0", NO_UUID), domain(1, "rt guest", GUEST_UUID, offline=1)],
        }
        state.update(changes)
        state_file.make(str(self.path), state)

    def changing(self) -> state_file.Locked:
        """Change the state as a whole."""
        return state_file.Locked(str(self.path))

    def load(self) -> dict:
        return state_file.read(str(self.path))

    def parameters(self) -> object:
        """Return everything that a sweep may change."""
        names, state = ("uuid", "weight", "cap", "rtds", "sedf"), self.load()
        return [
            {name: each[name] for name in names} | {kind: masks(each, kind, state) for kind in ("hard", "soft")}
            for each in state["domains"]
        ]

    def lose_pins(self, domain: int) -> None:
        """Let a vCPU run everywhere, as a program does that knows nothing of a sweep."""
        with self.changing() as state:
            state["domains"][domain]["pins"]["hard"] = {}

    def restart_guest(self) -> int:
        """Give the guest a new life: it keeps the values (xl since 4.10) and gets a new number."""
        with self.changing() as state:
            guest = state["domains"][-1]
            guest["domid"] += 4
            guest["born"] = time.time()
            return guest["domid"]

    def end_guest(self) -> None:
        with self.changing() as state:
            state["domains"].pop()


def domain(domid: int, name: str, uuid: str, offline: int = 0) -> dict:
    return {
        "domid": domid,
        "name": name,
        "uuid": uuid,
        "born": time.time(),
        "load": 0.25 + 0.25 * domid,
        "online": 1,
        "vcpus": 1 + offline,
        "hard": "all",
        "pool": "Pool-0",
        "pins": {"hard": {}, "soft": {}},
        "weight": 256,
        "cap": 0,
        "rtds": [[10_000, 4000, 1]] * (1 + offline),
        "sedf": [100.0, 0.0, 0.0, 1, 0],
    }
