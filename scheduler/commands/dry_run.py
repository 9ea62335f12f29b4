"""Dry run of a sweep: estimated duration, commands and findings."""

import logging
from collections.abc import Mapping

import msgspec

from scheduler import places
from scheduler.commands.applied_splits import applied_words, find_applied_split, revert_hint
from scheduler.commands.code_consent import code_sentences
from scheduler.commands.earlier_run import find_history, history_words
from scheduler.commands.preflight import RUN_COMMAND, preflight_error
from scheduler.commands.probe_command import find_holder
from scheduler.commands.simulation import join_simulation, sweep_control
from scheduler.commands.sweep import open_sweep_host
from scheduler.errors import SchedulerError, StoreError
from scheduler.hosts.host_registry import ignore_command
from scheduler.hosts.protocols import Host
from scheduler.model.command_answers import DryRun, SettingCommands
from scheduler.model.host_properties import HostProperties, PreflightFinding, Severity
from scheduler.model.lock_owner import describe_busy_host
from scheduler.model.number_texts import format_duration, format_duration_range, format_percent, round_about_s
from scheduler.model.plan_settings import list_modes
from scheduler.model.protocols import MOST_ADDED_SPLITS
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.setting import BASELINE, vcpus_of
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import DomainId, Split
from scheduler.model.studies import Setting
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.plans.study_plan import count_certain_trials, duration_s, usual_s
from scheduler.run.factor import lease_scope, place_others, place_split
from scheduler.run.lease import write_order
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.shares.rounding import shares_to_split
from scheduler.stats.replicates import LEAST_BLOCKS, smallest_difference
from scheduler.store.run_store import RunStore
from scheduler.studies.study_meeting import Meeting, meet_host
from scheduler.translation import _

log = logging.getLogger(__name__)

_WORST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.INFO)
RESTORE = "restore"
_OF_BLOCKS = ("paired", "blocks")
_NOISES_FRAC = (0.03, 0.05)  # usual differences between short trials of the same setting
_MORE_BLOCKS = _("More blocks (repeats) show smaller differences: four times as many, half as large.")
_GO_ON = _("Leave the split out, or go on: starting the sweep is consent.")


def estimate_sweep(spec: RunSpec) -> DryRun:
    """Return the number of trials and the duration of a plan; open no host."""
    best_s, worst_s = duration_s(spec)
    usually_s = usual_s(spec)
    return DryRun(
        trials=count_certain_trials(spec), best_s=best_s, usual_s=usually_s, worst_s=worst_s, adapts=spec.adapts
    )


def dry_run(spec: RunSpec, *, despite_errors: bool = False) -> tuple[DryRun, SchedulerError | None]:
    """Open the host, encode every setting, and list every command.

    Args:
        spec: The plan.
        despite_errors: True when the sweep would run despite preflight errors on the host.

    Returns:
        The answer, and the error with which the sweep would be refused; None when it could start.
    """
    answer = estimate_sweep(spec)
    try:
        host = open_sweep_host(spec, ignore_command)
        try:
            facts = host.facts()
            answer = estimate_sweep(spec.fit_to_shared_set(facts))
            met = meet_host(spec, host, facts)
            spec, facts = met.spec, met.facts
            join_simulation(host, spec, sweep_control(spec))
            commands = _list_commands(spec, host, facts)
        finally:
            host.close()
    except SchedulerError as error:
        return msgspec.structs.replace(answer, error=str(error), hint=error.hint), error
    found = None if despite_errors else preflight_error(facts.findings, RUN_COMMAND)
    return msgspec.structs.replace(
        answer,
        facts=facts,
        findings=_add_history(spec, facts, _list_findings(met)),
        commands=commands,
        error="" if found is None else str(found),
        hint="" if found is None else found.hint,
    ), found


def _list_commands(spec: RunSpec, host: Host, facts: HostProperties) -> tuple[SettingCommands, ...]:
    rows = [_split_commands(spec, host, facts, split, mode) for split, mode in spec.split_modes]
    rows += [_vcpus_commands(host, setting) for setting in spec.settings if vcpus_of(setting)]
    slots = lease_scope(spec, confined=facts.confined, away=facts.kept_away).slots
    found = {slot: host.baseline(slot) for slot in write_order(slots)}
    measured = {**found, **place_others(found, facts.kept_away)}
    baseline = SettingCommands(setting=BASELINE, commands=_command_lines(host, measured))
    back = SettingCommands(setting=RESTORE, commands=_command_lines(host, {d: host.read(d) for d in slots}))
    return (baseline, *rows, back)


def _vcpus_commands(host: Host, setting: Setting) -> SettingCommands:
    return SettingCommands(setting=setting.label, commands=host.commands(GUEST_VCPUS, VcpuParams(vcpus_of(setting))))


_READ_IT = _("Read the command. It runs only with --allow-command, and never in the window.")
_UNENCRYPTED = _(
    "The connection to the Dask scheduler is not encrypted. Anyone on the network path can read the password."
)


def _split_commands(spec: RunSpec, host: Host, facts: HostProperties, split: Split, mode: Mode) -> SettingCommands:
    encoding = share_model_for_host(facts).encode(split, mode, spec.period_us)
    return SettingCommands(
        setting=f"{split.label} {mode}" if list_modes(spec) else split.label,
        commands=_command_lines(host, {**_list_places(spec, host, facts, split, mode), **encoding.params}),
        achieved=(shares_to_split(encoding.achieved) or split).label,
        rounding_error_frac=encoding.rounding_error_frac,
    )


