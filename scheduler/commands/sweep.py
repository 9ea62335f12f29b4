"""One sweep from opening the host to keeping its results: where host, loads, engine and store meet."""

import logging
import secrets
import time
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.metadata import version

import msgspec

from scheduler import places
from scheduler.commands.aftermath import tell_of_earlier
from scheduler.commands.agreement import refuse_unseen
from scheduler.commands.applied import applied_to, applied_words
from scheduler.commands.deciding import with_decisions
from scheduler.commands.first_contact import look_at_host
from scheduler.commands.history import find_history, history_words
from scheduler.commands.own_passwords import add_own_passwords
from scheduler.commands.preflight import RUN, require_no_errors
from scheduler.commands.recording import Ledger, Listener, Recorder
from scheduler.commands.restoring import reopen
from scheduler.commands.second_guest import add_guest, clients_warning, three_warnings
from scheduler.commands.simulation import join, loads_for
from scheduler.commands.sizing import holds_it, left_out, with_clients
from scheduler.commands.stored import visits_of
from scheduler.errors import SchedulerError, SpecError, StoreError
from scheduler.hosts.base import Direct, Host, Serving, Sizing
from scheduler.hosts.base import Ledger as LedgerLine
from scheduler.hosts.registry import open_host
from scheduler.model.cold import refuse_cold
from scheduler.model.concerns import fit_findings
from scheduler.model.consent import NONE, Consent
from scheduler.model.documents import (
    Notice,
    Outcome,
    RunStarted,
    VisitDone,
)
from scheduler.model.facts import Finding, HostFacts, Level
from scheduler.model.history import History
from scheduler.model.mixes import refuse_simulated
from scheduler.model.results import Results
from scheduler.model.setting import DIRECT
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST
from scheduler.plans.choice import plan_for
from scheduler.plans.duration import is_simulated, visit_count
from scheduler.plans.fitting import fitted
from scheduler.plans.lengthening import lengthens
from scheduler.plans.visits import Plan
from scheduler.run.control import Control
from scheduler.run.engine import Engine
from scheduler.run.factor import factor_of, scope_of
from scheduler.run.lease import Lease
from scheduler.run.monitor import Monitor
from scheduler.run.parts import Parts
from scheduler.shares.base import machine_of
from scheduler.shares.registry import model_of, settable_on
from scheduler.stats.results import results_from
from scheduler.store.runs import RunStore, open_store
from scheduler.waiting import ended_by

log = logging.getLogger(__name__)


class Request(msgspec.Struct, frozen=True):
    """What to sweep.

    Attributes:
        spec: The sweep.
        secrets: Database URL to password.
        continues: Id of a run to go on with, unfinished or of a shorter plan; empty for a new one.
        consent: What a person agreed to.
        own_passwords: A person has agreed to send their own passwords to the databases that the plan names.
        despite_errors: Run although preflight finds errors on the host.
    """

    spec: RunSpec
    secrets: Mapping[str, str] = {}
    continues: str = ""
    consent: Consent = NONE
    own_passwords: bool = False
    despite_errors: bool = False


class Done(msgspec.Struct, frozen=True):
    """How a sweep ended.

    Attributes:
        results: What it found, as far as it got.
        error: What ended it; None when nothing did.
    """

    results: Results
    error: SchedulerError | None


