"""Sweeps of a host of many CPUs by command line."""

import pytest

from scheduler.commands.parser import main
from tests.xen_double.standing import stand_up
from tests.xen_double.state import GUEST_UUID, NO_UUID, domain

PLAN = """\
host = "xl:"
mode = "{mode}"
splits = ["1:1", "1:2"]
protocol = "grid"
repeats = 1
measure_s = 1
settle_s = 0
load_settle_s = 0
[[load]]
kind = "osdb-ir"
"""


@pytest.fixture
def wide(tmp_path, monkeypatch):
    dom0 = {**domain(0, "Domain-0", NO_UUID, offline=7), "online": 8}
    guest = {**domain(1, "db1", GUEST_UUID, offline=7), "online": 8}
    return stand_up(tmp_path, monkeypatch, cpus=16, domains=[dom0, guest])


@pytest.fixture
def run(tmp_path, capsys):
    def run(mode, *options):
        plan = tmp_path / "plan.toml"
        plan.write_text(PLAN.format(mode=mode))
        return main(["run", str(plan), *options]), *capsys.readouterr()

    return run


def test_weights_on_sixteen_cpus_are_no_error(wide, run):
    code, out, _ = run("weights", "--dry-run")
    assert code == 0
    assert "error:" not in out