def _list_places(
    spec: RunSpec, host: Host, facts: HostProperties, split: Split, mode: Mode
) -> Mapping[DomainId, SchedParams]:
    if not facts.confined:
        return {}
    slots = lease_scope(spec, confined=True, away=facts.kept_away).slots
    found = {slot: host.baseline(slot) for slot in slots}
    return {**place_split(found, facts.shared_cpus, split, mode), **place_others(found, facts.kept_away)}


def _command_lines(host: Host, params: Mapping[DomainId, SchedParams | None]) -> tuple[str, ...]:
    return tuple(line for domain, wanted in params.items() for line in host.commands(domain, wanted))


def _list_findings(met: Meeting) -> tuple[PreflightFinding, ...]:
    spec, facts = met.spec, met.facts
    findings = [
        *facts.findings,
        *(PreflightFinding(level=Severity.WARNING, text=text, hint=_GO_ON) for text in met.split_warnings),
    ]
    findings += [PreflightFinding(level=Severity.WARNING, text=text) for text in met.warnings]
    for command in code_sentences(spec):
        findings.append(
            PreflightFinding(
                level=Severity.WARNING, text=_("By the plan, {command}.").format(command=command), hint=_READ_IT
            )
        )
    if spec.clients.remote and not spec.clients.encrypted:
        findings.append(
            PreflightFinding(level=Severity.WARNING, text=_UNENCRYPTED, hint=_("Add --insecure if you trust both."))
        )
    shown = smallest_difference_words(spec)
    if shown:
        findings.append(PreflightFinding(level=Severity.INFO, text=shown, hint=_MORE_BLOCKS))
    if spec.protocol.refine:
        ends = sorted(spec.settings, key=lambda setting: setting.position)
        where = _("between {label} and {label_2}").format(label=ends[0].label, label_2=ends[-1].label)
        text = _("up to {most_added_splits} further splits {where} may be measured (refine).").format(
            most_added_splits=MOST_ADDED_SPLITS, where=where
        )
        findings.append(
            PreflightFinding(level=Severity.INFO, text=text, hint=_("The measurement decides which splits."))
        )
    by = find_holder(facts.host_id)
    if by is not None:
        text = describe_busy_host(by)
        findings.append(PreflightFinding(level=Severity.WARNING, text=text, hint=_("A new sweep restores it first.")))
    applied = find_applied_split(facts.host_id)
    if applied is not None:
        findings.append(PreflightFinding(level=Severity.INFO, text=applied_words(applied), hint=revert_hint(applied)))
    return tuple(sorted(findings, key=lambda finding: _WORST_FIRST.index(finding.level)))


def _add_history(
    spec: RunSpec, facts: HostProperties, findings: tuple[PreflightFinding, ...]
) -> tuple[PreflightFinding, ...]:
    """Return the findings, with the use of an earlier run on the same host."""
    try:
        with RunStore(places.store_path(), read_only=True) as store:
            history = find_history(store, spec, facts)
    except StoreError as error:  # not a problem of the host; a sweep reads the runs again
        log.info("earlier runs cannot be read: %s", error)
        return findings
    if history is None:
        return findings
    text, hint = history_words(history)
    return (*findings, PreflightFinding(level=Severity.INFO, text=text, hint=hint))


def smallest_difference_words(spec: RunSpec) -> str:
    """Return the smallest differences that the planned blocks can show.

    Empty for protocols that do not compare blocks.
    """
    blocks = spec.protocol.repeats
    if spec.protocol.name not in _OF_BLOCKS:
        return ""
    if blocks < LEAST_BLOCKS:
        return _("{blocks} blocks show no difference: intervals need at least {least_blocks}.").format(
            blocks=blocks, least_blocks=LEAST_BLOCKS
        )
    low, high = (format_percent(smallest_difference(blocks, noise)) for noise in _NOISES_FRAC)
    least, most = (format_percent(noise) for noise in _NOISES_FRAC)
    return _(
        "{blocks} blocks can show differences above about {low} ({high}) where trials differ by {least} ({most})."
    ).format(blocks=blocks, low=low, high=high, least=least, most=most)


def length_words(answer: DryRun) -> str:
    """Return the number of trials and the duration as text.

    Of a simulated sweep, the duration is simulated time. A usual duration that rounds to the limit is omitted.
    """
    if answer.adapts:
        usual_s, worst = round_about_s(answer.usual_s), format_duration(answer.worst_s)
        usual = format_duration(usual_s)
        is_shorter = usual_s < answer.worst_s and usual != worst
        return _("at least {trials} trials, {value}at most {worst}").format(
            trials=answer.trials,
            value=_("usually about {usual}, ").format(usual=usual) if is_shorter else "",
            worst=worst,
        )
    return _("{trials} trials, {best_s}").format(
        trials=answer.trials, best_s=format_duration_range(answer.best_s, answer.worst_s)
    )


def dry_run_words(answer: DryRun) -> list[str]:
    """Return the answer as lines for people."""
    findings = [f"{finding.level}: {join_sentences(finding.text, finding.hint)}" for finding in answer.findings]
    commands = [line for row in answer.commands for line in (f"{row.setting}:", *(f"  {c}" for c in row.commands))]
    mark = "simulated: " if answer.facts and answer.facts.simulated else ""
    return [
        f"{mark}{length_words(answer)}",
        _("error: {error}").format(error=join_sentences(answer.error, answer.hint)) if answer.error else "",
        *findings,
        *commands,
    ]
