"""Test data: the documents of a whole sweep, made from the machine of `data_machine` and seeded noise.

Nothing here was measured.
"""

import math
import random
from collections.abc import Collection, Iterator, Mapping

import msgspec

from scheduler.model.decision import SweepPurpose
from scheduler.model.documents import (
    Document,
    HostCommand,
    HostSample,
    LoadChecked,
    LoadSample,
    LoadsReady,
    Notice,
    RunOutcome,
    RunStarted,
    RunState,
    RunStopped,
    SettlingCause,
    StateChanged,
    TrialDone,
    TrialStarted,
)
from scheduler.model.domain_sample import DomainSample
from scheduler.model.host_properties import DomainProperties, HostProperties, PreflightFinding, Severity
from scheduler.model.load import LoadSpec
from scheduler.model.objective import Objective
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import label_of, parse_split_setting
from scheduler.model.spec import PAPER_SPLITS, Mode, RunSpec
from scheduler.model.split import GUEST, IO
from scheduler.plans.study_plan import list_certain_trials
from scheduler.plans.trials import PlannedTrial
from tests.data_machine import Flow, flow_at

DEVIATIONS = ("The tables hold 10,000 rows instead of 100,000.", "No think time between two statements.")
WALL_UNIX_S = 1_760_000_000.0


def make_spec(
    host_url: str = "local:",
    *,
    splits: Collection[str] = PAPER_SPLITS,
    kinds: Collection[str] = ("osdb-ir", "osdb-oltp"),
    repeats: int = 3,
    measure_s: int = 10,
    mode: Mode = Mode.CAPS,
    weights: Mapping[str, float] | None = None,
    purpose: SweepPurpose = SweepPurpose.IMPROVE,
    seed: int = 1,
) -> RunSpec:
    """Return a sweep of `quick` trials."""
    protocol = msgspec.structs.replace(PROTOCOLS["grid"], repeats=repeats, measure_s=measure_s)
    return RunSpec(
        name="Nine splits on this computer",
        host_url=host_url,
        settings=tuple(parse_split_setting(text) for text in splits),
        loads=tuple(LoadSpec(kind) for kind in kinds),
        mode=mode,
        protocol=protocol,
        weights=dict(weights or {}),
        objective=Objective(purpose=purpose),
        seed=seed,
    )


def make_facts(host_url: str = "local:", simulated: bool = False, scheduler: str = "cgroup-v2") -> HostProperties:
    """Return the facts of a two-CPU machine."""
    return HostProperties(
        host_id=f"test-{host_url}",
        url=host_url,
        title="A simulated Xen machine" if simulated else "testbench, Debian 12, 2 CPUs",
        scheduler=scheduler,
        pcpus=2,
        shared_cpus=(1,),
        client_cpus=(0,),
        domains=(DomainProperties(IO, "relay", 1, (1,)), DomainProperties(GUEST, "postgres", 1, (1,))),
        versions={"kernel": "6.1.0-37-amd64", "postgresql": "18.0", "psycopg2": "2.9.10"},
        findings=(
            PreflightFinding(
                Severity.WARNING, "2 CPUs: the clients share theirs with the desktop", "Close other programs."
            ),
        ),
        simulated=simulated,
    )


def make_done(
    trial: PlannedTrial, number: int, tps: float, *, t_s: float | None = None, valid: bool = True
) -> TrialDone:
    """Return the result of a planned trial, all of its seconds alike."""
    return TrialDone(
        t_s=20.0 * number if t_s is None else t_s,
        trial=number,
        setting=trial.setting,
        load=trial.load,
        block=trial.block,
        seconds=trial.measure_s,
        settled_s=trial.settle_s,
        mean_tps=tps,
        valid=valid,
    )


