"""The LXC lab, from nothing to nothing, with real sweeps of it in between, some of which are broken on purpose.

Its libvirtd, containers and PostgreSQL are real; the control groups are looked at as a stranger does.
"""

import json
import subprocess

import pytest

from tests.killing import kill
from tests.lab.lxc_lab import FOUND, REPO, wait_until
from tests.settings import json_label

pytestmark = [pytest.mark.lab, pytest.mark.timeout(600)]


@pytest.fixture
def up(lxc_lab):
    """The lab as it was started, whatever the test before did to it."""
    assert lxc_lab.tell("up")["state"] == "up"
    assert lxc_lab.as_found()
    assert not lxc_lab.records()
    return lxc_lab


def test_up_twice_is_up_once_and_no_password_is_in_sight(up):
    pid = up.libvirtd()
    again = up.tell("up")
    assert (again["state"], again["pid"], again["postgresql"]) == ("up", pid, True)
    passfile = up.run_folder / "pgpass"
    assert passfile.stat().st_mode & 0o077 == 0
    password = up.password()
    assert len(password) > 20
    assert not [words for words in up.mentions() if password in words]
    assert password not in json.dumps(again) + (up.run_folder / "plan.toml").read_text()


def test_same_server_without_a_container_is_added_compared_and_ended(up):
    before = up.tell("status")
    assert before["base_url"] == ""
    begun = up.tell("up", "--bare")
    assert (begun["state"], begun["pid"], begun["database_url"]) == ("up", before["pid"], before["database_url"])
    assert begun["base_url"]
    assert "overhead.toml" in begun["hint"]
    plan = up.home / "overhead.toml"
    least = 'kind = "osdb-ir"\nusers = 1\ntuples = 2000'  # the same rows on both sides, quickly
    text = (up.run_folder / "overhead.toml").read_text().replace('kind = "tpch"\nscale = 0.1', least)
    windows = "repeats = 1\nmeasure_s = 2\nsettle_s = 1\nload_settle_s = 1\n"
    plan.write_text(text.replace("splits = ", f"{windows}splits = "))
    out, err = up.run(plan).communicate(timeout=200)
    results = json.loads(out)
    assert (results["outcome"], results["restored"]) == ("completed", True), err
    assert {json_label(point) for point in results["points"]} == {"direct", "via the I/O domain", "confined at 1:1"}
    assert all(point["mean_tps"] > 0 for point in results["points"])
    assert [sentence for sentence in results["answer"]["limits"] if "two servers" in sentence]
    assert up.as_found()
    kill(up.bare())
    ended = up.tell("status")
    assert (ended["state"], ended["postgresql"]) == ("unwell", True)
    assert "without a container" in ended["text"]
    again = up.tell("up", "--bare")
    assert (again["state"], bool(again["base_url"])) == ("up", True), again


@pytest.mark.alone  # an emulator that goes before everything else would take what the containers are promised
def test_sweep_delivers_what_was_configured_to_the_side_that_is_short_of_it(up):
    sweep = up.sweep("repeats = 2", "measure_s = 6", "settle_s = 2", "load_settle_s = 4")
    out, err = sweep.communicate(timeout=300)
    assert sweep.returncode == 0, err
    results = json.loads(out)
    assert (results["outcome"], results["restored"], results["simulated"]) == ("completed", True, False)
    assert up.as_found()
    assert not up.records()
    points = {json_label(point): point for point in results["points"]}
    for setting, short in (("1:3", "io"), ("3:1", "guest")):
        point = points[setting]
        assert abs(point["used_share"][short] - 0.24) < 0.05, point


def test_sweep_whose_core_is_killed_is_restored_by_its_record(up):
    sweep = up.sweep("measure_s = 5", "settle_s = 1", "load_settle_s = 1")
    up.until_limited()
    sweep.kill()
    sweep.communicate(timeout=30)
    assert up.records()
    assert up.domtune("restore").returncode == 0
    assert up.as_found()
    assert not up.records()


def test_libvirtd_killed_in_a_sweep_and_not_coming_back_is_reported_and_restored_when_it_is_there(up):
    sweep = up.sweep("measure_s = 5", "settle_s = 1", "load_settle_s = 1")
    up.until_limited()
    kill(up.libvirtd())
    out, err = sweep.communicate(timeout=120)
    assert sweep.returncode == 4, (sweep.returncode, err)  # not restored
    said = json.loads(out)["reason"] if out.strip() else err
    assert "does not answer" in said + err
    assert up.records()
    assert up.domtune("restore").returncode != 0
    assert up.records()
    subprocess.run([REPO / "packaging/lab/lxc/libvirtd", up.run_folder], check=True, capture_output=True, timeout=30)
    wait_until(lambda: up.domtune("restore").returncode == 0, 30)
    assert up.as_found()
    assert not up.records()


def test_libvirtd_that_comes_back_in_time_costs_the_sweep_nothing(up):
    sweep = up.sweep("repeats = 1", "measure_s = 4", "settle_s = 1", "load_settle_s = 1")
    up.until_limited()
    kill(up.libvirtd())
    subprocess.run([REPO / "packaging/lab/lxc/libvirtd", up.run_folder], check=True, capture_output=True, timeout=30)
    _, err = sweep.communicate(timeout=200)
    assert sweep.returncode == 0, err
    assert up.as_found()
    assert not up.records()


def test_domain_destroyed_in_a_sweep_ends_it_with_the_other_original(up):
    sweep = up.sweep("measure_s = 5", "settle_s = 1", "load_settle_s = 1")
    up.until_limited()
    up.virsh("destroy", "io")
    out, err = sweep.communicate(timeout=120)
    assert sweep.returncode == 1, (sweep.returncode, out[-500:], err)
    assert up.groups() == {"db": FOUND}
    assert not up.records()
    assert up.tell("status")["state"] == "unwell"
