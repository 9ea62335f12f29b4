"""The parameters of a split that a run measured: what it set and read back, not what would be set today."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.host_properties import HostProperties
from scheduler.model.results import Results
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.setting import Setting, split_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import DomainId
from scheduler.shares.model_lookup import share_model_for_host

_RECOMPUTED = "run {run} does not say what {split} was set with: encoded anew, so these need not be what was measured"


class MeasuredParams(msgspec.Struct, frozen=True, kw_only=True):
    """What a split is set with.

    Attributes:
        params: Domain to its parameters.
        remark: That the run did not say them, and they were encoded anew; empty when they are what was measured.
    """

    params: Mapping[DomainId, SchedParams]
    remark: str = ""


def find_measured_params(results: Results, spec: RunSpec, facts: HostProperties, setting: Setting) -> MeasuredParams:
    """Return what a run set a split with; what is encoded anew on this host where the run does not say it.

    Args:
        results: The run's.
        spec: What it was to do.
        facts: The host on which the split is to be set.
        setting: One of its splits.

    Raises:
        SpecError: The split cannot be encoded on this host.
        HostNotUsable: DomTune cannot translate for its scheduler.
    """
    for point in results.points:
        if point.setting == setting and point.params:
            return MeasuredParams(params=point.params)
    split = split_of(setting)
    if split is None:
        raise SpecError("split", f"{setting.label} is no split", hint="Name a measured split.")
    encoding = share_model_for_host(facts).encode(split, spec.mode, spec.period_us)
    remark = _RECOMPUTED.format(run=results.run_id, split=setting.label)
    return MeasuredParams(params=dict(encoding.params), remark=remark)


def refuse_other_scheduler(run_id: str, then: HostProperties, now: HostProperties) -> None:
    """Refuse a host that schedules otherwise now, where what was measured means something else; raises SpecError."""
    if then.scheduler != now.scheduler:
        raise SpecError(
            "host",
            f"run {run_id} measured it under {then.scheduler}, but its scheduler is {now.scheduler} now",
            hint="Start the host with that scheduler, or sweep it again.",
        )


def refuse_more_cpus(run_id: str, then: HostProperties, now: HostProperties) -> None:
    """Refuse caps that were measured on one CPU where the domains may run on several now.

    Args:
        run_id: The run that measured the caps.
        then: The host as it was measured.
        now: The host on which the caps are to be set.

    Raises:
        SpecError: The caps would take nearly all CPU time from the domains.
    """
    before, after = (len({cpu for domain in facts.domains for cpu in domain.cpus}) for facts in (then, now))
    if before <= 1 < after:
        raise SpecError(
            "host",
            f"run {run_id} measured caps on one CPU, but the domains may run on {after} CPUs now: "
            "capped, they would use at most one of these together",
            hint="Pin both domains to one CPU as in the sweep, or sweep weights (mode = 'weights').",
        )
