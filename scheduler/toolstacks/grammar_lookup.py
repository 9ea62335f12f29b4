"""Lookup of a scheduler's grammar by its name."""

from scheduler.errors import HostNotUsable
from scheduler.model.scheduler_params import Credit2Params, CreditParams
from scheduler.toolstacks.credit_grammar import CreditGrammar
from scheduler.toolstacks.rtds_grammar import RtdsGrammar
from scheduler.toolstacks.sedf_grammar import SedfGrammar
from scheduler.toolstacks.xen_tool import SchedulerGrammar
from scheduler.translation import _

_GRAMMARS: dict[str, SchedulerGrammar] = {
    "credit": CreditGrammar("sched-credit", CreditParams),
    "credit2": CreditGrammar("sched-credit2", Credit2Params),
    "rtds": RtdsGrammar(),
    "sedf": SedfGrammar(),
}

SCHEDULERS = tuple(_GRAMMARS)


def has_parameters(scheduler: str) -> bool:
    """Return True when a scheduler has parameters that divide the CPU."""
    return scheduler in _GRAMMARS


def find_grammar(scheduler: str) -> SchedulerGrammar:
    """Return a scheduler's grammar.

    Raises:
        HostNotUsable: The scheduler has no parameters for domains.
    """
    if not has_parameters(scheduler):
        raise HostNotUsable(
            _(
                "the domains run under the scheduler '{scheduler}', which has no parameters to divide the CPU with"
            ).format(scheduler=scheduler),
            hint=_("Boot Xen with sched=credit2, or use a CPU pool with one of: {grammars}.").format(
                grammars=", ".join(_GRAMMARS)
            ),
        )
    return _GRAMMARS[scheduler]
