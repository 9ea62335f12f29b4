"""Descriptions of machines: what is taken, what is refused, and what the refusal says."""

import copy
import json

import msgspec
import numpy as np
import pytest

from scheduler.errors import SpecError
from scheduler.model.load import LoadSpec
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import RunSpec
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.machine import QueueMachine, SurfaceMachine
from scheduler.sim.machine_file import parse_machine
from scheduler.sim.noise import NOISES
from scheduler.sim.pchip import interpolate_pchip
from scheduler.sim.simulated_machine import refuse_unsupported_sweep
from scheduler.sim.steady_state import SteadyStates
from tests.unit.sim.surveyed import pair_of

NINE = ["1:1", "1:2", "1:5", "1:10", "2:1", "2:5", "5:1", "5:2", "10:1"]
SURFACE = {
    "schema": "domtune-machine/1",
    "kind": "surface",
    "splits": NINE,
    "loads": {
        "osdb-ir": [0.985, 1.0, 0.42, 0.064, 0.8, 0.93, 0.33, 0.7, 0.17],
        "osdb-oltp": [0.503, 1.0, 0.78, 0.3, 0.4, 0.975, 0.24, 0.34, 0.181],
    },
    "scale_tps": {"osdb-ir": 400, "osdb-oltp": 200},
    "noise": "shared",
    "seed": 1,
}
QUEUE = {
    "schema": "domtune-machine/1",
    "kind": "queue",
    "scheduler": "credit2",
    "loads": {"osdb-oltp": {"guest_ms": 2.0, "io_in_ms": 0.4, "io_out_ms": 0.4}},
}
# One full noise, with the loads' short names and a list per split.
NOISE = {
    "ar_sd": 0.1,
    "ar_phi": 0.7,
    "ramp": {
        "cold": {"depth": 0.7, "T_s": [10, 40]},
        "load": {"depth": 0.5, "T_s": [5, 15]},
        "arm": {"kind": "carry_over", "T_s": [2, 6]},
    },
    "drift": {"ou_sd": 0.05, "ou_tau_s": 1800, "sine_amp": 0.04, "sine_period_s": [1200, 7200]},
    "checkpoint": {"period_s": 300, "jitter": 0.1, "dur_s": [3, 8], "factor": {"IR": 0.85, "OLTP": 0.35}},
    "vacuum": {"per_hour": 3, "dur_s": [15, 45], "factor": {"IR": 0.93, "OLTP": 0.88}},
    "neighbour": {"per_hour": 2, "dur_s": [30, 180], "factor": [0.75, 0.95]},
    "epoch_sd": 0.0,
    "trial_sd": {"IR": [0.045] * 9, "OLTP": 0.045},
    "note": "shared machine: 5 % slow drift, 4 % cycle, neighbours, checkpoints, autovacuum",
}


def read(description):
    return parse_machine(json.dumps(description).encode(), "machine.json")


def changed(description, path, value):
    wrong = copy.deepcopy(description)
    *folders, last = path
    place = wrong
    for folder in folders:
        place = place[folder]
    place[last] = value
    return wrong


def test_both_kinds_are_read():
    surface, queue = read(SURFACE), read(QUEUE)
    assert isinstance(surface, SurfaceMachine)
    assert surface.noise_model == NOISES["shared"]
    assert isinstance(queue, QueueMachine)
    assert queue.loads["osdb-oltp"].guest_ms == 2.0


def test_noise_may_be_described_in_full():
    noise = read(changed(SURFACE, ["noise"], NOISE)).noise_model
    assert noise.trial_sd["IR"] == (0.045,) * 9
    assert noise.drift == NOISES["shared"].drift
    assert noise.ramp == NOISES["shared"].ramp


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["schema"], "domtune-machine/9", "schema.*domtune-machine/9"),
        (["kind"], "magic", "kind"),
        (["loads", "osdb-ir"], [1.0] * 8, "8 values for 9 splits"),
        (["loads", "osdb-ir", 3], -0.064, "-?0.064|> 0"),
        (["loads", "osdb-ir", 3], 0, "loads"),
        (["loads", "osdb-ir", 3], "fast", "loads"),
        (["loads", "tpc-c"], [1.0] * 9, "tpc-c"),
        (["splits", 2], "1-5", "1-5"),
        (["splits", 2], "1:1", "1:1 given more than once"),
        (["splits", 2], "1:1000", "1:1000"),
        (["scale_tps"], {"osdb-it": 1}, "osdb-it"),
        (["scale_tps", "osdb-ir"], 0, "scale_tps"),
        (["baseline"], {"osdb-ir": -1}, "baseline"),
        (["delivered"], {"osdb-ir": [[0.1, 0.2]]}, "1 values for 9 splits"),
        (["noise"], "loud", "loud"),
        (["noise"], changed(NOISE, ["trial_sd", "IR"], [0.045] * 7), "7 values for 9 splits"),
        (["noise"], changed(NOISE, ["trial_sd"], {"IR": 0.045}), "osdb-oltp is missing"),
        (["noise"], changed(NOISE, ["ar_phi"], 1.0), "ar_phi"),
        (["noise"], changed(NOISE, ["neighbour", "per_day"], 3), "per_day"),
        (["scheduler"], "bvt", "scheduler"),
        (["seed"], -1, "seed"),
        (["colour"], "green", "colour"),
    ],
)
def test_wrong_surface_is_refused_by_its_place(path, value, words):
    with pytest.raises(SpecError, match=words) as caught:
        read(changed(SURFACE, path, value))
    assert "machine.json" in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["loads", "osdb-oltp", "guest_ms"], 0, "guest_ms"),
        (["loads", "osdb-oltp", "io_in_ms"], -1, "io_in_ms"),
        (["loads", "osdb-oltp", "io_user_frac"], 1.5, "io_user_frac"),
        (["loads", "osdb-oltp", "guest_stretch"], [[0.5, 1.0], [0.4, 1.2]], "do not rise"),
        (["loads"], {}, "loads"),
        (["switch_us"], -5, "switch_us"),
    ],
)
def test_wrong_queue_is_refused_by_its_place(path, value, words):
    with pytest.raises(SpecError, match=words):
        read(changed(QUEUE, path, value))


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"sim"', b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_machine_is_refused(body):
    with pytest.raises(SpecError, match=r"machine.json|schema"):
        parse_machine(body, "machine.json")


