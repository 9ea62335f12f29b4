"""One sweep, from opening the host to storing its results."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from math import inf

import msgspec

from scheduler import places
from scheduler.commands.applied_splits import applied_words, find_applied_split
from scheduler.commands.code_consent import require_consent
from scheduler.commands.document_recorder import CommandRecorder, DocumentRecorder, Listener
from scheduler.commands.earlier_run import find_history, history_words
from scheduler.commands.orphaned_runs import close_earlier_runs
from scheduler.commands.pending_restores import reopen_recorded_host
from scheduler.commands.preflight import RUN_COMMAND, require_no_errors
from scheduler.commands.simulation import join_simulation, open_sweep_loads
from scheduler.commands.staying_awake import stay_awake
from scheduler.commands.stored_runs import read_trials
from scheduler.databases.database_registry import own_password
from scheduler.errors import SchedulerError, StoreError, SweepAborted
from scheduler.hosts.host_registry import open_host
from scheduler.hosts.protocols import CommandLog, Host
from scheduler.model.consent import NO_CONSENT, Consent
from scheduler.model.databases import database_url
from scheduler.model.documents import (
    DecisionSoFar,
    Document,
    Notice,
    RunOutcome,
    RunStarted,
    TrialDone,
)
from scheduler.model.earlier_run import EarlierRun
from scheduler.model.host_properties import HostProperties, PreflightFinding, Severity
from scheduler.model.results import Results
from scheduler.model.spec import RunSpec
from scheduler.plans.plan_extension import is_lengthened
from scheduler.plans.study_plan import choose_plan, count_certain_trials
from scheduler.plans.trials import Plan
from scheduler.run.control import AbortRequested, RunControl
from scheduler.run.engine import SweepEngine
from scheduler.run.engine_parts import EngineParts
from scheduler.run.factor import create_factor, lease_scope
from scheduler.run.lease import HostLease
from scheduler.run.monitor import HostMonitor
from scheduler.shares.model_lookup import build_settable_check, share_model_for_host
from scheduler.stats.results import summarise_run
from scheduler.stats.study_answer import decide_so_far
from scheduler.store.run_store import RunStore, new_run_id, open_store
from scheduler.studies.study_meeting import meet_host
from scheduler.translation import _
from scheduler.waiting import abortable, call_in_thread, use_abort_flag


def add_decisions(
    plan: Plan, started: RunStarted, emit: Callable[[Document], None], now_s: Callable[[], float]
) -> Plan:
    """Wrap a plan so that it also emits the decision so far, and the final decision.

    A decision is emitted after each trial of the first block, so that a first answer comes within minutes. Later
    decisions come after each block. Computing a decision takes 5 to 40 ms in the measuring process.

    Args:
        plan: The plan.
        started: First document of the run.
        emit: Takes the documents; may raise StoreError.
        now_s: Returns the seconds since the run began.
    """
    trials: list[TrialDone] = []
    loads = set(started.spec.mixes) if started.spec.kind.recommends_split else set[tuple[str, ...]]()
    seen: dict[int, set[tuple[str, ...]]] = {}

    def state(blocks: int, *, ended: bool = False) -> None:
        decision, text = decide_so_far(trials, started, ended=ended)
        emit(DecisionSoFar(t_s=now_s(), decision=decision, text=text, blocks=blocks, ended=ended))

    state(0)
    trial = next(plan, None)
    first = trial.block if trial is not None else 0
    while trial is not None:
        dones = yield trial
        trials.extend(dones)
        seen.setdefault(trial.block, set()).add(trial.mix)
        try:
            following = plan.send(dones)
        except StopIteration:
            following = None
        complete = (following is None or following.block not in seen) and loads <= seen[trial.block]
        if following is None or complete or trial.block == first:
            state(len(seen) if complete else 0, ended=following is None)
        trial = following


def look_at_host(open_it: Callable[[], Host], control: RunControl) -> tuple[Host, HostProperties]:
    """Open a host and read its properties.

    An abort does not wait for a blocked call, since nothing was written yet.

    Args:
        open_it: Opens the host.
        control: Control of the run.

    Raises:
        SpecError, HostError: The host cannot be swept.
        SweepAborted: The user aborted the sweep.
    """
    try:
        with abortable(control.check_abort):
            host = call_in_thread(open_it, inf)
            try:
                return host, call_in_thread(host.facts, inf)
            except BaseException:
                host.close()
                raise
    except AbortRequested as request:
        raise SweepAborted(str(request), hint=_("The sweep did not start: nothing was changed.")) from request


def add_own_passwords(spec: RunSpec, secrets: Mapping[str, str]) -> dict[str, str]:
    """Return the passwords, with the user's own for databases without one.

    The user's own passwords come from environment variables and files.

    Args:
        spec: The plan, to whose servers the user consented.
        secrets: Database URL to its password, as given for this sweep.

    Raises:
        SpecError: A database URL is invalid.
    """
    named = (
        *(load.url for load in spec.loads),
        *map(database_url, (spec.database, *spec.study.databases)),
    )
    urls = [url for url in dict.fromkeys(named) if url and not secrets.get(url)]
    return {**secrets, **{url: found for url in urls if (found := own_password(url))}}


log = logging.getLogger(__name__)


class SweepRequest(msgspec.Struct, frozen=True):
    """Request for a sweep.

    Attributes:
        spec: The plan.
        secrets: Database URL to its password.
        continues: Id of the run to continue, unfinished or of a shorter plan; empty for a new run.
        consent: Consent of a person.
        own_passwords: True when the user consented to send their own passwords to the plan's databases.
        despite_errors: True to run despite preflight errors on the host.
    """

    spec: RunSpec
    secrets: Mapping[str, str] = {}
    continues: str = ""
    consent: Consent = NO_CONSENT
    own_passwords: bool = False
    despite_errors: bool = False


class SweepOutcome(msgspec.Struct, frozen=True):
    """Outcome of a sweep.

    Attributes:
        results: Results, as far as measured.
        error: Error that ended the sweep; None without an error.
    """

    results: Results
    error: SchedulerError | None


def run_sweep(request: SweepRequest, control: RunControl, listeners: Sequence[Listener]) -> SweepOutcome:
    """Run one sweep and store it.

    Args:
        request: The request.
        control: Control and clock of the run.
        listeners: Called with every document after it was stored.

    Raises:
        SpecError, HostError, StoreError: The sweep did not begin; nothing was changed.
    """
    request = _check_agreement(request)
    began_s = control.clock.now()
    command_log = CommandRecorder(lambda: control.clock.now() - began_s)
    host, facts = look_at_host(lambda: open_sweep_host(request.spec, command_log.note), control)
    try:
        met = meet_host(request.spec, host, facts)
        spec, facts = met.spec, met.facts
        require_no_errors(facts.findings, RUN_COMMAND, despite_errors=request.despite_errors)
        request = msgspec.structs.replace(request, spec=spec)
        if host.database is not None:
            host.database.set_server(spec.server)
        join_simulation(host, spec, control)
        with open_store(places.store_path()) as store:
            known = reusable_trials(store, request)
            history = find_history(store, request.spec, facts, request.continues)
            run_id = new_run_id()
            recorder = DocumentRecorder(store, run_id, listeners, began_s)
            lease = HostLease(
                host,
                places.journal_dir(),
                facts.host_id,
                spec.host_url,
                reopen_recorded_host,
                lease_scope(spec, confined=facts.confined, away=facts.kept_away),
            )
            lease.on_recovery = partial(close_earlier_runs, store, facts.host_id, run_id)
            # A refused sweep has not begun and leaves no run.
            with lease.hold(), use_abort_flag(control.abort_asked):
                recorder.emit(started := _build_started(request, facts, run_id, history))
                applied = find_applied_split(facts.host_id)
                already = (applied_words(applied),) if applied else ()
                _emit_warnings(recorder, store, (*already, *met.split_warnings, *met.warnings))
                _keep_findings(recorder, facts.findings)
                _announce_history(recorder, history)
                command_log.open(recorder.emit)
                engine = SweepEngine(_build_parts(request, host, facts, control, recorder, lease), known)
                with stay_awake(spec.host_url, _("a sweep"), partial(_report_sleep, listeners)):
                    engine.run(_make_plan(started, recorder, control))
                return SweepOutcome(_keep_results(store, run_id, recorder), engine.error)
    finally:
        host.close()


def _report_sleep(listeners: Sequence[Listener], text: str) -> None:
    """Report that the computer may fall asleep; the results do not need that."""
    for listener in listeners:
        listener(Notice(t_s=0.0, level=Severity.INFO, text=text))


def _check_agreement(request: SweepRequest) -> SweepRequest:
    """Refuse a plan without consent; return the request with the user's own passwords."""
    require_consent(request.spec, request.consent)
    if not request.own_passwords:
        return request
    return msgspec.structs.replace(request, secrets=add_own_passwords(request.spec, request.secrets))