class Maker:
    """Writes one stream of documents; the noise is a lognormal per trial and an AR(1) per second."""

    def __init__(self, spec: RunSpec, noise: float, failing: Collection[tuple[str, str]], seed: int) -> None:
        self.spec = spec
        self.noise = noise
        self.failing = failing
        self.dice = random.Random(seed)
        self.t_s = 0.0
        self.before: PlannedTrial | None = None

    def trial(self, number: int, trial: PlannedTrial, with_samples: bool) -> Iterator[Document]:
        """Yield one trial: started, a pair of samples per second, done."""
        flow = flow_at(trial.setting, trial.load, self.spec.mode)
        factor = math.exp(self.dice.gauss(0, self.noise))
        yield TrialStarted(
            t_s=self.t_s,
            trial=number,
            setting=trial.setting,
            load=trial.load,
            block=trial.block,
            settle_s=trial.settle_s,
            measure_s=trial.measure_s,
            allotted_frac=flow.configured,
        )
        rates: list[float] = []
        wobble = 0.0
        for second in range(trial.settle_s + trial.measure_s):
            self.t_s += 1.0
            wobble = 0.7 * wobble + self.dice.gauss(0, 0.02)
            ramp = 1 - 0.5 * math.exp(-second / 1.2)
            rate = flow.tps * factor * math.exp(wobble) * ramp
            settling = second < trial.settle_s
            rates.append(rate)
            if with_samples:
                yield self._load_sample(number, trial.load, settling, rate)
                yield self._host_sample(number, flow, rate)
        self.t_s += 0.3
        yield self._done(number, trial, flow, rates)
        self.before = trial

    def _load_sample(self, number: int, load: str, settling: bool, rate: float) -> LoadSample:
        p50 = 1000 * self.spec.load_of(load).users / rate
        return LoadSample(
            t_s=self.t_s,
            trial=number,
            load=load,
            settling=settling,
            throughput_tps=round(rate),
            p50_ms=p50,
            p95_ms=2.2 * p50,
            p99_ms=3.9 * p50,
            client_cpu_frac=min(0.95, rate * 12e-6),
            probe_tps=rate * 0.02,
        )

    def _host_sample(self, number: int, flow: Flow, rate: float) -> HostSample:
        got = {domain: share * min(1.0, rate / flow.tps) for domain, share in flow.delivered.items()}
        domains = {
            domain: DomainSample(
                user_frac=got[domain] * (0.45 if domain == IO else 0.75),
                system_frac=got[domain] * (0.55 if domain == IO else 0.25),
                memory_bytes=48_000_000 if domain == IO else 310_000_000,
                in_bytes=rate * 110,
                out_bytes=rate * 160,
                throttled_frac=flow.throttled[domain],
                allotted_frac=flow.configured.get(domain),
            )
            for domain in got
        }
        return HostSample(t_s=self.t_s, trial=number, domains=domains, idle_frac=max(0.0, 1 - sum(got.values())))

    def _done(self, number: int, trial: PlannedTrial, flow: Flow, rates: list[float]) -> TrialDone:
        mean_tps = sum(rates[trial.settle_s :]) / trial.measure_s
        same_load = self.before is not None and self.before.load == trial.load
        failed = (label_of(trial.setting), trial.load) in self.failing
        p50 = 1000 * self.spec.load_of(trial.load).users / mean_tps
        return TrialDone(
            t_s=self.t_s,
            trial=number,
            setting=trial.setting,
            load=trial.load,
            block=trial.block,
            seconds=float(trial.measure_s),
            settled_s=float(trial.settle_s),
            unit=self.spec.units[trial.load],
            mean_tps=mean_tps,
            p50_ms=p50,
            p95_ms=2.2 * p50,
            p99_ms=3.9 * p50,
            client_cpu_frac=min(0.95, mean_tps * 12e-6),
            clients_cpu_frac=min(0.95, mean_tps * 30e-6),
            used_frac=dict(flow.delivered),  # noise is in what a tuple costs, not in the CPU received
            allotted_frac=flow.configured,
            throttled_frac=flow.throttled,
            probe_tps=mean_tps * 0.02,
            rates_tps=tuple(rates),
            change=SettlingCause.NONE
            if self.before is None
            else SettlingCause.SPLIT
            if same_load
            else SettlingCause.LOAD,
            valid=not failed,
            reason="a user did not report for 4 s" if failed else "",
        )


