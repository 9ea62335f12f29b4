"""Plans that come with DomTune."""

from importlib.resources import files

from scheduler.model.plan_file import parse_plan
from scheduler.model.spec import RunSpec

_SUFFIX = ".toml"


def list_own_plans() -> list[str]:
    """Return the names of the plans that come with DomTune, sorted."""
    names = (entry.name for entry in files("resources").joinpath("plans").iterdir())
    return sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX))


def read_own_plan(name: str) -> RunSpec:
    """Return a plan that comes with DomTune.

    Args:
        name: One of `list_own_plans`.
    """
    text = files("resources").joinpath("plans", name + _SUFFIX).read_text(encoding="utf-8")
    return parse_plan(text, name)
