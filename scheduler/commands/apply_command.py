"""`domtune apply`: set a split after a sweep, and keep it.

An applied split has a record of its own, written before the first parameter. So `revert` works at any time and from any
process. The record is not an undo record of a sweep: no command restores it unasked.
"""

import argparse
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

import msgspec

from scheduler import places
from scheduler.commands.applied_listing import print_applied
from scheduler.commands.command_output import print_answer
from scheduler.commands.host_changes import (
    apply_error,
    apply_words,
    hint_at_revert,
    list_changes,
    refuse_pending_restore,
)
from scheduler.commands.preflight import finding_words, require_no_errors, writing_findings
from scheduler.commands.simulation import refuse_simulated_host
from scheduler.commands.stored_runs import find_run
from scheduler.errors import DomainGone, HostNotUsable, SpecError
from scheduler.follow.current_split import derive_current_split, params_for_split
from scheduler.hosts.host_registry import is_obsolete, open_host
from scheduler.hosts.protocols import Host
from scheduler.model.command_answers import ApplyResult
from scheduler.model.host_properties import HostProperties
from scheduler.model.lock_owner import LockOwner
from scheduler.model.named_split import choose_split, describe_advice, describe_refusal, refusal_hint
from scheduler.model.other_guests import find_competing
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.results import Results
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.sentence_texts import format_cpu_list, list_names
from scheduler.model.setting import mode_of, parse_split_setting, split_of
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId, Split, parse_split
from scheduler.model.studies import Setting, no_split_reason
from scheduler.model.urls import redact_url
from scheduler.run.factor import place_split
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord
from scheduler.run.lease import DOMAINS
from scheduler.run.placing import check_vcpu_counts, list_placement_steps, sort_by_width
from scheduler.run.restore import Originals, restore_originals, unique_present, write_and_verify
from scheduler.shares.measured_params import (
    MeasuredParams,
    find_measured_params,
    refuse_more_cpus,
    refuse_other_scheduler,
    require_placement,
)
from scheduler.store.result_cache import load_results
from scheduler.store.run_rows import RunRow
from scheduler.store.run_store import RunStore
from scheduler.translation import _

_Write = tuple[DomainId, SchedParams]
_PLACES = tuple(PLACE_SLOTS[domain] for domain in DOMAINS)
_NO_SPLIT = _(
    "Limit both domains or none with the host's own tools, or apply the split of a run: 'domtune apply RUN'. "
    "A bundle's rollback.sh takes away the limit that its persist.sh keeps."
)


def params_for_ratio(host: Host, split: Split) -> MeasuredParams:
    """Return the parameters for another split of the current limits or weights.

    Args:
        host: The host.
        split: The new split.

    Raises:
        HostNotUsable: The current settings are not a split.
        HostError: The host cannot be read.
    """
    facts = host.facts()
    try:
        standing = derive_current_split({domain: host.read(domain) for domain in DOMAINS}, facts)
    except HostNotUsable as error:
        raise HostNotUsable(str(error), hint=_NO_SPLIT) from error
    params = params_for_split(standing, math.log(split.io / split.guest), facts)
    what = "limits" if standing.mode is Mode.CAPS else "weights"
    remark = _(
        "Not measured on this host. The sum of both domains' {what} is unchanged; only the split differs."
    ).format(what=what)
    return MeasuredParams(params=params, remark=remark)


class _SplitRequest(NamedTuple):
    """Request for a split on a host.

    Attributes:
        url: URL of the host.
        io: Name of the I/O domain; empty to choose the obvious one.
        guest: Name of the guest; empty to choose the obvious one.
        label: Label of the split.
        params_on: Returns the parameters for the split on the open host.
        advice: Decision of the run as text; empty without a run.
    """

    url: str
    io: str
    guest: str
    label: str
    params_on: Callable[[Host], MeasuredParams]
    advice: str = ""


def apply(arguments: argparse.Namespace) -> int:
    """Write a split and verify it, or list the hosts with an applied split."""
    if arguments.list:
        return print_applied(as_json=arguments.json)
    return print_answer(lambda: _apply_split(arguments), apply_words, apply_error, as_json=arguments.json)


