"""`domtune restore`: put back hosts that a broken sweep left changed."""

import argparse
import time

from scheduler.commands.answers import print_json, print_lines
from scheduler.commands.exits import Exit
from scheduler.commands.restoring import list_armed, restore_all
from scheduler.model.probe import Restored, RestoreItem


def restore(arguments: argparse.Namespace) -> int:
    """Restore, or list; exit code 0 only when nothing is left to restore."""
    answer = list_armed() if arguments.list else restore_all()
    if arguments.json:
        print_json(answer)
    else:
        print_lines(*_words(answer))
    return Exit.DONE if answer.clean else Exit.NOT_RESTORED


def _words(answer: Restored) -> list[str]:
    if not answer.items:
        return ["Nothing to restore: no host was left changed."]
    return [line for item in answer.items for line in _item_words(item)]


def _item_words(item: RestoreItem) -> list[str]:
    changed = time.strftime(" (changed %Y-%m-%d %H:%M)", time.localtime(item.armed_unix_s))
    originals = [f"  {domain}: {original}" for domain, original in item.would_write.items()]
    name = f"{item.host or 'a host'} ({item.host_id})"
    return [f"{name}: {item.state} - {item.text}{changed if item.armed_unix_s else ''}", *originals]
