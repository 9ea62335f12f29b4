"""A scale-up study from the plan to the exports, on made-up and simulated hosts."""

import json
import re
from pathlib import Path

import pytest

from scheduler.model.scheduler_params import CgroupParams
from tests.settings import json_label

PLAN = """host = "{host}"
study = "scale-up"
repeats = {repeats}
measure_s = 2
settle_s = 1
load_settle_s = 1
"""


@pytest.fixture
def sized(home):
    """Return the path of a plan for a host."""

    def sized(host, repeats=3):
        path = home / "plan.toml"
        path.write_text(PLAN.format(host=host, repeats=repeats))
        return str(path)

    return sized


def test_made_up_host_is_sized_measured_and_left_original(call, sized, home):
    path = home / "host.json"
    answer = call("run", sized(f"fake:{path}?vcpus=4"), "--json", "--quiet")
    assert (answer.code, answer.json["restored"], answer.json["study"]) == (0, True, "scale-up")
    state = json.loads(path.read_text())
    assert state["guest-vcpus"] == {"dialect": "vcpus", "online": 1}
    assert state["io"] == state["guest"] == {"dialect": "cgroup", "weight": CgroupParams(100).weight, **_REST}
    assert not list((home / "state" / "journal").glob("*.json"))
    finding = answer.json["answer"]
    assert [size["vcpus"] for size in finding["sizes"]] == [1, 2, 4]
    assert finding["sizes"][2]["ratio"] == pytest.approx(4.0, rel=0.05)  # the made-up guest is its only limit
    assert finding["headline"].endswith("(simulated).")
    assert [json_label(point) for point in answer.json["points"]] == ["1 vCPU", "2 vCPUs", "4 vCPUs"]
    assert answer.json["points"][2]["params"]["guest-vcpus"]["online"] == 4
    assert any("8 vCPUs are excluded" in notice for notice in answer.json["notices"])
    for form, name in (("html", "again.html"), ("csv", "again.csv"), ("plan", "again.toml")):
        assert call("export", "last", "--to", form, "--out", str(home / name)).code == 0
    page = (home / "again.html").read_text()
    assert "Normalised throughput of Orders over vCPUs of the guest" in page  # the figure
    assert "Gain of each step, within blocks (simulated)" in page  # its twin
    assert "vcpus = [1, 2, 4]" in (home / "again.toml").read_text()


_REST = {"quota_us": None, "period_us": 100_000}


def test_dry_run_lists_every_number_with_its_command_and_touches_nothing(call, sized, home):
    answer = call("run", sized(f"fake:{home / 'host.json'}?vcpus=2"), "--dry-run", "--json")
    assert answer.code == 0
    rows = {row["setting"]: row["commands"] for row in answer.json["commands"]}
    assert rows["2 vCPUs"] == ["fake give 2 vCPUs to db1"]
    assert rows["restore"][-1] == "fake give 1 vCPU to db1"
    assert answer.json["trials"] == 6
    assert "guest-vcpus" not in json.loads((home / "host.json").read_text())


@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_host_whose_guest_has_one_vcpu_is_refused_with_what_would_do(call, sized, home, words):
    answer = call("run", sized(f"fake:{home / 'host.json'}"), "--json", *words)
    assert answer.code == 2
    assert "fake:FILE?vcpus=4" in answer.out


def test_aborted_study_is_continued_with_the_numbers_that_the_host_has(call, sized, home):
    host = f"fake:{home / 'host.json'}?vcpus=2&fail_writes_after=14"
    broken = call("run", sized(host), "--json", "--quiet")
    assert broken.code != 0
    again = call("run", sized(host), "--json", "--quiet", "--continue", broken.json["run_id"])
    assert "had another plan" not in again.err + again.out


def test_more_vcpus_gain_on_the_simulated_machine_until_its_disk_is_the_limit(call, sized):
    answer = call("run", sized("sim:?noise=none", repeats=4), "--json", "--quiet")
    assert answer.code == 0
    sizes = {size["vcpus"]: size["ratio"] for size in answer.json["answer"]["sizes"]}
    assert 1.8 < sizes[2] < 2.2
    assert 3.6 < sizes[4] < 4.3
    assert sizes[8] < 5.0  # two requests of 2 ms each: 250 orders a second


def test_guest_is_laid_next_to_reference_on_as_many_cpus(call, sized, home):
    path = sized(f"fake:{home / 'host.json'}?vcpus=16&direct=1")
    with Path(path).open("a") as plan:
        plan.write('vcpus = [1, 16]\nbase = "direct"\n')
    answer = call("run", path, "--json", "--quiet")
    assert (answer.code, answer.json["restored"]) == (0, True)
    assert json.loads((home / "host.json").read_text())["guest-vcpus"] == {"dialect": "vcpus", "online": 1}
    labels = ["1 vCPU", "16 vCPUs", "1 CPU, direct", "16 CPUs, direct"]
    assert sorted(json_label(point) for point in answer.json["points"]) == sorted(labels)
    one, sixteen = answer.json["answer"]["references"]
    assert (one["vcpus"], one["ratio"]) == (1, pytest.approx(1.0, abs=0.03))
    # Made up: the I/O domain takes 60 us of its share of an order, the guest 550 of sixteen such shares.
    assert sixteen["ratio"] == pytest.approx(550 / 16 / 60, rel=0.03)
    assert sixteen["ci95"][1] < 0.7
    assert re.search("with 16 vCPUs it reaches 5[5-9] % of the reference", answer.json["answer"]["headline"])
    assert call("export", "last", "--to", "html", "--out", str(home / "again.html")).code == 0
    page = (home / "again.html").read_text()
    assert "Share of the reference that Orders reaches, over vCPUs of the guest" in page  # the figure
    assert "The guest against the reference (the same server on as many CPUs, reached directly)" in page  # its twin
    assert call("export", "last", "--to", "plan", "--out", str(home / "again.toml")).code == 0
    assert 'base = "direct"' in (home / "again.toml").read_text()


def test_host_whose_guest_has_no_reference_side_is_refused_with_what_would_do(call, sized, home):
    path = sized(f"fake:{home}/host.json?vcpus=4")
    with Path(path).open("a") as plan:
        plan.write('base = "direct"\n')
    answer = call("run", path, "--json", "--dry-run")
    assert answer.code == 2
    assert "no base to compare with" in answer.json["error"]
    assert "local:" in answer.json["hint"]


def test_dry_run_states_the_smallest_difference_that_blocks_show(call, sized, home):
    answer = call("run", sized(f"fake:{home / 'host.json'}?vcpus=2", repeats=18), "--dry-run", "--json")
    texts = [finding["text"] for finding in answer.json["findings"]]
    assert "18 blocks can show differences above about 3 % (5.1 %) where trials differ by 3 % (5 %)." in texts


def test_dry_run_of_two_blocks_states_that_they_show_nothing(call, sized, home):
    answer = call("run", sized(f"fake:{home / 'host.json'}?vcpus=2", repeats=2), "--dry-run", "--json")
    texts = [finding["text"] for finding in answer.json["findings"]]
    assert "2 blocks show no difference: intervals need at least 3." in texts
