"""List of hosts with an applied split, for `domtune apply` and `domtune revert`."""

from scheduler import places
from scheduler.commands.applied_splits import list_applied_hosts
from scheduler.commands.command_output import print_answer
from scheduler.commands.pending_restores import error_item
from scheduler.commands.restore_command import item_words
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import RestoreResult
from scheduler.translation import _


def print_applied(*, as_json: bool) -> int:
    """Print the hosts with an applied split."""
    return print_answer(list_applied, _list_words, _list_refusal, as_json=as_json)


def list_applied() -> RestoreResult:
    """Return the hosts with an applied split and their original values.

    Change nothing.
    """
    items = list_applied_hosts()
    return RestoreResult(clean=not items, items=items)


def _list_words(answer: RestoreResult) -> list[str]:
    if not answer.items:
        return [_("No split is applied: there is no record in {applied_dir}.").format(applied_dir=places.applied_dir())]
    return [line for item in answer.items for line in item_words(item)]


def _list_refusal(error: SchedulerError) -> RestoreResult:
    return RestoreResult(clean=False, items=(error_item(error),))
