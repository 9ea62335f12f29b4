"""Noise-free truth of the simulated machine."""

import msgspec
import pytest

from scheduler.hosts.sim import open_host
from scheduler.lessons.lesson_files import read_lessons
from scheduler.lessons.true_rates import find_split_truth, find_users_truth
from scheduler.model.documents import RunStarted
from scheduler.model.setting import parse_split_setting


def started(name, **changes):
    spec = msgspec.structs.replace(read_lessons().find(name).plan, **changes)
    facts = open_host(spec.host_url, lambda *_: None, "", "", "").facts() if spec.host_url.startswith("sim") else None
    return RunStarted(t_s=0.0, run_id="r", spec=spec, facts=facts, wall_unix_s=0.0, trials=0)


def test_truth_of_the_paper_is_its_best_split_and_the_price_of_the_next():
    truth = find_split_truth(started("2", settings=tuple(map(parse_split_setting, ("1:2", "2:5", "1:1")))))
    assert truth.best == "2:5"
    assert truth.loss_frac["1:2"] == pytest.approx(0.008, abs=0.001)
    assert truth.loss_frac["baseline"] == pytest.approx(-0.078, abs=0.002)
    assert truth.load_best == {"osdb-ir": "1:2", "osdb-oltp": "2:5"}


def test_truth_of_weights_is_that_no_split_matters():
    truth = find_split_truth(started("3", settings=tuple(map(parse_split_setting, ("1:5", "1:1")))))
    assert max(truth.loss_frac.values()) < 0.002


def test_truth_of_two_phases_names_the_gain_of_following():
    truth = find_split_truth(started("6"))
    assert (truth.best, truth.load_best["compute"]) == ("1:1", "1:5")
    assert truth.follow_gain_frac == pytest.approx(0.274, abs=0.005)


def test_truth_of_users_is_the_number_that_the_sheet_names():
    assert find_users_truth(started("5")) == 4


def test_machine_of_a_file_has_no_known_truth():
    known = started("1")
    other = msgspec.structs.replace(known, spec=msgspec.structs.replace(known.spec, host_url="sim:machine.json"))
    assert find_split_truth(other) is None
    assert find_users_truth(other) is None
