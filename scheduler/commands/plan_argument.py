"""Plan that a command names: a file, one of DomTune's, or standard input."""

import sys
from importlib.resources import files
from pathlib import Path

from scheduler.errors import SpecError
from scheduler.files import path_exists
from scheduler.model.plan_file import parse_plan, read_plan_file, read_plan_text
from scheduler.model.spec import RunSpec

_SUFFIX = ".toml"


def read_named_plan(plan: str) -> RunSpec:
    """Return a plan.

    Args:
        plan: Path of a TOML file, name of a plan that comes with DomTune, or `-` for standard input. A file wins over
            a name.

    Raises:
        SpecError: The plan cannot be read.
    """
    if plan == "-":
        source = "standard input"
        if sys.stdin is None:  # None when Python starts with it closed
            raise SpecError(source, "is closed", hint="Give the path of a plan file, or pipe one in.")
        return parse_plan(read_plan_text(sys.stdin.buffer, source), source)
    if plan.endswith(_SUFFIX) or "/" in plan or path_exists(Path(plan)):
        return read_plan_file(Path(plan))
    if plan not in (names := list_own_plans()):
        hint = f"Give the path of a plan file, or one of these names: {', '.join(names)}."
        raise SpecError(plan, "is neither a file nor the name of a plan", hint=hint)
    return parse_plan(files("resources").joinpath("plans", plan + _SUFFIX).read_text(encoding="utf-8"), plan)


def list_own_plans() -> list[str]:
    """Return the names of the plans that come with DomTune, sorted."""
    names = (entry.name for entry in files("resources").joinpath("plans").iterdir())
    return sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX))
