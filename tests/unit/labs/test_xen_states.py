"""Laws of saved states: the first start boots for all later ones, and whatever is wrong with a state costs a boot."""

import fcntl
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from labs.xen import folders, lab_start, saved_states
from labs.xen.emulator import LabEmulator
from labs.xen.lab import start_lab, stop_lab
from labs.xen.lab_record import load_record
from scheduler.errors import HostBusy, HostNotUsable
from scheduler.model.lab import LabState
from scheduler.model.plan_file import read_plan_file
from scheduler.model.spec import Mode
from tests.unit.labs.xen_world import XenWorld
from tests.volume import few


@pytest.fixture
def said():
    return []


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path / "home"))
    world = XenWorld(tmp_path / "double", monkeypatch)
    yield world
    world.end()


def begun(world):
    """Return how each emulator began."""
    return [line.split()[0] for line in world.starts]


def test_first_start_boots_saves_and_goes_on_from_what_it_saved(world, said):
    found = start_lab("credit", said.append)
    [state] = world.states
    assert (found.state, found.scheduler, found.saved_state) == (LabState.UP, "credit", str(state))
    assert begun(world) == ["boots", "waits"]
    assert found.took_s.keys() >= {"dom0", "guest", "postgresql", "saved", "resumed"}
    assert "continued from a saved state" in found.text
    assert state.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in state.iterdir()) == ["dom0.qcow2", "guest.qcow2", "memory"]


def test_every_later_start_goes_on_from_it_and_never_changes_it(world, said):
    start_lab("credit2", said.append)
    [state] = world.states
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in state.iterdir()}
    world.end()
    again = start_lab("credit2", said.append)
    assert begun(world) == ["boots", "waits", "waits"]
    assert again.took_s.keys() == {"images", "resumed"}
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in state.iterdir()} == before


def test_boot_writes_next_to_the_images_by_relative_names(world, said):
    start_lab("credit2", said.append)
    words = [(path / "dom0.qcow2").read_text().split() for path in world.states]
    assert [line[line.index("-b") + 1] for line in words] == ["../../dom0.img"]


def test_each_scheduler_has_a_state_of_its_own(world, said):
    for scheduler in ("credit2", "credit"):
        start_lab(scheduler, said.append)
        world.end()
    assert [path.name.partition("-")[0] for path in world.states] == ["credit", "credit2"]
    assert begun(world) == ["boots", "waits"] * 2


def test_lab_of_four_cpus_has_a_state_of_its_own(world, said):
    start_lab("credit2", said.append)
    with pytest.raises(HostBusy, match="runs with 1 CPU") as busy:
        start_lab("credit2", said.append, cpus=4)
    assert "up --scheduler credit2 --cpus 4" in busy.value.hint
    world.end()
    found = start_lab("credit2", said.append, cpus=4)
    assert (found.state, load_record(folders.running_dir()).cpus) == (LabState.UP, 4)
    assert {state.name.partition("-")[0] for state in world.states} == {"credit2", "credit2x4"}
    assert start_lab("credit2", said.append, cpus=4).pid == found.pid


def test_start_writes_a_plan_for_a_sweep_of_its_guest_and_names_it(world, said):
    found = start_lab("rtds", said.append)
    plan = folders.running_dir() / "plan.toml"
    assert f"domtune run {plan}" in found.hint
    spec = read_plan_file(plan)
    assert [load.url for load in spec.loads] == [found.database_url]
    assert (spec.host_url, spec.guest_domain, spec.mode) == (found.host_url, "db1", Mode.CAPS)


