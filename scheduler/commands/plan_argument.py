"""Plan that a command names: a file, or standard input."""

import sys
from pathlib import Path

from scheduler.errors import SpecError
from scheduler.model.plan_file import parse_plan, read_plan_file, read_plan_text
from scheduler.model.spec import RunSpec


def read_named_plan(plan: str) -> RunSpec:
    """Return a plan.

    Args:
        plan: Path of a TOML file, or `-` for standard input.

    Raises:
        SpecError: The plan cannot be read.
    """
    if plan != "-":
        return read_plan_file(Path(plan))
    source = "standard input"
    if sys.stdin is None:  # None when Python starts with it closed
        raise SpecError(source, "is closed", hint="Give the path of a plan file, or pipe one in.")
    return parse_plan(read_plan_text(sys.stdin.buffer, source), source)
