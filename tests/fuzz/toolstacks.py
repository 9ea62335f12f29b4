"""What the toolstacks and the kernel of a host print."""

import re
import tempfile
from pathlib import Path
from random import Random

from scheduler.hosts.libvirt.cpu_sets import _parsed
from scheduler.hosts.local.cpus import parse_list, usage_of
from scheduler.hosts.local.groups import Groups
from scheduler.hosts.local.mounts import memberships, mounts
from scheduler.hosts.local.place import Found, Place
from scheduler.hosts.remote.guard_state import look as look_at_guard
from scheduler.hosts.remote.guard_words import Words
from scheduler.hosts.remote.shell import Answer
from scheduler.hosts.remote.wrapping import unwrap
from scheduler.hosts.xen.choosing import choose
from scheduler.hosts.xen.describe import describe, settings_of
from scheduler.hosts.xen.grammar import grammar_for
from scheduler.hosts.xen.picture import picture
from scheduler.hosts.xen.power import idling, power
from scheduler.hosts.xen.survey import survey
from scheduler.hosts.xen.top import Counter, is_header, row_of
from scheduler.model.split import IO
from tests.fuzz.spoiling import spoil
from tests.fuzz.texts import GUARD, KERNEL, TABLES, TOP, XL

_MARK = re.compile(r"domtune-[0-9a-f]{16}")


class Printing:
    """A shell whose host prints what the seed says: the toolstack's own output, with a few things wrong."""

    where = "root@xen1"

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def run(self, argv, *, timeout_s=20.0, stdin=""):
        script = argv[-1]
        mark = _MARK.search(script)
        if argv[:2] != ["sh", "-c"] or mark is None:
            return Answer(0, self._said(" ".join(argv)), "")
        parts = script.split(f"echo {mark[0]} >&2")[:-1]
        codes = self._rng.choices(("0", "0", "0", "0", "1", "²"), (90, 90, 90, 90, 3, 1), k=len(parts))
        out = "".join(f"{self._said(part)}{mark[0]} {code}\n" for part, code in zip(parts, codes, strict=True))
        return Answer(0, out, f"{mark[0]}\n" * len(parts))

    def close(self):
        """Nothing is open."""

    def _said(self, command: str) -> str:
        text = next((text for words, text in XL if words in command), "")
        return spoil(self._rng, text, 2) if self._rng.random() < 0.4 else text


def facts(rng: Random) -> object:
    """Everything that is read of a Xen host, from the first command to what is told of it."""
    shell = Printing(rng)
    found = survey(shell)
    pair = picture(found, *choose(found.domains, "", "", shell.where))
    grammar = grammar_for(pair.guest.scheduler)
    text = spoil(rng, TABLES["credit2"])
    now = {seen.row.name: grammar.parse(text, seen.row.domid, 1) for seen in (pair.io, pair.guest)}
    return describe(
        "xl+ssh://root@xen1", pair, now, spoil(rng, TABLES["credit2"]), look_at_guard(Words(Guarding(rng), "/run"))
    )


class Guarding(Printing):
    """The same host, asked by its guard's script."""

    def run(self, argv, *, timeout_s=20.0, stdin=""):
        return Answer(0, spoil(self._rng, GUARD), "")


def scheduler_table(rng: Random) -> object:
    name = rng.choice(sorted(TABLES))
    return grammar_for(name).parse(spoil(rng, TABLES[name]), rng.choice((0, 1)), rng.choice((1, 4)))


def xentop(rng: Random) -> object:
    counter = None
    for number, line in enumerate(spoil(rng, TOP).splitlines()):
        row = row_of(line)
        if row is not None and not is_header(line):
            counter = counter or Counter(row, 0.0, 0.0)
            counter.take(row, float(number))
            counter.cpu_s(number + 0.5)
    return counter


def other_words(rng: Random) -> object:
    text = spoil(rng, "\n".join(text for _, text in XL))
    return settings_of(text, "Pool-0"), list(power(text)), list(idling(text))


def wrapped(rng: Random) -> object:
    mark = "domtune-0123456789abcdef"
    return unwrap(spoil(rng, f"hello\n{mark}\nout\n{mark} 0\n"), spoil(rng, f"{mark}\nsaid\n"), mark)


def kernel_groups(rng: Random) -> object:
    version = rng.choice(("v1", "v2"))
    with tempfile.TemporaryDirectory(prefix="domtune-fuzz-") as folder:
        group = Path(folder) / "domtune" / IO
        group.mkdir(parents=True)
        for name, text in KERNEL[version].items():
            spoilt = spoil(rng, text, 1)
            if rng.random() < 0.9:
                (group / name).write_bytes(spoilt.encode("utf-8", "surrogatepass"))
        groups = Groups(_place(version, folder), Found())
        for read in (groups.times, groups.pids, groups.read):
            read(IO)


def _place(version: str, folder: str) -> Place:
    return Place(
        scheduler=f"cgroup-{version}",
        cpu=folder,
        cpuacct=folder,
        cpuset="",
        machine_root=False,
        contended_cpu=0,
        client_cpus=(),
    )


def kernel_lines(rng: Random) -> object:
    text = spoil(rng, KERNEL["mountinfo"])
    rows = [usage_of(row, None) for row in spoil(rng, KERNEL["stat"]).splitlines()]
    return mounts(text), memberships(spoil(rng, KERNEL["cgroup"])), rows, parse_list(spoil(rng, "0-3,5,7"))


def libvirt_cpus(rng: Random) -> object:
    return _parsed(spoil(rng, "0-3,^2,5"), rng.choice((1, 8, 4096)))


TARGETS = {
    each.__name__: each
    for each in (facts, scheduler_table, xentop, other_words, wrapped, kernel_groups, kernel_lines, libvirt_cpus)
}
