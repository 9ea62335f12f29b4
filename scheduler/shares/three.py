"""Splits of three: which model sets the I/O domain and two guests, by the scheduler that divides the CPU among them."""

from scheduler.errors import HostNotUsable
from scheduler.model.params import CGROUP_V1, CGROUP_V2, Credit2Params, CreditParams
from scheduler.shares.base import Machine
from scheduler.shares.three_base import ThreeModel
from scheduler.shares.three_credit import CreditOfThree
from scheduler.shares.three_groups import GroupsOfThree
from scheduler.shares.three_rtds import RtdsOfThree


def three_for(scheduler: str, machine: Machine | None = None) -> ThreeModel:
    """Return the model of three domains for a scheduler.

    Args:
        scheduler: As a host's facts name it.
        machine: The host's vCPUs and scheduler settings; None for one vCPU per domain and Xen's defaults.

    Raises:
        HostNotUsable: It cannot divide the CPU among three.
    """
    known = machine or Machine()
    models: dict[str, ThreeModel] = {
        **{limits.scheduler: GroupsOfThree(limits) for limits in (CGROUP_V1, CGROUP_V2)},
        "credit": CreditOfThree(CreditParams, known),
        "credit2": CreditOfThree(Credit2Params, known),
        "rtds": RtdsOfThree(known),
    }
    if scheduler not in models:
        problem = f"the scheduler {scheduler!r} cannot be divided among three domains"
        raise HostNotUsable(problem, hint="Take local:, or a Xen host with credit, credit2 or rtds.")
    return models[scheduler]
