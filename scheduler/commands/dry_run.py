"""What a sweep would do, without doing it."""

import logging
from collections.abc import Mapping, Sequence

import msgspec

from scheduler import places
from scheduler.commands.agreement import commands_of
from scheduler.commands.applied import applied_to, applied_words, revert_hint
from scheduler.commands.history import find_history, history_words
from scheduler.commands.preflight import RUN, preflight_error
from scheduler.commands.probe_word import held_by
from scheduler.commands.second_guest import add_guest, cells_of, clients_warning, encoded
from scheduler.commands.simulation import control_for, join
from scheduler.commands.sizing import left_out
from scheduler.commands.sweep import open_for, refuse_what_cannot_be_set, refuse_without_base
from scheduler.errors import SchedulerError, StoreError
from scheduler.hosts.base import Host
from scheduler.hosts.registry import unheard
from scheduler.model.concerns import fit_findings
from scheduler.model.facts import Finding, HostFacts, Level
from scheduler.model.guests import ThreeSplit
from scheduler.model.holder import busy_words
from scheduler.model.number_texts import about_s, duration, duration_range, percent
from scheduler.model.params import SchedParams
from scheduler.model.probe import DryRun, SettingCommands
from scheduler.model.protocols import MOST_BETWEEN
from scheduler.model.setting import BASELINE, VcpusSetting
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import DomainId, Split
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.model.words import sentences
from scheduler.plans.duration import duration_s, usual_s, visit_count
from scheduler.plans.fitting import fitted
from scheduler.run.factor import scope_of
from scheduler.run.lease import as_written
from scheduler.shares.registry import model_of
from scheduler.stats.replicates import LEAST_BLOCKS, smallest_difference
from scheduler.store.runs import RunStore

log = logging.getLogger(__name__)

_WORST_FIRST = (Level.ERROR, Level.WARNING, Level.INFO)
RESTORE = "restore"
_OF_BLOCKS = ("paired", "blocks")
_NOISES_FRAC = (0.03, 0.05)  # by how much short trials of the same setting usually differ
_MORE_BLOCKS = "More blocks (repeats) show smaller differences: four times as many, half as large."
_GO_ON = "Leave the split out, or go on: starting the sweep is consent."


def outlook(spec: RunSpec) -> DryRun:
    """Return how many visits the plan has and how long it takes; asks nobody."""
    best_s, worst_s = duration_s(spec)
    usually_s = usual_s(spec)
    return DryRun(visits=visit_count(spec), best_s=best_s, usual_s=usually_s, worst_s=worst_s, adapts=spec.adapts)


def dry_run(spec: RunSpec, *, despite_errors: bool = False) -> tuple[DryRun, SchedulerError | None]:
    """Ask the host, translate every setting, list every command.

    Args:
        spec: The sweep.
        despite_errors: It would run although preflight finds errors on the host.

    Returns:
        The answer, and the error that the sweep would be refused with; None where it could start.
    """
    answer = outlook(spec)
    try:
        host = open_for(spec, unheard)
        try:
            facts = host.facts()
            asked, spec = spec, fitted(spec, facts)
            answer = outlook(spec)
            facts = add_guest(spec, host, facts)
            facts = msgspec.structs.replace(facts, findings=fit_findings(spec, facts.findings))
            refuse_without_base(spec, host)
            join(host, spec, control_for(spec))
            commands = _commands(spec, host, facts)
        finally:
            host.close()
    except SchedulerError as error:
        return msgspec.structs.replace(answer, error=str(error), hint=error.hint), error
    found = None if despite_errors else preflight_error(facts.findings, RUN)
    left = (*left_out(asked, spec, facts), *clients_warning(spec, facts))
    return msgspec.structs.replace(
        answer,
        facts=facts,
        findings=_with_history(spec, facts, _findings(spec, facts, left)),
        commands=commands,
        error="" if found is None else str(found),
        hint="" if found is None else found.hint,
    ), found


def _commands(spec: RunSpec, host: Host, facts: HostFacts) -> tuple[SettingCommands, ...]:
    rows = [_row(spec, host, facts, split) for split in spec.splits]
    rows += [_sized(host, setting) for setting in spec.settings if isinstance(setting, VcpusSetting)]
    rows += [_shared(spec, host, facts, split, mode) for split, mode in cells_of(spec)]
    slots = scope_of(spec).slots
    found = {slot: host.baseline(slot) for slot in as_written(slots)}
    baseline = SettingCommands(setting=BASELINE, commands=_lines(host, found))
    back = SettingCommands(setting=RESTORE, commands=_lines(host, {d: host.read(d) for d in slots}))
    return (baseline, *rows, back)


def _sized(host: Host, setting: VcpusSetting) -> SettingCommands:
    return SettingCommands(setting=setting.label, commands=host.commands(GUEST_VCPUS, VcpuParams(setting.vcpus)))


