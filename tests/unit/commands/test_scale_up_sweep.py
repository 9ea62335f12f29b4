"""A scale-up study from the plan to the exports, on made-up and simulated hosts."""

import json

import pytest

from scheduler.model.params import CgroupParams

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


def test_that_a_made_up_host_is_sized_measured_and_left_as_found(call, sized, home):
    path = home / "host.json"
    answer = call("run", sized(f"fake:{path}?vcpus=4"), "--json", "--quiet")
    assert (answer.code, answer.json["restored"], answer.json["study"]) == (0, True, "scale-up")
    state = json.loads(path.read_text())
    assert state["guest-vcpus"] == {"dialect": "vcpus", "online": 1}
    assert state["io"] == state["guest"] == {"dialect": "cgroup", "weight": CgroupParams(100).weight, **_REST}
    assert not list((home / "state" / "journal").glob("*.json"))
    finding = answer.json["finding"]
    assert [size["vcpus"] for size in finding["sizes"]] == [1, 2, 4]
    assert finding["sizes"][2]["ratio"] == pytest.approx(4.0, rel=0.05)  # the made-up guest is its only limit
    assert finding["headline"].endswith("(simulated).")
    assert [point["split"] for point in answer.json["points"]] == ["1 vCPU", "2 vCPUs", "4 vCPUs"]
    assert answer.json["points"][2]["params"]["guest-vcpus"]["online"] == 4
    assert any("8 vCPUs are left out" in notice for notice in answer.json["notices"])
    for form, name in (("html", "again.html"), ("csv", "again.csv"), ("plan", "again.toml")):
        assert call("export", "last", "--to", form, "--out", str(home / name)).code == 0
    page = (home / "again.html").read_text()
    assert "Normalised throughput of Orders over vCPUs of the guest" in page  # the figure
    assert "What each step gains, within blocks (simulated)" in page  # its twin
    assert "vcpus = [1, 2, 4]" in (home / "again.toml").read_text()


_REST = {"quota_us": None, "period_us": 100_000}


def test_that_a_dry_run_lists_every_number_with_its_command_and_touches_nothing(call, sized, home):
    answer = call("run", sized(f"fake:{home / 'host.json'}?vcpus=2"), "--dry-run", "--json")
    assert answer.code == 0
    rows = {row["setting"]: row["commands"] for row in answer.json["commands"]}
    assert rows["2 vCPUs"] == ["fake give 2 vCPUs to db1"]
    assert rows["restore"][-1] == "fake give 1 vCPU to db1"
    assert answer.json["visits"] == 6
    assert "guest-vcpus" not in json.loads((home / "host.json").read_text())


@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_that_a_host_whose_guest_has_one_vcpu_is_refused_with_what_would_do(call, sized, home, words):
    answer = call("run", sized(f"fake:{home / 'host.json'}"), "--json", *words)
    assert answer.code == 2
    assert "fake:FILE?vcpus=4" in answer.out


def test_that_an_aborted_study_is_continued_with_the_numbers_that_the_host_has(call, sized, home):
    host = f"fake:{home / 'host.json'}?vcpus=2&fail_writes_after=14"
    broken = call("run", sized(host), "--json", "--quiet")
    assert broken.code != 0
    again = call("run", sized(host), "--json", "--quiet", "--continue", broken.json["run_id"])
    assert "had another plan" not in again.err + again.out


def test_that_more_vcpus_gain_on_the_simulated_machine_until_its_disk_is_the_limit(call, sized):
    answer = call("run", sized("sim:?noise=none", repeats=4), "--json", "--quiet")
    assert answer.code == 0
    sizes = {size["vcpus"]: size["ratio"] for size in answer.json["finding"]["sizes"]}
    assert 1.8 < sizes[2] < 2.2
    assert 3.6 < sizes[4] < 4.3
    assert sizes[8] < 5.0  # two requests of 2 ms each: 250 orders a second