def run_sweep(request: Request, control: Control, listeners: Sequence[Listener]) -> Done:
    """Run one sweep and keep it.

    Args:
        request: What to do.
        control: Buttons and clock.
        listeners: Called with every document after it was kept.

    Raises:
        SpecError, HostError, StoreError: The sweep did not begin; nothing was touched.
    """
    request = _check_agreement(request)
    began_s = control.clock.now()
    ledger = Ledger(lambda: control.clock.now() - began_s)
    host, facts = look_at_host(lambda: open_for(request.spec, ledger.note), control)
    try:
        asked, spec = request.spec, fitted(request.spec, facts)
        request = msgspec.structs.replace(request, spec=spec)
        facts = add_guest(spec, host, facts)
        if isinstance(host, Serving):
            host.set_server(spec.server)
        held = holds_it(spec, host.baseline(GUEST)) if spec.kind.factor == "vcpus" else ()
        warnings = (*left_out(asked, spec, facts), *held, *refuse_what_cannot_be_set(spec, facts))
        warnings = (*warnings, *clients_warning(spec, facts))
        facts = with_clients(spec, facts)
        if spec.kind.factor == "vcpus" and isinstance(host, Sizing):
            host.vary_vcpus()
        refuse_without_base(spec, host)
        facts = _accept_findings(request, facts)
        join(host, spec, control)
        with open_store(places.store_path()) as store:
            known = known_visits(store, request)
            history = find_history(store, request.spec, facts, request.continues)
            run_id = new_run_id()
            recorder = Recorder(store, run_id, listeners, began_s)
            lease = Lease(host, places.journal_dir(), facts.host_id, spec.host_url, reopen, scope_of(spec))
            lease.recovered = partial(tell_of_earlier, store, facts.host_id, run_id)
            # A sweep that is refused has not begun, and leaves no run.
            with lease.hold(), ended_by(control.abort_asked):
                recorder.emit(started := _started(request, facts, run_id, history))
                applied = applied_to(facts.host_id)
                _warn(recorder, store, (*([applied_words(applied)] if applied else []), *warnings))
                _keep_findings(recorder, facts.findings)
                _announce(recorder, history)
                ledger.open(recorder.emit)
                engine = Engine(_parts(request, host, facts, control, recorder, lease), known)
                engine.run(_plan(started, recorder, control))
                return Done(_keep_results(store, run_id, recorder), engine.error)
    finally:
        host.close()


def _check_agreement(request: Request) -> Request:
    """Refuse what nobody has agreed to; return the request with the passwords that the person wants to be sent."""
    refuse_unseen(request.spec, request.consent)
    if not request.own_passwords:
        return request
    return msgspec.structs.replace(request, secrets=add_own_passwords(request.spec, request.secrets))


def _warn(recorder: Recorder, store: RunStore, warnings: Sequence[str]) -> None:
    damage = store.kept_aside  # found at the opening, or only with the run's first document
    if damage is not None:
        recorder.emit(Notice(t_s=0.0, level=Level.WARNING, text=str(damage), hint=damage.hint))
    for text in warnings:
        recorder.emit(Notice(t_s=0.0, level=Level.WARNING, text=text))


def _keep_findings(recorder: Recorder, findings: Sequence[Finding]) -> None:
    """Record errors and warnings of preflight as notices: they are printed once, and kept with the results."""
    for finding in findings:
        if finding.level is not Level.INFO:
            source = "Run despite a preflight error" if finding.level is Level.ERROR else "Preflight"
            recorder.emit(Notice(t_s=0.0, level=finding.level, text=f"{source}: {finding.text}", hint=finding.hint))


def _plan(started: RunStarted, recorder: Recorder, control: Control) -> Plan:
    """Return the plan of a run, which states the decision so far in between."""
    spec = started.spec
    plan = plan_for(spec, settable_on(started.facts, spec.mode, spec.period_us), started.history)
    return with_decisions(plan, started, recorder.emit, lambda: control.clock.now() - recorder.began_s)


def _announce(recorder: Recorder, history: History | None) -> None:
    if history is not None:
        text, hint = history_words(history)
        recorder.emit(Notice(t_s=0.0, level=Level.INFO, text=text, hint=hint))


def _accept_findings(request: Request, facts: HostFacts) -> HostFacts:
    """Return the facts with the findings that concern the study; raises HostNotUsable for an error among them."""
    facts = msgspec.structs.replace(facts, findings=fit_findings(request.spec, facts.findings))
    require_no_errors(facts.findings, RUN, despite_errors=request.despite_errors)
    return facts