def _shared(spec: RunSpec, host: Host, facts: HostFacts, split: ThreeSplit, mode: Mode) -> SettingCommands:
    found = encoded(spec, facts, split, mode)
    achieved = ":".join(f"{100 * part:.4g}" for part in found.fracs.values())
    return SettingCommands(
        setting=f"{split.label} {mode.value}",
        commands=_lines(host, found.params),
        achieved=achieved,
        rounding_error_frac=found.rounding_error_frac,
    )


_READ_IT = "Read it. Nothing of it runs without --allow-command; in the window a command never runs."
_UNENCRYPTED = (
    "The Dask scheduler is reached without encryption: whoever listens at its address or on the way gets the password."
)


def _row(spec: RunSpec, host: Host, facts: HostFacts, split: Split) -> SettingCommands:
    encoding = model_of(facts).encode(split, spec.mode, spec.period_us)
    return SettingCommands(
        setting=split.label,
        commands=_lines(host, encoding.params),
        achieved=encoding.achieved.label,
        rounding_error_frac=encoding.rounding_error_frac,
    )


def _lines(host: Host, params: Mapping[DomainId, SchedParams | None]) -> tuple[str, ...]:
    return tuple(line for domain, wanted in params.items() for line in host.commands(domain, wanted))


def _findings(spec: RunSpec, facts: HostFacts, left: Sequence[str] = ()) -> tuple[Finding, ...]:
    warnings = refuse_what_cannot_be_set(spec, facts)
    findings = [*facts.findings, *(Finding(level=Level.WARNING, text=text, hint=_GO_ON) for text in warnings)]
    findings += [Finding(level=Level.WARNING, text=text) for text in left]
    for command in commands_of(spec):
        findings.append(Finding(level=Level.WARNING, text=f"By the plan, {command}.", hint=_READ_IT))
    if spec.clients.remote and not spec.clients.encrypted:
        findings.append(Finding(level=Level.WARNING, text=_UNENCRYPTED, hint="Add --insecure if you trust both."))
    shown = shown_words(spec)
    if shown:
        findings.append(Finding(level=Level.INFO, text=shown, hint=_MORE_BLOCKS))
    if spec.protocol.refine:
        ends = sorted(spec.settings, key=lambda setting: setting.position)
        where = f"between {ends[0].label} and {ends[-1].label}"
        text = f"up to {MOST_BETWEEN} further splits {where} may be measured (refine)."
        findings.append(Finding(level=Level.INFO, text=text, hint="Which ones is decided by what is measured."))
    by = held_by(facts.host_id)
    if by is not None:
        text = busy_words(by)
        findings.append(Finding(level=Level.WARNING, text=text, hint="A new sweep restores it first."))
    applied = applied_to(facts.host_id)
    if applied is not None:
        findings.append(Finding(level=Level.INFO, text=applied_words(applied), hint=revert_hint(applied)))
    return tuple(sorted(findings, key=lambda finding: _WORST_FIRST.index(finding.level)))


def _with_history(spec: RunSpec, facts: HostFacts, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return the findings, and what the sweep does with an earlier run of its host."""
    try:
        with RunStore(places.store_path(), read_only=True) as store:
            history = find_history(store, spec, facts)
    except StoreError as error:  # the runs are no part of the host, and are asked for when the sweep begins
        log.info("earlier runs cannot be read: %s", error)
        return findings
    if history is None:
        return findings
    text, hint = history_words(history)
    return (*findings, Finding(level=Level.INFO, text=text, hint=hint))


def shown_words(spec: RunSpec) -> str:
    """Return the differences that the planned blocks can show; empty for studies that do not compare blocks."""
    blocks = spec.protocol.repeats
    if spec.protocol.name not in _OF_BLOCKS:
        return ""
    if blocks < LEAST_BLOCKS:
        return f"{blocks} blocks show no difference: intervals need at least {LEAST_BLOCKS}."
    low, high = (percent(smallest_difference(blocks, noise)) for noise in _NOISES_FRAC)
    least, most = (percent(noise) for noise in _NOISES_FRAC)
    return f"{blocks} blocks can show differences above about {low} ({high}) where trials differ by {least} ({most})."


def length_words(answer: DryRun) -> str:
    """Return the trials and the duration in words; of a simulated sweep, simulated time."""
    if answer.adapts:
        usual, worst = duration(about_s(answer.usual_s)), duration(answer.worst_s)
        return f"at least {answer.visits} trials, usually about {usual}, at most {worst}"
    return f"{answer.visits} trials, {duration_range(answer.best_s, answer.worst_s)}"


def dry_run_words(answer: DryRun) -> list[str]:
    """Return the answer as lines for people."""
    findings = [f"{finding.level}: {sentences(finding.text, finding.hint)}" for finding in answer.findings]
    commands = [line for row in answer.commands for line in (f"{row.setting}:", *(f"  {c}" for c in row.commands))]
    mark = "simulated: " if answer.facts and answer.facts.simulated else ""
    return [
        f"{mark}{length_words(answer)}",
        f"error: {sentences(answer.error, answer.hint)}" if answer.error else "",
        *findings,
        *commands,
    ]