def _apply_split(arguments: argparse.Namespace) -> ApplyResult:
    run, split = arguments.run, arguments.split
    if not run:
        raise SpecError("RUN", _("is missing: a run's id, 'last', or a host"), hint=_("'domtune runs' lists the runs."))
    wish = (
        _request_for_host(run, split, arguments.io, arguments.guest)
        if ":" in run
        else _request_from_run(run, split, anyway=arguments.anyway)
    )
    commands: list[str] = []
    host = open_host(wish.url, lambda command, _: commands.append(command), io_domain=wish.io, guest_domain=wish.guest)
    try:
        found = wish.params_on(host)
        findings = writing_findings(host.facts().findings)
        require_no_errors(findings, f"domtune apply {run}", despite_errors=arguments.despite_errors)
        wanted = found.params
        before = {slot: host.read(slot) for slot in wanted}
        changes = list_changes(before, wanted, {})
        answer = ApplyResult(host=wish.url, split=wish.label, changes=changes, advice=wish.advice, remark=found.remark)
        notes = (found.remark, *finding_words(findings, "Applied"))
        answer = msgspec.structs.replace(answer, remark=" ".join(filter(None, notes)))
        if arguments.dry_run:
            steps = _list_writes(before, wanted)
            lines = tuple(line for slot, params in steps for line in host.commands(slot, params))
            return msgspec.structs.replace(answer, commands=lines)
        _write_split(host, wish.url, wanted)
        read_back = {slot: host.read(slot) for slot in wanted}
    finally:
        host.close()
    changes = list_changes(before, wanted, read_back)
    return msgspec.structs.replace(answer, changes=changes, commands=tuple(commands), done=True)


def _request_from_run(run: str, split: str, *, anyway: bool) -> _SplitRequest:
    with RunStore(places.store_path(), read_only=True) as store:
        row = find_run(store, run)
        refuse_simulated_host(row.run_id, row.spec.host_url)
        results = load_results(store, row)
    setting = resolve_split(results, split, anyway=anyway)
    spec = row.spec
    params_on = partial(measured_params, row, results, setting)
    advice = describe_advice(results.answer, results.run_id, setting)
    return _SplitRequest(spec.host_url, spec.io_domain, spec.guest_domain, setting.label, params_on, advice)


def _request_for_host(url: str, split: str, io: str, guest: str) -> _SplitRequest:
    refuse_simulated_host(redact_url(url), url)
    if not split:
        raise SpecError(
            "--split", _("is needed with a host: no run recommends one"), hint=_("For example --split 1:2.")
        )
    ratio = parse_split(split, "--split")
    return _SplitRequest(url, io, guest, ratio.label, partial(params_for_ratio, split=ratio))


def resolve_split(results: Results, named: str, *, anyway: bool) -> Setting:
    """Return the split to set.

    Args:
        results: Results of the run.
        named: Split as typed by the user; empty for the split that the decision orders.
        anyway: True to take the split of a decision that orders no change.

    Raises:
        SpecError: There is no split to set: the decision orders no change, the text is invalid, or the study has no
            splits.
    """
    _refuse_other_question(results)
    answer = results.answer
    setting = choose_split(answer, parse_split_setting(named, "--split") if named else None, anyway=anyway)
    if setting is None:
        raise SpecError("--split", describe_refusal(answer, results.run_id), hint=refusal_hint(answer))
    return setting


def _refuse_other_question(results: Results) -> None:
    if why := no_split_reason(results.study):
        hint = _("Sweep the splits, or set one by hand: domtune apply URL --split a:b.")
        raise SpecError("RUN", _("run {run_id}: {why}").format(run_id=results.run_id, why=why), hint=hint)


def measured_params(row: RunRow, results: Results, setting: Setting, host: Host) -> MeasuredParams:
    """Return the parameters with which a run measured one of its settings.

    Args:
        row: The run.
        results: Results of the run.
        setting: The setting.
        host: The open host, which must have the scheduler of the run.

    Raises:
        SpecError: The run did not measure the setting, or the host differs.
    """
    _refuse_other_question(results)
    found = (point.setting for point in results.points if point.setting is not None)
    measured = dict.fromkeys((*row.spec.settings, *found))
    if setting not in measured:
        hint = _("Measured: {label}.").format(label=", ".join(each.label for each in measured))
        raise SpecError(
            "--split",
            _("{label} was not measured by run {run_id}").format(label=setting.label, run_id=row.run_id),
            hint=hint,
        )
    facts = host.facts()
    if row.origin is not None and row.facts.host_id != facts.host_id:
        hint = _("Sweep this host, or apply the run where it was measured.")
        raise SpecError(
            "RUN",
            _("{run_id} is from elsewhere, and was measured on another host").format(run_id=row.run_id),
            hint=hint,
        )
    refuse_other_scheduler(row.run_id, row.facts, facts)
    require_placement(row.run_id, row.facts, facts)
    if row.spec.mode is Mode.CAPS:
        refuse_more_cpus(row.run_id, row.facts, facts)
    measured = find_measured_params(results, row.spec, facts, setting)
    params = {domain: measured.params[domain] for domain in DOMAINS}
    if row.facts.confined:
        params |= _placement_of(row, setting, host)
    remarks = [measured.remark, describe_guests_now(row.facts, facts)]
    return msgspec.structs.replace(measured, params=params, remark=". ".join(filter(None, remarks)))


