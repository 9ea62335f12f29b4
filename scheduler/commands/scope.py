"""Starting anew inside a delegated scope, where an ordinary user needs one to make control groups."""

import logging
import os
from collections.abc import Sequence

from scheduler.children import path_to_us, python_module
from scheduler.hosts.registry import start_words

log = logging.getLogger(__name__)

_WORDS = frozenset({"run", "core", "probe", "apply"})  # `restore` and `revert` know where the groups are
_ONCE = "DOMTUNE_SCOPED"


def enter_scope(word: str, argv: Sequence[str]) -> None:
    """Become `systemd-run --user --scope ... python -m scheduler ARGV` where that is needed; else return.

    Standard streams, process id and exit code stay ours: systemd-run registers the scope and then executes us.
    """
    if word not in _WORDS or _ONCE in os.environ:
        return
    words = start_words()
    if not words:
        return
    log.info("starting in a delegated scope: %s", " ".join(words))
    os.environ[_ONCE] = "1"  # where delegation does not help, say so instead of trying for ever
    os.environ.update(path_to_us())
    os.execvp(words[0], [*words, *python_module("scheduler", *argv)])
