"""Plans that run all loads in one trial, or each load in trials of its own.

One trial for two loads takes half the time, but answers another question.
"""

import msgspec

from app.wizard.mix_fields import MIX
from app.wizard.plan_texts import time_needed
from scheduler.model.host_kinds import is_simulated
from scheduler.model.load_name import LoadName
from scheduler.model.spec import RunSpec
from scheduler.translation import _


def one_trial_plan(spec: RunSpec) -> RunSpec | None:
    """Return the plan with all loads in one trial; None if no loads run separately.

    Args:
        spec: Plan of the split study whose clients run on this computer.
    """
    if len(spec.loads) < 2 or len(spec.mixes) < len(spec.loads):
        return None
    return _rename_loads(spec, MIX)


def separate_trials_plan(spec: RunSpec) -> RunSpec | None:
    """Return the plan with separate trials per load; None without one common mix."""
    if len(spec.loads) < 2 or len(spec.mixes) != 1:
        return None
    return _rename_loads(spec, "")


def _rename_loads(spec: RunSpec, mix: str) -> RunSpec:
    names: dict[str, LoadName] = {load.name: LoadName(load.kind, mix) for load in spec.loads}
    objective = spec.objective
    if objective.load in names:
        objective = msgspec.structs.replace(objective, load=names[objective.load])
    return msgspec.structs.replace(
        spec,
        loads=tuple(msgspec.structs.replace(load, mix=mix) for load in spec.loads),
        weights={names[name]: weight for name, weight in spec.weights.items()},
        objective=objective,
    )


def way_texts(loads: int) -> dict[str, tuple[str, str]]:
    """Return title and meaning of both ways to run loads, by the name of the mix.

    The name is empty for one load after the other.

    Args:
        loads: Number of loads, >= 2.
    """
    short = _("Both in one trial") if loads == 2 else _("All in one trial")
    time = {2: _("Takes half the time."), 3: _("Takes a third of the time.")}.get(loads, _("Takes far less time."))
    means = _("The result shows the effect of a split on the mix of the loads, which is closer to most real hosts.")
    apart = _("The result shows the best split for each load, and for all.")
    return {"": (_("One after the other"), apart), MIX: (short, f"{time} {means}")}


def ways_sentence(spec: RunSpec) -> str:
    """Return the time of both ways to run a plan's loads; empty for only one way."""
    if not spec.kind.recommends_split or is_simulated(spec.host_url) or spec.clients.remote:
        return ""
    apart, together = separate_trials_plan(spec) or spec, one_trial_plan(spec) or spec
    if apart == together:
        return ""
    words = _("One load after the other: {apart}. {short}: {together}, and the result is for the mix of the loads.")
    short, _unused = way_texts(len(spec.loads))[MIX]
    return words.format(apart=time_needed(apart), short=short, together=time_needed(together))