def _emit_warnings(recorder: DocumentRecorder, store: RunStore, warnings: Sequence[str]) -> None:
    damage = store.quarantine_error  # detected when opening, or with the first document
    if damage is not None:
        recorder.emit(Notice(t_s=0.0, level=Severity.WARNING, text=str(damage), hint=damage.hint))
    for text in warnings:
        recorder.emit(Notice(t_s=0.0, level=Severity.WARNING, text=text))


def _keep_findings(recorder: DocumentRecorder, findings: Sequence[PreflightFinding]) -> None:
    """Record preflight errors and warnings as notices, kept with the results."""
    for finding in findings:
        if finding.level is not Severity.INFO:
            source = _("Run despite a preflight error") if finding.level is Severity.ERROR else "Preflight"
            recorder.emit(Notice(t_s=0.0, level=finding.level, text=f"{source}: {finding.text}", hint=finding.hint))


def _make_plan(started: RunStarted, recorder: DocumentRecorder, control: RunControl) -> Plan:
    """Return the plan of a run, which also emits the decision so far."""
    spec = started.spec
    plan = choose_plan(spec, build_settable_check(started.facts, spec.mode, spec.period_us), started.history)
    return add_decisions(plan, started, recorder.emit, lambda: control.clock.now() - recorder.began_s)


