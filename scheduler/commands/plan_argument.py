"""Plan that a command names: a file, one of DomTune's, or standard input."""

import sys
from pathlib import Path

from scheduler.errors import SpecError
from scheduler.files import path_exists
from scheduler.model.own_plans import list_own_plans, read_own_plan
from scheduler.model.plan_file import parse_plan, read_plan_file, read_plan_text
from scheduler.model.spec import RunSpec
from scheduler.translation import _

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
        source = _("standard input")
        if sys.stdin is None:  # None when Python starts with it closed
            raise SpecError(source, _("is closed"), hint=_("Give the path of a plan file, or pipe one in."))
        return parse_plan(read_plan_text(sys.stdin.buffer, source), source)
    if plan.endswith(_SUFFIX) or "/" in plan or path_exists(Path(plan)):
        return read_plan_file(Path(plan))
    if plan not in (names := list_own_plans()):
        hint = _("Give the path of a plan file, or one of these names: {names}.").format(names=", ".join(names))
        raise SpecError(plan, _("is neither a file nor the name of a plan"), hint=hint)
    return read_own_plan(plan)