def test_second_guest_has_a_state_of_its_own_over_the_same_image_and_a_plan(world, said):
    start_lab("credit2", said.append)
    [plain] = world.states
    with pytest.raises(HostBusy, match="runs with one guest") as busy:
        start_lab("credit2", said.append, guests=2)
    assert "up --scheduler credit2 --guests 2" in busy.value.hint
    world.end()
    found = start_lab("credit2", said.append, guests=2)
    assert begun(world) == ["boots", "waits"] * 2
    [state] = [each for each in world.states if each != plain]
    assert (state.name.partition("-")[0], found.state) == ("credit2+2", LabState.UP)
    assert sorted(path.name for path in state.iterdir()) == ["dom0.qcow2", "guest-2.qcow2", "guest.qcow2", "memory"]
    assert "-b ../../guest.img" in (state / "guest-2.qcow2").read_text()
    assert {"guest-2", "postgresql-2"} < found.ports.keys()
    plan = folders.running_dir() / "isolation.toml"
    assert f"domtune run {plan}" in found.hint
    spec = read_plan_file(plan)
    assert [load.url for load in spec.guest_loads.values()] == [found.database_url, found.second_database_url]
    assert (spec.host_url, spec.guest_domain, spec.study.guest_2) == (found.host_url, "db1", "db2")
    assert start_lab("credit2", said.append).pid == found.pid  # more than asked for will do
    world.end()
    assert start_lab("credit2", said.append).second_database_url == ""
    assert begun(world) == ["boots", "waits", "boots", "waits", "waits"]


def test_down_keeps_the_states(world, said):
    start_lab("credit2", said.append)
    before = world.states
    world.end()
    assert stop_lab(said.append).state is LabState.DOWN
    assert world.states == before


def test_fresh_boots_and_saves_again(world, said):
    start_lab("credit2", said.append)
    [state] = world.states
    (state / "mark").touch()
    world.end()
    found = start_lab("credit2", said.append, fresh=True)
    assert begun(world) == ["boots", "waits"] * 2
    assert found.saved_state == str(state)
    assert not (state / "mark").exists()


def test_two_labs_run_from_one_state_at_once(world, said, tmp_path, monkeypatch):
    first = start_lab("credit2", said.append)
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path / "other"))
    folders.lab_dir().mkdir(parents=True)
    (folders.lab_dir() / "images").symlink_to(world.images.parent)
    second = start_lab("credit2", said.append)
    assert begun(world) == ["boots", "waits", "waits"]
    assert (first.state, second.state) == (LabState.UP, LabState.UP)
    assert first.pid != second.pid
    assert first.ports["postgresql"] != second.ports["postgresql"]  # the one port on which the double listens
    LabEmulator(Path(first.console).parent).end()