def _announce_history(recorder: DocumentRecorder, history: EarlierRun | None) -> None:
    if history is not None:
        text, hint = history_words(history)
        recorder.emit(Notice(t_s=0.0, level=Severity.INFO, text=text, hint=hint))


def reusable_trials(store: RunStore, request: SweepRequest) -> list[TrialDone]:
    """Return the results of the run that is continued.

    Args:
        store: The store of runs.
        request: The request.

    Raises:
        StoreError: The run does not fit the request.
    """
    if not request.continues:
        return []
    earlier = store.run(request.continues)
    if earlier.origin is not None:
        hint = _("Export its plan and run that: 'domtune export RUN --to plan'.")
        raise StoreError(
            _("run {continues} is from elsewhere and cannot be continued here").format(continues=request.continues),
            hint=hint,
        )
    longer = is_lengthened(request.spec, earlier.spec)
    if earlier.outcome is RunOutcome.COMPLETED and not longer:
        hint = _("Add --for TIME to measure longer, or start a new sweep.")
        raise StoreError(_("run {continues} is complete").format(continues=request.continues), hint=hint)
    if earlier.spec != request.spec and not longer:
        raise StoreError(
            _("run {continues} had another plan").format(continues=request.continues),
            hint=_("Continue it with its own plan."),
        )
    return read_trials(store, earlier)


def _build_started(request: SweepRequest, facts: HostProperties, run_id: str, history: EarlierRun | None) -> RunStarted:
    return RunStarted(
        t_s=0.0,
        run_id=run_id,
        spec=request.spec,
        facts=facts,
        wall_unix_s=time.time(),
        trials=count_certain_trials(request.spec),
        domtune_version=version("domtune"),
        continues=request.continues,
        history=history,
    )


def _build_parts(
    request: SweepRequest,
    host: Host,
    facts: HostProperties,
    control: RunControl,
    recorder: DocumentRecorder,
    lease: HostLease,
) -> EngineParts:
    spec = request.spec
    return EngineParts(
        host=host,
        lease=lease,
        open_loads=lambda: open_sweep_loads(host, spec, facts, request.secrets),
        factor=create_factor(
            spec, lease, share_model_for_host(facts), facts.shared_cpus if facts.confined else (), facts.kept_away
        ),
        monitor=HostMonitor(host, len(facts.shared_cpus)),
        control=control,
        emit=recorder.emit,
        began_s=recorder.began_s,
        client_cpus=len(facts.client_cpus),
        hold=facts.commanded_inside,
        units=spec.units,
    )


def open_sweep_host(spec: RunSpec, command_log: CommandLog) -> Host:
    """Open the sweep's host.

    Args:
        spec: The plan.
        command_log: Takes every command to the host.

    Raises:
        SpecError: The URL or a domain is invalid.
        HostError: The host cannot be opened.
    """
    return open_host(
        spec.host_url,
        command_log,
        io_domain=spec.io_domain,
        guest_domain=spec.guest_domain,
        database=spec.database,
    )


def _keep_results(store: RunStore, run_id: str, recorder: DocumentRecorder) -> Results:
    results = summarise_run(recorder.documents)
    try:
        if results.busy:  # the host refused, because another computer sweeps it
            store.drop(run_id)
        else:
            store.keep_results(run_id, results)
    except StoreError as error:
        log.warning("%s", error)
    return results
