"""State of a run for the plots: documents in, arrays out.

Live and replayed runs are the same. The module uses no Qt, no clock and no files.
"""

from collections.abc import Mapping

from app.plots.load_seconds import LoadSeconds
from app.plots.sample_series import SampleSeries
from app.plots.time_left import TrialPace, pace_of
from scheduler.model.documents import (
    DecisionSoFar,
    Document,
    HostCommand,
    HostSample,
    LoadChecked,
    LoadSample,
    LoadsReady,
    Notice,
    RunStarted,
    RunState,
    RunStopped,
    SettlingCause,
    StateChanged,
    TrialDone,
    TrialStarted,
)
from scheduler.model.domain_sample import DomainSample
from scheduler.model.host_properties import Severity
from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import first_loaded_guest, label_of
from scheduler.model.split import GUEST, GUEST_2, IO, ROLES, DomainId, list_roles
from scheduler.stats.points import add_intervals, build_point
from scheduler.stats.stalls import first_of_each_trial
from scheduler.stats.steady.settling import SettlingPool

LoggedDocument = RunStarted | LoadsReady | StateChanged | TrialDone | LoadChecked | Notice | RunStopped
"""Documents that the log shows."""

_NAN = float("nan")


class TrialSpan:
    """One trial on the time axis.

    Attributes:
        trial: Number of the trial.
        setting: The setting; None for the original settings.
        io_frac: CPU allotted of the I/O domain, 0..1; None if nothing is allotted.
        second_frac: CPU allotted of a second guest, 0..1; 0 without a second guest.
        load: Name of the load or of the mix.
        mix: Names of the loads that run together; a single load's own name.
        began_s: Begin, seconds since the run began.
        settled_s: Begin of the measurement, seconds since the run began.
        ended_s: End, seconds since the run began; None while the trial goes on.
        result: Result, in a mix of one load; None while the trial goes on or after an interruption.
    """

    __slots__ = (
        "began_s",
        "ended_s",
        "guest",
        "io_frac",
        "load",
        "mix",
        "result",
        "second_frac",
        "setting",
        "settled_s",
        "trial",
    )

    def __init__(self, document: TrialStarted) -> None:
        self.trial = document.trial
        self.setting = document.setting
        self.io_frac = document.allotted_frac.get(IO)
        self.second_frac = document.allotted_frac.get(GUEST_2, 0.0)
        self.load = document.load
        self.mix = document.mix or (document.load,)
        self.guest = first_loaded_guest(document.setting)
        self.began_s = document.t_s
        self.settled_s = document.t_s + document.settle_s
        self.ended_s: float | None = None
        self.result: TrialDone | None = None


