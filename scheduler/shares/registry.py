"""Name of a scheduler to its share model."""

from scheduler.errors import HostNotUsable, SpecError
from scheduler.model.facts import HostFacts
from scheduler.model.spec import Mode
from scheduler.model.split import Settable, Split
from scheduler.shares.base import Machine, ShareModel, machine_of
from scheduler.shares.cgroup import MODELS
from scheduler.shares.credit import Credit2Model, CreditModel
from scheduler.shares.emulator import EmulatorModel
from scheduler.shares.libvirt import libvirt_models
from scheduler.shares.rtds import RtdsModel
from scheduler.shares.sedf import SedfModel

SEDF = "sedf"  # set by `xl`, in whole milliseconds
SEDF_XM = "sedf-xm"  # set by the historic `xm`, in fractions of a millisecond


def models(machine: Machine) -> dict[str, ShareModel]:
    """Return every share model for a machine, by the name of its scheduler."""
    all_models: tuple[ShareModel, ...] = (
        *MODELS,
        CreditModel(machine),
        Credit2Model(machine),
        RtdsModel(machine),
        SedfModel(SEDF, machine, step_us=1_000),
        SedfModel(SEDF_XM, machine, step_us=1),
        *libvirt_models(machine),
        EmulatorModel(machine),
    )
    return {model.name: model for model in all_models}


def model_for(name: str, machine: Machine | None = None) -> ShareModel:
    """Return the share model of a scheduler.

    Args:
        name: The scheduler, as a host's facts name it.
        machine: The host's vCPUs and scheduler settings; None for one vCPU per domain and Xen's defaults.

    Raises:
        HostNotUsable: DomTune cannot translate for this scheduler.
    """
    known = models(machine or Machine())
    if name not in known:
        names = ", ".join(sorted(known))
        raise HostNotUsable(f"no share model for the scheduler {name!r}", hint=f"Known: {names}.")
    return known[name]


def model_of(facts: HostFacts) -> ShareModel:
    """Return the share model for a host as found; raises HostNotUsable."""
    return model_for(facts.scheduler, machine_of(facts))


def settable_on(facts: HostFacts, mode: Mode, period_us: int) -> Settable:
    """Return what tells whether a host, as found, can be set to a split that nobody asked for.

    It cannot where a person would have to be warned of the split first, or where nobody can translate for the host.
    """
    model = models(machine_of(facts)).get(facts.scheduler)

    def fits(split: Split) -> bool:
        try:
            return model is not None and not model.encode(split, mode, period_us).warnings
        except SpecError:
            return False

    return fits