def describe_guests_now(then: HostProperties, now: HostProperties) -> str:
    """Return sentences on guests that the sweep kept away, and where they are now.

    Empty where the sweep kept no guest away.

    Args:
        then: Properties of the host during the sweep.
        now: Present properties of the host.
    """
    if not then.away_remark:
        return ""
    found = find_competing(now.others, then.shared_cpus)
    if not found:
        return _("{away_remark}. No other guest may run on these CPUs now.").format(away_remark=then.away_remark)
    rest, names = format_cpu_list(then.kept_away.cpus), list_names(guest.name for guest in found)
    return _(
        "{away_remark}. Now these guests may run there: {names}. 'apply' moves no other "
        "guests, so the measured gain may not be reached. Place them on CPU {rest} to keep "
        "it."
    ).format(away_remark=then.away_remark, names=names, rest=rest)


def _placement_of(row: RunRow, setting: Setting, host: Host) -> Mapping[DomainId, PlacementParams]:
    """Return the placement of a split for the vCPUs that the domains have now."""
    split = split_of(setting)
    if split is None:
        raise SpecError(
            "--split", _("{label} is no split").format(label=setting.label), hint=_("Name a measured split.")
        )
    present = {slot: host.read(slot) for slot in _PLACES}
    found = {slot: params for slot, params in present.items() if params is not None}
    if missing := present.keys() - found.keys():
        raise DomainGone(
            _("{missing}: the domain is not there").format(missing=", ".join(sorted(missing))),
            hint=_("Start it, then apply again."),
        )
    return place_split(found, row.facts.shared_cpus, split, mode_of(setting, row.spec.mode))


def _write_split(host: Host, url: str, wanted: Mapping[DomainId, SchedParams]) -> None:
    """Record the original values, then write a split under the host's lock.

    After an error, the original values are restored at once.

    Raises:
        HostError: A write failed.
    """
    host_id = host.facts().host_id
    with HostLock(places.journal_dir(), host_id, LockOwner.APPLY):
        refuse_pending_restore(host_id)
        record = UndoJournal(places.applied_dir(), host_id)
        # A second 'apply' keeps the record of the first, with the older original values, while it is not obsolete.
        before = record.read()
        first = before is None or is_obsolete(before.host_url, before.context)
        _guard_placements(host, wanted)
        found = _read_undo_record(host, url, host_id, wanted)
        steps = _list_writes(found.originals, wanted)
        # With our own values, so that 'revert' sees a split that another program set later.
        undo = _add_applied(found if first or before is None else _join_originals(before, found), steps)
        record.arm(undo)
        try:
            for domain, params in steps:
                write_and_verify(host, domain, params)
            if first and (created := host.creation_context()):
                record.arm(msgspec.structs.replace(undo, context={**undo.context, **created}))
            if host.guard is not None:
                host.guard.disarm_restore()
        except BaseException:  # also on Ctrl+C, because half a split is never intended
            with hint_at_revert():
                restore_originals(host, found.originals)
            if first or before is None:
                record.disarm()
            else:
                record.arm(before)
            raise


def _guard_placements(host: Host, wanted: Iterable[DomainId]) -> None:
    """Let the host's guard restore the placement if this process dies meanwhile."""
    if host.guard is not None:
        for slot in _PLACES:
            if slot in wanted:
                host.guard.guard_slot(slot)


def _list_writes(found: Originals, wanted: Mapping[DomainId, SchedParams]) -> list[_Write]:
    """Return the writes of a split: the placement in safe steps, then the parameters.

    Args:
        found: Present parameters.
        wanted: Parameters and placements to set.

    Raises:
        PlacementChanged: A domain got or lost vCPUs since the split was chosen.
        DomainGone: A domain does not exist.
    """
    placed = {slot: params for slot, params in wanted.items() if isinstance(params, PlacementParams)}
    now = {slot: check_vcpu_counts(slot, found[slot], params) for slot, params in placed.items()}
    return [
        *list_placement_steps(now, placed),
        *((domain, wanted[domain]) for domain in wanted if domain not in placed),
    ]


def _join_originals(before: UndoRecord, found: UndoRecord) -> UndoRecord:
    """Return the record of an earlier split with the originals of both splits."""
    return msgspec.structs.replace(before, originals=sort_by_width({**found.originals, **before.originals}))


def _add_applied(undo: UndoRecord, steps: Iterable[_Write]) -> UndoRecord:
    """Return the record with everything that `apply` sets, values in between included.

    Args:
        undo: The record.
        steps: The writes.
    """
    ours = dict(undo.ours)
    for domain, params in steps:
        ours[domain] = unique_present(*ours.get(domain, ()), params)
    return msgspec.structs.replace(undo, ours=ours)


def _read_undo_record(host: Host, url: str, host_id: str, slots: Iterable[DomainId]) -> UndoRecord:
    return UndoRecord(
        host_url=url,
        host_id=host_id,
        context=host.context(),
        originals=sort_by_width({slot: host.read(slot) for slot in slots}),
        armed_unix_s=time.time(),
        pid=os.getpid(),
    )
