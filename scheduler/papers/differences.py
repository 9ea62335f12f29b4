"""How a run's method differs from a paper's: rows and sentences, and one line for a picture."""

from collections.abc import Iterable, Sequence

import msgspec

from scheduler.model.facts import HostFacts
from scheduler.model.results import Point, Results
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.studies import CAPACITY, SPLIT
from scheduler.model.words import load_title
from scheduler.papers.model import Paper

_ENGINES = ("postgresql", "mariadb", "mysql")
_HYPERVISORS = ("xen", "qemu", "libvirt", "lxc")


class Difference(msgspec.Struct, frozen=True):
    """One part of the method.

    Attributes:
        what: Which part.
        paper: How the paper did it.
        here: How this run did.
    """

    what: str
    paper: str
    here: str

    @property
    def sentence(self) -> str:
        """Both as a sentence each."""
        return f"{self.what} in the paper: {self.paper}. Here: {self.here}."


def differences(paper: Paper, results: Results, spec: RunSpec, facts: HostFacts) -> tuple[Difference, ...]:
    """Return the parts of the method that are not the same in the paper and in a run."""
    method, points = paper.method, _points(paper, results)
    factor = {"users": "number of users", "vcpus": "number of vCPUs"}.get(spec.kind.factor, spec.kind.factor)
    cpus = "" if "CPU" in facts.title else f", {facts.pcpus} CPUs"
    rows = (
        Difference("Machine", method.machine, f"{facts.title}{cpus}"),
        Difference("Hypervisor and scheduler", method.hypervisor, _scheduler(results, spec, facts)),
        Difference("Database and load", method.database, _database(results, spec)),
        Difference("Users", method.users, _users(paper, spec)),
        Difference("Repeats", method.repeats, f"{_often(points, spec)} per {factor} and load; 95 % intervals"),
    )
    return tuple(row for row in rows if row.paper != row.here)


def remarks(paper: Paper, results: Results) -> tuple[str, ...]:
    """Return what one has to know beside the differences, a sentence each."""
    fitted = "The simulated machine was fitted to what this paper states: that the two agree is no evidence."
    return (*((fitted,) if results.simulated and paper.study == SPLIT else ()), paper.left_out)


def here_short(paper: Paper, results: Results, spec: RunSpec, facts: HostFacts) -> str:
    """Return how the run was measured, in one line."""
    made = "simulated" if results.simulated else ""
    lent = "idle time lent" if spec.mode is Mode.SHARE else "nothing lent"
    often = _often(_points(paper, results), spec)
    engine = _named(results, _ENGINES)
    parts = (made, facts.scheduler, lent, engine, _users(paper, spec), often)
    return ", ".join(part for part in parts if part)


def _points(paper: Paper, results: Results) -> list[Point]:
    there = [point for point in results.points if point.load in paper.loads]
    return there if paper.study != SPLIT else [point for point in there if point.split in paper.splits]


def _scheduler(results: Results, spec: RunSpec, facts: HostFacts) -> str:
    lent = "what a domain leaves, no other takes"
    if spec.mode is Mode.SHARE:
        lent = "weights, which lend what a domain leaves and so level the splits"
    named = _named(results, _HYPERVISORS)
    return f"{f'{named}, ' if named else ''}{facts.scheduler}; {lent}"


def _database(results: Results, spec: RunSpec) -> str:
    sizes = {load.kind: load.values["tuples"] for load in spec.loads if "tuples" in load.values}
    rows = ", ".join(f"{load_title(kind)} on {size:,} rows per table" for kind, size in sizes.items())
    return "; ".join(part for part in (_named(results, _ENGINES), rows) if part) or "as the host has it"


def _users(paper: Paper, spec: RunSpec) -> str:
    loads = [load for load in spec.loads if load.name in paper.loads]
    counts = {load.users for load in loads}
    if len(counts) == 1:
        count = counts.pop()
        most = "up to " if spec.study == CAPACITY else ""
        return f"{most}{count} user{'s' if count != 1 else ''}"
    return ", ".join(f"{load_title(load.kind)} {load.users} users" for load in loads)


def _often(points: Sequence[Point], spec: RunSpec) -> str:
    visits = sorted({point.visits for point in points if point.visits}) or [0]
    number = str(visits[0]) if len(visits) == 1 else f"{visits[0]} to {visits[-1]}"
    return f"{number} trials of {spec.protocol.measure_s} s"


def _named(results: Results, names: Iterable[str]) -> str:
    """Return name and version of the first of these that ran."""
    known = {name.lower(): f"{name} {version}" for name, version in results.versions.items()}
    return next((known[name] for name in names if name in known), "")
