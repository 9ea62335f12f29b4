"""Ready-made plans that end soon."""

from pathlib import Path

import pytest

from scheduler.model.plan_file import read_plan_file
from scheduler.model.studies import STUDIES
from scheduler.plans.study_plan import duration_s

_FOLDER = Path("resources/plans")
_MOST_S = 300


def test_short_plans_exist_for_each_study():
    names = {path.stem.removeprefix("short-") for path in _FOLDER.glob("short-*.toml")}
    assert {name for name in names if not name.endswith("-simulated")} == set(STUDIES)


@pytest.mark.parametrize("study", STUDIES)
def test_short_plan_ends_within_five_minutes(study):
    spec = read_plan_file(_FOLDER / f"short-{study}.toml")
    assert spec.kind.name == study
    assert spec.host_url == "local:"
    assert duration_s(spec)[1] <= _MOST_S


@pytest.mark.parametrize("study", STUDIES)
def test_short_plan_is_named_in_the_reference(study):
    assert f"`short-{study}`" in Path("docs/reference/plan-file.md").read_text()
