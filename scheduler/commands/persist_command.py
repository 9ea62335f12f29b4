"""`domtune persist`: store a split in XAPI for the guest's next start.

The command stores a weight and a cap, and changes no live parameter. It covers the guest alone, because XAPI never uses
stored parameters of Dom0. The previous values are on disk before the first write, and stay there until `--undo`.
"""

import argparse
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from scheduler import places
from scheduler.commands.apply_command import measured_params, resolve_split
from scheduler.commands.command_output import print_answer
from scheduler.commands.host_changes import apply_error
from scheduler.commands.stored_runs import find_run
from scheduler.errors import JournalError, SpecError
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.hosts.xapi.next_boot import StoredChange, format_xe_commands
from scheduler.hosts.xapi.xapi_host import XapiHost, propose_stored_restore, restore_stored_params
from scheduler.model.command_answers import ApplyResult, ParameterChange
from scheduler.model.named_split import describe_advice
from scheduler.model.split import GUEST
from scheduler.model.urls import redact_url
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord, list_pending_records
from scheduler.run.record_folder import host_ids
from scheduler.store.result_cache import load_results
from scheduler.store.run_rows import RunRow
from scheduler.store.run_store import RunStore

_DOM0 = "Dom0's own parameters are not kept by XAPI: 'domtune export RUN --to bundle' sets them at boot."


def persist(arguments: argparse.Namespace) -> int:
    """Store the split, or restore the previous values."""
    return print_answer(lambda: _persist_or_undo(arguments), _answer_lines, apply_error, as_json=arguments.json)


def _persist_or_undo(arguments: argparse.Namespace) -> ApplyResult:
    if arguments.undo:
        if arguments.split or arguments.anyway:
            hint = "Leave --split and --anyway out: --undo restores what was kept before the first 'domtune persist'."
            raise SpecError("--undo", "takes no split", hint=hint)
        return _restore_persisted(arguments.run, dry_run=arguments.dry_run)
    return _persist_split(arguments.run, arguments.split, anyway=arguments.anyway, dry_run=arguments.dry_run)


def _answer_lines(answer: ApplyResult) -> list[str]:
    lines = [f"guest {change.parameter}: {change.before} -> {change.after}" for change in answer.changes]
    notes = [words for words in (answer.advice, answer.remark) if words]
    done = "done" if answer.done else "nothing was written"
    return [*notes, *(lines or ["nothing to change"]), *answer.commands, answer.hint, done]


def _persist_split(run: str, split: str, *, anyway: bool, dry_run: bool) -> ApplyResult:
    with RunStore(places.store_path(), read_only=True) as store:
        row = find_run(store, run)
        results = load_results(store, row)
        setting = resolve_split(results, split, anyway=anyway)
    host = _open_host(row)
    try:
        found = measured_params(row, results, setting, host)
        wanted = found.params[GUEST]
        kept = host.propose_for_next_boot(GUEST, wanted)
        if not dry_run:
            with HostLock(_records_folder(), kept.uuid):
                _write_record(row.spec.host_url, kept)
                kept = host.keep_for_next_boot(GUEST, wanted)
    finally:
        host.close()
    answer = _build_answer(row.spec.host_url, kept, split=setting.label, done=not dry_run)
    advice = describe_advice(results.answer, results.run_id, setting)
    return msgspec.structs.replace(answer, advice=advice, remark=found.remark)


def _open_host(row: RunRow) -> XapiHost:
    spec = row.spec
    if not spec.host_url.startswith("xapi:"):
        hint = "Export the configuration instead: 'domtune export RUN --to bundle'."
        raise SpecError(
            "run", f"run {row.run_id} is of {redact_url(spec.host_url)}; only XAPI keeps parameters", hint=hint
        )
    host = open_host(spec.host_url, ignore_command, io_domain=spec.io_domain, guest_domain=spec.guest_domain)
    if not isinstance(host, XapiHost):
        raise TypeError(type(host).__name__)
    return host


def _restore_persisted(run: str, *, dry_run: bool) -> ApplyResult:
    """Restore the values before the first `persist`; with `dry_run`, list them."""
    with RunStore(places.store_path(), read_only=True) as store:
        url = find_run(store, run).spec.host_url
    found, broken = _find_records(url)
    if not found and broken:
        raise broken[0]
    if len(found) != 1:
        raise SpecError(
            "run",
            f"{len(found)} records of 'domtune persist' for {redact_url(url)}",
            hint=f"They are the files in {_records_folder()}.",
        )
    [undo] = found
    with HostLock(_records_folder(), undo.host_id):
        before = _parse_persisted(undo)
        if dry_run:
            return _build_answer(url, propose_stored_restore(url, before), split="", done=False)
        now = restore_stored_params(url, before, ignore_command)
        UndoJournal(_records_folder(), undo.host_id).disarm()
    return _build_answer(url, now, split="", done=True)


def _write_record(url: str, kept: StoredChange) -> None:
    """Write the previous values to disk; keep an earlier record with older values."""
    record = UndoJournal(_records_folder(), kept.uuid)
    if record.read() is None:
        context = {"before": json.dumps(dict(kept.before)), "after": json.dumps(dict(kept.after))}
        undo = UndoRecord(
            host_url=url, host_id=kept.uuid, context=context, originals={}, armed_unix_s=time.time(), pid=os.getpid()
        )
        record.arm(undo)


def _find_records(url: str) -> tuple[list[UndoRecord], list[JournalError]]:
    """Return a host's records, and the errors of records whose host is unknown."""
    found: list[UndoRecord] = []
    broken: list[JournalError] = []
    for host_id in host_ids(list_pending_records(_records_folder())):
        try:
            undo = UndoJournal(_records_folder(), host_id).read()
        except JournalError as error:
            broken.append(error)
        else:
            found += [undo] if undo is not None and undo.host_url == url else []
    return found, broken


def _parse_persisted(undo: UndoRecord) -> StoredChange:
    try:
        before, after = (msgspec.json.decode(undo.context[name], type=dict[str, str]) for name in ("before", "after"))
    except (KeyError, msgspec.DecodeError) as error:
        raise JournalError(f"the record of {undo.host_id} does not say what was kept before: {error}") from error
    return StoredChange(undo.host_id, before, after)


def _records_folder() -> Path:
    return places.persist_dir()


def _build_answer(url: str, kept: StoredChange, *, split: str, done: bool) -> ApplyResult:
    line = format_xe_commands(kept.uuid, kept.before, kept.after)
    return ApplyResult(
        host=url,
        split=split,
        changes=tuple(_list_changes(kept.before, kept.after)),
        commands=(line,) if line else (),
        done=done,
        hint=f"It {kept.label}. Nothing that is live has changed. {_DOM0 if split else ''}".strip(),
    )


def _list_changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[ParameterChange]:
    names = sorted({*before, *after})
    return [
        ParameterChange(
            domain=GUEST, parameter=name, before=before.get(name, "not kept"), after=after.get(name, "not kept")
        )
        for name in names
        if before.get(name) != after.get(name)
    ]
