"""Plans are passed around, and some name a program to be run here: no such plan is run unseen."""

import os

from scheduler.errors import SpecError
from scheduler.model.load_kinds import KINDS
from scheduler.model.spec import RunSpec

_RUNS_NOTHING = ("sim", "fake")  # loads there are simulated or made up, whatever they are called


def commands_of(spec: RunSpec) -> tuple[str, ...]:
    """Return the command lines that a sweep would run because its plan says so."""
    if spec.host_url.partition(":")[0] in _RUNS_NOTHING:
        return ()
    named = ((load, KINDS[load.kind].runs) for load in spec.loads)
    return tuple(dict.fromkeys(str(load.values[parameter]) for load, parameter in named if parameter))


def rights() -> str:
    """Return as whom commands would be run."""
    return "as root" if os.geteuid() == 0 else "with your rights"


def refuse_unseen(spec: RunSpec, *, agreed: bool) -> None:
    """Refuse a sweep whose plan names a command that nobody has agreed to; raises SpecError, which shows it."""
    commands = commands_of(spec)
    if commands and not agreed:
        told = "; ".join(commands)
        raise SpecError(
            "load.command",
            f"the plan has a command run on this computer, {rights()}: {told}",
            hint="Read it. If that is what you want: add --allow-command.",
        )
