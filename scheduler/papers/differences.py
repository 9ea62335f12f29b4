"""How a run's method differs from a paper's: sentences, and one line for a picture."""

from collections.abc import Iterable

from scheduler.model.facts import HostFacts
from scheduler.model.results import Results
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.words import load_title
from scheduler.papers.model import Paper

_ENGINES = ("postgresql", "mariadb", "mysql")
_HYPERVISORS = ("xen", "qemu", "libvirt", "lxc")


def differences(paper: Paper, results: Results, spec: RunSpec, facts: HostFacts) -> tuple[str, ...]:
    """Return what differs between paper and run, a sentence each: the paper's part first, then ours."""
    method = paper.method
    pairs = [
        ("Machine", method.machine, f"{facts.title}, {facts.pcpus} CPUs"),
        ("Hypervisor and scheduler", method.hypervisor, _scheduler(results, spec, facts)),
        ("Database and load", method.database, _database(results, spec)),
        ("Users", method.users, _users(spec)),
        ("Repeats", method.repeats, _repeats(results, spec)),
    ]
    said = [f"{what}: in the paper {theirs}; here {ours}." for what, theirs, ours in pairs]
    if results.simulated:
        said.insert(0, "The simulated machine was fitted to what this paper states: that it agrees is no evidence.")
    return (*said, f"Not in the paper's text: {paper.left_out[0].lower()}{paper.left_out[1:]}")


def here_short(results: Results, spec: RunSpec, facts: HostFacts) -> str:
    """Return how the run was measured, in one line."""
    visits = [point.visits for point in results.points if point.visits]
    often = f"{min(visits, default=0)} to {max(visits, default=0)} visits of {spec.protocol.measure_s} s"
    if len({*visits}) == 1:
        often = f"{visits[0]} x {spec.protocol.measure_s} s"
    mode = "shares, idle time lent" if spec.mode is Mode.SHARE else "partition"
    made = "SIMULATED, " if results.simulated else ""
    parts = (facts.scheduler, mode, _named(results, _ENGINES), _users(spec), often, "95 % intervals")
    return made + ", ".join(part for part in parts if part)


def _scheduler(results: Results, spec: RunSpec, facts: HostFacts) -> str:
    lent = "weights lend what a domain leaves, which levels splits" if spec.mode is Mode.SHARE else "caps lend nothing"
    named = _named(results, _HYPERVISORS)
    return f"{f'{named}, ' if named else ''}{facts.scheduler}: {lent}"


def _database(results: Results, spec: RunSpec) -> str:
    sizes = [f"{load_title(load.kind)} {load.values['tuples']:,} rows" for load in spec.loads if "tuples" in load.values]
    return "; ".join(part for part in (_named(results, _ENGINES), ", ".join(sizes)) if part) or "as the host has it"


def _users(spec: RunSpec) -> str:
    counts = {load.users for load in spec.loads}
    if len(counts) == 1:
        count = counts.pop()
        return f"{count} user{'s' if count != 1 else ''}"
    return ", ".join(f"{load.users} for {load_title(load.kind)}" for load in spec.loads)


def _repeats(results: Results, spec: RunSpec) -> str:
    visits = [point.visits for point in results.points if point.visits]
    least, most = min(visits, default=0), max(visits, default=0)
    often = f"{least}" if least == most else f"{least} to {most}"
    return f"{often} visits of {spec.protocol.measure_s} s per split and load, with 95 % intervals"


def _named(results: Results, names: Iterable[str]) -> str:
    """Return name and version of the first of these that ran."""
    known = {name.lower(): (name, version) for name, version in results.versions.items()}
    return next((" ".join(known[name]) for name in names if name in known), "")