class RunBoard:
    """State of one run, as its plots need it.

    Attributes:
        run: First document; None before it arrives.
        state: State of the run; None before the first report.
        doing: Current activity in the core's text; may be empty.
        so_far: Decision after the trials so far; None before the first decision.
        stopped: Last document; None while the run goes on.
        now_s: Time of the latest document, seconds since the run began.
        spans: All trials in order; the last one may go on.
        trials: All results in the order of their measurement.
        loads: Samples per second by load kind.
        domains: Domains with CPU samples: I/O domain, guest and any second guest.
        cpu: Samples of the host per second: t_s, the CPU used by each domain (`io`, `guest`, `guest-2`), `idle`, and
            the CPU allotted (`io_allotted` and so on, NaN for none); CPUs, of one shared CPU a fraction.
        cpus: Number of shared CPUs, >= 1.
        command_log: Commands to the host.
        log: Documents for the log.
        warnings: Number of notices and trials in the log that need attention.
        changes: Number of documents taken; an unchanged number means nothing to redraw.
    """

    def __init__(self) -> None:
        self.run: RunStarted | None = None
        self.state: RunState | None = None
        self.doing = ""
        self.so_far: DecisionSoFar | None = None
        self.stopped: RunStopped | None = None
        self.now_s = 0.0
        self.spans: list[TrialSpan] = []
        self.trials: list[TrialDone] = []
        self.loads: dict[str, LoadSeconds] = {}
        self.domains: tuple[DomainId, ...] = (IO, GUEST)
        self.cpu = SampleSeries("t_s", *ROLES, "idle", *(f"{domain}_allotted" for domain in ROLES))
        self.command_log: list[HostCommand] = []
        self.log: list[LoggedDocument] = []
        self.warnings = 0
        self.changes = 0
        self._pace: TrialPace | None = None
        self.cpus = 1
        self._settler = SettlingPool()
        self._settled: tuple[int, Mapping[SettlingCause, int]] = (0, {})
        self._groups: dict[tuple[str, str], list[TrialDone]] = {}
        self._stale: set[tuple[str, str]] = set()
        self._points: dict[tuple[str, str], MeasuredPoint] = {}

    @property
    def done(self) -> int:
        """Number of trials that ended; a mix has one result per load."""
        return len(first_of_each_trial(self.trials))

    @property
    def span(self) -> TrialSpan | None:
        """The current trial, if any."""
        return self.spans[-1] if self.spans and self.spans[-1].ended_s is None else None

    @property
    def units(self) -> Mapping[str, str]:
        """Units of the rates by load kind; empty before the first document."""
        return {} if self.run is None else self.run.spec.units

    @property
    def points(self) -> Mapping[tuple[str, str], MeasuredPoint]:
        """Points so far by (label, load kind), as in the final results.

        Only changed points are computed again.
        """
        mode = None if self.run is None else self.run.spec.mode
        for key in self._stale:
            self._points[key] = build_point(self._groups[key], mode, self.cpus)
        for load in {load for _, load in self._stale}:  # a trial changes the pooled intervals of all points of its load
            points = [point for point in self._points.values() if point.load == load]
            self._points.update({(point.label, load): point for point in add_intervals(points, self.trials)})
        self._stale.clear()
        return self._points

    @property
    def steady_state_s(self) -> Mapping[SettlingCause, int]:
        """Seconds to the steady state by kind of change, as far as known."""
        if self._settled[0] != len(self.trials):
            found = {one.change: one.found_s for one in self._settler.found() if one.found_s is not None}
            self._settled = len(self.trials), found
        return self._settled[1]

    @property
    def left_s(self) -> float | None:
        """Seconds until the sweep ends, without pauses; None when unknown, 0 when over."""
        if self.stopped is not None:
            return 0.0
        return None if self._pace is None else self._pace.left_s(self.now_s)

    @property
    def changed_host(self) -> bool:
        """True while the host may differ from its original settings."""
        return self.state in (RunState.RUNNING, RunState.RESTORING)

    def take(self, document: Document) -> None:
        """Take one document in constant time."""
        self.changes += 1
        self.now_s = max(self.now_s, document.t_s)
        match document:
            case LoadSample():
                self._take_sample(document)
            case HostSample():
                self._take_host(document)
            case HostCommand():
                self.command_log.append(document)
            case TrialStarted():
                self._take_start(document)
            case DecisionSoFar():
                self.so_far = document
            case _ if isinstance(document, LoggedDocument):
                self.log.append(document)
                self._take_logged(document)
            case _:
                pass  # a line of an observation, which has no trials

    def _take_sample(self, document: LoadSample) -> None:
        if self.spans and document.guest != self.spans[-1].guest:
            return  # if two guests are loaded together, the plots show the first guest
        seconds = self.loads.get(document.load)
        if seconds is None:
            seconds = self.loads[document.load] = LoadSeconds()
        seconds.take(document)

    def _take_host(self, document: HostSample) -> None:
        self.domains = list_roles(self.domains, document.domains)
        samples = tuple(map(document.domains.get, ROLES))
        self.cpu.append(
            document.t_s,
            *map(_cpus_used, samples),
            document.idle_frac * self.cpus,
            *(_cpu_allotted_frac(sample) * self.cpus for sample in samples),
        )

    def _take_start(self, document: TrialStarted) -> None:
        self._close_span(document.t_s)
        self.spans.append(TrialSpan(document))
        self.doing = ""
        if self._pace is not None:
            self._pace.started(document.trial, document.t_s, document.settle_s + document.measure_s)

    def _take_logged(self, document: LoggedDocument) -> None:
        match document:
            case TrialDone():
                self._take_done(document)
            case StateChanged():
                self._take_state(document)
            case Notice(level=Severity.WARNING | Severity.ERROR):
                self.warnings += 1
            case RunStarted():
                self.run = document
                self.cpus = max(1, len(document.facts.shared_cpus))
                self._pace = pace_of(document.spec, document.trials)
            case RunStopped():
                self.stopped = document
                self._close_span(document.t_s)
            case _:
                return

    def _take_done(self, document: TrialDone) -> None:
        self.warnings += not document.valid
        self.trials.append(document)
        self._settler.take(document)
        if document.guest == first_loaded_guest(document.setting):
            self._take_leading(document)
        if self._pace is not None:
            self._pace.done(document.trial, document.t_s)

    def _take_leading(self, document: TrialDone) -> None:
        """Take a result that the plots show."""
        key = label_of(document.setting), document.load
        group = self._groups.setdefault(key, [])
        self._exclude_seconds(document, group[-1] if group else None)
        group.append(document)
        self._stale.add(key)
        span = self.span
        if span is not None and span.trial == document.trial:
            span.ended_s, span.result = document.t_s, document

    def _exclude_seconds(self, done: TrialDone, before: TrialDone | None) -> None:
        """Mark the stalls of a trial, and the earlier trial that this trial replaces."""
        seconds = self.loads.get(done.load)
        if seconds is None:
            return
        if before is not None and before.block == done.block:
            for span in reversed(self.spans):
                if span.result is not None and span.result.trial == before.trial:
                    from_s = span.began_s + before.settled_s
                    seconds.mark_again(from_s, from_s + before.seconds)
                    break
        seconds.mark_stalls(done.stalled_at_s)

    def _take_state(self, document: StateChanged) -> None:
        self.state, self.doing = document.state, document.text
        if document.state is not RunState.RUNNING:
            self._close_span(document.t_s)
        if document.state is RunState.PAUSED and self._pace is not None:
            self._pace.note_interruption()

    def _close_span(self, t_s: float) -> None:
        span = self.span
        if span is not None:
            span.ended_s = t_s


def _cpus_used(sample: DomainSample | None) -> float:
    return 0.0 if sample is None else sample.user_frac + sample.system_frac


def _cpu_allotted_frac(sample: DomainSample | None) -> float:
    return _NAN if sample is None or sample.allotted_frac is None else sample.allotted_frac
