"""Differences between the methods of a run and of a paper.

The differences are rows and sentences. The method is also one line for a picture.
"""

from collections.abc import Iterable, Sequence

import msgspec

from scheduler.model.host_properties import HostProperties
from scheduler.model.number_texts import format_users
from scheduler.model.results import MeasuredPoint, Results
from scheduler.model.sentence_texts import load_title
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.studies import find_study
from scheduler.papers.paper_model import PublishedPaper
from scheduler.translation import _

_ENGINES = ("postgresql", "mariadb", "mysql")
_HYPERVISORS = ("xen", "qemu", "libvirt", "lxc")


class MethodDifference(msgspec.Struct, frozen=True):
    """Difference in one part of the method.

    Attributes:
        what: Name of the part.
        paper: Description of that part in the paper.
        here: Description of that part in this run.
    """

    what: str
    paper: str
    here: str

    @property
    def sentence(self) -> str:
        """Both descriptions, one sentence each."""
        return _("{what} in the paper: {paper}. Here: {here}.").format(what=self.what, paper=self.paper, here=self.here)


def method_differences(
    paper: PublishedPaper, results: Results, spec: RunSpec, facts: HostProperties
) -> tuple[MethodDifference, ...]:
    """Return the parts of the method that differ between the paper and a run.

    Args:
        paper: The paper.
        results: Results of the run.
        spec: Specification of the run.
        facts: Properties of the host.
    """
    method, points = paper.method, _points_of_paper(paper, results)
    cpus = "" if "CPU" in facts.title else f", {facts.pcpus} CPUs"
    rows = (
        MethodDifference("Machine", method.machine, f"{facts.title}{cpus}"),
        MethodDifference(_("Hypervisor and scheduler"), method.hypervisor, _scheduler_text(results, spec, facts)),
        MethodDifference(_("Database and load"), method.database, _database_text(results, spec)),
        MethodDifference("Users", method.users, _users_text(paper, spec)),
        MethodDifference(
            "Repeats",
            method.repeats,
            _("{repeats} per {factor} and load; 95 % intervals").format(
                repeats=_repeats_text(points, spec), factor=spec.kind.factor_title
            ),
        ),
    )
    return tuple(row for row in rows if row.paper != row.here)


def method_remarks(paper: PublishedPaper, results: Results) -> tuple[str, ...]:
    """Return further remarks on the comparison, sentences.

    Args:
        paper: The paper.
        results: Results of the run.
    """
    fitted = _("The simulated machine was fitted to this paper, so agreement is no evidence.")
    return (*((fitted,) if results.simulated and find_study(paper.study).recommends_split else ()), paper.left_out)


def method_summary(paper: PublishedPaper, results: Results, spec: RunSpec, facts: HostProperties) -> str:
    """Return the run's method as one line.

    Args:
        paper: The paper, which selects loads and points of the run.
        results: Results of the run.
        spec: Specification of the run.
        facts: Properties of the host.
    """
    made = "simulated" if results.simulated else ""
    lent = _("idle time lent") if spec.mode is Mode.WEIGHTS else _("nothing lent")
    often = _repeats_text(_points_of_paper(paper, results), spec)
    engine = _version_text(results, _ENGINES)
    parts = (made, facts.scheduler, lent, engine, _users_text(paper, spec), often)
    return ", ".join(part for part in parts if part)


def _points_of_paper(paper: PublishedPaper, results: Results) -> list[MeasuredPoint]:
    there = [point for point in results.points if point.load in paper.loads]
    chosen = [point for point in there if point.label in paper.splits]
    return chosen if find_study(paper.study).recommends_split else there


def _scheduler_text(results: Results, spec: RunSpec, facts: HostProperties) -> str:
    lent = _("CPU time that one domain leaves stays idle")
    if spec.mode is Mode.WEIGHTS:
        lent = _("weights, which let a domain use idle CPU time and so reduce differences between splits")
    named = _version_text(results, _HYPERVISORS)
    return f"{f'{named}, ' if named else ''}{facts.scheduler}; {lent}"


def _database_text(results: Results, spec: RunSpec) -> str:
    sizes = {load.kind: load.values["tuples"] for load in spec.loads if "tuples" in load.values}
    rows = ", ".join(
        _("{load} on {size:,} rows per table").format(load=load_title(kind), size=size) for kind, size in sizes.items()
    )
    return "; ".join(part for part in (_version_text(results, _ENGINES), rows) if part) or _("as the host has it")


def _users_text(paper: PublishedPaper, spec: RunSpec) -> str:
    loads = [load for load in spec.loads if load.name in paper.loads]
    counts = {load.users for load in loads}
    if len(counts) == 1:
        count = counts.pop()
        most = "up to " if spec.kind.varies_users else ""
        return f"{most}{format_users(count)}"
    return ", ".join(_("{load} {users} users").format(load=load_title(load.kind), users=load.users) for load in loads)


def _repeats_text(points: Sequence[MeasuredPoint], spec: RunSpec) -> str:
    trials = sorted({point.trials for point in points if point.trials}) or [0]
    number = (
        str(trials[0])
        if len(trials) == 1
        else _("{trials} to {trials_2}").format(trials=trials[0], trials_2=trials[-1])
    )
    return _("{number} trials of {measure_s} s").format(number=number, measure_s=spec.protocol.measure_s)


def _version_text(results: Results, names: Iterable[str]) -> str:
    """Return name and version of the first of these programs that ran; else empty."""
    known = {name.lower(): f"{name} {version}" for name, version in results.versions.items()}
    return next((known[name] for name in names if name in known), "")
