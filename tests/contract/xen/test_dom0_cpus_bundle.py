"""The answer of a study of Dom0's CPUs becomes a bundle that a doubled Xen host applies, verifies and rolls back."""

import math
import os
import random
import subprocess

import msgspec
import pytest

from scheduler import places
from scheduler.commands.parser import main
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.documents import RunOutcome, RunStarted, RunStopped
from scheduler.model.placement import PLACE_SLOTS
from scheduler.model.plan_file import parse_plan
from scheduler.model.split import GUEST, IO, Mode
from scheduler.run.factor import place_split
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.store.run_store import RunStore
from scheduler.studies.study_meeting import meet_host
from tests.data_maker import WALL_UNIX_S
from tests.unit.plans.carrying import carried_out
from tests.xen_double.standing import stand_up
from tests.xen_double.state import GUEST_UUID, NO_UUID, domain

PLAN = 'host = "xl:"\nstudy = "dom0-cpus"\nprotocol = "grid"\nrepeats = 6\n[[load]]\nkind = "osdb-ir"\n'
RUN_ID = "20260101T000000-dom0cpus"


@pytest.fixture
def host(tmp_path, monkeypatch):
    dom0 = {**domain(0, "Domain-0", NO_UUID, offline=3), "online": 4}
    guest = {**domain(1, "db1", GUEST_UUID, offline=3), "online": 4}
    stand_up(tmp_path, monkeypatch, cpus=4, domains=[dom0, guest])
    opened = open_host("xl:", lambda *_: None, "", "", "")
    yield opened
    opened.close()


def store_study(host, best: int) -> None:
    """Store a run whose best number of CPUs gains 10 %, with the parameters that the host would be set to."""
    spec, facts, *_ = meet_host(parse_plan(PLAN), host, host.facts())
    base = {slot: host.read(slot) for slot in (IO, GUEST, PLACE_SLOTS[IO], PLACE_SLOTS[GUEST])}
    model, rng = share_model_for_host(facts), random.Random(1)

    def params_at(setting):
        if setting is None:
            return base
        own = model.encode(setting.split, Mode.DEDICATED, spec.period_us).params
        return {**place_split(base, facts.shared_cpus, setting.split, Mode.DEDICATED), **own}

    def rate(trial) -> float:
        gain = 0.0 if trial.setting is None else 0.1 if trial.setting.split.io == best else -0.3
        return 1000 * (1 + gain) * math.exp(rng.gauss(0, 0.003))

    trials = [
        msgspec.structs.replace(each, params=params_at(each.setting), used_frac={IO: 1.0, GUEST: 1.5})
        for each in carried_out(spec, rate)
    ]
    started = RunStarted(t_s=0.0, run_id=RUN_ID, spec=spec, facts=facts, wall_unix_s=WALL_UNIX_S, trials=len(trials))
    stopped = RunStopped(t_s=trials[-1].t_s + 1, outcome=RunOutcome.COMPLETED, restored=True)
    with RunStore(places.store_path()) as store:
        for document in (started, *trials, stopped):
            store.append(RUN_ID, document)


def affinity() -> list[str]:
    """Return the hard affinity of every vCPU, as xl reports it."""
    lines = subprocess.run(["xl", "vcpu-list"], capture_output=True, text=True, check=True).stdout.splitlines()[1:]
    return [line.split(" / ")[0].split()[-1] for line in lines]


def test_bundle_of_dom0_cpus_is_applied_verified_and_rolled_back(host, tmp_path, capsys):
    store_study(host, best=2)
    folder = tmp_path / "bundle"
    assert main(["export", RUN_ID, "--to", "bundle", "--out", str(folder)]) == 0, capsys.readouterr().err
    readme = " ".join((folder / "README.txt").read_text().split())
    assert "dom0_max_vcpus=2 dom0_vcpus_pin" in readme
    assert 'cpus = "2-3"' in (folder / "guest.cfg").read_text()
    before = affinity()
    own = {name: str(tmp_path / name.lower()) for name in ("DOMTUNE_STATE_DIR", "DOMTUNE_ETC", "DOMTUNE_KEEP_DIR")}

    def code(script: str) -> int:
        done = subprocess.run(
            [str(folder / script)],
            env={**os.environ, **own, "DOMTUNE_SETTLE_S": "0"},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        print(done.stdout, done.stderr)
        return done.returncode

    assert before == ["all"] * 8
    assert [code(script) for script in ("verify.sh", "apply.sh", "verify.sh")] == [1, 0, 0]
    assert affinity() == ["0-1"] * 4 + ["2-3"] * 4
    assert code("rollback.sh") == 0
    assert affinity() == before


def test_bundle_of_a_study_that_says_leave_it_needs_a_named_number(host, tmp_path, capsys):
    store_study(host, best=0)
    assert main(["export", RUN_ID, "--to", "bundle", "--out", str(tmp_path / "bundle")]) != 0
    assert "Leave it: no number of CPUs gains 2 %" in capsys.readouterr().err
    assert main(["export", RUN_ID, "--to", "bundle", "--split", "1:3", "--out", str(tmp_path / "named")]) == 0
