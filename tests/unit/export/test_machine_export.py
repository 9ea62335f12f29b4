"""A sweep saved as a simulated machine does what was measured."""

import json
import math

import pytest

from scheduler.errors import SpecError
from scheduler.export.exporters import list_exporters
from scheduler.model.setting import BASELINE
from scheduler.model.split import GUEST, IO
from scheduler.sim.machine import SurfaceMachine
from scheduler.sim.machine_file import parse_machine
from scheduler.sim.scheduler_params import initial_params
from scheduler.sim.steady_state import SteadyStates
from tests.unit.sim.surveyed import pair_of


def saved(material, target):
    (path,) = list_exporters()["machine"].write(
        material.results, material.spec, material.facts, target, material.command_log
    )
    return path


def test_machine_repeats_every_rate_that_was_measured(measured, tmp_path):
    path = saved(measured, tmp_path / "machine")
    assert path.suffix == ".json"
    machine = parse_machine(path.read_bytes(), path.name)
    assert isinstance(machine, SurfaceMachine)
    steadies = SteadyStates(machine)
    for point in measured.results.points:
        pair = initial_params(machine.scheduler) if point.setting is None else pair_of(point.label, machine.scheduler)
        assert steadies.at(pair, point.load, 5).tps == pytest.approx(point.mean_tps, rel=1e-6)


def test_it_keeps_deviations_and_delivered_cpu(measured, tmp_path):
    machine = parse_machine(saved(measured, tmp_path / "m.json").read_bytes(), "m.json")
    for point in measured.results.points:
        if point.setting is not None:
            place = machine.splits.index(point.label)
            assert math.isclose(machine.noise_model.trial_sd[point.load][place], point.cv)
            assert machine.delivered[point.load][place] == pytest.approx(
                (point.used_share[IO], point.used_share[GUEST])
            )


def test_it_reports_where_it_comes_from(measured, simulated, tmp_path):
    for material, word in ((measured, "measured"), (simulated, "simulated")):
        description = json.loads(saved(material, tmp_path / f"{word}.json").read_text())
        assert f"{material.results.run_id} {word}" in description["title"]
        assert description["kind"] == "surface"


def test_load_whose_every_trial_failed_gets_no_rate(material, tmp_path):
    labels = [setting.label for setting in material().spec.settings]
    failed = material(failing=[(label, "osdb-ir") for label in [*labels, BASELINE]])
    machine = parse_machine(saved(failed, tmp_path / "m.json").read_bytes(), "m.json")
    assert set(machine.loads) == {"osdb-oltp"}


def test_split_that_failed_under_one_load_is_left_out(material, tmp_path):
    machine = parse_machine(saved(material(failing=[("1:1", "osdb-ir")]), tmp_path / "m.json").read_bytes(), "m.json")
    assert "1:1" not in machine.splits
    assert all(len(rates) == len(machine.splits) == 8 for rates in machine.loads.values())


def test_sweep_without_any_rate_is_refused(material, tmp_path):
    labels = [setting.label for setting in material().spec.settings]
    failing = [(label, kind) for label in [*labels, BASELINE] for kind in ("osdb-ir", "osdb-oltp")]
    with pytest.raises(SpecError, match="no single load has a valid trial"):
        saved(material(failing=failing), tmp_path / "m.json")