def test_nan_and_endless_files_are_refused():
    body = json.dumps(changed(SURFACE, ["loads", "osdb-ir", 3], float("nan"))).encode()
    with pytest.raises(SpecError, match=r"machine.json") as caught:
        parse_machine(body, "machine.json")
    assert "NaN" in caught.value.hint
    with pytest.raises(SpecError, match="1048577 bytes"):
        parse_machine(b" " * (1 << 20) + b"1", "machine.json")


@pytest.mark.parametrize("scheduler", ["credit", "credit2", "rtds", "sedf-xm"])
def test_surface_gives_each_split_its_own_rate_under_every_scheduler(scheduler):
    steadies = SteadyStates(read(SURFACE))
    for kind, scale in SURFACE["scale_tps"].items():
        for label, rate in zip(NINE, SURFACE["loads"][kind], strict=True):
            assert steadies.at(pair_of(label, scheduler), kind, 5).tps == pytest.approx(scale * rate, rel=1e-12)


def test_two_machines_of_equal_description_simulate_a_setting_once():
    pair, slower = pair_of("1:2"), msgspec.structs.replace(BUILT_IN_MACHINE, switch_us=BUILT_IN_MACHINE.switch_us + 1)
    first, again, other = (
        SteadyStates(machine).at(dict(pair), "osdb-ir", 1)
        for machine in (BUILT_IN_MACHINE, msgspec.structs.replace(BUILT_IN_MACHINE, seed=7), slower)
    )
    assert again is first
    assert other != first


def test_between_splits_the_rate_lies_between():
    steadies = SteadyStates(read(SURFACE))
    low, middle, high = (steadies.at(pair_of(label), "osdb-oltp", 5).tps for label in ("1:1", "1:1.5", "1:2"))
    assert low < middle < high


def test_interpolation_is_that_of_scipy():
    from scipy.interpolate import PchipInterpolator  # takes its time: not for every worker that collects

    dice = np.random.default_rng(5)
    for count in (2, 3, 9):
        places = np.sort(dice.uniform(-2.3, 2.3, count))
        heights = dice.uniform(0.05, 1.0, count)
        for at in dice.uniform(places[0], places[-1], 20):
            theirs = float(PchipInterpolator(places, heights)(at))
            assert interpolate_pchip(places.tolist(), heights.tolist(), float(at)) == pytest.approx(theirs, abs=1e-12)
        assert interpolate_pchip(places.tolist(), heights.tolist(), 9.0) == heights[-1]


def make_spec(*labels, kinds=("osdb-ir",)):
    return RunSpec(
        host_url="sim:machine.json",
        settings=tuple(parse_split_setting(label) for label in labels),
        loads=tuple(LoadSpec(kind) for kind in kinds),
    )


def test_plan_for_splits_or_loads_that_the_machine_lacks_is_refused():
    few = read({**SURFACE, "splits": ["1:2", "2:1"], "loads": {"osdb-ir": [1.0, 0.9]}, "scale_tps": {}})
    refuse_unsupported_sweep(few, make_spec("1:2", "1:1", "2:1"))
    with pytest.raises(SpecError, match="1:5"):
        refuse_unsupported_sweep(few, make_spec("1:2", "1:5"))
    with pytest.raises(SpecError, match="osdb-oltp"):
        refuse_unsupported_sweep(few, make_spec("1:2", kinds=("osdb-ir", "osdb-oltp")))
    refuse_unsupported_sweep(BUILT_IN_MACHINE, make_spec("1:9", "19:1"))
