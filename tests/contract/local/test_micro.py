"""The micro-measurement of page faults and system calls: what a quota takes away does not change it."""

import json
import subprocess
import sys

import pytest

from scheduler.children import python_environment, python_module
from scheduler.errors import HostNotUsable
from scheduler.studies.overhead import micro
from tests.confining import Quota
from tests.lacking import lacking
from tests.quiet import until_kept

ROUNDS = 150
QUOTA_PCT = 25


def measured(pct=None):
    """Return what the program says, confined to a part of one CPU from its start or not."""
    words = python_module(micro.__name__, str(ROUNDS))
    waits = ["sh", "-c", 'read -r go && exec "$@"', "sh", *words]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=python_environment()) as process:
        quota = Quota(pct) if pct else None
        try:
            if quota:
                quota.enter(process.pid)
            said, _ = process.communicate(b"go\n", 120)
        finally:
            process.kill()
            process.wait()
            if quota:
                quota.close()
    return json.loads(said)


def test_quota_changes_the_wall_clock_and_not_what_a_fault_costs():
    def both():
        return measured(), measured(QUOTA_PCT)

    def alike(pair):
        free, confined = pair
        ratios = [confined[what]["median"] / free[what]["median"] for what in ("fault_ns", "call_ns")]
        return all(0.7 < ratio < 1.4 for ratio in ratios)

    try:
        free, confined = until_kept(both, alike)
    except HostNotUsable as error:
        lacking(str(error))
    assert alike((free, confined)), (free, confined)
    assert confined["wall_per_cpu"] > 0.8 * 100 / QUOTA_PCT
    for said in (free, confined):
        assert said["rounds"] == ROUNDS
        assert said["faults_per_page"] == pytest.approx(1, abs=0.05)
        assert 50 < said["fault_ns"]["median"] < 50_000
        assert 10 < said["call_ns"]["median"] < 20_000


def test_program_runs_by_itself_and_refuses_what_is_no_number():
    alone = subprocess.run([sys.executable, "-I", micro.__file__, "3"], capture_output=True, text=True, check=True)
    assert json.loads(alone.stdout)["rounds"] == 3
    for words in (["0"], ["many"], ["1", "2"]):
        refused = subprocess.run(
            [sys.executable, "-I", micro.__file__, *words], capture_output=True, text=True, check=False
        )
        assert refused.returncode == 1
        assert f"not {' '.join(words)}" in refused.stderr
