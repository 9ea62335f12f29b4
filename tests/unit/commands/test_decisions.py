"""Check that every command that names or sets a split follows the decision of the run."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from scheduler import places
from scheduler.commands.results_table import results_lines
from scheduler.commands.stored_runs import find_run
from scheduler.model.decision import DecisionKind
from scheduler.store.result_cache import load_results
from scheduler.store.run_store import RunStore
from tests.decisions import HEADLINES, with_decision

GUIDE = Path(__file__).parents[3] / "docs/how-to/run-in-scripts.md"
KINDS = list(DecisionKind)
ORDERS_NONE = [kind for kind in KINDS if kind is not DecisionKind.CHANGE]


@pytest.fixture
def decided(call, plan, home):
    """Return a function that keeps a run whose decision is of a kind and about 1:2, and returns its id."""

    def decided(kind: DecisionKind) -> str:
        run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
        with RunStore(places.store_path()) as store:
            store.keep_results(run_id, with_decision(load_results(store, find_run(store, run_id)), kind))
        return run_id

    return decided


def host_of(home) -> dict:
    return json.loads((home / "host.json").read_text())


def sentence(kind: DecisionKind) -> str:
    return HEADLINES[kind].format(split="1:2")


@pytest.mark.parametrize("kind", ORDERS_NONE)
def test_apply_refuses_a_decision_without_an_order_and_names_the_further_words(decided, call, home, kind):
    run_id, found = decided(kind), host_of(home)
    refused = call("apply", run_id)
    assert refused.code == 2
    assert f"run {run_id} advises no split: {sentence(kind).rstrip('.')}" in refused.err
    assert "Name a measured split with --split a:b, or add --anyway to take 1:2." in refused.err
    assert host_of(home) == found


def test_apply_sets_the_ordered_split_and_prints_what_it_gains(decided, call, home):
    run_id, found = decided(DecisionKind.CHANGE), host_of(home)
    applied = call("apply", run_id, "--json").json
    assert (applied["done"], applied["split"], applied["advice"]) == (True, "1:2", sentence(DecisionKind.CHANGE))
    assert host_of(home) != found
    assert call("apply", run_id).out.startswith(sentence(DecisionKind.CHANGE))


@pytest.mark.parametrize("kind", ORDERS_NONE)
def test_apply_anyway_sets_the_split_of_the_decision_and_prints_the_decision(decided, call, home, kind):
    run_id, found = decided(kind), host_of(home)
    applied = call("apply", run_id, "--anyway", "--json").json
    assert (applied["done"], applied["split"]) == (True, "1:2")
    assert applied["advice"] == f"1:2 was chosen by hand: run {run_id} advises no split. {sentence(kind)}"
    assert host_of(home) != found


@pytest.mark.parametrize("kind", KINDS)
def test_apply_of_a_named_split_needs_no_further_word_and_prints_the_decision(decided, call, kind):
    run_id = decided(kind)
    applied = call("apply", run_id, "--split", "1:1", "--dry-run", "--json").json
    advised = "1:2" if kind is DecisionKind.CHANGE else "no split"
    assert applied["split"] == "1:1"
    assert applied["advice"] == f"1:1 was chosen by hand: run {run_id} advises {advised}. {sentence(kind)}"


@pytest.mark.parametrize("kind", KINDS)
def test_runs_lists_the_decision_in_words(decided, call, kind):
    run_id = decided(kind)
    [line] = [line for line in call("runs").out.splitlines() if run_id in line]
    assert line.endswith(sentence(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_results_begin_with_the_decision(decided, call, kind):
    run_id = decided(kind)
    with RunStore(places.store_path(), read_only=True) as store:
        results = load_results(store, find_run(store, run_id))
    mark, decision = list(filter(None, results_lines(results)))[:2]
    assert mark.startswith("SIMULATED")
    assert decision == sentence(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_json_of_a_run_has_the_kind_of_its_decision(decided, call, kind):
    decision = call("runs", decided(kind), "--json").json["answer"]["decision"]
    assert (decision["kind"], decision["setting"]["split"]["parts"]) == (kind.value, {"io": 1.0, "guest": 2.0})


@pytest.mark.parametrize("kind", KINDS)
def test_script_of_the_guide_applies_a_split_only_for_a_change(decided, call, kind, tmp_path):
    """Run the example of the guide with a `domtune` that prints these results and writes down its other calls."""
    run_id = decided(kind)
    [script] = re.findall(r"```sh\n(.+?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "answer.json").write_text(call("runs", run_id, "--json").out)
    stub = tmp_path / "domtune"
    stub.write_text('#!/bin/sh\nif [ "$1" = run ]; then cat answer.json; else echo "$@" >>calls; fi\n')
    stub.chmod(0o755)
    (tmp_path / "script.sh").write_text(script)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "script.sh"], cwd=tmp_path, env=path, capture_output=True, text=True, check=True)
    assert done.stdout == f"run {run_id}: {kind.value}\n"
    calls = tmp_path / "calls"
    assert (calls.read_text() if calls.exists() else "") == (f"apply {run_id}\n" if kind is DecisionKind.CHANGE else "")
