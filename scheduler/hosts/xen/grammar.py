"""Name of a pool's scheduler to its grammar."""

from scheduler.errors import HostNotUsable
from scheduler.hosts.xen.credit import CreditGrammar
from scheduler.hosts.xen.rtds import RtdsGrammar
from scheduler.hosts.xen.sedf import SedfGrammar
from scheduler.hosts.xen.tool import Grammar
from scheduler.model.params import Credit2Params, CreditParams

_GRAMMARS: dict[str, Grammar] = {
    "credit": CreditGrammar("sched-credit", CreditParams),
    "credit2": CreditGrammar("sched-credit2", Credit2Params),
    "rtds": RtdsGrammar(),
    "sedf": SedfGrammar(),
}

SCHEDULERS = tuple(_GRAMMARS)


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
