"""Plans that follow from an answer: a longer run of its contenders, and a run that measures the proposed split."""

import msgspec

from scheduler.model.protocols import PROTOCOLS, STANDARD_PROTOCOL
from scheduler.model.results import Recommendation
from scheduler.model.setting import Setting
from scheduler.model.spec import RunSpec

_AGAIN = ", longer"


def longer_run(spec: RunSpec, answer: Recommendation) -> RunSpec:
    """Return a plan that compares the contenders again: twice the trials, three times the window, another order.

    After a calibration there are none yet: a sweep of every split finds them. After an adaptive sweep every contender
    is measured as often as the others, with longer windows. The original settings are among them: without their rates
    no gain can be stated.
    """
    if spec.is_calibration:
        return msgspec.structs.replace(spec, protocol=PROTOCOLS[STANDARD_PROTOCOL], weights=dict(answer.weights))
    likely = {row.setting for row in answer.regret if row.p_worse < 0.95}
    found = (
        answer.setting,
        answer.runner_up,
        *answer.equivalent,
        *answer.possible,
        *likely,
        *_reference_splits(answer),
    )
    wanted = {setting for setting in found if setting is not None}
    added = sorted(wanted - set(spec.settings), key=lambda setting: setting.label)
    settings = (*(setting for setting in spec.settings if setting in wanted), *added)
    protocol = PROTOCOLS["grid"] if spec.adapts else spec.protocol
    longer = msgspec.structs.replace(
        protocol, repeats=min(1000, 2 * protocol.repeats), measure_s=min(86_400, 3 * protocol.measure_s)
    )
    weights = dict(answer.weights)
    name = _longer_name(spec.name)
    return msgspec.structs.replace(
        spec, name=name, settings=settings, protocol=longer, weights=weights, seed=spec.seed + 1, baseline=True
    )


def confirming_run(spec: RunSpec, answer: Recommendation) -> RunSpec:
    """Return a plan that compares the proposed split with the best measured split and the original settings.

    Without a proposal return the plan unchanged.
    """
    if answer.proposal is None:
        return spec
    protocol = spec.protocol if spec.adapts else PROTOCOLS[STANDARD_PROTOCOL]
    return msgspec.structs.replace(
        spec,
        settings=(answer.regret[0].setting, answer.proposal.setting),
        protocol=msgspec.structs.replace(protocol, refine=False),
        weights=dict(answer.weights),
        seed=spec.seed + 1,
        baseline=True,
    )


def _longer_name(name: str) -> str:
    """Return the name of the longer run; empty for a sweep without a name."""
    return name if not name or name.endswith(_AGAIN) else f"{name}{_AGAIN}"


def _reference_splits(answer: Recommendation) -> set[Setting]:
    """Return the splits that may be a load's own best, where others are compared with that."""
    if answer.objective.weighs:
        return set()
    zone = answer.indifference_frac
    return {row.setting for row in answer.regret if any(loss <= zone for loss in row.loss_frac.values())}