def refuse_what_cannot_be_set(spec: RunSpec, facts: HostFacts) -> tuple[str, ...]:
    """Encode every setting once and return what to warn of; raises SpecError for the first that cannot be set."""
    if is_simulated(spec):
        refuse_simulated(spec.mixes)
    if spec.protocol.restart_settle_s and not facts.restarts_database:
        hint = "Leave it out, or sweep the database that DomTune brings to this computer."
        raise SpecError("restart_settle_s", "DomTune cannot start this sweep's database anew", hint=hint)
    refuse_cold(spec, facts)
    model = model_of(facts)
    encodings = [model.encode(split, spec.mode, spec.period_us) for split in spec.splits]
    return (*(warning for encoding in encodings for warning in encoding.warnings), *three_warnings(spec, facts))


def refuse_without_base(spec: RunSpec, host: Host) -> None:
    """Refuse a study whose base this host does not have; raises SpecError."""
    if not spec.compares_base or spec.base not in ("", DIRECT) or isinstance(host, Direct):
        return
    problem = "this host's database is reached through its I/O domain only, so there is no base to compare with"
    hint = "Name one: base = 'postgresql://...', with the same data and settings."
    if spec.base == DIRECT:  # the numbers of CPUs would have to be the same: another machine's cannot be set
        hint = "Leave it out, or take local:. Make a study of the machine without its hypervisor, and compare both."
    raise SpecError("base", problem, hint=hint)


def known_visits(store: RunStore, request: Request) -> list[VisitDone]:
    """Return the results of the run that is continued; raises StoreError when it does not fit."""
    if not request.continues:
        return []
    earlier = store.run(request.continues)
    longer = lengthens(request.spec, earlier.spec)
    if earlier.outcome is Outcome.COMPLETED and not longer:
        hint = "Add --for TIME to measure longer, or start a new sweep."
        raise StoreError(f"run {request.continues} is complete", hint=hint)
    if earlier.spec != request.spec and not longer:
        raise StoreError(f"run {request.continues} had another plan", hint="Continue it with its own plan.")
    return visits_of(store, earlier)


def new_run_id() -> str:
    """Return an id that is unique and sorts by time."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"


def _started(request: Request, facts: HostFacts, run_id: str, history: History | None) -> RunStarted:
    return RunStarted(
        t_s=0.0,
        run_id=run_id,
        spec=request.spec,
        facts=facts,
        wall_unix_s=time.time(),
        visits=visit_count(request.spec),
        domtune_version=version("domtune"),
        continues=request.continues,
        history=history,
    )


def _parts(
    request: Request,
    host: Host,
    facts: HostFacts,
    control: Control,
    recorder: Recorder,
    lease: Lease,
) -> Parts:
    spec = request.spec
    return Parts(
        host=host,
        lease=lease,
        open_loads=lambda: loads_for(host, spec, facts, request.secrets),
        factor=factor_of(spec, lease, model_of(facts), machine_of(facts)),
        monitor=Monitor(host, len(facts.contended_cpus)),
        control=control,
        emit=recorder.emit,
        began_s=recorder.began_s,
        client_cpus=len(facts.client_cpus),
        hold=facts.commanded_inside,
        units=spec.units,
    )


def open_for(spec: RunSpec, ledger: LedgerLine) -> Host:
    """Open the sweep's host; raises SpecError, HostError."""
    return open_host(
        spec.host_url,
        ledger,
        io_domain=spec.io_domain,
        guest_domain=spec.guest_domain,
        database=spec.database,
    )


def _keep_results(store: RunStore, run_id: str, recorder: Recorder) -> Results:
    results = results_from(recorder.documents)
    try:
        if results.busy:  # refused by the host itself, where a sweep of another computer holds it
            store.drop(run_id)
        else:
            store.keep_results(run_id, results)
    except StoreError as error:
        log.warning("%s", error)
    return results
