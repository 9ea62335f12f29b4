"""Whether a server that does not start blames its data: only then are they kept aside and made anew.

PostgreSQL gives no code for it, only words: ReadControlFile and StartupXLOG in its xlog.c, xlogrecovery.c, relmapper.c,
slru.c, checkDataDir in miscinit.c and postmaster.c; version 12 to 18.
"""

import re

_DAMAGED = re.compile(
    r"""\bPANIC:
    | invalid\ (primary\ |secondary\ )?checkpoint | could\ not\ (locate|read|find)\ (a\ valid\ |the\ |required\ )*
      (checkpoint|redo)
    | pg_control | PG_CONTROL | control\ file | incompatible\ with\ (the\ )?server
    | not\ a\ valid\ data\ directory | required\ WAL\ directory | relation\ mapping\ file
    | could\ not\ access\ status\ of\ transaction | invalid\ (page|magic\ number|data\ in\ file|record\ length)
    | could\ not\ (open|read|access|stat)\ (file\ "(?!/)[^"]*/|directory\ "(?!/))[^"]*":
      \ (No\ such\ file|Not\ a\ directory|Is\ a\ directory)
    | could\ not\ (open|read)\ file\ "[^"]*/(pg_control|PG_VERSION|pg_hba\.conf)":\ No\ such\ file
    | could\ not\ load\ [^ ]*pg_hba\.conf""",
    re.VERBOSE,
)
# The kernel's words for what has nothing to do with the data, whichever file it was met with (errno(3)).
_ELSEWHERE = re.compile(
    "No space left|Disk quota|Too many open files|file descriptors|Cannot allocate memory|[Oo]ut of memory|"
    "Permission denied|Operation not permitted|Read-only file system|Input/output error|temporarily unavailable|"
    'lock file "postmaster.pid"'
)


def is_damage(said: str) -> bool:
    """Return whether what a server said as it ended means that its data are damaged."""
    return bool(_DAMAGED.search(said)) and not _ELSEWHERE.search(said)
