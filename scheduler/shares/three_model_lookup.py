"""Splits of three: which model sets the I/O domain and two guests, by the scheduler that divides the CPU among them."""

from scheduler.errors import HostNotUsable
from scheduler.model.scheduler_params import CGROUP_V1, CGROUP_V2, Credit2Params, CreditParams
from scheduler.shares.share_model import HostMachine
from scheduler.shares.three_cgroup import CgroupThreeModel
from scheduler.shares.three_credit import CreditThreeModel
from scheduler.shares.three_model import ThreeModel
from scheduler.shares.three_rtds import RtdsThreeModel


def find_three_model(scheduler: str, machine: HostMachine | None = None) -> ThreeModel:
    """Return the model of three domains for a scheduler.

    Args:
        scheduler: As a host's facts name it.
        machine: The host's vCPUs and scheduler settings; None for one vCPU per domain and Xen's defaults.

    Raises:
        HostNotUsable: It cannot divide the CPU among three.
    """
    known = machine or HostMachine()
    models: dict[str, ThreeModel] = {
        **{limits.scheduler: CgroupThreeModel(limits) for limits in (CGROUP_V1, CGROUP_V2)},
        "credit": CreditThreeModel(CreditParams, known),
        "credit2": CreditThreeModel(Credit2Params, known),
        "rtds": RtdsThreeModel(known),
    }
    if scheduler not in models:
        problem = f"the scheduler {scheduler!r} cannot be divided among three domains"
        raise HostNotUsable(problem, hint="Take local:, or a Xen host with credit, credit2 or rtds.")
    return models[scheduler]
