"""List the hosts with an applied split, for `domtune apply --list` and `domtune revert --list`."""

from scheduler import places
from scheduler.commands.answers import answered
from scheduler.commands.applied import applied_hosts
from scheduler.commands.restore_word import item_words
from scheduler.commands.restoring import blank
from scheduler.errors import SchedulerError
from scheduler.model.probe import Restored


def told(*, as_json: bool) -> int:
    """Print the hosts with an applied split."""
    return answered(list_applied, _list_words, _list_refusal, as_json=as_json)


def list_applied() -> Restored:
    """Return the hosts on which something is applied, with what `revert` would put back; touches nothing."""
    items = applied_hosts()
    return Restored(clean=not items, items=items)


def _list_words(answer: Restored) -> list[str]:
    if not answer.items:
        return [f"Nothing is applied: no record is in {places.applied_dir()}."]
    return [line for item in answer.items for line in item_words(item)]


def _list_refusal(error: SchedulerError) -> Restored:
    return Restored(clean=False, items=(blank(error),))