def test_two_that_start_at_once_boot_once(world, said, tmp_path):
    """Both by the command, as two lanes of tests do."""
    home = tmp_path / "other"
    other = home / "cache" / "labs" / "xen"
    other.mkdir(parents=True)
    (other / "images").symlink_to(world.images.parent)
    words = [sys.executable, "-m", "scheduler", "lab", "xen", "up", "--json"]
    starts = [
        subprocess.Popen(words, env={**os.environ, **more}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for more in ({}, {"DOMTUNE_HOME": str(home)})
    ]
    answers = [json.loads(start.communicate(timeout=60)[0]) for start in starts]
    LabEmulator(other / "run").end()
    assert [(found["state"], Path(found["saved_state"]).resolve()) for found in answers] == [
        ("up", world.states[0])
    ] * 2
    assert sorted(begun(world)) == ["boots", "waits", "waits"]


def test_emulator_of_another_version_boots_and_the_old_state_is_dropped(world, said):
    start_lab("credit2", said.append)
    [old] = world.states
    world.end()
    world.is_version("QEMU emulator version 10.0.0")
    start_lab("credit2", said.append)
    assert begun(world) == ["boots", "waits"] * 2
    assert len(world.states) == 1
    assert world.states != [old]


@pytest.mark.parametrize("name", few(["vmlinuz"], ["dom0.host-key", "xen"]))
def test_start_with_images_built_again_boots(world, said, name):
    start_lab("credit2", said.append)
    world.end()
    (world.images / name).write_text("of another build\n")
    start_lab("credit2", said.append)
    assert begun(world) == ["boots", "waits"] * 2


def test_state_of_which_a_part_is_missing_is_made_again(world, said):
    start_lab("credit2", said.append)
    [state] = world.states
    world.end()
    (state / "memory").unlink()
    assert start_lab("credit2", said.append).saved_state == str(state)
    assert begun(world) == ["boots", "waits"] * 2


@pytest.mark.parametrize("fault", ["load", "answer"])
def test_state_that_does_not_come_up_is_dropped_and_the_lab_boots(world, said, fault, monkeypatch):
    monkeypatch.setattr(lab_start, "_RESUME_S", 0.0)
    start_lab("credit2", said.append)
    world.end()
    world.cannot(fault)
    found = start_lab("credit2", said.append)
    assert begun(world) == ["boots", "waits", "waits", "boots", "waits", "boots"]  # the new one is no better
    assert (found.state, found.saved_state) == (LabState.UP, "")
    assert "was booted" in found.text
    assert world.states == []
    assert any("is dropped" in line for line in said)


def test_state_that_cannot_be_written_costs_nothing(world, said):
    world.cannot("save")
    found = start_lab("credit2", said.append)
    assert (found.state, found.saved_state) == (LabState.UP, "")
    assert begun(world) == ["boots"]
    assert world.told[world.told.index("stop") :].count("cont") >= 1
    assert world.states == []
    assert any("no space left on device; the lab continues without a saved state" in line for line in said)


def test_without_qemu_img_the_lab_boots_from_the_images_and_reports_it(world, said):
    world.program("qemu-img", "#!/bin/sh\necho 'it says why' >&2; exit 1\n")
    found = start_lab("credit2", said.append)
    assert (found.state, found.saved_state) == (LabState.UP, "")
    assert world.starts == [f"boots credit2 {world.images}/dom0.img {world.images}/guest.img"]
    assert world.states == []
    assert any("it says why; every start will be a boot" in line for line in said)


def test_without_room_for_a_state_the_lab_boots_and_reports_both_figures(world, said, monkeypatch):
    monkeypatch.setattr("labs.xen.saved_states._NEED_MB", 10**9)
    assert start_lab("credit2", said.append).state is LabState.UP
    assert any("it needs 1000000000 MB" in line and "MB are free" in line for line in said)
    assert begun(world) == ["boots"]


def test_what_a_killed_start_left_is_removed_and_what_another_one_makes_is_not(world, said):
    start_lab("credit2", said.append)
    [state] = world.states
    world.end()
    killed, held = (state.with_name(f"{state.name}.new-{which}") for which in ("killed", "held"))
    killed.mkdir()
    held.mkdir()
    holder = os.open(held, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_SH)
    start_lab("credit2", said.append, fresh=True)
    os.close(holder)
    assert world.states == [state, held]


def test_fresh_start_that_fails_keeps_the_state_that_was_there(world, said, monkeypatch):
    start_lab("credit2", said.append)
    before = world.states
    world.end()
    monkeypatch.setattr("labs.xen.boot_steps._BOOT_S", 0.0)
    world.program("ssh", "#!/bin/sh\nexit 255\n")
    with pytest.raises(HostNotUsable, match="Dom0 does not answer by ssh"):
        start_lab("credit2", said.append, fresh=True)
    assert world.states == before


def test_state_is_not_taken_away_while_it_is_loaded(world, said):
    start_lab("credit2", said.append)
    [state] = world.states
    taker = threading.Thread(target=saved_states.drop_state, args=(state,))
    with saved_states.hold_state(state):
        taker.start()
        taker.join(0.2)
        assert saved_states.is_complete(state)
    taker.join(10)
    assert world.states == []
    with pytest.raises(HostNotUsable, match="cannot be held"), saved_states.hold_state(state):
        pytest.fail("held what is gone")


def test_start_that_fails_leaves_neither_an_emulator_nor_a_draft(world, said, monkeypatch):
    monkeypatch.setattr("labs.xen.boot_steps._BOOT_S", 0.0)
    world.program("ssh", "#!/bin/sh\nexit 255\n")
    with pytest.raises(HostNotUsable, match="Dom0 does not answer by ssh within 0 s"):
        start_lab("credit2", said.append)
    assert world.states == []
    assert LabEmulator(folders.running_dir()).pid() == 0
    assert not folders.running_dir().exists()
