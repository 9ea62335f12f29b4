"""`domtune persist`: let XAPI keep a split's weight and cap for the guest's next life, and take that back.

It changes nothing that is live, and holds for the guest alone: XAPI has no place for Dom0's parameters that it would
ever use. What was kept before is on disk before the first write, and stays there until `--undo`.
"""

import argparse
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from scheduler import places
from scheduler.commands.answers import answered
from scheduler.commands.applying import of_visited, wanted_split
from scheduler.commands.host_changes import refusal
from scheduler.commands.stored import find
from scheduler.errors import JournalError, SpecError
from scheduler.hosts.registry import open_host, unheard
from scheduler.hosts.xapi.host import XapiHost, forget_kept, kept_before
from scheduler.hosts.xapi.persist import Kept, command
from scheduler.model.named_split import advice_words
from scheduler.model.probe import Applied, Change
from scheduler.model.split import GUEST
from scheduler.model.urls import shown
from scheduler.run.journal import HostLock, Journal, Undo, armed
from scheduler.run.records import host_ids
from scheduler.store.answers import results_of
from scheduler.store.rows import RunRow
from scheduler.store.runs import RunStore

_DOM0 = "Dom0's own parameters are not kept by XAPI: 'domtune export RUN --to bundle' sets them at boot."


def persist(arguments: argparse.Namespace) -> int:
    """Keep it, or take it back."""
    return answered(lambda: _persist(arguments), _words, refusal, as_json=arguments.json)


def _persist(arguments: argparse.Namespace) -> Applied:
    if arguments.undo:
        if arguments.split or arguments.anyway:
            hint = "Leave --split and --anyway out: --undo restores what was kept before the first 'domtune persist'."
            raise SpecError("--undo", "takes no split", hint=hint)
        return _undo(arguments.run, dry_run=arguments.dry_run)
    return _keep(arguments.run, arguments.split, anyway=arguments.anyway, dry_run=arguments.dry_run)


def _words(answer: Applied) -> list[str]:
    lines = [f"guest {change.parameter}: {change.before} -> {change.after}" for change in answer.changes]
    notes = [words for words in (answer.advice, answer.remark) if words]
    done = "done" if answer.done else "nothing was written"
    return [*notes, *(lines or ["nothing to change"]), *answer.commands, answer.hint, done]


def _keep(run: str, split: str, *, anyway: bool, dry_run: bool) -> Applied:
    with RunStore(places.store_path(), read_only=True) as store:
        row = find(store, run)
        results = results_of(store, row)
        label = wanted_split(results, split, anyway=anyway)
    host = _open(row)
    try:
        found = of_visited(row, results, label, host)
        wanted = found.params[GUEST]
        kept = host.propose_for_next_boot(GUEST, wanted)
        if not dry_run:
            with HostLock(_folder(), kept.uuid):
                _remember(row.spec.host_url, kept)
                kept = host.keep_for_next_boot(GUEST, wanted)
    finally:
        host.close()
    answer = _answer(row.spec.host_url, kept, split=label, done=not dry_run)
    advice = advice_words(results.recommendation, results.run_id, label)
    return msgspec.structs.replace(answer, advice=advice, remark=found.remark)


def _open(row: RunRow) -> XapiHost:
    spec = row.spec
    if not spec.host_url.startswith("xapi:"):
        hint = "Export the configuration instead: 'domtune export RUN --to bundle'."
        raise SpecError("run", f"run {row.run_id} is of {shown(spec.host_url)}; only XAPI keeps parameters", hint=hint)
    host = open_host(spec.host_url, unheard, io_domain=spec.io_domain, guest_domain=spec.guest_domain)
    if not isinstance(host, XapiHost):
        raise TypeError(type(host).__name__)
    return host


def _undo(run: str, *, dry_run: bool) -> Applied:
    """Restore what XAPI kept before the first `persist` for a run's host; with `dry_run`, only report that."""
    with RunStore(places.store_path(), read_only=True) as store:
        url = find(store, run).spec.host_url
    found, broken = _records_of(url)
    if not found and broken:
        raise broken[0]
    if len(found) != 1:
        raise SpecError(
            "run",
            f"{len(found)} records of 'domtune persist' for {shown(url)}",
            hint=f"They are the files in {_folder()}.",
        )
    [undo] = found
    with HostLock(_folder(), undo.host_id):
        before = _kept_of(undo)
        if dry_run:
            return _answer(url, kept_before(url, before), split="", done=False)
        now = forget_kept(url, before, unheard)
        Journal(_folder(), undo.host_id).disarm()
    return _answer(url, now, split="", done=True)


def _remember(url: str, kept: Kept) -> None:
    """Write down what was kept before; an earlier record stays: it holds what was there before both."""
    record = Journal(_folder(), kept.uuid)
    if record.read() is None:
        context = {"before": json.dumps(dict(kept.before)), "after": json.dumps(dict(kept.after))}
        undo = Undo(
            host_url=url, host_id=kept.uuid, context=context, originals={}, armed_unix_s=time.time(), pid=os.getpid()
        )
        record.arm(undo)


def _records_of(url: str) -> tuple[list[Undo], list[JournalError]]:
    """Return a host's records, and what is wrong with those of which nobody can tell whose they are."""
    found: list[Undo] = []
    broken: list[JournalError] = []
    for host_id in host_ids(armed(_folder())):
        try:
            undo = Journal(_folder(), host_id).read()
        except JournalError as error:
            broken.append(error)
        else:
            found += [undo] if undo is not None and undo.host_url == url else []
    return found, broken


def _kept_of(undo: Undo) -> Kept:
    try:
        before, after = (msgspec.json.decode(undo.context[name], type=dict[str, str]) for name in ("before", "after"))
    except (KeyError, msgspec.DecodeError) as error:
        raise JournalError(f"the record of {undo.host_id} does not say what was kept before: {error}") from error
    return Kept(undo.host_id, before, after)


def _folder() -> Path:
    return places.kept_dir()


def _answer(url: str, kept: Kept, *, split: str, done: bool) -> Applied:
    line = command(kept.uuid, kept.before, kept.after)
    return Applied(
        host=url,
        split=split,
        changes=tuple(_changes(kept.before, kept.after)),
        commands=(line,) if line else (),
        done=done,
        hint=f"It {kept.label}. Nothing that is live has changed. {_DOM0 if split else ''}".strip(),
    )


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[Change]:
    names = sorted({*before, *after})
    return [
        Change(domain=GUEST, parameter=name, before=before.get(name, "not kept"), after=after.get(name, "not kept"))
        for name in names
        if before.get(name) != after.get(name)
    ]
