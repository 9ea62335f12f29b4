"""Lookup of share models by the name of a scheduler."""

from importlib import import_module

from scheduler.errors import HostNotUsable, SpecError
from scheduler.model.host_kinds import HOST_KINDS
from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import Credit2Params, CreditParams
from scheduler.model.spec import Mode
from scheduler.model.split import Settable, Split
from scheduler.shares.cgroup import build_cgroup_models
from scheduler.shares.credit import CreditModel
from scheduler.shares.emulator import EmulatorModel
from scheduler.shares.libvirt import build_libvirt_models
from scheduler.shares.rtds import RtdsModel
from scheduler.shares.sedf import SedfModel
from scheduler.shares.share_model import HostMachine, ShareModel, build_host_machine
from scheduler.translation import _

SEDF = "sedf"  # `xl` takes whole milliseconds
SEDF_XM = "sedf-xm"  # the historic `xm` takes fractions of a millisecond


def build_share_models(machine: HostMachine) -> dict[str, ShareModel]:
    """Return every share model for a machine, by the name of its scheduler."""
    names = (kind.share_models for kind in HOST_KINDS.values() if kind.share_models)
    all_models: tuple[ShareModel, ...] = (
        *build_cgroup_models(machine),
        CreditModel(CreditParams, machine),
        CreditModel(Credit2Params, machine),
        RtdsModel(machine),
        SedfModel(SEDF, machine, step_us=1_000),
        SedfModel(SEDF_XM, machine, step_us=1),
        *build_libvirt_models(machine),
        EmulatorModel(machine),
        *(model for name in names for model in import_module(name).build_models(machine)),
    )
    return {model.name: model for model in all_models}


def find_share_model(name: str, machine: HostMachine | None = None) -> ShareModel:
    """Return the share model of a scheduler.

    Args:
        name: Name of the scheduler in the host's properties.
        machine: The host's vCPUs and scheduler settings; None for one vCPU per domain and Xen's defaults.

    Raises:
        HostNotUsable: DomTune has no share model for this scheduler.
    """
    known = build_share_models(machine or HostMachine())
    if name not in known:
        names = ", ".join(sorted(known))
        raise HostNotUsable(
            _("no share model for the scheduler {name!r}").format(name=name),
            hint=_("Known: {names}.").format(names=names),
        )
    return known[name]


def share_model_for_host(facts: HostProperties) -> ShareModel:
    """Return the share model for a host; raise HostNotUsable without one."""
    return find_share_model(facts.scheduler, build_host_machine(facts))


def build_settable_check(facts: HostProperties, mode: Mode, period_us: int) -> Settable:
    """Return a check whether a host can be set to a split without a warning.

    The check is for splits that the user did not ask for. The check returns False for a split with a warning or an
    error, and for a host without a share model.

    Args:
        facts: Properties of the host.
        mode: The plan's mode.
        period_us: Period of caps, microseconds, where the scheduler takes one.
    """
    model = build_share_models(build_host_machine(facts)).get(facts.scheduler)

    def fits(split: Split) -> bool:
        try:
            return model is not None and not model.encode(split, mode, period_us).warnings
        except SpecError:
            return False

    return fits
