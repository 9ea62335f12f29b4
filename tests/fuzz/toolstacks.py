"""What the toolstacks and the kernel of a host print."""

import re
import tempfile
from pathlib import Path
from random import Random

from scheduler.hosts.cgroup_mounts import parse_memberships, parse_mounts
from scheduler.hosts.libvirt.cpu_sets import parse_cpu_set
from scheduler.hosts.local.cgroup_paths import CgroupPaths, InitialGroups
from scheduler.hosts.local.control_groups import ControlGroups
from scheduler.hosts.local.local_cpus import parse_cpu_tuple, parse_stat_row
from scheduler.hosts.remote.command_wrapping import extract_answer
from scheduler.hosts.remote.guard_commands import GuardCommands
from scheduler.hosts.remote.guard_state import read_guard_state as look_at_guard
from scheduler.hosts.remote.shell import CommandResult
from scheduler.hosts.xen.describe import describe_xen, parse_pool_settings
from scheduler.hosts.xen.domain_choice import choose_domains
from scheduler.hosts.xen.domain_view import build_domain_view
from scheduler.hosts.xen.host_survey import survey_host
from scheduler.hosts.xen.xen_findings import find_deep_sleep, find_speed_changes
from scheduler.hosts.xen.xentop_rows import CpuCounter, is_header, parse_top_row
from scheduler.model.split import IO
from scheduler.toolstacks.grammar_lookup import find_grammar
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
            return CommandResult(0, self._said(" ".join(argv)), "")
        parts = script.split(f"echo {mark[0]} >&2")[:-1]
        codes = self._rng.choices(("0", "0", "0", "0", "1", "²"), (90, 90, 90, 90, 3, 1), k=len(parts))
        out = "".join(f"{self._said(part)}{mark[0]} {code}\n" for part, code in zip(parts, codes, strict=True))
        return CommandResult(0, out, f"{mark[0]}\n" * len(parts))

    def close(self):
        """Nothing is open."""

    def _said(self, command: str) -> str:
        text = next((text for words, text in XL if words in command), "")
        return spoil(self._rng, text, 2) if self._rng.random() < 0.4 else text


def facts(rng: Random) -> object:
    """Everything that is read of a Xen host, from the first command to what is told of it."""
    shell = Printing(rng)
    found = survey_host(shell)
    pair = build_domain_view(found, *choose_domains(found.domains, "", "", shell.where))
    grammar = find_grammar(pair.guest.scheduler)
    text = spoil(rng, TABLES["credit2"])
    now = {seen.row.name: grammar.parse(text, seen.row.domid, 1) for seen in (pair.io, pair.guest)}
    return describe_xen(
        "xl+ssh://root@xen1",
        pair,
        now,
        spoil(rng, TABLES["credit2"]),
        look_at_guard(GuardCommands(Guarding(rng), "/run")),
    )


class Guarding(Printing):
    """The same host, asked by its guard's script."""

    def run(self, argv, *, timeout_s=20.0, stdin=""):
        return CommandResult(0, spoil(self._rng, GUARD), "")


def scheduler_table(rng: Random) -> object:
    name = rng.choice(sorted(TABLES))
    return find_grammar(name).parse(spoil(rng, TABLES[name]), rng.choice((0, 1)), rng.choice((1, 4)))


def xentop(rng: Random) -> object:
    counter = None
    for number, line in enumerate(spoil(rng, TOP).splitlines()):
        row = parse_top_row(line)
        if row is not None and not is_header(line):
            counter = counter or CpuCounter(row, 0.0, 0.0)
            counter.take(row, float(number))
            counter.cpu_s(number + 0.5)
    return counter


def other_words(rng: Random) -> object:
    text = spoil(rng, "\n".join(text for _, text in XL))
    return parse_pool_settings(text, "Pool-0"), list(find_speed_changes(text)), list(find_deep_sleep(text))


def wrapped(rng: Random) -> object:
    mark = "domtune-0123456789abcdef"
    return extract_answer(spoil(rng, f"hello\n{mark}\nout\n{mark} 0\n"), spoil(rng, f"{mark}\nsaid\n"), mark)


def kernel_groups(rng: Random) -> object:
    version = rng.choice(("v1", "v2"))
    with tempfile.TemporaryDirectory(prefix="domtune-fuzz-") as folder:
        group = Path(folder) / "domtune" / IO
        group.mkdir(parents=True)
        for name, text in KERNEL[version].items():
            spoilt = spoil(rng, text, 1)
            if rng.random() < 0.9:
                (group / name).write_bytes(spoilt.encode("utf-8", "surrogatepass"))
        groups = ControlGroups(_place(version, folder), InitialGroups())
        for read in (groups.times, groups.pids, groups.read):
            read(IO)


def _place(version: str, folder: str) -> CgroupPaths:
    return CgroupPaths(
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
    rows = [parse_stat_row(row, None) for row in spoil(rng, KERNEL["stat"]).splitlines()]
    return (
        parse_mounts(text),
        parse_memberships(spoil(rng, KERNEL["cgroup"])),
        rows,
        parse_cpu_tuple(spoil(rng, "0-3,5,7")),
    )


def libvirt_cpus(rng: Random) -> object:
    return parse_cpu_set(spoil(rng, "0-3,^2,5"), rng.choice((1, 8, 4096)))


TARGETS = {
    each.__name__: each
    for each in (facts, scheduler_table, xentop, other_words, wrapped, kernel_groups, kernel_lines, libvirt_cpus)
}