def make_documents(
    seed: int = 1,
    host_url: str = "local:",
    simulated: bool = False,
    seconds_per_trial: int = 10,
    *,
    spec: RunSpec | None = None,
    facts: HostProperties | None = None,
    repeats: int = 3,
    mode: Mode = Mode.CAPS,
    noise: float = 0.03,
    failing: Collection[tuple[str, str]] = (),
    trials: int | None = None,
    outcome: RunOutcome | None = RunOutcome.COMPLETED,
    restored: bool = True,
    samples: bool = True,
    run_id: str = "20251009-085320-test",
) -> list[Document]:
    """Return the documents of one sweep, first to last; the same arguments give the same documents.

    Args:
        seed: Seed of the order of the trials and the noise.
        host_url: As it stands in the plan.
        simulated: Marks the host as simulated.
        seconds_per_trial: Measured window, whole seconds >= 1.
        spec: The sweep; by default the paper's nine splits under both loads.
        facts: The host; by default two CPUs with cgroup v2.
        repeats: Blocks, when `spec` is not given.
        mode: Caps or weights, when `spec` is not given.
        noise: Standard deviation of a trial's ln(throughput).
        failing: (setting label, load kind) pairs whose trials are invalid.
        trials: Stop after this many trials; None for all.
        outcome: How the run ends; None for a core that died without a last document.
        restored: What the last document says of the host.
        samples: False leaves the per-second samples out (a shorter list).
        run_id: Id of the run.
    """
    spec = spec or make_spec(host_url, repeats=repeats, measure_s=seconds_per_trial, mode=mode, seed=seed)
    facts = facts or make_facts(host_url, simulated)
    planned = list_certain_trials(spec)
    maker = Maker(spec, noise, failing, seed)
    out: list[Document] = [
        RunStarted(
            t_s=0.0,
            run_id=run_id,
            spec=spec,
            facts=facts,
            wall_unix_s=WALL_UNIX_S,
            trials=len(planned),
            domtune_version="0.1.0",
        ),
        StateChanged(t_s=0.0, state=RunState.PREPARING, text="Starting the database"),
    ]
    out.append(LoadsReady(t_s=0.1, versions={"postgresql": "18.1", "psycopg2": "2.9.13"}, differences=DEVIATIONS))
    out += [Notice(t_s=0.1, level=f.level, text=f.text, hint=f.hint) for f in facts.findings]
    maker.t_s = 2.0
    out.append(StateChanged(t_s=maker.t_s, state=RunState.RUNNING, text="Sweeping"))
    chosen = planned if trials is None else planned[:trials]
    for number, trial in enumerate(chosen):
        out += _commands(maker.t_s, trial, mode=spec.mode)
        out += maker.trial(number, trial, samples)
        if number + 1 == len(chosen) or chosen[number + 1].load != trial.load:
            maker.t_s += 1.5
            text = (
                "sum(signed) grew by 18230, users committed 18230"
                if trial.load == "osdb-oltp"
                else "row counts unchanged"
            )
            out.append(LoadChecked(t_s=maker.t_s, load=trial.load, passed=True, text=text))
    if outcome is None:
        return out
    reason = {RunOutcome.ABORTED: "aborted by the user", RunOutcome.FAILED: "PostgreSQL ended with code 1"}.get(
        outcome, ""
    )
    out.append(StateChanged(t_s=maker.t_s, state=RunState.RESTORING, text="Putting the host back"))
    out.append(HostCommand(t_s=maker.t_s, command="rmdir domtune.slice/io domtune.slice/guest", answer="ok"))
    out.append(StateChanged(t_s=maker.t_s + 0.2, state=RunState.CLOSED))
    out.append(RunStopped(t_s=maker.t_s + 0.2, outcome=outcome, restored=restored, reason=reason))
    return out


def make_trials(seed: int = 1, **options) -> list[TrialDone]:
    """Return only the results of the trials; the options are those of `make_documents`."""
    return [doc for doc in make_documents(seed, samples=False, **options) if isinstance(doc, TrialDone)]


def _commands(t_s: float, trial: PlannedTrial, mode: Mode) -> Iterator[Document]:
    if trial.setting is None:
        yield HostCommand(t_s=t_s, command="echo 'max 20000' > domtune.slice/io/cpu.max", answer="ok")
        return
    for domain in (IO, GUEST):
        share = trial.setting.split.frac_of(domain)
        line = (
            f"echo '{round(share * 20_000)} 20000' > domtune.slice/{domain}/cpu.max"
            if mode is Mode.CAPS
            else f"echo {max(1, round(share * 1000))} > domtune.slice/{domain}/cpu.weight"
        )
        yield HostCommand(t_s=t_s, command=line, answer="ok")
