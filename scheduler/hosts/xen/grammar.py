"""Name of a pool's scheduler to its grammar."""

from scheduler.errors import HostNotUsable
from scheduler.hosts.xen.credit import Weighted
from scheduler.hosts.xen.rtds import Rtds
from scheduler.hosts.xen.sedf import Sedf
from scheduler.hosts.xen.tool import Grammar
from scheduler.model.params import Credit2Params, CreditParams

_GRAMMARS: dict[str, Grammar] = {
    "credit": Weighted("sched-credit", CreditParams),
    "credit2": Weighted("sched-credit2", Credit2Params),
    "rtds": Rtds(),
    "sedf": Sedf(),
}


def knows(scheduler: str) -> bool:
    """Return True when a scheduler has parameters to divide the CPU with."""
    return scheduler in _GRAMMARS


def grammar_for(scheduler: str) -> Grammar:
    """Return a scheduler's grammar; raises HostNotUsable for one without parameters for domains."""
    if not knows(scheduler):
        raise HostNotUsable(
            f"the domains run under the scheduler '{scheduler}', which has no parameters to divide the CPU with",
            hint=f"Boot Xen with sched=credit2, or use a CPU pool with one of: {', '.join(_GRAMMARS)}.",
        )
    return _GRAMMARS[scheduler]
