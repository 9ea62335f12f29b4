"""Parameters that a run set and read back for a split."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.host_properties import HostProperties
from scheduler.model.results import Results
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.setting import split_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import DomainId
from scheduler.model.studies import Setting
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.translation import _

_RECOMPUTED = _("run {run} has no parameters for {split}: recomputed, so they may differ from the measured parameters")
_PLACES = _("A sweep places the domains itself.")
_SWEEP_AGAIN = _("Sweep this host again as it is now. {places}").format(places=_PLACES)


class MeasuredParams(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of a split, as measured or recomputed.

    Attributes:
        params: Parameters by domain.
        remark: Remark that the parameters were recomputed; empty for parameters from the run.
    """

    params: Mapping[DomainId, SchedParams]
    remark: str = ""


def find_measured_params(results: Results, spec: RunSpec, facts: HostProperties, setting: Setting) -> MeasuredParams:
    """Return a run's parameters of a split; recompute them when they are not recorded.

    Args:
        results: Results of the run.
        spec: Specification of the run.
        facts: The host on which the split is to be set.
        setting: One of the run's splits.

    Raises:
        SpecError: The split cannot be encoded on this host.
        HostNotUsable: DomTune has no share model for the host's scheduler.
    """
    for point in results.points:
        if point.setting == setting and point.params:
            return MeasuredParams(params=point.params)
    split = split_of(setting)
    if split is None:
        raise SpecError("split", _("{label} is no split").format(label=setting.label), hint=_("Name a measured split."))
    encoding = share_model_for_host(facts).encode(split, spec.mode, spec.period_us)
    remark = _RECOMPUTED.format(run=results.run_id, split=setting.label)
    return MeasuredParams(params=dict(encoding.params), remark=remark)


def refuse_other_scheduler(run_id: str, then: HostProperties, now: HostProperties) -> None:
    """Raise SpecError when the host's scheduler changed since the measurement.

    The measured parameters mean something else under another scheduler.

    Args:
        run_id: The run that measured the split.
        then: Properties of the host during the run.
        now: Present properties of the host.
    """
    if then.scheduler != now.scheduler:
        raise SpecError(
            "host",
            _("run {run_id} measured it under {scheduler}, but its scheduler is {scheduler_2} now").format(
                run_id=run_id, scheduler=then.scheduler, scheduler_2=now.scheduler
            ),
            hint=_("Start the host with that scheduler, or sweep it again."),
        )


def require_placement(run_id: str, then: HostProperties, now: HostProperties) -> None:
    """Refuse a split whose domains the host cannot place as during its measurement.

    Args:
        run_id: The run that measured the split.
        then: Properties of the host during the run.
        now: Present properties of the host.

    Raises:
        SpecError: The sweep confined the domains, and the host cannot confine them to these CPUs now.
    """
    if not then.confined:
        return
    cpus = format_cpu_list(then.shared_cpus)
    problem = _("run {run_id} confined the domains to CPU {cpus}").format(run_id=run_id, cpus=cpus)
    if not now.placement.possible:
        raise SpecError(
            "host",
            _("{problem}, and they cannot be placed now: {why}").format(problem=problem, why=now.placement.why),
            hint=_SWEEP_AGAIN,
        )
    if closed := set(then.shared_cpus) - set(now.placement.choices):
        problem += _(", and CPU {closed} is not open to them now: it is missing, offline or in another pool").format(
            closed=format_cpu_list(closed)
        )
        raise SpecError("host", problem, hint=_("Bring the CPU back. {sweep_again}").format(sweep_again=_SWEEP_AGAIN))


def refuse_more_cpus(run_id: str, then: HostProperties, now: HostProperties) -> None:
    """Refuse caps measured on one CPU when the domains may now run on several.

    Args:
        run_id: The run that measured the caps.
        then: Properties of the host during the run.
        now: Present properties of the host on which the caps are to be set.

    Raises:
        SpecError: The caps would take nearly all CPU time from the domains.
    """
    if then.confined:  # the domains are confined again
        return
    before, after = (len({cpu for domain in facts.domains for cpu in domain.cpus}) for facts in (then, now))
    if before <= 1 < after:
        raise SpecError(
            "host",
            _(
                "run {run_id} measured caps on one CPU, but the domains may run on {after} CPUs now: "
                "capped, they would use at most one of these together"
            ).format(run_id=run_id, after=after),
            hint=_SWEEP_AGAIN,
        )
