"""An installed copy has its plans and the helper for control groups."""

from importlib.resources import files
from pathlib import Path

import pytest

from scheduler.commands.plan_argument import read_named_plan
from scheduler.errors import SpecError
from scheduler.hosts.local import cgroup_rights
from scheduler.model.own_plans import list_own_plans


def test_helper_comes_with_the_package():
    helper = Path(str(files("resources"))) / "helper/domtune-cgroups"
    assert helper.read_text(encoding="utf-8").startswith("#!/bin/sh")
    assert str(helper) in cgroup_rights.helper_command("create", Path("/nowhere/domtune-cgroups"))


def test_run_finds_own_plans_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert {"quick-simulated", "quick-local"} <= set(list_own_plans())
    for name in list_own_plans():
        assert read_named_plan(name).name
    Path("quick-simulated").write_text('name = "mine"', encoding="utf-8")
    with pytest.raises(SpecError, match="host"):  # a file wins over a name
        read_named_plan("quick-simulated")


def test_run_lists_names_of_plans_when_name_is_unknown():
    with pytest.raises(SpecError, match="neither a file nor the name of a plan") as caught:
        read_named_plan("quick-sim")
    assert "quick-simulated" in str(caught.value.hint)
