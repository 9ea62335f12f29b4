import pytest

from scheduler.errors import SpecError
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.model.plan_file import parse_plan
from scheduler.studies.study_meeting import meet_host


def met(query: str, keys: str):
    host = open_host(f"sim:?{query}", ignore_command)
    return meet_host(parse_plan(f'host = "sim:?{query}"\n{keys}'), host, host.facts())


def test_meet_host_of_one_cpu_changes_nothing():
    found = met("scheduler=credit2", "")
    assert found.facts == open_host("sim:?scheduler=credit2", ignore_command).facts()
    assert found.warnings == ()
    assert {load.users for load in found.spec.loads} == {5}


def test_meet_host_confines_domains_to_the_shared_set():
    found = met("cpus=8&io_vcpus=2&guest_vcpus=4&scheduler=credit2", 'mode = "dedicated"\n')
    assert found.facts.confined
    assert found.facts.shared_cpus == (0, 1, 2, 3, 4, 5)
    assert [setting.label for setting in found.spec.settings] == ["1:5", "2:4", "3:3", "4:2", "5:1"]
    assert {load.users for load in found.spec.loads} == {24}


@pytest.mark.parametrize(
    ("keys", "left", "says"),
    [
        ('mode = "dedicated"\nsplits = ["1:1", "2:2", "1:3"]\n', ["1:1", "1:3"], "2:2 is excluded"),
        ('splits = ["1:3", "1:1", "2:2"]\n', ["1:3", "1:1"], "2:2 is excluded"),
    ],
)
def test_meet_host_drops_splits_of_one_effect(keys, left, says):
    found = met("cpus=4&scheduler=credit2", keys)
    assert [setting.label for setting in found.spec.settings] == left
    assert says in found.warnings[-1]


def test_meet_host_refuses_split_of_half_cpus():
    with pytest.raises(SpecError, match="not whole CPUs"):
        met("cpus=4&scheduler=credit2", 'mode = "dedicated"\nsplits = ["1:2"]\n')


@pytest.mark.parametrize(
    ("query", "users", "warned"), [("cpus=8", 15, True), ("cpus=8", 16, False), ("scheduler=credit2", 1, False)]
)
def test_meet_host_warns_of_users_that_cannot_fill_the_cpus(query, users, warned):
    found = met(query, f'[[load]]\nkind = "osdb-ir"\nusers = {users}\n')
    says = [text for text in found.warnings if "cannot fill 8 CPUs" in text]
    assert says == ["15 users (IR) cannot fill 8 CPUs, so many splits may be alike: take 16 users or more"] * warned


@pytest.mark.parametrize(
    ("query", "mode", "warned"), [("cpus=4", "caps", 1), ("cpus=4", "dedicated", 0), ("", "caps", 0)]
)
def test_budgets_of_rtds_on_several_cpus_are_no_guarantee(query, mode, warned):
    found = met(f"{query}&scheduler=rtds".lstrip("&"), f'mode = "{mode}"\n')
    assert sum("admits budgets without a test: on 4 CPUs" in text for text in found.split_warnings) == warned
